import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvalCase } from '../../eval/case.ts';
import { type Evaluation, evalPage } from '../../eval/show.ts';
import { verbatim } from '../../src/core/messages/message.ts';
import { renderHtml } from '../../src/core/report/html/render-html.ts';
import type { ReviewReport } from '../../src/core/review/record.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { readCall as call, richReport } from '../fakes/rich-record.ts';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const chromium = process.env['CHROMIUM_PATH'] ?? programs.map((name) => `/usr/bin/${name}`).find(existsSync);
if (chromium === undefined) console.log('No Chromium was found: the pages are not tried in a browser (CHROMIUM_PATH).');

const step = { ...call, kind: 'model', name: 'review', milliseconds: 400 } as const;
const report = richReport(
  [{ ...step, inputTokens: 900, outputTokens: 30 }, call, { ...call, kind: 'finding', name: 'One' }],
  { serverUrl: null, repository: null },
);
const details = (text: string) =>
  (['model', 'tool'] as const).map((kind) => ({ kind, batch: '1 src', asked: `${kind} ${text}`, answered: text }));

function evaluationOf(labels: readonly string[]): Evaluation {
  const golden = {
    number: 1,
    path: `src/${'deep/'.repeat(20)}a.ts`,
    start: 4,
    end: 9,
    severity: null,
    description: 'It breaks.',
  };
  const of: EvalCase = {
    name: 'a-case-with-a-long-name-of-no-hyphens'.repeat(3),
    ...{ title: '', language: 'Go', draft: false, proof: null },
    ...{ source: { kind: 'git', folder: '.', base: 'a', head: 'b' }, goldens: [golden], pushes: [] },
  };
  const spent = { tokens: 123_456_789, billed: 12_345_678, cost: 123.45, seconds: 4_000 };
  const tally = { name: of.name, unmeasured: null, goldens: 1, findings: 1, matched: 0, ...spent };
  const result = { of, tally, model: 'm', raised: [], pairs: [], isPartial: false, later: [], notes: [] };
  return {
    ...{ postil: '1.2.3', tolerance: 3, judge: null, replayed: false, drafts: [], stopped: 'tokens' },
    arms: labels.map((label) => ({ label, model: 'm', profile: 'deep', results: [result, result], notRun: [of.name] })),
    used: { tokens: 2_000_000, cost: 0, maxTokens: 2_100_000, maxCost: null },
  };
}

describe.skipIf(chromium === undefined)('the report in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch({ executablePath: chromium ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  it('filters, searches and steps through the findings, says nothing on the console and loads nothing', async () => {
    const { page, said, asked } = await opened(report);
    const shown = () => page.$$eval('.finding:not([hidden]) h3', (titles) => titles.map((title) => title.textContent));
    const all = await shown();
    await page.select('[data-filter=severity]', 'critical');
    const critical = await shown();
    await page.select('[data-filter=severity]', '');
    await page.keyboard.press('/');
    await page.keyboard.type('administrators');
    const searched = await shown();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    const focused = await page.evaluate(`document.activeElement.querySelector('h3').textContent`);
    await page.click('[data-copy]');
    const gone = 'The check for administrators is gone';
    expect([all.length, critical]).toEqual([5, ['The last price is read past the end', 'A race in flush']]);
    expect([searched, focused, said, asked]).toEqual([[gone], gone, [], []]);
  });

  it('opens what a call was asked and answered when what the model read is clicked', async () => {
    const { page, said } = await opened(report);
    const seen = () =>
      page.$$eval('.call pre', (texts) => texts.filter((one) => one.checkVisibility()).map((one) => one.textContent));
    const before = await seen();
    await page.click('aside a[href^="#call-"]');
    await page.waitForSelector('.call[open] pre');
    expect([before, await seen(), said]).toEqual([[], ['tool question', 'question'], []]);
  });

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('has no fault of access and scrolls one way only: %s, %i pixels', async (scheme, width) => {
    const { page } = await opened(report, { scheme, width });
    const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
    const found: unknown = await page.evaluate(
      `(async () => { ${axe}; const { violations } = await axe.run(); return violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 120)); })()`,
    );
    expect([found, await widthBeside(page)]).toEqual([[], 0]);
  });

  it('scrolls one way only where numbers are as large as a file from elsewhere may claim', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const usage = { input: most, cached: most, output: most, thinking: most, estimated: false };
    const used = { modelCalls: most, usage, cost: most };
    const metrics = { ...report.metrics, ...used, phases: { review: used } };
    const { page } = await opened({ ...report, metrics }, { width: 390 });
    expect(await widthBeside(page)).toBe(0);
  });

  it.each([
    ['light', 1],
    ['dark', 2],
  ] as const)(
    'shows the numbers of an evaluation on a phone without scrolling aside: %s, %i configurations',
    async (scheme, count) => {
      const arms = ['default', 'a-configuration-with-a-long-name'].slice(0, count);
      const { page } = await opened(report, { scheme, width: 390, content: evalPage(evaluationOf(arms)) });
      const cells = await page.$$eval('table tr:nth-child(2) > *', (found) => found.length);
      expect([await widthBeside(page), cells]).toEqual([0, count === 1 ? 2 : 4]);
    },
  );

  it('is read as well without JavaScript', async () => {
    const { page } = await opened(report, { script: false });
    const text = await page.$eval('body', (body) => body.textContent);
    const posted = report.filesReview.filter(({ place }) => place !== 'suppressed');
    expect(posted.filter(({ title }) => !text.includes(title))).toEqual([]);
  });

  it.each([
    '<script>document.title = "run"</script>',
    '</script><script>document.title = "run"</script>',
    '"><img src=x onerror="document.title=\'run\'">',
    "' onfocus='document.title=`run`' autofocus='",
    '<svg onload="document.title=\'run\'">',
    '<iframe srcdoc="<script>top.document.title=1</script>">',
    '<style>*{background:url(https://example.com/x)}</style>',
    '</style><script>document.title = "run"</script>',
    '<a href="javascript:document.title=1">x</a>',
    '<meta http-equiv="refresh" content="0;url=https://example.com">',
  ])('runs nothing of %s', async (text) => {
    const fields = { title: text, path: text, review: text, url: text, hunk: `@@ -1 +1 @@\n+${text}` };
    const filesReview = report.filesReview.map((one) => ({ ...one, ...fields }));
    const hostile = { ...report, headlineMessages: [verbatim(text)], runUrl: text, filesReview };
    const { page, said, asked } = await opened(hostile, { words: text });
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
    const active = await page.$$('img, iframe, a[href^="javascript"]');
    expect(await page.title()).toBe(`${text.replace(/\s+/g, ' ')} – Postil`);
    expect([active, said, asked]).toEqual([[], [], []]);
  });

  /** How many pixels of a page are reached by scrolling aside alone. */
  function widthBeside(page: Page): Promise<unknown> {
    return page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
  }

  type View = { scheme?: 'light' | 'dark'; width?: number; script?: boolean; words?: string; content?: string };
  type Opened = { page: Page; said: readonly string[]; asked: readonly string[] };

  /** What it wrote to the console, and every address beside its own. */
  async function opened(
    shown: ReviewReport,
    { scheme = 'light', width = 1280, script = true, words = 'question', content }: View = {},
  ): Promise<Opened> {
    const path = join(temporaryFolder(), 'report.html');
    writeFileSync(path, content ?? renderHtml(shown, details(words)));
    const page = await browser.newPage();
    const [said, asked]: [string[], string[]] = [[], []];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) asked.push(request.url());
    });
    await page.setJavaScriptEnabled(script);
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(pathToFileURL(path).href);
    return { page, said, asked };
  }
});
