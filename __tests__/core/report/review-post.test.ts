import { describe, expect, it } from 'vitest';
import { actionOutputs } from '../../../scripts/action-outputs.ts';
import { placed } from '../../../src/core/findings/finding.ts';
import { readMarks } from '../../../src/core/memory/mark.ts';
import { renderOutputs, renderReport } from '../../../src/core/report/json.ts';
import { parseReviewReport } from '../../../src/core/report/json-schema.ts';
import { renderReviewPost } from '../../../src/core/report/review-post.ts';
import { context, deliveryOf, finding, metrics, recordOf, review } from '../../fakes/review-record.ts';
import { readCall, richRecord, richReport } from '../../fakes/rich-record.ts';

describe('the review that is posted', () => {
  const summary = [placed(finding(), 'summary', { reason: 'below min-severity' })] as const;
  it.each([
    ['for a clean run, whatever the model wrote beside it', review({ nonSpecific: ['Well done.'] })],
    ['when all findings are for the summary', review({ outcome: 'findings', findings: summary })],
    ['without a pull request', { ...richRecord().review, pullRequest: null }],
  ])('is nothing %s', (_, of) => {
    expect(renderReviewPost(of, context)).toBeNull();
  });

  it('tells what is outside the diff and what was not reviewed', () => {
    expect(renderReviewPost(richRecord().review, context)?.body).toMatchInlineSnapshot(`
      "**Partial review: 4 findings (1 critical, 2 warning, 1 nitpick). Token limit reached.**

      Checkout throws for every cart.

      > [!WARNING]
      > **Not reviewed: 1 file**
      > - Token limit reached: \`src/huge.ts\`

      The two carts repeat each other: one of them could go.

      #### Outside the diff

      **🟠 Warning · The manual still says "first price" | see \`@ada\`, \`#12\`**\\
      [\`docs/prices.md:3\`](https://github.com/acme/shop/blob/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/docs/prices.md?plain=1#L3)

      \`\`\`md
      The first price counts.
      \`\`\`

      For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      <details><summary>Evidence: 2 places cited</summary>

      \`src/cart.ts:12\` indexes by \`length\`; \`checkout()\` in \`src/checkout.ts:40\` calls it for every order.

      </details>

      <sub>documentation</sub>

      <sub>2 more findings in the summary.</sub>"
    `);
  });

  it('anchors its comments to the reviewed commit', () => {
    const post = renderReviewPost(richRecord().review, context);
    expect(post).toMatchObject({
      commit: 'a'.repeat(40),
      comments: [
        { findingIds: ['f1'], path: 'src/cart.ts', side: 'RIGHT', startLine: null, line: 12 },
        { findingIds: ['f2'], path: 'src/old-checkout.ts', side: 'LEFT', startLine: 30, line: 32 },
      ],
    });
  });

  it('comments on the file where the finding is about the file', () => {
    const placements = [placed(finding({ anchor: { kind: 'file' }, suggestion: null, evidence: '' }), 'file')] as const;
    expect(renderReviewPost(review({ outcome: 'findings', findings: placements }), context)?.fileComments).toEqual([
      {
        findingIds: ['f1'],
        path: 'src/cart.ts',
        body: '**🔴 Critical · The last price is read past the end**\n\nFor any cart `items[items.length]` is undefined, so `.price` throws. Read the last index instead.\n\n<sub>bug</sub>',
      },
    ]);
  });

  it('names as many findings outside the diff as GitHub takes, and knows which', () => {
    const placements = Array.from({ length: 60 }, (_, index) =>
      placed(
        finding({ id: `f${index}`, title: `Title ${index}.`, review: 'A sentence of the review. '.repeat(200) }),
        'body',
        { reason: 'not in the diff' },
      ),
    );
    const identity = { name: 'Review', run: '1-1', settings: '0123456789abcdef' };
    const post = renderReviewPost(review({ outcome: 'findings', findings: placements, identity }), context);
    const body = post?.body ?? '';
    const named = placements.filter(({ title }) => body.includes(`${title}**\\\n`));
    const marked = readMarks(body).filter(({ kind }) => kind === 'finding');
    expect(named.map(({ id }) => id)).toEqual(post?.bodyFindings);
    expect([named.length > 40, marked.length === named.length, body.length < 65_536]).toEqual([true, true, true]);
  });
});

describe('the outputs of the step', () => {
  it('are counts, words and addresses', () => {
    const rich = richRecord();
    const report = deliveryOf('report-file', { url: 'out/report.json' });
    const outputs = renderOutputs({ ...rich, deliveries: [report, ...rich.deliveries] });
    expect(Object.keys(outputs).sort()).toEqual(Object.keys(actionOutputs).sort());
    expect(outputs).toMatchObject({
      outcome: 'partial',
      action: 'REQUEST_CHANGES',
      approved: 'false',
      rationale: 'Checkout throws for every cart.',
      findings: '5',
      critical: '2',
      warning: '2',
      info: '0',
      nitpick: '1',
      unread: '1',
      posted: '3',
      walkthrough: '',
      'review-url': 'https://github.com/acme/shop/pull/7#pullrequestreview-1',
      'report-file': 'out/report.json',
      'report-html': '',
      'transcript-file': '',
      cost: '',
      'sarif-file': '',
      'input-tokens': '14203',
      'output-tokens': '812',
      'cached-tokens': '9000',
      'stop-reason': 'tokens',
    });
  });

  it('name no report file that could not be written', () => {
    const report = deliveryOf('report-file', { status: 'failed', reason: 'disk full', url: 'out/report.json' });
    expect(renderOutputs(recordOf({}, [report]))['report-file']).toBe('');
  });

  it('hold the rationale on one line, without secrets and control characters', () => {
    const record = recordOf({ rationale: 'one\ntwo \u001B[2J hunter2hunter2' });
    expect(renderOutputs(record, context.redact)['rationale']).toBe('one two \\u{1B}[2J [redacted: secret]');
  });
});

describe('the report file', () => {
  it('keeps its own schema, also when it is read back', () => {
    const report = richReport([readCall]);
    expect(parseReviewReport(JSON.parse(JSON.stringify(report)))).toEqual({ ok: true, value: report });
  });

  it('does not take a report of another kind', () => {
    const { metrics: _, ...report } = { ...renderReport(richRecord(), context), schema_version: 1 };
    expect(parseReviewReport(report)).toEqual({
      ok: false,
      problems: ["the value must have required property 'metrics'"],
    });
  });

  it.each([
    ['a finding', '"url":"https:', '"url":"javascript:', 'files_review.0.url must match pattern "^https?://"'],
    ['the server', '"server_url":"https:', '"server_url":"javascript:', 'pull_request.server_url must match pattern'],
  ])('does not take a link of %s that would run', (_, honest, forged, problem) => {
    const text = JSON.stringify(renderReport(richRecord(), context));
    const parsed = parseReviewReport(JSON.parse(text.replace(honest, forged)));
    expect(parsed.ok ? '' : parsed.problems.join()).toContain(problem);
  });

  it('holds no text of a model or a pull request that did not go through the redactor', () => {
    const report = richReport([readCall], { redact: (text) => `${text}█` });
    expect([...unredacted(report)].toSorted().join(' ')).toMatchInlineSnapshot(
      `"action base category findings head id kind lines merge_base outcome place postil profile repository run_url server_url severity side sink source started_at status stop_reason suppressed_by url"`,
    );
  });

  it('gives each finding the lines that were found and the place where it went', () => {
    const [inline, removed, , onFile] = renderReport(richRecord(), context).files_review;
    const url = 'https://github.com/acme/shop/pull/7#discussion_f';
    const went = { place: 'inline', reason: null };
    const nowhere = { lines: null, start_line: null, line: null, url: null };
    expect([inline, removed, onFile]).toMatchObject([
      { lines: '12', start_line: 12, line: 12, side: 'RIGHT', url: `${url}1`, ...went },
      { lines: '30-32', start_line: 30, line: 32, side: 'LEFT', url: `${url}2`, ...went },
      { ...nowhere, side: 'RIGHT', place: 'summary', reason: 'below min-severity' },
    ]);
  });

  it('counts what the model took', () => {
    expect(renderReport(recordOf(), context).metrics).toEqual({
      ...{ input_tokens: 14_203, cached_tokens: 9_000, output_tokens: 812, thinking_tokens: 300, total_tokens: 15_015 },
      ...{ model_calls: 3, iterations: 2, tool_calls: 4, tool_calls_by_name: { read_file: 3, search_text: 1 } },
      ...{ estimated: false, tools: metrics.tools, phases: {}, cost: null },
    });
  });
});

/** The fields whose text came as it was, by their names. */
function unredacted(value: unknown, name = ''): ReadonlySet<string> {
  if (typeof value === 'string') return new Set(value === '' || value.endsWith('█') ? [] : [name]);
  if (typeof value !== 'object' || value === null) return new Set();
  const parts = Object.entries(value).flatMap(([key, part]) => [
    ...unredacted(part, Array.isArray(value) ? name : key),
  ]);
  return new Set(parts);
}
