import { afterEach, describe, expect, it } from 'vitest';
import { gitHubPullRequestSource } from '../../../src/adapters/github/pull-request-source.ts';
import { explain } from '../../../src/core/errors.ts';
import { pullAnswers } from './pull-answers.ts';
import { reference, reply, type Script, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';

describe('a pull request that may not be read', () => {
  let server: ScriptedGitHub | undefined;
  afterEach(() => server?.close());

  const readWith = async (script: Script) => {
    server = await scriptedGitHub(script);
    return await gitHubPullRequestSource(server.github, reference).read();
  };
  const permissions = { 'x-accepted-github-permissions': 'pull_requests=read; issues=read,contents=read' };
  const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4070908800' };

  it.each([
    [
      401,
      {},
      'Bad credentials',
      'GitHub does not accept the token for pull request #5 in o/r. Bad credentials. Check `github-token`: it is wrong or has expired.',
    ],
    [
      403,
      permissions,
      'Resource not accessible by integration',
      'The token may not read pull request #5 in o/r. Resource not accessible by integration. Grant `pull-requests: read` or `issues: read` and `contents: read`.',
    ],
    [
      403,
      limit,
      'API rate limit exceeded',
      "GitHub's rate limit was met at pull request #5 in o/r. API rate limit exceeded. Run it again after 2099-01-01T00:00:00.000Z.",
    ],
    [
      404,
      {},
      'Not Found',
      'There is no pull request #5 in o/r, or the token may not see it. Not Found. Check the repository and the number, and grant `pull-requests: read`.',
    ],
    [
      451,
      {},
      'Blocked',
      'GitHub answered 451 for pull request #5 in o/r. Blocked. Run it again later; https://www.githubstatus.com tells whether GitHub is at fault.',
    ],
  ])('explains %i with headers %o', async (status, headers, message, expected) => {
    const reading = readWith(() => reply(status, { message }, headers));
    await expect(reading.catch(explain)).resolves.toBe(expected);
    await expect(reading).rejects.toMatchObject({ name: 'UserError', cause: { status } });
  });

  it('keeps the page that a proxy answers with out of the explanation', async () => {
    const page = { status: 451, headers: { 'content-type': 'text/html' }, body: '<html>Blocked by the proxy</html>' };
    await expect(readWith(() => page).catch(explain)).resolves.toMatch(/^GitHub answered 451 for .*\. HTTP 451\. Run/);
  });

  it('explains that the merge base needs the contents', async () => {
    const answers = pullAnswers({});
    const reading = readWith((asked, server) =>
      asked.path.includes('/compare/') ? reply(403, { message: 'Not accessible' }) : answers(asked, server),
    );
    await expect(reading).rejects.toMatchObject({ name: 'UserError', hint: 'Grant `contents: read`.' });
  });
});
