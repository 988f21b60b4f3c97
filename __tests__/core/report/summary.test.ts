import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { renderSummary } from '../../../src/core/report/summary.ts';
import { bytes } from '../../../src/core/report/text.ts';
import { context, finding, metrics, recordOf } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';

describe('the job summary', () => {
  it('is short for a clean run', () => {
    expect(renderSummary(recordOf(), context)).toMatchInlineSnapshot(`
      "## Postil · No findings in 3 files

      The new index is right and its callers agree with it.

      <details><summary>What was reviewed: 3 files</summary>

      - **Reviewed:** \`src/a.ts\`, \`src/b.ts\`, \`src/cart.ts\`

      </details>

      <sub>14,203 tokens in (9,000 cached), 812 out · 3 model calls · 4 tool calls · 12 s · gpt-test, profile thorough</sub>
      "
    `);
  });

  it('tells everything of a run that found much and could not finish', async () => {
    await expect(renderSummary(richRecord(), context)).toMatchFileSnapshot('__snapshots__/rich-summary.md');
  });

  it('stays small where 100,000 files and 10,000 batches were not reviewed', () => {
    const reason = 'Token limit reached.';
    const [first] = richRecord().review.batches;
    if (first === undefined) throw new Error('no batch');
    const batches = Array.from({ length: 10_000 }, (_, index) => ({
      ...first,
      name: `${index + 1} src`,
      metrics: { ...metrics, modelCalls: index < 200 ? 1 : 0 },
    }));
    const unreviewed = Array.from({ length: 100_000 }, (_, index) => ({ path: `src/${index}.ts`, reason }));
    const coverage = { reviewed: [], skipped: [], unread: [], unreviewed, earlier: [], missing: [] };
    const summary = renderSummary(recordOf({ outcome: 'partial', batches, coverage }), context);
    expect(bytes(summary)).toBeLessThan(50_000);
    expect(summary).toContain('and 99,995 more');
    expect(summary).toContain('And 9,900 more batches: the report file (`report-file`) lists all.');
  });

  it('names a lock file that nobody read once, and warns of what could be code', () => {
    const named = (code: boolean) => {
      const unread = [{ path: 'package-lock.json', reason: 'lock file', code }];
      const headline = 'No findings · 3 files reviewed · 1 file was not read: package-lock.json (lock file).';
      const coverage = { reviewed: [], skipped: [], unread, unreviewed: [], earlier: [], missing: [] };
      return renderSummary(recordOf({ outcome: 'partial', headline, coverage }), context).match(/\[!\w+\]/g);
    };
    expect([named(false), named(true)]).toEqual([null, ['[!WARNING]']]);
  });

  it('says why nothing was reviewed', () => {
    const record = recordOf({
      outcome: 'skipped',
      stop: { reason: 'skipped', why: 'The pull request is a draft.' },
      headline: 'Not reviewed: The pull request is a draft.',
      rationale: '',
      coverage: { reviewed: [], skipped: [], unread: [], unreviewed: [], earlier: [], missing: [] },
      metrics: { ...metrics, modelCalls: 0, toolCalls: 0 },
    });
    expect(renderSummary(record, context)).toMatchInlineSnapshot(`
      "## Postil · Not reviewed: The pull request is a draft

      <sub>No model calls · 12 s · gpt-test, profile thorough</sub>
      "
    `);
  });

  it('says what failed, what to do, and what the server wrote without obeying it', () => {
    const record = recordOf({
      outcome: 'failed',
      stop: { reason: 'failed', message: '401 from the server', hint: 'Check the key.' },
      headline: 'The review failed: The model could not answer: 401 @ada <b>. Check the `api-key` input.',
      rationale: '',
      coverage: {
        reviewed: [],
        skipped: [],
        unread: [],
        unreviewed: [{ path: 'a|b.ts', reason: 'failed' }],
        earlier: [],
        missing: [],
      },
    });
    expect(renderSummary(record, context)).toMatchInlineSnapshot(`
      "## Postil · The review failed: The model could not answer: 401 \`@ada\`

      Check the \`api-key\` input.

      > [!WARNING]
      > **Not reviewed: 1 file**
      > - failed: \`a|b.ts\`

      <details><summary>What was reviewed: 0 of 1 file, 1 not reviewed</summary>

      - **Not reviewed, failed:** \`a|b.ts\`

      </details>

      <details><summary><sub>14,203 tokens in (9,000 cached), 812 out · 3 model calls · 4 tool calls · 12 s · gpt-test, profile thorough</sub></summary>

      |  | Used | Limit |
      | --- | --- | --- |
      | Tokens | 15,015 | 500,000 per run |
      | – in | 14,203, 9,000 of them cached |  |
      | – out | 812, 300 of them reasoning |  |
      | Model calls | 3 |  |
      | Estimated before | about 4 model calls, 18,000 in, 2,000 out |  |
      | Iterations | 2 | 15 per batch |
      | Tool calls | 4: \`read_file\` 3 (40 ms), \`search_text\` 1 (40 ms) |  |
      | Time | 12 s | 15 min |

      </details>
      "
    `);
  });

  it('obeys no name of a delivery, which a report file may hold', () => {
    const delivery = { sink: '<img src=x> @ada', status: 'failed', reason: 'full', delivered: [], url: null } as const;
    expect(renderSummary({ ...recordOf({}), deliveries: [delivery] }, context)).toContain(
      '- **Failed: \\[image removed] `@ada`:** full',
    );
  });

  it('shows text of the model that could not be brought into findings', () => {
    const record = recordOf({
      outcome: 'partial',
      headline: 'Partial review: no findings.',
      rawFreeText: '# I think\n\n@ada should look.',
    });
    expect(renderSummary(record, context)).toContain(
      '### What the model wrote\n\nIt could not be brought into findings, so none of it was posted.\n\n#### I think\n\n`@ada` should look.',
    );
  });

  it('keeps pipes and newlines of titles and paths inside their cells', () => {
    const placements = [
      { finding: finding({ path: 'a|b`c.ts', title: 'one | two\nthree `x|y` `a\\|b`' }), place: 'inline' },
    ] as const;
    const summary = renderSummary(recordOf({ outcome: 'findings', placements }), context);
    const tree = fromMarkdown(summary, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
    const row = tree.children.find((node) => node.type === 'table')?.children[1];
    expect(row?.children.map((cell) => plainText(cell).replace(/<.*?>/g, '\n'))).toEqual([
      '🔴',
      'one | two three x|y a|b\n\nCritical · a|b`c.ts:12 · inline comment\n',
    ]);
  });

  it('tells a hundred findings in full and names the others', () => {
    const placements = Array.from({ length: 102 }, (_, index) => ({
      finding: finding({ id: `f${index}`, title: `Title ${index}`, review: 'Short.', evidence: '', suggestion: null }),
      place: 'summary' as const,
      reason: 'beyond max-comments',
    }));
    const summary = renderSummary(recordOf({ outcome: 'findings', placements }), context);
    const count = (part: string) => summary.split(part).length - 1;
    expect([count('| Title '), count(' · Title '), count('2 more findings: in full in the report file')]).toEqual([
      102, 100, 1,
    ]);
  });

  it('stays under the size at which the runner drops it, and says where the rest is', () => {
    const skipped = Array.from({ length: 4_000 }, (_, index) => ({
      path: `${'ü'.repeat(150)}/${index}`,
      reason: `reason ${index % 20}`,
    }));
    const coverage = { reviewed: [], skipped, unread: [], unreviewed: [], earlier: [], missing: [] };
    const summary = renderSummary(recordOf({ outcome: 'partial', coverage }), context);
    expect([bytes(summary) <= 1_000_001, bytes(summary) > 900_000, summary.trimEnd().split('\n').slice(-3)]).toEqual([
      true,
      true,
      ['</details>', '', 'The summary is cut here: the report file (`report-file`) holds everything.'],
    ]);
  });
});

function plainText(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(plainText).join('') : '';
}
