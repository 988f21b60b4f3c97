import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verbatim } from '../../../src/core/messages/message.ts';
import { renderHtml } from '../../../src/core/report/html/render-html.ts';
import type { ReviewReport } from '../../../src/core/review/record.ts';
import { readCall as entry, richReport } from '../../fakes/rich-record.ts';

const step = { ...entry, kind: 'model', name: 'review', inputTokens: 900, outputTokens: 30 } as const;
const report = richReport([entry, step]);

describe('the report as a page', () => {
  it('holds every finding, what was not raised, every file, every call and the run', () => {
    const page = textOf(renderHtml(report));
    const texts = [
      'Checkout throws for every cart.',
      ...report.filesReview.map(({ title }) => title),
      ...report.coverage.reviewed,
      ...report.coverage.skipped.map(({ path }) => path),
      'read_file',
      'Postil 1.2.3',
    ];
    expect(renderHtml(report)).toContain('href="https://github.com/acme/shop/actions/runs/7"');
    expect(texts.filter((text) => !page.includes(text.replaceAll('`', '')))).toEqual([]);
  });

  it('shows what a transcript says of each call, and without one says that it is missing', () => {
    const of = { batch: '1 src' };
    const asked = (kind: 'tool' | 'model', text: string) => ({ kind, asked: text, answered: `${text}!`, ...of });
    const details = [
      asked('model', 'Prompt'),
      asked('tool', 'First'),
      asked('tool', 'Second'),
      asked('tool', 'Unknown'),
    ];
    const page = renderHtml(richReport([entry, step, entry]), details);
    const told = [...page.matchAll(/<p class="head">(Asked|Answered)<\/p><pre>([^<]*)/g)].map(
      ([, what, text]) => `${what}: ${text}`,
    );
    expect(told).toEqual(['First', 'Prompt', 'Second'].flatMap((text) => [`Asked: ${text}`, `Answered: ${text}!`]));
    expect(renderHtml(report)).toContain('only sizes and times are known');
  });

  it('proves what it does not raise, and shows the quote that is not in the code', () => {
    const disproved = {
      ...report,
      filesReview: report.filesReview.map((one) => ({
        ...one,
        ...(one.suppressedBy === undefined ? {} : { suppressedBy: 'verification' as const }),
        proof: { path: 'src/guard.ts', quote: 'if (!user) return;' },
      })),
    };
    const [page = '', section = ''] = renderHtml(disproved).split('Found, not raised');
    for (const text of ['disproved by verification', 'if (!user) return;']) expect(section).toContain(text);
    for (const text of ['Unplaced: its quote is not in src/log.ts', 'flush();']) expect(page).toContain(text);
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
    const own = tagsOf(renderHtml(filled(report, 'x'), detailsOf('x')));
    fc.assert(
      fc.property(hostile, (text) => {
        const tags = tagsOf(renderHtml(filled(report, text), detailsOf(text)));
        // A text of several paragraphs or with code spans has more of these, and of nothing else.
        const more = /^<\/?(?:p|pre|code|tr|td|details|summary|table|tbody)[ >]/;
        expect(tags.filter((tag) => !own.includes(tag) && !more.test(tag))).toEqual([]);
      }),
    );
  });

  it('allows no script and no style but its own, and no address', () => {
    const [policy = ''] = /Content-Security-Policy" content="[^"]*"/.exec(renderHtml(report)) ?? [];
    expect(policy.replace(/sha256-[\w+/]+=*/g, 'digest')).toBe(
      `Content-Security-Policy" content="default-src 'none'; style-src 'digest'; script-src 'digest'; base-uri 'none'; form-action 'none'"`,
    );
  });

  const hunk = `@@ -1 +1 @@\n${'+ const total = prices.reduce((sum, price) => sum + price, 0);\n'.repeat(16)}`;
  const findings = (count: number, changes: Partial<ReviewReport['filesReview'][number]>) =>
    report.filesReview
      .slice(0, 1)
      .flatMap((one) => Array.from({ length: count }, (_, index) => ({ ...one, id: `f${index}`, hunk, ...changes })));
  const calls = (count: number) => Array.from({ length: count }, () => entry);
  const many = (text: string) => text.repeat(1e6 / text.length);

  it('stays below 1 MB with 200 findings in their hunks and 400 calls with what each was asked and answered', () => {
    const long = '{"path":"src/cart.ts"} & more\n'.repeat(500);
    const details = calls(400).map(({ batch }) => ({ kind: 'tool' as const, batch, asked: long, answered: long }));
    const page = renderHtml({ ...report, filesReview: findings(200, {}), timeline: calls(400) }, details);
    expect([page.length < 1_000_000, page.includes('characters)')]).toEqual([true, true]);
    expect(page.match(/>Asked</g)).toHaveLength(400);
  });

  it.each([
    ['100,000 findings', { filesReview: findings(100_000, {}) }, 'more findings: in the report file'],
    ['texts of a megabyte', { filesReview: findings(5, { title: many('x'), review: many('`') }) }, '(cut:'],
    ['lines without end', { filesReview: findings(300, { hunk: many('+\n'), suggestion: many('\n') }) }, ''],
    ['200,000 calls', { timeline: calls(200_000) }, 'more in the report file'],
    ['a million unread files', { coverage: { ...report.coverage, reviewed: [...many('a')] } }, 'more files'],
  ])('of %s is a page of less than 2 MB that says what it left out', (_what, changes, said) => {
    const page = renderHtml({ ...report, ...changes });
    expect([page.length < 2_000_000, page.includes(said)]).toEqual([true, true]);
  });
});

function textOf(page: string): string {
  return page.replace(/<[^>]*>/g, '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

function detailsOf(text: string) {
  return (['tool', 'model'] as const).map((kind) => ({ kind, batch: text, asked: text, answered: text }));
}

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
    headlineMessages: [verbatim(text)],
    limits: { ...value.limits, model: text },
    runUrl: text,
    approval: { ...value.approval, rationale: text },
    notes: [verbatim(text)],
    filesReview: value.filesReview.map((one) => ({
      ...{ ...one, path: text, title: text, review: text, evidence: text, suggestion: text, quote: text },
      ...{ reason: verbatim(text), note: verbatim(text), ruleId: text, batch: text, url: text },
      hunk: `@@ -1 +1 @@\n${text}`,
      alsoAt: [text],
      unplaced: { quote: text, reason: verbatim(text) },
    })),
    coverage: {
      ...value.coverage,
      reviewed: [text],
      missing: [verbatim(text)],
      unread: [{ path: text, reason: verbatim(text), code: true }],
    },
    timeline: value.timeline.map((one) => ({ ...one, batch: text, name: text, asked: text, outcome: text })),
    deliveries: [{ sink: 'check run', status: 'failed', reason: [verbatim(text)], url: text, delivered: [] }],
  };
}
