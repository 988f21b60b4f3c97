import { afterEach, describe, expect, it } from 'vitest';
import { findPullRequest, type WorkflowRun } from '../../../src/adapters/github/find-pull-request.ts';
import { pageOf, reply, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';

const sha = 'a'.repeat(40);
const run: WorkflowRun = { headSha: sha, headBranch: 'door', headRepository: 'ada/r' };

function pull(number: number, more: object = {}) {
  return { number, state: 'open', head: { sha, repo: { full_name: 'ada/r' } }, ...more };
}

describe('findPullRequest', () => {
  let server: ScriptedGitHub | undefined;
  afterEach(() => server?.close());

  const findIn = async (
    lists: { readonly ofBranch?: readonly object[]; readonly ofCommit?: readonly object[] },
    event: WorkflowRun = run,
  ) => {
    server = await scriptedGitHub((asked, { url }) => {
      const branch = asked.query['state'] === 'open' && asked.query['head'] === 'ada:door';
      if (asked.path === '/repos/o/r/pulls' && branch) return pageOf(lists.ofBranch ?? [], { asked, url });
      if (asked.path === `/repos/o/r/commits/${sha}/pulls`) return pageOf(lists.ofCommit ?? [], { asked, url });
      return undefined;
    });
    return await findPullRequest(server.github, { owner: 'o', repository: 'r' }, event);
  };

  it('finds it by the branch of the fork', async () => {
    await expect(findIn({ ofBranch: [pull(7)] })).resolves.toEqual({ found: true, number: 7, others: [] });
  });

  it('takes the first of several with the same head, and names the others', async () => {
    const found = await findIn({ ofBranch: [pull(9), pull(7)] });
    expect(found).toEqual({ found: true, number: 7, others: [9] });
  });

  it('finds it by the commit when the fork was deleted', async () => {
    const orphan = pull(7, { head: { sha, repo: null } });
    const found = await findIn({ ofCommit: [orphan] }, { ...run, headRepository: null });
    expect(found).toEqual({ found: true, number: 7, others: [] });
    expect(server?.log).toEqual([`GET /repos/o/r/commits/${sha}/pulls`]);
  });

  it.each([
    [
      'another fork has the same commit',
      { sha, repo: { full_name: 'eve/r' } },
      'No pull request has aaaaaaaaaaaa as its head.',
    ],
    [
      'the commit is not its head',
      { sha: 'b'.repeat(40), repo: { full_name: 'ada/r' } },
      'Pull request #7 has moved on from aaaaaaaaaaaa to bbbbbbbbbbbb.',
    ],
  ])('does not take an open one when %s', async (_name, head, reason) => {
    await expect(findIn({ ofCommit: [pull(7, { head })] })).resolves.toEqual({ found: false, reason });
  });

  it('says that it moved on', async () => {
    const moved = pull(7, { head: { sha: 'b'.repeat(40), repo: { full_name: 'ada/r' } } });
    const found = await findIn({ ofBranch: [moved] });
    expect(found).toEqual({
      found: false,
      reason: 'Pull request #7 has moved on from aaaaaaaaaaaa to bbbbbbbbbbbb.',
    });
  });

  it('says that it is closed', async () => {
    const found = await findIn({ ofCommit: [pull(7, { state: 'closed' })] });
    expect(found).toEqual({ found: false, reason: 'Pull request #7, which has aaaaaaaaaaaa, is closed.' });
  });

  it('says that there is none', async () => {
    const found = await findIn({});
    expect(found).toEqual({ found: false, reason: 'No pull request has aaaaaaaaaaaa as its head.' });
  });

  it('explains which permission is missing', async () => {
    server = await scriptedGitHub(() => reply(403, { message: 'Resource not accessible by integration' }));
    const finding = findPullRequest(server.github, { owner: 'o', repository: 'r' }, run);
    await expect(finding).rejects.toMatchObject({ name: 'UserError', hint: 'Grant `pull-requests: read`.' });
  });
});
