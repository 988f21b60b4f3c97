import { type GitRequest, startGitHttpServer } from '../git-http-server.ts';
import { type IncomingRequest, type Outcome, startLoopback } from '../loopback.ts';
import { answerApi } from './api.ts';
import { readPullDiff } from './changed-files.ts';
import { createFaults } from './faults.ts';
import { type People, peopleOf } from './people.ts';
import {
  createStore,
  reviewComments,
  type StoredCheckRun,
  type StoredComment,
  type StoredPull,
  type StoredReview,
  type StoredThread,
} from './store.ts';
import { type GitHubWorld, repositoryNames } from './world.ts';

export type RecordedRequest = {
  readonly method: string;
  /** With the query, as it was asked. */
  readonly path: string;
  /** Parsed JSON; null when there is none. */
  readonly body: unknown;
  /** Null when the connection was broken or never answered. */
  readonly status: number | null;
};

export type PostedComment = {
  readonly path: string;
  readonly side: 'RIGHT' | 'LEFT';
  readonly startLine: number | null;
  /** Null for a comment on the file as a whole. */
  readonly line: number | null;
  readonly author: string;
  readonly body: string;
};

export type FakeGitHub = {
  readonly world: GitHubWorld;
  /** GITHUB_SERVER_URL: git is served here. */
  readonly serverUrl: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  /** Every request in the order of its answer, git's apart. */
  readonly requests: readonly RecordedRequest[];
  readonly gitRequests: readonly GitRequest[];
  /** What changed something, or tried to: GraphQL mutations included. */
  writes(): readonly RecordedRequest[];
  /** Review comments of the first pull request, oldest first: those in the world and those that were posted. */
  comments(): readonly PostedComment[];
  conversation(): readonly StoredComment[];
  reviews(): readonly StoredReview[];
  threads(): readonly StoredThread[];
  /** All of the first pull request, to be changed as no request could. */
  pull(): StoredPull;
  checkRuns(): readonly StoredCheckRun[];
  /** What a person does, in the browser: no permission of the token is asked. */
  readonly people: People;
  /** A push to the pull request's branch. */
  moveHead(sha: string): Promise<void>;
  close(): Promise<void>;
};

/**
 * GitHub as far as a reviewer meets it, on loopback: REST under `/api/v3`, GraphQL under `/api/graphql`, and git over
 * smart HTTP at `serverUrl`. Stateful, and as strict as the real one.
 */
export async function startGitHub(world: GitHubWorld): Promise<FakeGitHub> {
  const store = await createStore(world);
  const faults = createFaults(world.faults);
  const requests: RecordedRequest[] = [];
  const gitServer = await startGitHttpServer({
    repositories: Object.fromEntries(repositoryNames(world).map((name) => [name, world.gitDirectory])),
    authorization: `basic ${Buffer.from(`x-access-token:${world.token}`).toString('base64')}`,
  });
  const server = await startLoopback(async (request) => {
    const reply = await faults.around(request, () => answerApi(request, { store, origin: server.url }));
    requests.push(recordOf(request, reply));
    return reply;
  });
  const first = (): StoredPull => {
    const pull = store.pulls[0];
    if (pull === undefined) throw new Error('The world has no pull request.');
    return pull;
  };
  return {
    world,
    serverUrl: gitServer.url,
    apiUrl: `${server.url}/api/v3`,
    graphqlUrl: `${server.url}/api/graphql`,
    requests,
    gitRequests: gitServer.requests,
    writes: () => requests.filter(isWrite),
    comments: () =>
      reviewComments(first()).map(({ thread, comment }) => ({
        ...placeOf(thread),
        author: comment.author,
        body: comment.body,
      })),
    conversation: () => first().conversation,
    reviews: () => first().reviews,
    threads: () => first().threads,
    pull: first,
    checkRuns: () => store.checkRuns,
    people: peopleOf(store),
    moveHead: async (sha) => {
      const pull = first();
      pull.diff = await readPullDiff(world.gitDirectory, { base: pull.given.base.sha, head: sha });
      pull.earlierHeads.push(pull.headSha);
      pull.headSha = sha;
    },
    close: async () => {
      await Promise.all([server.close(), gitServer.close()]);
    },
  };
}

function placeOf(thread: StoredThread) {
  return { path: thread.path, side: thread.side, startLine: thread.startLine, line: thread.line };
}

function isWrite(request: RecordedRequest): boolean {
  if (request.path.startsWith('/api/graphql')) return /"query":"\s*mutation/.test(JSON.stringify(request.body));
  return request.method !== 'GET';
}

function recordOf(request: IncomingRequest, outcome: Outcome): RecordedRequest {
  const query = request.query.toString();
  return {
    method: request.method,
    path: query === '' ? request.path : `${request.path}?${query}`,
    body: request.headers['content-type']?.includes('json') ? parse(request.body) : null,
    status: typeof outcome === 'string' ? null : outcome.status,
  };
}

function parse(body: Buffer): unknown {
  return body.length === 0 ? null : JSON.parse(body.toString('utf8'));
}
