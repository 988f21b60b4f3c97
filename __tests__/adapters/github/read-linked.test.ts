import { describe, expect, it, onTestFinished } from 'vitest';
import { readLinked } from '../../../src/adapters/github/read-linked.ts';
import { allPermissions, type GitHubWorld, type WorldPullRequest } from '../../fakes/github-server/world.ts';
import { head as scriptedHead } from './pull-answers.ts';
import { reference, reply, type Script, scriptedGitHub } from './scripted-github.ts';
import { head, smallWorld, strictGitHub } from './strict-github.ts';

const ask = { number: 3, title: 'Totals are wrong', body: 'They are `NaN`.' };
const failed = { name: 'build', workflow: 'CI', run: 77, conclusion: 'FAILURE' } as const;

async function linkedIn(pull: Partial<WorldPullRequest>, more: Partial<GitHubWorld> = {}) {
  const pullRequests = [{ ...smallWorld.pull, ...pull }];
  const { fake, github, reference: subject } = await strictGitHub({ pullRequests, ...more });
  const notes: string[] = [];
  const linked = await readLinked(github, { reference: subject, head, onNote: (text) => notes.push(text) });
  return { linked, notes, asked: fake.requests.length };
}

describe('what a pull request is linked with', () => {
  it('is read in one request: the issues that it closes, and the checks of its head', async () => {
    const other = { ...ask, number: 9, repository: 'octo/fork' };
    const pending = { name: 'deploy/preview', conclusion: null };
    expect(await linkedIn({ closes: [ask, other], checks: [failed, pending] })).toEqual({
      linked: {
        issues: [
          { repository: 'octo/spoon', ...ask },
          { repository: 'octo/fork', number: 9, title: ask.title, body: ask.body },
        ],
        otherIssues: 0,
        checks: [
          { name: 'build', workflow: 'CI', run: '77', state: 'failed', conclusion: 'failure' },
          { name: 'deploy/preview', workflow: null, run: null, state: 'unfinished', conclusion: 'pending' },
        ],
      },
      notes: [],
      asked: 1,
    });
  });

  it('is nothing where there is nothing, which is no reason to say anything', async () => {
    const { linked, notes } = await linkedIn({});
    expect([linked, notes]).toEqual([{ issues: [], otherIssues: 0, checks: [] }, []]);
  });

  const passed = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...failed, name: `job ${index}`, conclusion: 'SUCCESS' as const }));

  it('holds the checks of every page: the one that fails may be on the second', async () => {
    const { linked, notes, asked } = await linkedIn({ closes: [ask], checks: [...passed(120), failed, ...passed(9)] });
    expect([linked.checks?.length, linked.checks?.[120]?.state, linked.unreadChecks]).toEqual([
      130,
      'failed',
      undefined,
    ]);
    expect([linked.issues.length, notes, asked]).toEqual([1, [], 2]);
  });

  it('holds a few hundred checks, the number of the others, and what GitHub makes of all', async () => {
    const { linked, asked } = await linkedIn({ checks: [...passed(620), failed] });
    expect([linked.checks?.length, linked.unreadChecks, asked]).toEqual([500, { count: 121, rollup: 'failed' }, 5]);
  });

  it('counts issues of repositories that the token cannot see', async () => {
    const hidden = { ...ask, number: 4, repository: 'octo/secret', isPrivate: true };
    const { linked } = await linkedIn({ closes: [hidden, ask] });
    expect([linked.issues.map(({ number }) => number), linked.otherIssues]).toEqual([[3], 1]);
  });

  it('holds ten issues, and the number of the others', async () => {
    const closes = Array.from({ length: 14 }, (_, index) => ({ ...ask, number: index + 1 }));
    const { linked } = await linkedIn({ closes });
    expect([linked.issues.length, linked.otherIssues]).toEqual([10, 4]);
  });
});

describe('a token that may not see everything', () => {
  it('still reads the issues without `checks: read`, and the note says what to grant', async () => {
    const permissions = { ...allPermissions, checks: 'none' } as const;
    const { linked, notes, asked } = await linkedIn({ closes: [ask], checks: [failed, failed] }, { permissions });
    expect([linked.issues.length, linked.checks, asked]).toEqual([1, null, 1]);
    expect(notes).toMatchInlineSnapshot(`
      [
        "Could not read the CI results of the head (needs \`checks: read\` and \`statuses: read\`), so the review does without them. GitHub says: Resource not accessible by integration.",
      ]
    `);
  });

  it('still reads the checks without `issues: read`', async () => {
    const permissions = { ...allPermissions, issues: 'none' } as const;
    const { linked, notes } = await linkedIn({ closes: [ask], checks: [failed] }, { permissions });
    expect([linked.issues, linked.otherIssues, linked.checks?.length]).toEqual([[], 1, 1]);
    expect(notes).toEqual([expect.stringContaining('`issues: read`')]);
  });

  it('reads nothing without `pull-requests: read`, and fails nothing', async () => {
    const permissions = { ...allPermissions, 'pull-requests': 'none' } as const;
    const { linked, notes } = await linkedIn({ closes: [ask], checks: [failed] }, { permissions });
    expect([linked, notes.length]).toEqual([{ issues: [], otherIssues: 0, checks: null }, 2]);
  });
});

describe('a server that answers otherwise', () => {
  const linkedOver = async (script: Script) => {
    const server = await scriptedGitHub(script);
    onTestFinished(() => server.close());
    const notes: string[] = [];
    const linked = await readLinked(server.github, {
      reference,
      head: scriptedHead,
      onNote: (text) => notes.push(text),
    });
    return { linked, notes, asked: server.log.length };
  };
  const commits = { nodes: [{ commit: { oid: scriptedHead, statusCheckRollup: null } }] };

  it('by not knowing a field still tells the other', async () => {
    const message = "Field 'closingIssuesReferences' doesn't exist on type 'PullRequest'";
    const { linked, notes, asked } = await linkedOver((request) =>
      JSON.stringify(request.body).includes('closingIssuesReferences')
        ? reply(200, { errors: [{ message, extensions: { code: 'undefinedField' } }] })
        : reply(200, { data: { repository: { pullRequest: { commits } } } }),
    );
    expect([linked.issues, linked.checks, asked]).toEqual([[], [], 3]);
    expect(notes).toEqual([expect.stringContaining(message)]);
  });

  it.each<[string, ReturnType<Script>]>([
    ['with 403', reply(403, { message: 'Forbidden' })],
    ['in another shape', reply(200, { data: { repository: 5 } })],
    ['with a page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
  ])('%s costs the review nothing else', async (_, answer) => {
    const { linked, notes } = await linkedOver(() => answer);
    expect([linked, notes.length]).toEqual([{ issues: [], otherIssues: 0, checks: null }, 2]);
  });

  it('with no second page of checks leaves the first, and the number of the others', async () => {
    const name = 'build';
    const nodes = [{ __typename: 'CheckRun', name, status: 'COMPLETED', conclusion: 'SUCCESS', checkSuite: null }];
    const contexts = { totalCount: 130, pageInfo: { hasNextPage: true, endCursor: 'x' }, nodes };
    const commit = { oid: scriptedHead, statusCheckRollup: { state: 'FAILURE', contexts } };
    const { linked } = await linkedOver((request) =>
      JSON.stringify(request.body).includes('"after"')
        ? reply(403, { message: 'Forbidden' })
        : reply(200, { data: { repository: { pullRequest: { commits: { nodes: [{ commit }] } } } } }),
    );
    expect([linked.checks?.map((check) => check.name), linked.unreadChecks]).toEqual([
      ['build'],
      { count: 129, rollup: 'failed' },
    ]);
  });

  it('about another commit says nothing of this one', async () => {
    const nodes = [{ commit: { oid: 'f'.repeat(40), statusCheckRollup: null } }];
    const { linked } = await linkedOver(() =>
      reply(200, { data: { repository: { pullRequest: { commits: { nodes } } } } }),
    );
    expect(linked.checks).toBeNull();
  });
});
