import { describe, expect, it } from 'vitest';
import { parseReviewReport, reviewReportSchema } from '../../../src/core/report/report-schema.ts';
import { renderReport } from '../../../src/core/report/structured-review.ts';
import { context, finding, recordOf } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';

describe('the report file', () => {
  it('keeps its own schema, also when it is read back', () => {
    const read: unknown = JSON.parse(JSON.stringify(renderReport(richRecord(), context)));
    expect(parseReviewReport(read)).toEqual({ ok: true, value: renderReport(richRecord(), context) });
  });

  it('requires every property that it describes', () => {
    expect([...reviewReportSchema.required].sort()).toEqual(Object.keys(reviewReportSchema.properties).sort());
  });

  it('does not take a report of another kind', () => {
    const { metrics: _, ...report } = { ...renderReport(richRecord(), context), schema_version: 2 };
    expect(parseReviewReport(report)).toEqual({
      ok: false,
      problems: ["the value must have required property 'metrics'", 'schema_version must be one of 1'],
    });
  });

  it('gives each finding the lines that were found and the place where it went', () => {
    const [inline, removed, , onFile] = renderReport(richRecord(), context).files_review;
    const place = (one: typeof inline) => [
      one?.lines,
      one?.start_line,
      one?.line,
      one?.side,
      one?.place,
      one?.reason,
      one?.url,
    ];
    expect([place(inline), place(removed), place(onFile)]).toEqual([
      ['12', 12, 12, 'RIGHT', 'inline', null, 'https://github.com/acme/shop/pull/7#discussion_f1'],
      ['30-32', 30, 32, 'LEFT', 'inline', null, 'https://github.com/acme/shop/pull/7#discussion_f2'],
      [null, null, null, 'RIGHT', 'summary', 'below min-severity', null],
    ]);
  });

  it('counts what the model took', () => {
    expect(renderReport(recordOf(), context).metrics).toEqual({
      input_tokens: 14_203,
      cached_tokens: 9_000,
      output_tokens: 812,
      thinking_tokens: 300,
      total_tokens: 15_015,
      estimated: false,
      model_calls: 3,
      iterations: 2,
      tool_calls: 4,
      tool_calls_by_name: { read_file: 3, search_text: 1 },
      tools: {
        read_file: { calls: 3, milliseconds: 40, cut: 0 },
        search_text: { calls: 1, milliseconds: 40, cut: 0 },
      },
      phases: {},
      cost: null,
    });
  });

  it('holds no secret', () => {
    const text = 'hunter2hunter2';
    const leaky = finding({
      anchor: { kind: 'lines', side: 'RIGHT', startLine: 1, endLine: 1, quote: text },
      ...{ path: text, title: text, review: text, evidence: text, suggestion: text, alsoAt: [text] },
    });
    const record = recordOf({
      placements: [{ finding: leaky, place: 'summary', reason: text }],
      refused: [{ title: text, path: text, reason: text }],
      coverage: {
        reviewed: [text],
        skipped: [{ path: text, reason: text }],
        unread: [],
        unreviewed: [],
        earlier: [],
        missing: [text],
      },
      ...{ headline: text, rationale: text, nonSpecific: [text], rawFreeText: text, notes: [text] },
    });
    expect(JSON.stringify(renderReport(record, context))).not.toContain(text);
  });
});
