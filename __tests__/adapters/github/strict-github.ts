import { onTestFinished } from 'vitest';
import { createGitHub, type GitHub } from '../../../src/adapters/github/client.ts';
import type { PullRequestReference } from '../../../src/adapters/github/get-pull.ts';
import { systemClock } from '../../../src/compose.ts';
import { type FakeGitHub, startGitHub } from '../../fakes/github-server/start-github.ts';
import type { GitHubWorld, WorldComment, WorldThread } from '../../fakes/github-server/world.ts';
import { createWorld } from '../../fakes/world/create-world.ts';

const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);

/** One file, changed on line 5. */
export const smallWorld = createWorld({
  base: { 'src/lines.txt': `${lines.join('\n')}\n` },
  head: { 'src/lines.txt': `${lines.with(4, 'line 5 changed').join('\n')}\n` },
});

export const head = smallWorld.commits.head;

export type StrictGitHub = {
  readonly fake: FakeGitHub;
  readonly github: GitHub;
  readonly reference: PullRequestReference;
};

/** The client over a GitHub that refuses what GitHub refuses. */
export async function strictGitHub(
  more: Partial<GitHubWorld> & {
    readonly threads?: readonly WorldThread[];
    readonly conversation?: readonly WorldComment[];
    readonly signal?: AbortSignal;
  } = {},
): Promise<StrictGitHub> {
  const { threads = [], conversation = [], signal, ...world } = more;
  const pullRequests = [{ ...smallWorld.pull, threads, conversation }];
  const fake = await startGitHub({ ...smallWorld.github, pullRequests, ...world });
  onTestFinished(() => fake.close());
  const { owner, repository, token } = fake.world;
  const { apiUrl, graphqlUrl, serverUrl } = fake;
  const cancel = signal === undefined ? {} : { signal };
  const told = { userAgent: 'postil-test', onWait: () => undefined, clock: systemClock };
  const github = createGitHub({ token, apiUrl, graphqlUrl, pace: 'none', ...told, ...cancel });
  return { fake, github, reference: { owner, repository, number: smallWorld.pull.number, serverUrl } };
}
