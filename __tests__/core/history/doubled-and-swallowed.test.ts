import { structuredPatch } from 'diff';
import { afterAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { matchFindings } from '../../../src/core/history/match.ts';
import { mapLines } from '../../../src/core/history/positions.ts';
import { surroundingsAt } from '../../../src/core/history/surroundings.ts';
import { knownAt, knownFinding, prior } from '../../fakes/earlier-rounds.ts';
import { changedFile, MemoryRepository } from '../../fakes/memory-repository.ts';
import { finding, linesAt, marked } from '../../fakes/review-record.ts';
import { parser } from '../context/searching.ts';

afterAll(() => parser.close());

const source = `export async function order(request) {
  const id = request.query.id;
  const rows = await db.query("select * from orders where id = " + id);
  const total = rows.map((row) => row.price).reduce((sum, price) => sum + price);
  log.info(request.headers);
  return { rows, total };
}
`;

/** Pasted below a line of the source, as a later push does. */
function withLine(after: string, added: string): string {
  return source.replace(`${after}\n`, `${after}\n${added}\n`);
}

const query = 'const rows = await db.query("select * from orders where id = " + id);';
const id = 'const id = request.query.id;';
const total = 'const total = rows.map((row) => row.price).reduce((sum, price) => sum + price);';
const run = '  execSync(request.query.command);';
const withRun = withLine(`  ${id}`, run);

type Said = Partial<Pick<Finding, 'title' | 'severity' | 'category' | 'ruleId'>> & {
  /** First and last line that it quotes, by their text. */
  readonly from: string;
  readonly to?: string;
  /** The model says that it is the earlier one. */
  readonly same?: true;
};

const sql = {
  from: query,
  title: 'A query parameter is pasted into SQL',
  severity: 'critical',
  category: 'security',
} as const;
const whole = {
  from: 'export async function order',
  to: 'return { rows, total };',
  title: 'The function has no tests',
  severity: 'warning',
  category: 'test',
} as const;

/** What was said, what the code is by then, and what is said of it otherwise; a pull request each. */
type Case = readonly [name: string, before: Said, code: string, now: Partial<Said>];

const wider = { from: id, to: query };
const asSecurity = { severity: 'critical', category: 'security' } as const;
const command = { from: run, to: run, title: 'A command of the request is run' };
const withDelete = withLine(`  ${query}`, '  await db.query("delete from log where id = " + id);');
const vague = { from: total, title: 'The name total is vague', severity: 'nitpick', category: 'style' } as const;
const throws = { title: 'An order without rows throws', severity: 'warning', category: 'bug' } as const;
const unreached = { ...sql, from: run, title: 'A command is run' };

/** What a person would call the same. */
const same: readonly Case[] = [
  ['word for word', sql, source, {}],
  ['below new lines', sql, `import db from 'db';\n${source}`, {}],
  ['indented anew', sql, source.replace(`  ${query}`, `      ${query}`), {}],
  ['in other words about the same lines', sql, source, { title: 'SQL injection through the order id' }],
  ['with a line more and alike', sql, source, { ...wider, title: 'The query parameter id is pasted into SQL' }],
  ['with a line more, named by the model', sql, source, { ...wider, title: 'SQL injection', same: true }],
  ['with a line more, in other words', sql, source, { ...wider, title: 'Injection through the order id' }],
  ['as a bug first and a security hole then', { ...sql, category: 'bug' }, source, { ...wider, category: 'security' }],
  [
    'by a rule first and by a model then',
    { ...sql, ruleId: 'concatenation' },
    source,
    { ruleId: null, title: 'Other' },
  ],
];

/** What a person would call another. */
const other: readonly Case[] = [
  ['a critical line put into a function that was spoken of', whole, withRun, { ...command, ...asSecurity }],
  ['a line as bad as the function that was spoken of', whole, withRun, { ...command, category: 'bug' }],
  ['a second query in the same words', sql, withDelete, { from: 'await db.query("delete' }],
  ['a second query, quoted with the first', sql, withDelete, { to: 'await db.query("delete' }],
  ['a new line that the model calls the old matter', whole, withRun, { from: run, same: true }],
  [
    'another defect on a line between',
    whole,
    source,
    { from: 'log.info', to: 'log.info', title: 'Cookies are written to the log', category: 'security' },
  ],
  ['another defect on the same line, and worse', vague, source, throws],
  ['another rule on the same line', { ...sql, ruleId: 'concatenation' }, source, { ruleId: 'secret-in-log' }],
  ['a line that was moved to where it runs', unreached, withLine(`  ${query}`, run), {}],
];

function place(text: string, { from, to = from }: Said): Finding['anchor'] {
  const lines = text.split('\n');
  const at = (part: string) => lines.findIndex((line) => line.includes(part.trim())) + 1;
  const [startLine, endLine] = [at(from), at(to)];
  return linesAt([startLine, endLine], lines.slice(startLine - 1, endLine).join('\n'));
}

function said({ from: _from, to: _to, same: _same, ...words }: Said, anchor: Finding['anchor']): Finding {
  return finding({ path: 'order.js', ruleId: null, ...words, anchor });
}

function aroundIn(text: string, anchor: Finding['anchor']): Promise<string | null> {
  const syntax = {
    ...parser,
    parse: (file: { path: string; text: string }) => parser.parse(file, { milliseconds: 60_000 }),
  };
  return surroundingsAt({ repository: new MemoryRepository({ 'order.js': text }), syntax }).around('order.js', anchor);
}

async function isRaised([, before, code, changes]: Case, declined: boolean): Promise<boolean> {
  // The line that moves stood in code that is never reached.
  const earlier = before.from === run ? `if (false) {\n${run}\n}\n${source}` : source;
  const { hunks } = structuredPatch('order.js', 'order.js', earlier, code, '', '', { context: 3 });
  const changed = [changedFile('order.js', { hunks: hunks.map((hunk) => ({ ...hunk, heading: '' })) })];
  const one = said(before, place(earlier, before));
  const mark = marked(one, { id: 'p-1' });
  const present = mapLines(mark, changed);
  const known = knownAt(knownFinding(mark, { around: await aroundIn(earlier, one.anchor) }));
  const around = present.kind === 'here' ? await aroundIn(code, present.anchor) : null;
  const now = { ...before, ...changes };
  const again = { ...said(now, place(code, now)), ...(now.same === true ? { sameAs: 'p-1' } : {}) };
  return matchFindings([again], [prior(one, { mark, present, known, around, declined })]).fresh.length === 1;
}

async function raised(cases: readonly Case[], declined: boolean): Promise<readonly string[]> {
  const all = await Promise.all(cases.map(async (one) => ((await isRaised(one, declined)) ? [one[0]] : [])));
  return all.flat();
}

describe('over a finding that is open', () => {
  it('none is doubled, unless it has other lines and other words and the model does not name it', async () => {
    expect(await raised(same, false)).toEqual(['with a line more, in other words']);
  });

  it('no other finding is swallowed, unless it shares lines and words with one that counts anyway', async () => {
    const names = new Set(await raised(other, false));
    expect(other.flatMap(([name]) => (names.has(name) ? [] : [name]))).toEqual([
      'a second query, quoted with the first',
      'a new line that the model calls the old matter',
      'a line that was moved to where it runs',
    ]);
  });
});

describe('over a finding that somebody declined', () => {
  it('no other finding is swallowed', async () => {
    expect(await raised(other, true)).toEqual(other.map(([name]) => name));
  });

  it('what stands in other code, is of another category, or in words that nobody declined is asked again', async () => {
    expect(await raised(same, true)).toEqual([
      'indented anew',
      'in other words about the same lines',
      'with a line more, in other words',
      'as a bug first and a security hole then',
      'by a rule first and by a model then',
    ]);
  });
});
