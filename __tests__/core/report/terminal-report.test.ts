import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import stringWidth from 'fast-string-width';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../src/cli/arguments.ts';
import { commands } from '../../../src/cli.ts';
import { type PlacedFinding, placed, unraised } from '../../../src/core/findings/finding.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { renderCheckAnnotations, renderCommands } from '../../../src/core/report/annotations.ts';
import { recordFrom, renderOutputs, renderReport, shownReport } from '../../../src/core/report/json.ts';
import { renderReviewPost } from '../../../src/core/report/review-post.ts';
import { renderSarif } from '../../../src/core/report/sarif.ts';
import { renderSticky } from '../../../src/core/report/sticky.ts';
import { renderSummary } from '../../../src/core/report/summary.ts';
import { type Paint, renderLines, renderPrompt, renderTerminalReport } from '../../../src/core/report/terminal.ts';
import type { ReviewRecord } from '../../../src/core/review/sink.ts';
import { severities } from '../../../src/core/settings/setting.ts';
import { context, finding, recordOf } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';
import { recordSaying } from '../../fakes/saying.ts';

const same = (text: string) => text;
const plain: Paint = { bold: same, dim: same, red: same, yellow: same, blue: same, green: same };
const options = { paint: plain, redact: context.redact };

const sarif = { ...context, version: '1.0.0' };

describe('a report file', () => {
  it.each<[string, (record: ReviewRecord) => unknown]>([
    ['text', (record) => renderTerminalReport(record, options)],
    ['SARIF', (record) => renderSarif(record, sarif)],
    ['a job summary', (record) => renderSummary(record, context)],
    ['annotations', ({ review }) => renderCommands(review, same)],
    ['prompt', (record) => renderPrompt(record, same)],
    ['lines', (record) => renderLines(record, same)],
  ])('comes to the same %s as the run that wrote it', (_, render) => {
    const disproved = unraised(finding({ narrowed: true }), { by: 'verification', reason: verbatim('no') });
    const rich = richRecord();
    const record = { ...rich, placed: [...rich.placed, disproved] };
    const { record: read, context: links } = recordFrom(shownReport(record, context));
    expect(render(read)).toEqual(render(record));
    expect(links).toEqual({ serverUrl: 'https://github.com', repository: 'acme/shop' });
  });
});

it('a report file knows where in a long line a finding is', () => {
  const columns = { start: 200, end: 210 };
  const place = { kind: 'lines', side: 'RIGHT', startLine: 1, endLine: 1 } as const;
  const anchor = { ...place, quote: 'a'.repeat(300), columns };
  const record = recordOf({ findings: [placed(finding({ anchor }), 'summary')] });
  expect(recordFrom(shownReport(record, context)).record.placed[0]?.anchor).toEqual(anchor);
});

describe('a secret, wherever it stands', () => {
  it.each<[string, (record: ReviewRecord) => unknown]>([
    ['the review that is posted', ({ review: one }) => renderReviewPost(one, context)],
    ['the summary comment', (record) => renderSticky(record, { ...context, comment: 1, present: null })],
    ['the report file', (record) => renderReport(record, context)],
    ['the outputs', (record) => renderOutputs(record, context.redact)],
    ['the job summary', (record) => renderSummary(record, context)],
    ['the annotations of a step', ({ review: one }) => renderCommands(one, context.redact)],
    ['the annotations of a check', ({ review: one }) => renderCheckAnnotations(one, { ...context, posted: [] })],
    ['the report on a terminal', (record) => renderTerminalReport(record, options)],
    ['the prompt for an agent', (record) => renderPrompt(record, context.redact)],
    ['the lines for an editor', (record) => renderLines(record, context.redact)],
    ['SARIF', (record) => renderSarif(record, sarif)],
  ])('is not in %s', (_, render) => {
    const record = recordSaying('Key hunter2hunter2', { path: 'src/cart.ts', ruleId: 'a-rule' });
    const text = JSON.stringify(render(record)).replaceAll(/<!-- postil:v2 .*? -->/g, '');
    expect([text.includes('hunter2'), text.includes('[redacted: secret')]).toEqual([false, true]);
  });
});

describe('what other programs read of the findings', () => {
  const below = placed(finding({ severity: 'nitpick', title: 'Below' }), 'summary', { belowThreshold: true });
  const record = { ...richRecord(), placed: [...richRecord().placed, below] };

  it('is a line for each, at the place where it begins', () => {
    const file = placed(
      finding({ anchor: { kind: 'file' }, severity: 'info', title: 'Two\nlines\u001B[2J' }),
      'summary',
    );
    expect(renderLines({ ...record, placed: [...record.placed, file] }, same).split('\n')).toEqual([
      'src/cart.ts:12:3: critical: The last price is read past the end',
      'src/old-checkout.ts:1:1: warning: The check for administrators is gone',
      'docs/prices.md:3:1: warning: The manual still says "first price" | see @ada, #12',
      'src/log.ts:1:1: critical: A race in `flush`',
      'src/cart.ts:1:1: info: Two lines\\u{1B}[2J',
      '',
    ]);
  });

  it('is in the Problems view of an editor by the matchers of the example', () => {
    const example = readFileSync(new URL('../../../docs/examples/vscode-tasks.json', import.meta.url), 'utf8');
    const task = JSON.parse(example).tasks[0];
    const all = severities.map((severity) => placed(finding({ severity, title: severity }), 'summary'));
    const lines = renderLines({ ...record, placed: all }, same)
      .trimEnd()
      .split('\n');
    const problems = lines.map((line) =>
      task.problemMatcher.flatMap(({ severity, pattern }: { severity: string; pattern: Record<string, number> }) => {
        const groups = new RegExp(String(pattern['regexp'])).exec(line);
        return groups === null
          ? []
          : [severity, ...['file', 'line', 'column', 'message'].map((of) => groups[pattern[of] ?? 0])];
      }),
    );
    expect(problems).toEqual(
      [
        ['error', 'critical'],
        ['warning', 'warning'],
        ['info', 'info'],
        ['info', 'nitpick'],
      ].map(([level, title]) => {
        return [level, 'src/cart.ts', '12', '3', title];
      }),
    );
    expect(readArguments(commands, task.args).kind).toBe('command');
  });

  it('is the prompt for an agent that comments have, of all that people are shown', () => {
    const prompt = renderPrompt(record, same);
    const shown = { ...record, placed: record.placed.filter(({ belowThreshold }) => belowThreshold !== true) };
    expect(renderSummary(shown, context)).toContain(prompt.trimEnd());
    expect([prompt.includes('Below'), renderPrompt({ ...record, placed: [below] }, same)]).toEqual([false, '']);
  });
});

describe('the report on a terminal', () => {
  it('tells the findings and then what came of the run', () => {
    expect(renderTerminalReport(richRecord(), options)).toMatchInlineSnapshot(`
      "critical  The last price is read past the end
        src/cart.ts:12
        https://github.com/acme/shop/pull/7#discussion_f1
        12 │   return items[items.length].price;
           │   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.
        Suggested:
          -   return items[items.length].price;
          +   return items[items.length - 1].price;

      warning  The check for administrators is gone
        src/old-checkout.ts:30 (before the change) · rule keep-guards · also at src/admin.ts:8
        https://github.com/acme/shop/pull/7#discussion_f2
        30 │ if (!user.admin) {
           │ ^^^^^^^^^^^^^^^^^^
        31 │   throw denied();
        32 │ }
        For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      warning  The manual still says "first price" | see @ada, #12
        docs/prices.md:3 · not in the diff
        https://github.com/acme/shop/pull/7#discussion_f3
        3 │ The first price counts.
          │ ^^^^^^^^^^^^^^^^^^^^^^^
        For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      critical  A race in \`flush\`
        src/log.ts · unplaced: its quote is not in src/log.ts
        For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      The two carts repeat each other: one of them could go.

      Partial review: 4 findings (1 critical, 2 warning, 1 nitpick). Token limit reached.
      Checkout throws for every cart.
      Not reviewed: 1 file
      - Token limit reached: src/huge.ts
      Skipped, lock file: package-lock.json
      Skipped, generated: dist/index.js
      Skipped, binary: logo.png
      Declined: Refused before (src/cart.ts:12): declined by @ada
      Not shown: 1 finding below min-severity (warning).
      The API key came from the environment.
      14,203 tokens in (9,000 cached), 812 out · 3 model calls · 4 tool calls · 12 s
      "
    `);
  });

  it('lists what was found and is not raised, in a line each', () => {
    const placed: readonly PlacedFinding[] = [
      unraised(finding(), { by: 'rule-comment', reason: verbatim('at a.ts:3: ours') }),
      unraised(finding(), { by: 'verification', reason: verbatim('not so') }),
      unraised(finding(), { by: 'follow-up', reason: verbatim('guarded') }),
      unraised(finding(), { by: 'people', reason: verbatim('declined by @ada') }),
    ];
    const lines = renderTerminalReport({ ...recordOf(), placed }, options).split('\n');
    const what = 'The last price is read past the end (src/cart.ts:12)';
    expect(lines.filter((line) => line.includes(what))).toEqual([
      `Ignored by a comment in the code: ${what}: at a.ts:3: ours`,
      `Disproved by verification: ${what}: not so`,
      `Withdrawn by the model: ${what}: guarded`,
      `Declined: ${what}: declined by @ada`,
    ]);
  });

  it.each([40, 80, 120])('fits %i columns, and loses no word', (width) => {
    const words = (text: string) => text.replaceAll(/[\s│+^]/g, '');
    const report = renderTerminalReport(richRecord(), { ...options, width });
    expect(report.split('\n').filter((line) => line.length > width)).toEqual([]);
    // Of the code frame alone the end of a line may be missing.
    expect(words(report.replace('.length].pri…', '.length].price;'))).toBe(
      words(renderTerminalReport(richRecord(), options)),
    );
  });

  it('colours each line of a title by itself, and the marks below the code by severity', () => {
    const paint = { ...plain, red: (text: string) => `<red>${text}</red>`, bold: (text: string) => `<b>${text}</b>` };
    const record = recordOf({ findings: [placed(finding(), 'summary', { reason: verbatim('last') })] });
    expect(renderTerminalReport(record, { paint, redact: same, width: 40 }).split('\n').slice(0, 5)).toEqual([
      '<red>critical  </red><b>The last price is read past</b>',
      '          <b>the end</b>',
      '  src/cart.ts:12 · last',
      '  12 │   return items[items.length].pri…',
      `     │   <red>${'^'.repeat(31)}</red>`,
    ]);
  });

  const minified = `${'漢'.repeat(500)};${'a=1;'.repeat(3_000)}\tdebugger;${'b=2;'.repeat(3_000)}`;
  const inLongLine = (quote: string, columns?: { start: number; end: number }) =>
    recordOf({
      findings: [
        placed(
          finding({ suggestion: null, anchor: { ...lines, quote, ...(columns === undefined ? {} : { columns }) } }),
          'summary',
        ),
      ],
    });
  const lines = { kind: 'lines', side: 'RIGHT', startLine: 7, endLine: 7 } as const;
  const frameOf = (text: string) => text.split('\n').filter((line) => line.includes('│'));

  it.each([
    ['in the middle', 40, '7 │ …;a=1;a=1;  debugger;b=2;b=2;b=2;…'],
    ['in the middle', 80, '7 │ …1;a=1;a=1;a=1;a=1;a=1;  debugger;b=2;b=2;b=2;b=2;b=2;b=2;b=2;b=2;b=2;b=2…'],
    ['in the middle', undefined, '7 │ …'],
  ])('shows what is around a place %s of a long line in %s columns', (_, width, start) => {
    const at = minified.indexOf('debugger') + 1;
    const record = inLongLine(minified, { start: at, end: at + 'debugger;'.length });
    const [code = '', marks = ''] = frameOf(
      renderTerminalReport(record, width === undefined ? options : { ...options, width }),
    );
    expect(code.trim().slice(0, start.length)).toBe(start);
    const place = code.indexOf('debugger;');
    expect([marks.indexOf('^'), marks.match(/\^+/)?.[0].length, code.length <= 108]).toEqual([place, 9, true]);
  });

  it.each([
    ['at its beginning', { start: 1, end: 3 }, `│ 漢漢漢`, '│ ^^^^'],
    ['of characters that take two columns', { start: 101, end: 102 }, '│ …漢漢漢', `│  ${' '.repeat(48)}^^`],
    ['that is not known', undefined, '│ 漢漢漢', `│ ${'^'.repeat(74)}`],
  ])('marks a place %s', (_, columns, start, marks) => {
    const [code = '', marked = ''] = frameOf(
      renderTerminalReport(inLongLine(minified, columns), { ...options, width: 80 }),
    );
    expect([code.slice(code.indexOf('│')).startsWith(start), marked.slice(marked.indexOf('│'))]).toEqual([true, marks]);
  });

  it('does not say what a suggestion replaces where it quotes a part of it', () => {
    const record = recordOf({ findings: [placed(finding({ narrowed: true }), 'summary')] });
    const signs = renderTerminalReport(record, options).match(/^ {4}[-+]/gm);
    expect(signs).toEqual(['    +']);
  });

  it.each([
    ['critical', 'red'],
    ['warning', 'yellow'],
    ['info', 'blue'],
    ['nitpick', 'blue'],
  ] as const)('has a total in the colour of the most severe finding: %s is %s', (severity, colour) => {
    const named = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
    const paint = { ...plain, red: named('red'), yellow: named('yellow'), blue: named('blue'), green: named('green') };
    const findings = ['nitpick', severity].map((one) =>
      placed({ ...finding(), severity: one === severity ? severity : 'nitpick' }, 'summary'),
    );
    const text = renderTerminalReport(
      { ...recordOf({ findings, outcome: 'findings', headline: [verbatim('In all.')] }) },
      { paint, redact: same },
    );
    expect(/<(\w+)>In all\./.exec(text)?.[1]).toBe(colour);
  });

  it('keeps any text in its columns and visible, wide characters and hostile ones too', () => {
    const wide = ['漢', '한', '👩\u200D💻', '🇩🇪', 'e\u0301', '\u200B', '…'];
    const acting = ['\u001B[2J', '\u0007', '\u009B31m', '\u202E', '\r', '\t'];
    const unit = fc.constantFrom('a', 'word', ' ', '\n', '- ', ...wide, ...acting);
    const text = fc.oneof(fc.string({ unit, maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 60 }));
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 120 }), (hostile, width) => {
        const report = renderTerminalReport(recordSaying(hostile), { ...options, width });
        expect(report).not.toMatch(/(?!\n)[\p{Cc}\u202E\p{Cs}]/u);
        expect(report.split('\n').filter((line) => stringWidth(line) > width)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
