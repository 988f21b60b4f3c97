import { describe, expect, it } from 'vitest';
import { findPullRequest } from '../../../src/adapters/github/pull-request.ts';
import { page as pageOf } from '../../fakes/github-server/route.ts';
import { reply, scriptedGitHub } from './scripted-github.ts';

describe('findPullRequest', () => {
  const sha = 'a'.repeat(40);
  const headIn = (full_name: string, at = sha) => ({ head: { sha: at, repo: { full_name } } });
  const ours = (number: number, more: object = {}) => ({ number, state: 'open', ...headIn('ada/r'), ...more });
  const run = { headSha: sha, headBranch: 'door', headRepository: 'ada/r', numbers: [7] };
  type Lists = {
    readonly named?: object;
    readonly ofBranch?: readonly object[];
    readonly ofCommit?: readonly object[];
  };
  const findIn = async (lists: Lists, headRepository: string | null = 'ada/r') => {
    const { github, log } = await scriptedGitHub((asked) => {
      const branch = asked.query.get('state') === 'open' && asked.query.get('head') === 'ada:door';
      if (asked.path === '/repos/o/r/pulls/7' && lists.named !== undefined) return reply(200, lists.named);
      if (asked.path === '/repos/o/r/pulls' && branch) return pageOf(asked, lists.ofBranch ?? []);
      if (asked.path === `/repos/o/r/commits/${sha}/pulls`) return pageOf(asked, lists.ofCommit ?? []);
      return undefined;
    });
    return { ...(await findPullRequest(github, { owner: 'o', repository: 'r' }, { ...run, headRepository })), log };
  };

  it('finds it by the branch of the fork', async () => {
    expect(await findIn({ ofBranch: [ours(7)] })).toMatchObject({ found: true, number: 7, others: [] });
  });

  it('takes the first of several with the same head, and names the others', async () => {
    expect(await findIn({ ofBranch: [ours(9), ours(7)] })).toMatchObject({ found: true, number: 7, others: [9] });
  });

  it('finds it by the commit alone when the fork was deleted', async () => {
    const orphan = ours(7, { head: { sha, repo: null } });
    const log = ['GET /repos/o/r/pulls/7', `GET /repos/o/r/commits/${sha}/pulls`];
    expect(await findIn({ ofCommit: [orphan] }, null)).toEqual({ found: true, number: 7, others: [], log });
  });

  it('believes the number that the event names before a list that lags behind', async () => {
    const stale = ours(7, headIn('ada/r', 'b'.repeat(40)));
    const named = { ...ours(7), base: { sha } };
    expect(await findIn({ named, ofBranch: [stale] })).toMatchObject({ found: true, number: 7, others: [] });
    expect(await findIn({ named })).toMatchObject({ found: true, number: 7 });
  });

  const moved = ours(7, headIn('ada/r', 'b'.repeat(40)));
  const closed = 'Pull request #7, which has aaaaaaaaaaaa, is closed.';
  const movedOn = 'Pull request #7 has moved on from aaaaaaaaaaaa to bbbbbbbbbbbb.';
  const none = 'No pull request has aaaaaaaaaaaa as its head.';

  it.each<[string, Lists, string]>([
    ['another fork has the same commit', { ofCommit: [ours(7, headIn('eve/r'))] }, none],
    ['the commit is its head no more', { ofCommit: [moved] }, movedOn],
    ['the branch has moved on', { ofBranch: [moved] }, movedOn],
    ['the one that the event names is closed', { named: { ...ours(7), state: 'closed', base: { sha } } }, closed],
    ['it is closed', { ofCommit: [ours(7, { state: 'closed' })] }, closed],
    ['there is none', {}, none],
  ])('finds none when %s, and says so', async (_name, lists, reason) => {
    expect(await findIn(lists)).toMatchObject({ found: false, reason });
  });

  it('explains which permission is missing', async () => {
    const { github } = await scriptedGitHub(() => reply(403, { message: 'Resource not accessible by integration' }));
    const finding = findPullRequest(github, { owner: 'o', repository: 'r' }, run);
    await expect(finding).rejects.toMatchObject({ name: 'UserError', hint: 'Grant `pull-requests: read`.' });
  });
});
