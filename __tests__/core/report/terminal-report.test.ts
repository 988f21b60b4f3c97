import { describe, expect, it } from 'vitest';
import { type Paint, renderTerminalReport } from '../../../src/core/report/terminal.ts';
import type { LedgerEntry } from '../../../src/core/review/review.ts';
import { context, finding, recordOf } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';

const same = (text: string) => text;
const plain: Paint = { bold: same, dim: same, red: same, yellow: same, blue: same, green: same };
const options = { paint: plain, redact: context.redact };

describe('the report on a terminal', () => {
  it('tells the findings and then what came of the run', () => {
    expect(renderTerminalReport(richRecord(), options)).toMatchInlineSnapshot(`
      "src/cart.ts:12  critical  The last price is read past the end
        12 │   return items[items.length].price;
        For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.
        Suggested:
          +   return items[items.length - 1].price;

      src/old-checkout.ts:30 (before the change)  warning  The check for administrators is gone
        30 │ if (!user.admin) {
        31 │   throw denied();
        32 │ }
        For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.
        rule keep-guards
        also at src/admin.ts:8

      docs/prices.md:3  warning  The manual still says "first price" | see @ada, #12
        3 │ The first price counts.
        For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.
        not in the diff

      src/name.ts  nitpick  The name says nothing
        For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.
        below min-severity

      The two carts repeat each other: one of them could go.

      Partial review: 4 findings (1 critical, 2 warning, 1 nitpick). Token limit reached.
      Checkout throws for every cart.
      Not reviewed: src/huge.ts (Token limit reached.)
      Skipped: package-lock.json (lock file)
      Skipped: dist/index.js (generated)
      Skipped: logo.png (binary)
      Unplaced: src/log.ts: A race in \`flush\` (quote not found; closest is line 41: \`flush()\`)
      Not raised again: src/cart.ts:12: Refused before (refused by ada)
      The API key came from the environment.
      14,203 tokens in (9,000 cached), 812 out · 3 model calls · 4 tool calls · 12 s
      "
    `);
  });

  it('is short for a clean run', () => {
    expect(renderTerminalReport(recordOf(), options)).toMatchInlineSnapshot(`
      "No findings in 3 files.
      The new index is right and its callers agree with it.
      14,203 tokens in (9,000 cached), 812 out · 3 model calls · 4 tool calls · 12 s
      "
    `);
  });

  it('names twenty files of a kind and counts the others', () => {
    const skipped = Array.from({ length: 25 }, (_, index) => ({ path: `dist/${index}.js`, reason: 'generated' }));
    const record = recordOf({
      coverage: { reviewed: ['a.ts'], skipped, unread: [], unreviewed: [], earlier: [], missing: [] },
    });
    const lines = renderTerminalReport(record, options).split('\n');
    expect([lines.filter((line) => line.startsWith('Skipped: ')).length, lines.includes('… and 5 more')]).toEqual([
      20,
      true,
    ]);
  });

  it('lists what was found and is not raised, in a line each', () => {
    const entry = { finding: finding(), place: 'suppressed', url: null } as const;
    const ledger: readonly LedgerEntry[] = [
      { ...entry, by: 'rule-comment', reason: 'ignored by the comment at a.ts:3: ours' },
      { ...entry, by: 'verification', reason: 'not so' },
      { ...entry, by: 'follow-up', reason: 'withdrawn' },
      { ...entry, reason: 'refused by ada' },
    ];
    const record = { ...recordOf(), ledger };
    const lines = renderTerminalReport(record, options).split('\n');
    const what = 'src/cart.ts:12: The last price is read past the end';
    expect(lines.filter((line) => line.includes(what))).toEqual([
      `Ignored: ${what} (ignored by the comment at a.ts:3: ours)`,
      `Disproved: ${what} (not so)`,
      `Withdrawn: ${what} (withdrawn)`,
      `Not raised again: ${what} (refused by ada)`,
    ]);
  });

  it('colours by severity where it is given colours', () => {
    const paint = { ...plain, red: (text: string) => `<red>${text}</red>` };
    const record = recordOf({ outcome: 'findings', placements: [{ finding: finding(), place: 'inline' }] });
    expect(renderTerminalReport(record, { paint, redact: same }).split('\n')[0]).toBe(
      'src/cart.ts:12  <red>critical</red>  The last price is read past the end',
    );
  });

  it('lets no text of the model or the repository act on the terminal', () => {
    const text = '\u001B]0;title\u0007\u001B[2J\r\u009B31m\u202E';
    const leaky = finding({
      anchor: { kind: 'lines', side: 'RIGHT', startLine: 1, endLine: 1, quote: text },
      ...{ path: text, title: text, review: text, suggestion: text, ruleId: text, alsoAt: [text] },
    });
    const record = recordOf({
      placements: [{ finding: leaky, place: 'inline' }],
      refused: [{ title: text, path: text, reason: text }],
      coverage: {
        reviewed: [],
        skipped: [{ path: text, reason: text }],
        unread: [],
        unreviewed: [{ path: text, reason: text }],
        earlier: [],
        missing: [text],
      },
      ...{ headline: text, rationale: text, nonSpecific: [text], rawFreeText: text, notes: [text] },
    });
    expect(renderTerminalReport(record, options)).not.toMatch(/(?!\n)[\p{Cc}\u202E]/u);
  });
});
