import { findStack, type OpenPull } from '../../core/pull-request/find-stack.ts';
import type { CommitReference, Stack } from '../../core/pull-request/pull-request.ts';
import { listOf, parserFor } from '../../core/schema.ts';
import { fullHash } from '../../core/text.ts';
import { explained, type GitHub, inRepository, type RepositoryName } from './client.ts';
import type { Pull } from './pull.ts';
import { answerParser, branch, has, integer, text, textOrNull } from './shapes.ts';

/**
 * The stack below a pull request; null where there is none. A stack of GitHub's own stands in the pull request itself (in preview,
 * https://docs.github.com/en/pull-requests/reference/stacked-pull-requests-apis-and-webhooks); one made by hand shows in the branches.
 *
 * @throws UserError when GitHub cannot be asked: nobody knows then whether its base is merged code
 */
export function readStack(github: GitHub, repository: RepositoryName, { base, stack }: Pull): Promise<Stack | null> {
  return findStack({
    base: { ref: base.ref ?? base.sha, sha: base.sha },
    defaultBranch: base.repo?.default_branch ?? null,
    declared: declaredBase(stack),
    pullsFrom: (name) =>
      explained(listPullsFrom(github, repository, name), {
        subject: `list of open pull requests from ${name}`,
        permission: 'pull-requests: read',
      }),
    tipOf: (name) =>
      explained(readTip(github, repository, name), { subject: `branch ${name}`, permission: 'contents: read' }),
  });
}

const parseStack = parserFor(has({ base: has({ ref: text, sha: { ...text, pattern: fullHash.source } }) }), {
  firstProblem: true,
});

function declaredBase(stack: unknown): CommitReference | null {
  const parsed = parseStack(stack);
  return parsed.ok ? { ref: parsed.value.base.ref, sha: parsed.value.base.sha } : null;
}

const layer = has({ ref: text }, { repo: branch.properties.repo });
const parseLayers = answerParser(listOf(has({ number: integer, head: layer, base: layer }, { title: textOrNull })));

async function listPullsFrom(github: GitHub, repository: RepositoryName, name: string): Promise<readonly OpenPull[]> {
  const head = `${repository.owner}:${name}`;
  const answer = await github.rest.pulls.list({ ...inRepository(repository), state: 'open', head, per_page: 100 });
  // A fork of the same owner may have a branch of this name, too.
  const own = parseLayers(answer.data).filter(
    ({ head: from, base }) => from.ref === name && from.repo?.full_name === base.repo?.full_name,
  );
  return own.map(({ number, title, base }) => ({ number, title: title ?? '', base: base.ref }));
}

async function readTip(github: GitHub, repository: RepositoryName, name: string): Promise<string> {
  return (await github.rest.git.getRef({ ...inRepository(repository), ref: `heads/${name}` })).data.object.sha;
}
