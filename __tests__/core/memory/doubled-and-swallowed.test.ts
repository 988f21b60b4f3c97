import { structuredPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { matchFindings } from '../../../src/core/memory/match.ts';
import { markOf } from '../../../src/core/memory/memory.ts';
import { newLinesOf } from '../../../src/core/memory/new-lines.ts';
import { mapLines } from '../../../src/core/memory/recall.ts';
import { changedFile } from '../../fakes/memory-repository.ts';
import { finding } from '../../fakes/review-record.ts';

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

/** What was said, what the code is by then, what is said next; a pull request each, with what a person would call it. */
const cases: readonly [name: string, truth: 'same' | 'other', before: Said, code: string, now: Said][] = [
  ['word for word', 'same', sql, source, sql],
  ['below new lines', 'same', sql, `import db from 'db';\n${source}`, sql],
  ['indented anew', 'same', sql, source.replace(`  ${query}`, `      ${query}`), sql],
  ['in other words about the same lines', 'same', sql, source, { ...sql, title: 'SQL injection through the order id' }],
  [
    'with a line more and nearly the same words',
    'same',
    sql,
    source,
    { ...sql, from: id, to: query, title: 'The query parameter id is pasted into SQL' },
  ],
  [
    'with a line more, in other words, named by the model',
    'same',
    sql,
    source,
    { ...sql, from: id, to: query, title: 'SQL injection', same: true },
  ],
  [
    'with a line more, in other words',
    'same',
    sql,
    source,
    { ...sql, from: id, to: query, title: 'Injection through the order id' },
  ],
  [
    'as a bug first and a security hole then',
    'same',
    { ...sql, category: 'bug' },
    source,
    { ...sql, from: id, to: query },
  ],
  [
    'by a rule first and by a model then',
    'same',
    { ...sql, ruleId: 'sql-concatenation' },
    source,
    { ...sql, title: 'Injection' },
  ],
  [
    'a critical line put into a function that was spoken of',
    'other',
    whole,
    withRun,
    { from: run, title: 'A command of the request is run', severity: 'critical', category: 'security' },
  ],
  [
    'a line as bad as the function that was spoken of',
    'other',
    whole,
    withRun,
    { from: run, title: 'A command of the request is run', severity: 'warning', category: 'bug' },
  ],
  [
    'a second query in the same words',
    'other',
    sql,
    withLine(`  ${query}`, '  await db.query("delete from log where id = " + id);'),
    { ...sql, from: 'await db.query("delete' },
  ],
  [
    'a second query, quoted with the first',
    'other',
    sql,
    withLine(`  ${query}`, '  await db.query("delete from log where id = " + id);'),
    { ...sql, from: query, to: 'await db.query("delete' },
  ],
  ['a new line that the model calls the old matter', 'other', whole, withRun, { ...whole, from: run, same: true }],
  [
    'another defect on a line between',
    'other',
    whole,
    source,
    { from: 'log.info', title: 'Cookies are written to the log', severity: 'warning', category: 'security' },
  ],
  [
    'another defect on the same line, and worse',
    'other',
    { from: total, title: 'The name total is vague', severity: 'nitpick', category: 'style' },
    source,
    { from: total, title: 'An order without rows throws', severity: 'warning', category: 'bug' },
  ],
  [
    'another rule on the same line',
    'other',
    { ...sql, ruleId: 'sql-concatenation' },
    source,
    { ...sql, ruleId: 'secret-in-log' },
  ],
  [
    'a line that was moved to where it runs',
    'other',
    { ...sql, from: run, title: 'A command is run' },
    source.replace(`  ${query}`, `  ${query}\n${run}`),
    { ...sql, from: run, title: 'A command is run' },
  ],
];

function place(text: string, { from, to = from }: Said): Finding['anchor'] {
  const lines = text.split('\n');
  const at = (part: string) => lines.findIndex((line) => line.includes(part.trim())) + 1;
  const [startLine, endLine] = [at(from), at(to)];
  return { kind: 'lines', side: 'RIGHT', startLine, endLine, quote: lines.slice(startLine - 1, endLine).join('\n') };
}

function said({ from: _from, to: _to, same: _same, ...words }: Said, anchor: Finding['anchor']): Finding {
  return finding({ path: 'order.js', ruleId: null, ...words, anchor });
}

function isRaised([, , before, code, now]: (typeof cases)[number], declined: boolean): boolean {
  // The line that moves stood in code that is never reached.
  const earlier = before.from === run ? `if (false) {\n${run}\n}\n${source}` : source;
  const identity = { name: 'Review', run: '1-1', settings: '' };
  const context = { identity, commit: 'a'.repeat(40), mergeBase: 'c'.repeat(40), redact: (text: string) => text };
  const mark = markOf(said(before, place(earlier, before)), context);
  const { hunks } = structuredPatch('order.js', 'order.js', earlier, code, '', '', { context: 3 });
  const changes = [changedFile('order.js', { hunks: hunks.map((hunk) => ({ ...hunk, heading: '' })) })];
  const prior = {
    id: 'p-1',
    mark,
    held: { in: 'sticky' as const },
    signed: true,
    url: null,
    present: mapLines(mark, changes),
    newLines: newLinesOf('order.js', changes),
    declines: [],
    declined,
  };
  const again = { ...said(now, place(code, now)), ...(now.same === true ? { sameAs: 'p-1' } : {}) };
  return matchFindings([again], [prior]).fresh.length === 1;
}

describe.each([
  ['open', false],
  ['declined', true],
] as const)('over a finding that is %s', (_, declined) => {
  const wrong = (truth: 'same' | 'other') =>
    cases.filter((one) => one[1] === truth && isRaised(one, declined) !== (truth === 'other')).map(([name]) => name);

  it('no other finding is swallowed', () => {
    expect(wrong('other')).toEqual([]);
  });

  it('none is doubled, unless it has other lines and other words and the model does not name it', () => {
    expect(wrong('same')).toEqual(['with a line more, in other words']);
  });
});
