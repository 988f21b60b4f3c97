import { describe, expect, it } from 'vitest';
import { readMergedLessons } from '../../../src/adapters/github/lessons.ts';
import { readLinked } from '../../../src/adapters/github/linked.ts';
import { writeMark } from '../../../src/core/history/mark.ts';
import { knownFinding, stateMark } from '../../fakes/earlier-rounds.ts';
import {
  allPermissions,
  type GitHubWorld,
  type WorldPullRequest,
  type WorldThread,
} from '../../fakes/github-server/world.ts';
import { finding, marked } from '../../fakes/review-record.ts';
import { head, reference, reply, type Script, scriptedGitHub, smallWorld, strictGitHub } from './scripted-github.ts';

const repository = { owner: 'octo', repository: 'spoon' };
const author = 'github-actions[bot]';
const collaborators = { grace: 'write', eve: 'read' } as const;

const anchor = { kind: 'lines', side: 'RIGHT', startLine: 5, endLine: 5, quote: '' } as const;

function turnedDown(title: string, by = 'grace', poster = author): WorldThread {
  const body = `Words.\n\n${writeMark(marked(finding({ title, anchor }), { id: `p-${title}` }))}`;
  const comments = [
    { author: poster, body },
    { author: by, body: 'False positive.' },
  ];
  return { path: 'src/lines.txt', line: 5, comments };
}

/** What is read of a world with these pull requests, with titles instead of lessons. */
async function read(given: readonly Partial<GitHubWorld['pullRequests'][number]>[], last = 20) {
  const pullRequests = given.map((one) => ({ ...smallWorld.pull, state: 'merged' as const, ...one }));
  const { github, fake } = await strictGitHub({ pullRequests, viewer: 'grace', collaborators });
  const lessons = await readMergedLessons(github, { repository, last, author });
  return { ...lessons, titles: lessons.lessons.map(({ title }) => title), requests: fake.requests.length };
}

describe('what people declined', () => {
  it('is read from merged pull requests, by those who may write, whose permission is read once', async () => {
    const threads = [
      turnedDown('One'),
      turnedDown('Two'),
      turnedDown('Three', 'eve'),
      turnedDown('Four', 'grace', 'eve'),
    ];
    const open = { number: 8, state: 'open', threads: [turnedDown('Open')] } as const;
    const { titles, pullRequests, findings, requests } = await read([{ number: 7, threads }, open]);
    // The list, the discussion, and two people.
    expect([titles, pullRequests, findings, requests]).toEqual([['One', 'Two'], 1, 3, 4]);
  });

  it('is read from the conversation in the same request', async () => {
    const id = 'p-3f09ab12';
    const known = knownFinding(marked(finding({ title: 'Summed up' }), { id }));
    const conversation = [
      { author, body: `Words.\n\n${writeMark(stateMark({ findings: [known] }))}` },
      { author: 'grace', body: `/postil dismiss ${id} A demo.` },
    ];
    const { titles, lessons, requests } = await read([{ number: 7, conversation }]);
    expect([titles, requests]).toEqual([['Summed up'], 3]);
    expect(lessons[0]).toMatchObject({ words: 'A demo.', url: expect.stringContaining('#issuecomment-') });
  });

  it('is read from so many at most, the newest first', async () => {
    const given = Array.from({ length: 5 }, (_, index) => ({
      number: index + 1,
      threads: [turnedDown(`${index + 1}`)],
    }));
    expect((await read(given, 2)).titles).toEqual(['5', '4']);
  });

  it('does not count where the permission of somebody cannot be read, who is named', async () => {
    const faults = [{ match: { method: 'GET', path: /permission$/ }, times: 9, before: 'status 403' as const }];
    const pullRequests = [{ ...smallWorld.pull, state: 'merged' as const, threads: [turnedDown('One')] }];
    const { github } = await strictGitHub({ pullRequests, collaborators, faults });
    const { lessons, unknown } = await readMergedLessons(github, { repository, last: 20, author });
    expect([lessons, unknown]).toEqual([[], ['grace']]);
  });

  it('cannot be read from a repository that does not exist, and the error says what to check', async () => {
    const { github } = await strictGitHub();
    const asked = { repository: { owner: 'o', repository: 'r' }, last: 20, author };
    await expect(readMergedLessons(github, asked)).rejects.toThrow('GitHub does not show pull requests of o/r');
  });
});

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

  const hidden = { ...ask, number: 4, repository: 'octo/secret', isPrivate: true };
  const many = Array.from({ length: 14 }, (_, index) => ({ ...ask, number: index + 1 }));

  it.each([
    ['nothing where there is nothing, and no note', [], [], 0],
    ['the issues that the token can see, and the number of the others', [hidden, ask], [3], 1],
    ['ten issues, and the number of the others', many, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 4],
  ])('holds %s', async (_, closes, numbers, otherIssues) => {
    const { linked, notes } = await linkedIn({ closes });
    expect([linked.issues.map(({ number }) => number), linked.otherIssues]).toEqual([numbers, otherIssues]);
    expect([linked.checks, notes]).toEqual([[], []]);
  });
});

describe('a token that may not see everything', () => {
  it('still reads the issues without `checks: read`, and the note says what to grant', async () => {
    const permissions = { ...allPermissions, checks: 'none' } as const;
    const { linked, notes, asked } = await linkedIn({ closes: [ask], checks: [failed, failed] }, { permissions });
    expect([linked.issues.length, linked.checks, asked]).toEqual([1, null, 1]);
    expect(notes).toEqual([
      'Could not read the CI results of the head (needs `checks: read` and `statuses: read`), so the review does without them. GitHub says: Resource not accessible by integration.',
    ]);
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
    expect(linked).toEqual({ issues: [], otherIssues: 0, checks: null });
    expect(notes.map((note) => note.split(': ').at(-1))).toEqual(
      Array(2).fill('Resource not accessible by integration.'),
    );
  });
});

describe('a server that answers otherwise', () => {
  const linkedOver = async (script: Script) => {
    const { github, log } = await scriptedGitHub(script);
    const notes: string[] = [];
    const onNote = (text: string) => notes.push(text);
    const linked = await readLinked(github, { reference, head, onNote });
    return { linked, notes, asked: log.length };
  };
  const ofCommit = (commit: object) =>
    reply(200, { data: { repository: { pullRequest: { commits: { nodes: [{ commit }] } } } } });

  it('by not knowing a field still tells the other', async () => {
    const message = "Field 'closingIssuesReferences' doesn't exist on type 'PullRequest'";
    const { linked, notes, asked } = await linkedOver((request) =>
      JSON.stringify(request.body).includes('closingIssuesReferences')
        ? reply(200, { errors: [{ message, extensions: { code: 'undefinedField' } }] })
        : ofCommit({ oid: head, statusCheckRollup: null }),
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
    const { linked } = await linkedOver((request) =>
      JSON.stringify(request.body).includes('"after":"x"')
        ? reply(403, { message: 'Forbidden' })
        : ofCommit({ oid: head, statusCheckRollup: { state: 'FAILURE', contexts } }),
    );
    expect([linked.checks?.map((check) => check.name), linked.unreadChecks]).toEqual([
      ['build'],
      { count: 129, rollup: 'failed' },
    ]);
  });

  it('about another commit says nothing of this one', async () => {
    const { linked } = await linkedOver(() => ofCommit({ oid: 'f'.repeat(40), statusCheckRollup: null }));
    expect(linked.checks).toBeNull();
  });
});
