import { describe, expect, it, onTestFinished } from 'vitest';
import { mergedPullRequests } from '../../../src/adapters/github/merged-pull-requests.ts';
import { readLessons } from '../../../src/adapters/github/read-lessons.ts';
import { markOf } from '../../../src/core/memory/finding-mark.ts';
import { writeMark } from '../../../src/core/memory/mark-text.ts';
import type { GitHubWorld, WorldThread } from '../../fakes/github-server/world.ts';
import { finding } from '../../fakes/review-record.ts';
import { reference, reply, scriptedGitHub } from './scripted-github.ts';
import { smallWorld, strictGitHub } from './strict-github.ts';

const repository = { owner: 'octo', repository: 'spoon' };
const author = 'github-actions[bot]';
const collaborators = { grace: 'write', eve: 'read' } as const;

const at = {
  identity: { name: 'Any', run: '1-1', settings: '' },
  commit: 'a'.repeat(40),
  mergeBase: '',
  redact: String,
};
const anchor = { kind: 'lines', side: 'RIGHT', startLine: 5, endLine: 5, quote: '' } as const;

function turnedDown(title: string, by = 'grace', poster = author): WorldThread {
  const body = `Words.\n\n${writeMark(markOf(finding({ title, anchor }), at))}`;
  const comments = [
    { author: poster, body },
    { author: by, body: 'False positive.' },
  ];
  return { path: 'src/lines.txt', line: 5, comments };
}

/** Numbers and titles of what is learnt, as a person with these pull requests sees it. */
async function learn(
  given: readonly Partial<GitHubWorld['pullRequests'][number]>[],
  of: Parameters<typeof readLessons>[1]['of'],
) {
  const pullRequests = given.map((one) => ({ ...smallWorld.pull, state: 'merged' as const, ...one }));
  const { github, fake } = await strictGitHub({ pullRequests, viewer: 'grace', collaborators });
  const read = await readLessons(github, { repository, of, author });
  return { ...read, titles: read.lessons.map(({ title }) => title), asked: fake.requests.length };
}

const lately = { atMost: 20, since: null };

describe('what people turned down', () => {
  it('is read from merged pull requests, by those who may write, each asked for once', async () => {
    const threads = [
      turnedDown('One'),
      turnedDown('Two'),
      turnedDown('Three', 'eve'),
      turnedDown('Four', 'grace', 'eve'),
    ];
    const read = await learn(
      [
        { number: 7, threads },
        { number: 8, state: 'open', threads: [turnedDown('Open')] },
      ],
      lately,
    );
    expect([read.titles, read.pullRequests, read.threads, read.ours]).toEqual([['One', 'Two'], 1, 4, 3]);
    // The list, the threads, and two people.
    expect(read.asked).toBe(4);
  });

  it('is read from one pull request, merged or not', async () => {
    const given = [{ number: 7, state: 'open' as const, threads: [turnedDown('One')] }, { number: 8 }];
    expect((await learn(given, 7)).titles).toEqual(['One']);
  });

  it('is read from so many at most, the newest first', async () => {
    const given = Array.from({ length: 5 }, (_, index) => ({
      number: index + 1,
      threads: [turnedDown(`${index + 1}`)],
    }));
    expect((await learn(given, { atMost: 2, since: null })).titles).toEqual(['5', '4']);
  });

  it('is not believed of somebody whose permission cannot be learnt, who is named', async () => {
    const faults = [{ match: { method: 'GET', path: /permission$/ }, times: 9, before: 'status 403' as const }];
    const pullRequests = [{ ...smallWorld.pull, threads: [turnedDown('One')] }];
    const { github } = await strictGitHub({ pullRequests, collaborators, faults });
    const read = await readLessons(github, { repository, of: 7, author });
    expect([read.lessons, read.unknown]).toEqual([[], ['grace']]);
  });

  it.each([
    [
      'a number that there is not',
      { repository, of: 99, author },
      'GitHub does not show pull request #99 in octo/spoon',
    ],
    [
      'a repository that there is not',
      { repository: { owner: 'o', repository: 'r' }, of: lately, author },
      'pull requests of o/r',
    ],
  ])('is not read from %s, and the error says what to check', async (_, options, words) => {
    const { github } = await strictGitHub();
    await expect(readLessons(github, options)).rejects.toThrow(words);
  });
});

describe('the merged pull requests', () => {
  const nodes = Array.from({ length: 120 }, (_, index) => {
    const day = new Date(Date.UTC(2026, 0, 200 - index)).toISOString();
    return { number: 200 - index, updatedAt: day, mergedAt: index % 2 === 0 ? day : '2025-01-01T00:00:00Z' };
  });
  const list = async (atMost: number, since: string | null) => {
    const server = await scriptedGitHub(({ body }) => {
      const after = Number(/"after":"(\d+)"/.exec(JSON.stringify(body))?.[1] ?? 0);
      const pageInfo = { hasNextPage: after + 50 < nodes.length, endCursor: String(after + 50) };
      return reply(200, {
        data: { repository: { pullRequests: { pageInfo, nodes: nodes.slice(after, after + 50) } } },
      });
    });
    onTestFinished(() => server.close());
    const numbers = await mergedPullRequests(server.github, { repository: reference, atMost, since });
    return { count: numbers.length, last: numbers.at(-1), asked: server.log.length };
  };

  it.each([
    ['as many as are wanted', 60, null, { count: 60, last: 141, asked: 2 }],
    ['all that there are', 1000, null, { count: 120, last: 81, asked: 3 }],
    ['those since a day, and no page beyond it', 1000, nodes[10]?.updatedAt ?? '', { count: 6, last: 190, asked: 1 }],
  ])('are %s', async (_, atMost, since, expected) => {
    expect(await list(atMost, since)).toEqual(expected);
  });
});
