import { getOctokit } from '@actions/github';
import type { PullDiff } from '../fakes/github-server/changed-files.ts';
import { peopleOf } from '../fakes/github-server/people.ts';
import { answerApi } from '../fakes/github-server/start-github.ts';
import type { Store, StoredPull } from '../fakes/github-server/store.ts';
import { allPermissions, type GitHubWorld, type WorldPullRequest } from '../fakes/github-server/world.ts';
import { type Commit, diffOf, type FileDiff, lineNow } from './commits.ts';

export const viewer = 'postil-app[bot]';

/** What our comments can be closed by: a token that may resolve threads, or one that may minimise comments. */
export type Closing = 'resolve' | 'minimise';

/** Called before each request of a run. What it waits for, the run waits for. */
export type OnRequest = (request: { readonly method: string; readonly isWrite: boolean }) => Promise<void>;

/** Where the branch stands, and where it is to go. */
export type Place = {
  readonly base: Commit;
  readonly mergeBase: Commit;
  readonly head: Commit;
  /** Of the base. */
  readonly ref: string;
};

/** What a GitHub keeps of a pull request, and who acts on it there. */
type Kept = { readonly pull: StoredPull; readonly people: ReturnType<typeof peopleOf> };

/** Who may do what. */
export const collaborators = { octo: 'admin', ada: 'write', grace: 'write', eve: 'read' } as const;

/** The GitHub of one pull request, and which commits its heads were. */
export class Hub {
  readonly pull: StoredPull;
  readonly people: Kept['people'];
  /** Null where a server has it. */
  readonly store: Store | null;
  readonly #heads: Place[] = [];

  constructor({ base, mergeBase, head, ref }: Place, { pull, people }: Kept, store: Store | null = null) {
    this.pull = pull;
    this.people = people;
    this.store = store;
    this.#heads.push({ base, mergeBase, head, ref });
  }

  /** The commits that were heads, the newest last. */
  get heads(): readonly Commit[] {
    return this.#heads.map(({ head }) => head);
  }

  get head(): Commit {
    return this.#last.head;
  }

  get mergeBase(): Commit {
    return this.#last.mergeBase;
  }

  get base(): Commit {
    return this.#last.base;
  }

  get #last(): Place {
    const last = this.#heads.at(-1);
    if (last === undefined) throw new Error('There is no head.');
    return last;
  }

  /** What a push, or a base that moved, makes of the pull request: comments on lines that are not there any more are outdated. */
  moves({ base, mergeBase, head, ref }: Place): void {
    const { pull } = this;
    if (pull.headSha !== head.sha) pull.earlierHeads.push(pull.headSha);
    pull.headSha = head.sha;
    pull.given = { ...pull.given, base: { ref, sha: base.sha } };
    pull.diff = pullDiff({ mergeBase, head });
    pull.diffs?.set(head.sha, pull.diff);
    this.#heads.push({ base, mergeBase, head, ref });
    const threads = pull.threads.map((thread) => {
      const from = this.#heads.find((one) => one.head.sha === thread.commit);
      if (from === undefined || thread.line === null) return thread;
      const side = thread.side === 'RIGHT' ? { from: from.head, to: head } : { from: from.mergeBase, to: mergeBase };
      return { ...thread, outdated: lineNow(side, { path: thread.path, line: thread.line }) === null };
    });
    pull.threads.splice(0, pull.threads.length, ...threads);
  }
}

/** One in this process, without a server. */
export async function openInMemory(at: Place, closing: Closing): Promise<Hub> {
  const given = givenOf(at);
  const diff = pullDiff(at);
  const diffs = new Map([[at.head.sha, diff]]);
  const pull = {
    given,
    headSha: at.head.sha,
    earlierHeads: [],
    diff,
    diffs,
    conversation: [],
    threads: [],
    reviews: [],
  };
  let last = 1000;
  const lists = { checkRuns: [], artifacts: [], reruns: [], labels: [], nextId: () => ++last };
  const store = { ...lists, world: worldOf(given, closing, ''), pulls: [pull] };
  return new Hub(at, { pull, people: peopleOf(store) }, store);
}

/** Octokit, as far as a run uses it, whose requests the fake server's routes answer in this process. */
export function clientOf({ store }: Hub, onRequest: OnRequest) {
  if (store === null) throw new Error('This one has a server.');
  const fetch = async (address: string, options: { method: string; body?: string; headers: object }) => {
    const { method, body = '' } = options;
    const url = new URL(address);
    const isMutation = url.pathname.endsWith('/graphql') && /"query":"\s*mutation/.test(body);
    await onRequest({ method, isWrite: isMutation || (method !== 'GET' && !url.pathname.endsWith('/graphql')) });
    const headers = Object.fromEntries(Object.entries(options.headers));
    const request = { method, path: url.pathname, query: url.searchParams, headers, rawHeaders: [] };
    const reply = await answerApi({ ...request, body: Buffer.from(body) }, { store, origin: url.origin });
    const text = reply.status === 204 ? null : reply.body.toString();
    return new Response(text, { status: reply.status, headers: { ...reply.headers } });
  };
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const octokit = getOctokit(store.world.token, { baseUrl: 'https://hub/api/v3', log, request: { fetch } });
  const graphql = (query: string, variables: { readonly [name: string]: unknown }): Promise<unknown> =>
    octokit.graphql({ ...variables, query, url: 'https://hub/api/graphql' });
  return { rest: octokit.rest, paginate: octokit.paginate, graphql };
}

export function givenOf({ base, head, ref }: Place): WorldPullRequest {
  return {
    ...{ number: 7, title: 'Change how it works', body: 'Because it should.', author: 'ada', state: 'open' },
    ...{ draft: false, labels: [], conversation: [], threads: [] },
    base: { ref, sha: base.sha },
    head: { ref: 'feature', sha: head.sha, repository: 'octo/spoon' },
  };
}

export function worldOf(given: WorldPullRequest, closing: Closing, gitDirectory: string): GitHubWorld {
  const contents = closing === 'resolve' ? 'write' : 'read';
  return {
    ...{ owner: 'octo', repository: 'spoon', gitDirectory, viewer, faults: [], pullRequests: [given] },
    // Built at run time: a literal that looks like a token would trip the scanners that this product is about.
    token: ['ghs', 'lives'.repeat(7)].join('_'),
    permissions: { ...allPermissions, contents },
    collaborators,
  };
}

function pullDiff({ mergeBase, head }: { readonly mergeBase: Commit; readonly head: Commit }): PullDiff {
  const files = diffOf(mergeBase, head).map((file) => {
    const lines = file.hunks.flatMap((hunk) => hunk.lines);
    return {
      filename: file.path,
      previousFilename: file.letter === 'R' ? file.oldPath : null,
      status: statuses[file.letter],
      blob: file.blob,
      additions: lines.filter((line) => line.startsWith('+')).length,
      deletions: lines.filter((line) => line.startsWith('-')).length,
      patch: file.patch === '' ? null : file.patch,
      hunks: file.hunks.map(({ oldStart, oldLines, newStart, newLines }) => ({
        ...{ oldStart, newStart },
        oldEnd: oldStart + oldLines - 1,
        newEnd: newStart + newLines - 1,
      })),
    };
  });
  return { mergeBase: mergeBase.sha, text: '', files };
}

const statuses = { A: 'added', M: 'modified', D: 'removed', R: 'renamed' } as const satisfies {
  readonly [letter in FileDiff['letter']]: PullDiff['files'][number]['status'];
};
