import { onTestFinished } from 'vitest';
import { type FakeGitHub, startGitHub } from './github-server/start-github.ts';
import type { GitHubWorld } from './github-server/world.ts';
import { createWorld } from './world/create-world.ts';

export const numbers = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
export const edited = numbers.map((line, index) => (index === 4 || index === 29 ? `${line} changed` : line));

/** Hunks 2..8 and 27..33 of `src/lines.txt`. */
export const changed = createWorld({
  base: { 'src/lines.txt': `${numbers.join('\n')}\n`, 'src/other.txt': 'other\n' },
  head: { 'src/lines.txt': `${edited.join('\n')}\n` },
});

export async function start(world: GitHubWorld = changed.github): Promise<FakeGitHub> {
  const github = await startGitHub(world);
  onTestFinished(() => github.close());
  return github;
}

/** One request to REST, such as `GET /repos/octo/spoon/pulls/7`, and what came back. */
export async function ask({ apiUrl, world }: FakeGitHub, asked: string, body?: unknown) {
  const [method = '', path = ''] = asked.split(' ');
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: { authorization: `token ${world.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

export async function graphql({ graphqlUrl, world }: FakeGitHub, query: string) {
  const headers = { authorization: `token ${world.token}` };
  const response = await fetch(graphqlUrl, { method: 'POST', headers, body: JSON.stringify({ query }) });
  return JSON.parse(await response.text());
}

/** What GraphQL says of the pull request's fields. */
export const ofPull = (github: FakeGitHub, fields: string) =>
  graphql(github, `{ repository(owner: "octo", name: "spoon") { pullRequest(number: 7) { ${fields} } } }`);
