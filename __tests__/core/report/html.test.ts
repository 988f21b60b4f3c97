import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderHtml } from '../../../src/core/report/html/render-html.ts';
import { renderReport } from '../../../src/core/report/json.ts';
import { parseReviewReport, type ReviewReport } from '../../../src/core/report/json-schema.ts';
import { richRecord } from '../../fakes/rich-record.ts';

const entry = {
  batch: '1 src',
  kind: 'tool',
  at: 10,
  milliseconds: 20,
  name: 'read_file',
  asked: '{"path":"src/cart.ts"}',
  outcome: 'ok',
  characters: 100,
  input_tokens: null,
  output_tokens: null,
  finding: null,
} as const;

const report = renderReport(richRecord(), {
  serverUrl: 'https://github.com',
  repository: 'acme/shop',
  redact: (text) => text,
  name: 'Postil',
  run: {
    version: '1.2.3',
    startedAt: () => '2026-11-22T10:00:00.000Z',
    url: 'https://github.com/acme/shop/actions/runs/7',
    timeline: () => [entry, { ...entry, kind: 'model', name: 'review', input_tokens: 900, output_tokens: 30 }],
  },
});

describe('the report as a page', () => {
  it('holds every finding, what was not raised, every file, every call and the run', () => {
    const page = renderHtml(report);
    const texts = [
      report.headline,
      ...report.files_review.map(({ title }) => title),
      ...report.refused.map(({ title }) => title),
      ...report.coverage.reviewed,
      ...report.coverage.skipped.map(({ path }) => path),
      'read_file',
      'Postil 1.2.3',
      'https://github.com/acme/shop/actions/runs/7',
    ];
    expect(
      texts.filter((text) => !page.includes(text.replace(/["'&`]/g, (sign) => `&#${sign.charCodeAt(0)};`))),
    ).toEqual([]);
  });

  it('comes from a report file as it comes from the run', () => {
    const read = parseReviewReport(JSON.parse(JSON.stringify(report)));
    expect(read.ok && renderHtml(read.value)).toBe(renderHtml(report));
  });

  it('lets nothing that a model or a pull request wrote become markup', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom(
        '</script><script>alert(1)</script>',
        '"><img src=x onerror=alert(1)>',
        "' onmouseover='x",
        '</style><script>',
        '<!--',
        ']]>',
        '`<b>`',
        '```html\n<script>\n```',
        '\u202e<i>',
        'javascript:alert(1)',
      ),
    );
    const own = tagsOf(renderHtml(filled(report, 'x')));
    fc.assert(
      fc.property(hostile, (text) => {
        const tags = tagsOf(renderHtml(filled(report, text)));
        // A text of several paragraphs or with code spans has more of these, and of nothing else.
        expect(tags.filter((tag) => !own.includes(tag) && !/^<\/?(?:p|pre|code|tr|td)[ >]/.test(tag))).toEqual([]);
      }),
    );
  });

  it('allows no script and no style but its own, and no address', () => {
    const [policy = ''] = /Content-Security-Policy" content="[^"]*"/.exec(renderHtml(report)) ?? [];
    expect(policy.replace(/sha256-[\w+/]+=*/g, 'digest')).toBe(
      `Content-Security-Policy" content="default-src 'none'; style-src 'digest'; script-src 'digest'; base-uri 'none'; form-action 'none'"`,
    );
  });

  it('stays below 1 MB with 200 findings in their hunks and 400 calls', () => {
    const hunk = `@@ -1 +1 @@\n${'+ const total = prices.reduce((sum, price) => sum + price, 0);\n'.repeat(16)}`;
    const [finding] = report.files_review;
    const many = {
      ...report,
      files_review: Array.from({ length: 200 }, (_, index) => ({
        ...(finding as ReviewReport['files_review'][number]),
        id: `f${index}`,
        hunk,
      })),
      timeline: Array.from({ length: 400 }, () => entry),
    };
    expect(renderHtml(many).length).toBeLessThan(1_000_000);
  });
});

function tagsOf(page: string): readonly string[] {
  return [...page.replace(/="[^"]*"/g, '=""').matchAll(/<[!/a-zA-Z][^>]*>/g)].map(([tag]) =>
    tag.replace(/="[^"]*"/g, ''),
  );
}

/** Every text of the report is this one. */
function filled(value: ReviewReport, text: string): ReviewReport {
  return {
    ...value,
    headline: text,
    model: text,
    run_url: text,
    approval: { ...value.approval, rationale: text },
    notes: [text],
    files_review: value.files_review.map((one) => ({
      ...one,
      path: text,
      title: text,
      review: text,
      evidence: text,
      suggestion: text,
      quote: text,
      reason: text,
      rule_id: text,
      batch: text,
      url: text,
      hunk: `@@ -1 +1 @@\n${text}`,
      also_at: [text],
    })),
    refused: [{ title: text, path: text, quote: text, reason: text }],
    coverage: {
      ...value.coverage,
      reviewed: [text],
      missing: [text],
      unread: [{ path: text, reason: text, code: true }],
    },
    timeline: value.timeline.map((one) => ({ ...one, batch: text, name: text, asked: text, outcome: text })),
    deliveries: [{ sink: text, status: 'failed', reason: text, url: text, findings: [] }],
  };
}
