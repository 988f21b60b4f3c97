import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { type PlacedFinding, placed, unraised } from '../../../src/core/findings/finding.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { renderSticky } from '../../../src/core/report/sticky.ts';
import { renderSummary } from '../../../src/core/report/summary.ts';
import { bytes } from '../../../src/core/report/text.ts';
import { headline } from '../../../src/core/review/headline.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { goneFinding, roundOf } from '../../fakes/earlier-rounds.ts';
import {
  context,
  coverageOf,
  deliveryOf,
  finding,
  reviewer as identity,
  metrics,
  recordOf,
} from '../../fakes/review-record.ts';
import { batchWith, richRecord } from '../../fakes/rich-record.ts';

describe('the job summary', () => {
  it('is short for a clean run', () => {
    expect(renderSummary(recordOf(), context)).toMatchInlineSnapshot(`
      "## Postil · No findings in 3 files

      The new index is right and its callers agree with it.

      <sub>14,203 tokens in (9,000 cached), 812 out · 3 model calls · 4 tool calls · 12 s · gpt-test, profile thorough</sub>
      "
    `);
  });

  it('tells everything of a run that found much and could not finish', async () => {
    await expect(renderSummary(richRecord(), context)).toMatchFileSnapshot('__snapshots__/rich-summary.md');
  });

  it('stays small where 100,000 files and 10,000 batches were not reviewed', () => {
    const reason = 'Token limit reached.';
    const batches = Array.from({ length: 10_000 }, (_, index) => {
      const modelCalls = index < 200 ? 1 : 0;
      return batchWith([], { name: `${index + 1} src`, metrics: { ...metrics, modelCalls } }).report;
    });
    const unreviewed = Array.from({ length: 100_000 }, (_, index) => ({
      path: `src/${index}.ts`,
      reason: verbatim(reason),
    }));
    const record = recordOf({ outcome: 'partial', batches, coverage: coverageOf({ unreviewed }) });
    const summary = renderSummary(record, context);
    expect(bytes(summary)).toBeLessThan(50_000);
    expect(summary).toContain('and 99,995 more');
    expect(summary).toContain('And 9,900 more batches: the report file (`report-file`) lists all.');
  });

  it('names a lock file that nobody read once, and warns of what could be code', () => {
    const named = (code: boolean) => {
      const unread = [{ ...lockFile, code }];
      const end = { outcome: 'partial', stop: { reason: 'unread', files: unread }, model: 'gpt' } as const;
      const coverage = coverageOf({ unread });
      const record = recordOf({ ...end, headline: headline(end, [], coverage), coverage });
      return renderSummary(record, context).match(/\[!\w+\]/g);
    };
    expect([named(false), named(true)]).toEqual([null, ['[!WARNING]']]);
  });

  it('says what failed, what to do, and what the server wrote without obeying it', () => {
    const record = recordOf({
      outcome: 'failed',
      stop: { reason: 'failed', message: '401 from the server', hint: 'Check the key.' },
      headline: [verbatim('The review failed: The model could not answer: 401 @ada <b>. Check the `api-key` input.')],
      rationale: '',
      coverage: coverageOf({ unreviewed: [{ path: 'a|b.ts', reason: verbatim('failed') }] }),
    });
    expect(renderSummary(record, context).split('\n\n<details>')[0]).toMatchInlineSnapshot(`
      "## Postil · The review failed: The model could not answer: 401 \`@ada\`

      Check the \`api-key\` input.

      > [!WARNING]
      > **Not reviewed: 1 file**
      > - failed: \`a|b.ts\`"
    `);
  });

  it('obeys no reason of a delivery, which a report file may hold', () => {
    const delivery = deliveryOf('check run', { status: 'failed', reason: [verbatim('<img src=x> @ada')] });
    expect(renderSummary(recordOf({}, [delivery]), context)).toContain(
      '> - **Failed: check run**: \\[image removed] `@ada`',
    );
  });

  it('shows text of the model that could not be brought into findings', () => {
    const record = recordOf({ outcome: 'partial', rawFreeText: '# I think\n\n@ada should look.' });
    expect(renderSummary(record, context)).toContain(
      '### What the model wrote\n\nIt could not be brought into findings, so none of it was posted:\n\n#### I think\n\n`@ada` should look.',
    );
  });

  it('keeps pipes and newlines of titles and paths inside their cells', () => {
    const placements = [
      placed(finding({ path: 'a|b`c.ts', title: 'one | two\nthree `x|y` `a\\|b`' }), 'inline'),
    ] as const;
    const summary = renderSummary(recordOf({ outcome: 'findings', findings: placements }), context);
    const tree = fromMarkdown(summary, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
    const row = tree.children.find((node) => node.type === 'table')?.children[1];
    const told = 'one | two three x|y a|b\n\nCritical · a|b`c.ts:12 · inline comment\n';
    expect(row?.children.map((cell) => plainText(cell).replace(/<.*?>/g, '\n'))).toEqual(['🔴', told]);
  });

  it('tells a hundred findings in full and names the others', () => {
    const placements = Array.from({ length: 102 }, (_, index) =>
      placed(
        finding({ id: `f${index}`, title: `Title ${index}`, review: 'Short.', evidence: '', suggestion: null }),
        'summary',
        { reason: verbatim('beyond max-comments') },
      ),
    );
    const summary = renderSummary(recordOf({ outcome: 'findings', findings: placements }), context);
    const count = (part: string) => summary.split(part).length - 1;
    const counts = [count('| Title '), count(' · Title '), count('2 more findings: in full in the report file')];
    expect(counts).toEqual([102, 100, 1]);
  });

  it('stays under the size at which the runner drops it, and says where the rest is', () => {
    const skipped = Array.from({ length: 4_000 }, (_, index) => ({
      path: `${'ü'.repeat(150)}/${index}`,
      reason: verbatim(`reason ${index % 20}`),
    }));
    const summary = renderSummary(recordOf({ outcome: 'partial', coverage: coverageOf({ skipped }) }), context);
    expect([bytes(summary) <= 1_000_001, bytes(summary) > 900_000]).toEqual([true, true]);
    expect(summary).toMatch(
      /<\/details>\n\nThe summary is cut here: the report file \(`report-file`\) holds everything\.\n$/,
    );
  });
});

function plainText(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(plainText).join('') : '';
}

const url = 'https://github.com/acme/shop/pull/7#r1';
const inComment = { ...context, comment: 1, present: null };
const runUrl = 'https://github.com/acme/shop/actions/runs/1';
const run = { version: '1.0.0', startedAt: () => '2026-11-22T10:14:09.000Z', url: runUrl, timeline: () => [] };
const walkthrough = [
  { paths: ['src/cart.ts'], changes: 'Reads the last price.', checked: 'The index | the empty cart.' },
  {
    paths: ['src/mail/send.ts', 'src/mail/queue.ts', 'src/mail/retry.ts', 'src/mail/text.ts', 'src/mail/|.ts'],
    changes: 'Mails wait in a queue.',
    checked: 'A mail that fails is sent again, once.',
  },
];

function stickyOf(changes: Partial<Review>, placed?: readonly PlacedFinding[]): string {
  const record = recordOf({ identity, round: roundOf(), ...changes });
  const text =
    renderSticky({ ...record, placed: placed ?? record.placed }, { ...context, run, comment: 1, present: null }) ?? '';
  return text.replace(/<!--.*-->/g, '').trim();
}

const declined = unraised(
  finding({ id: 'f3', title: 'A mail that fails' }),
  { by: 'people', reason: verbatim("declined by @lead: “Won't fix.”") },
  url,
);

/** The second review of a pull request: one finding is new, one stands, one was declined, two were resolved. */
const second: Partial<Review> = {
  outcome: 'findings',
  rationale: 'The loop must be fixed before merging. The rest is small.',
  walkthrough,
  round: roundOf({ reviews: 1 }),
  scope: { kind: 'incremental', since: '1'.repeat(40) },
  gone: [goneFinding({ title: 'Pasted into SQL' }, url), goneFinding({ title: 'Older', commit: '2'.repeat(40) })],
  findings: [
    placed(finding(), 'standing', { reason: { code: 'standing.raised' }, url, held: 'thread' }),
    placed(finding({ id: 'f2', severity: 'warning' }), 'body', { reason: { code: 'place.not-in-diff-line' } }),
    declined,
  ],
};

const lockFile = { path: 'package-lock.json', reason: { code: 'file.lock' }, code: false } as const;
const ofLockFile: Partial<Review> = {
  outcome: 'partial',
  stop: { reason: 'unread', files: [lockFile] },
  coverage: coverageOf({ reviewed: ['a.ts', 'b.ts', 'c.ts'], unread: [lockFile] }),
};

describe('the summary comment', () => {
  it('of a later review tells what is new, open, declined and resolved', async () => {
    await expect(`${stickyOf(second)}\n`).toMatchFileSnapshot('__snapshots__/second-review.md');
  });

  it('of a clean review says what was checked, and keeps the rationale', async () => {
    await expect(`${stickyOf({ walkthrough })}\n`).toMatchFileSnapshot('__snapshots__/clean-review.md');
  });

  it.each<[string, Partial<Review>]>([
    ['1 finding: 1 critical · 3 files reviewed', { findings: [placed(finding(), 'inline')] }],
    ['1 new finding, 1 still open, 2 fixed, 1 declined', second],
    ['No findings · 3 of 4 files reviewed', ofLockFile],
    [
      'Partial review · 0 of 2 files reviewed',
      {
        outcome: 'partial',
        stop: { reason: 'incomplete', why: [{ code: 'stop.tokens' }], stop: { reason: 'submitted' } },
        coverage: coverageOf({
          unreviewed: ['a.ts', 'b.ts'].map((path) => ({ path, reason: { code: 'label.tokens' } })),
        }),
      },
    ],
  ])('is headed by what there is: %s', (heading, changes) => {
    expect(stickyOf({ outcome: 'findings', ...changes }).split('\n')[0]).toBe(`### Postil · ${heading}`);
  });

  it('names a reviewer that the workflow names, behind Postil', () => {
    const text = renderSticky(recordOf({ identity, round: roundOf() }), { ...inComment, reviewer: 'Security @ada' });
    expect(text).toMatch(/^### Postil · Security `@ada` · No findings/);
    const same = renderSticky(recordOf({ identity, round: roundOf() }), { ...inComment, reviewer: 'Postil' });
    expect(same).toMatch(/^### Postil · No findings/);
  });

  it.each([
    ['The sum is wrong', 'inline', '[The sum is wrong](https://github.com/acme/shop/pull/7#r1) **new**<br>'],
    ['The sum is wrong', 'standing', '[The sum is wrong](https://github.com/acme/shop/pull/7#r1)<br>'],
    ['x](https://evil.example) [y', 'standing', '([comment](https://github.com/acme/shop/pull/7#r1))'],
    ['It ends in \\', 'standing', '([comment](https://github.com/acme/shop/pull/7#r1))'],
  ] as const)('links the title %j that is %s to its comment, and to nothing of its own', (title, place, cell) => {
    const text = stickyOf({ round: roundOf({ reviews: 1 }) }, [placed(finding({ title }), place, { url })]);
    const row = text.split('\n').find((line) => line.startsWith('| 🔴')) ?? '';
    expect([row.includes(cell), /\]\(https:\/\/evil/.test(row.replace(/\\./g, ''))]).toEqual([true, false]);
  });

  it('links the run, and the report that it wrote', () => {
    const report = deliveryOf('report-html', { url: 'r.html' });
    const text = renderSticky(recordOf({ identity, round: roundOf() }, [report]), { ...inComment, run, comment: null });
    expect(text).toContain(` · [run](${runUrl}) · [report](${runUrl}#artifacts)</sub>`);
  });

  it('is none for a run that looked at nothing', () => {
    expect(renderSticky(recordOf({ identity, round: roundOf(), outcome: 'failed' }), inComment)).toBeNull();
  });
});
