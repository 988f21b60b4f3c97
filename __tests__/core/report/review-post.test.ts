import { describe, expect, it } from 'vitest';
import { actionOutputs } from '../../../scripts/action-outputs.ts';
import { placed } from '../../../src/core/findings/finding.ts';
import { readMarks } from '../../../src/core/history/mark.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { renderOutputs, renderReport, shownReport } from '../../../src/core/report/json.ts';
import { renderReviewPost } from '../../../src/core/report/review-post.ts';
import { parseReport } from '../../../src/core/review/record.ts';
import { roundOf } from '../../fakes/earlier-rounds.ts';
import { context, deliveryOf, finding, recordOf, review } from '../../fakes/review-record.ts';
import { readCall, richRecord, richReport, runOf } from '../../fakes/rich-record.ts';

describe('the review that is posted', () => {
  const summary = [placed(finding(), 'summary', { reason: verbatim('below min-severity') })] as const;
  it.each([
    ['for a clean run, whatever the model wrote beside it', review({ nonSpecific: ['Well done.'] })],
    ['when all findings are for the summary', review({ outcome: 'findings', findings: summary })],
    ['without a pull request', { ...richRecord().review, pullRequest: null }],
  ])('is nothing %s', (_, of) => {
    expect(renderReviewPost(of, context)).toBeNull();
  });

  it('tells what is outside the diff, and where the rest is', () => {
    const summaryComment = 'https://github.com/acme/shop/pull/7#issuecomment-1';
    expect(renderReviewPost(richRecord().review, { ...context, summaryComment })?.body).toMatchInlineSnapshot(`
      "**Partial review: 4 findings (1 critical, 2 warning, 1 nitpick). Token limit reached.**

      The rest is in the [summary comment](https://github.com/acme/shop/pull/7#issuecomment-1).

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

      <sub>documentation</sub>"
    `);
  });

  it('names as many findings outside the diff as GitHub takes, and knows which', () => {
    const placements = Array.from({ length: 60 }, (_, index) =>
      placed(
        finding({ id: `f${index}`, title: `Title ${index}.`, review: 'A sentence of the review. '.repeat(200) }),
        'body',
        { reason: { code: 'place.not-in-diff' } },
      ),
    );
    const identity = { name: 'Review', run: '1-1', settings: '0123456789abcdef' };
    const told = review({ outcome: 'findings', findings: placements, identity, round: roundOf() });
    const post = renderReviewPost(told, context);
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
    const report = deliveryOf('report-file', {
      status: 'failed',
      reason: [verbatim('disk full')],
      url: 'out/report.json',
    });
    expect(renderOutputs(recordOf({}, [report]))['report-file']).toBe('');
  });

  it('hold the rationale on one line, without secrets and control characters', () => {
    const record = recordOf({ rationale: 'one\ntwo \u001B[2J hunter2hunter2' });
    expect(renderOutputs(record, context.redact)['rationale']).toBe('one two \\u{1B}[2J [redacted: secret]');
  });
});

describe('the report file', () => {
  it('keeps its own schema, also when it is read back', () => {
    const written = renderReport(richRecord(), { ...context, run: runOf([readCall]) });
    expect(parseReport(JSON.parse(JSON.stringify(written)))).toEqual({ ok: true, value: richReport([readCall]) });
  });

  it('does not take a report of another kind', () => {
    const written = JSON.stringify(renderReport(richRecord(), context));
    const problemOf = (text: string) => {
      const parsed = parseReport(JSON.parse(text));
      return parsed.ok ? [] : parsed.problems;
    };
    expect(problemOf(written.replace('"metrics"', '"other"'))).toHaveLength(1);
    expect(problemOf(written.replace('"schema_version":4', '"schema_version":3'))).toEqual([
      'another version of Postil wrote it: its schema_version is not 4',
    ]);
    // Names of the code are no names of the file.
    expect(problemOf(written.replace('"run_url"', '"runUrl"'))).toHaveLength(1);
  });

  it.each([
    ['a finding', '"url":"https:', '"url":"javascript:', 'files_review.0.url must match pattern "^https?://"'],
    ['the server', '"server_url":"https:', '"server_url":"javascript:', 'pull_request.server_url must match pattern'],
  ])('does not take a link of %s that would run', (_, honest, forged, problem) => {
    const text = JSON.stringify(renderReport(richRecord(), context));
    const parsed = parseReport(JSON.parse(text.replace(honest, forged)));
    expect(parsed.ok ? '' : parsed.problems.join()).toContain(problem);
  });

  it('holds no text of a model or a pull request that did not go through the redactor', () => {
    const run = runOf([readCall]);
    const report = renderReport(richRecord(), { run, redact: (text) => `${text}█` });
    expect([...unredacted(report)].toSorted()).toMatchInlineSnapshot(`
      [
        "approval.action",
        "batches.approval.action",
        "batches.stop.limit",
        "batches.stop.reason",
        "deliveries.delivered.finding_id",
        "deliveries.delivered.place",
        "deliveries.sink",
        "deliveries.status",
        "deliveries.url",
        "files_review.category",
        "files_review.citations.side",
        "files_review.id",
        "files_review.lines",
        "files_review.place",
        "files_review.severity",
        "files_review.side",
        "files_review.source",
        "files_review.suppressed_by",
        "files_review.url",
        "limits.profile",
        "outcome",
        "postil",
        "pull_request.base",
        "pull_request.head",
        "pull_request.merge_base",
        "pull_request.repository",
        "pull_request.server_url",
        "run_url",
        "started_at",
        "stop.reason",
        "stop.stop.limit",
        "stop.stop.reason",
        "stop_reason",
        "timeline.kind",
      ]
    `);
  });

  it('gives each finding the lines that were found and the place where it went', () => {
    const [inline, removed, , onFile] = shownReport(richRecord(), context).filesReview;
    const url = 'https://github.com/acme/shop/pull/7#discussion_f';
    const went = { place: 'inline', reason: null };
    const nowhere = { lines: null, startLine: null, line: null, url: null };
    expect([inline, removed, onFile]).toMatchObject([
      { lines: '12', startLine: 12, line: 12, side: 'RIGHT', url: `${url}1`, ...went },
      { lines: '30-32', startLine: 30, line: 32, side: 'LEFT', url: `${url}2`, ...went },
      { ...nowhere, side: 'RIGHT', place: 'summary', reason: { code: 'withheld.min-severity', level: 'warning' } },
    ]);
  });
});

/** The fields whose text came as it was, by their places. */
function unredacted(value: unknown, name = ''): ReadonlySet<string> {
  if (typeof value === 'string') return new Set(value === '' || value.endsWith('█') ? [] : [name]);
  if (typeof value !== 'object' || value === null) return new Set();
  const parts = Object.entries(value).flatMap(([key, part]) => [
    ...unredacted(part, Array.isArray(value) ? name : name === '' ? key : `${name}.${key}`),
  ]);
  return new Set(parts);
}
