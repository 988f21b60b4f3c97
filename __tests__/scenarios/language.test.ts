import { describe, expect, it } from 'vitest';
import { pageLink } from '../../src/core/addresses.ts';
import { readMarks, withoutMarks } from '../../src/core/history/mark.ts';
import { inEnglish, translatorFor } from '../../src/core/messages/languages.ts';
import { openShop, push, reviewOf, type Stage, shopFile, shopText } from './review.ts';

const ruled = `${shopText(0, 1)}debugger;\n`;

/** A shop in which the model finds one thing and a built-in rule another, and the same in another language after a push. */
async function twice(first: string, second: string) {
  const { stage, say, runJob } = await openShop(1);
  const begun = await push(stage, { files: { [shopFile(0)]: ruled } });
  say(reviewOf([0]));
  const runs = [await runJob({ language: first, 'check-run': 'true' }, begun)];
  const before = seen(stage);
  const pushed = await push(begun, { files: { [shopFile(0)]: `${ruled}export const size = 1;\n` } });
  say(reviewOf([0]));
  runs.push(await runJob({ language: second, 'check-run': 'true' }, pushed));
  return { stage, runs, before, after: seen(stage) };
}

/** As comments name it: a link or words, as Postil is published or not. */
const declining = ['German', 'Japanese'].map((language) =>
  pageLink('reviews.md#declining-a-finding', translatorFor(language) ?? inEnglish),
);

/** All that people read, without addresses. */
function seen({ github }: Stage) {
  const plain = (body: string) =>
    declining
      .reduce((text, page) => text.replaceAll(page, '<page>'), withoutMarks(body))
      .replace(/\]\(https?:[^)]*\)/g, ']')
      .replace(/[0-9a-f]{7,40}/g, 'abc');
  return {
    comments: github.comments().map(({ body }) => plain(body)),
    reviews: github.reviews().map(({ body }) => plain(body)),
    summary: github.conversation().map(({ body }) =>
      plain(body)
        .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'TIME')
        .replace(/\d+ m?s/g, 'N s'),
    ),
  };
}

it('a review in German is German in every line that Postil writes itself', async () => {
  const { before, runs } = await twice('German', 'German');
  expect(before).toMatchSnapshot();
  expect(runs[0]?.summary.split('\n', 1)).toEqual(['## Postil · 2 Befunde: 2 Warnungen · 1 Datei geprüft']);
});

it('a review in Japanese is Japanese', async () => {
  expect((await twice('日本語', 'ja')).before).toMatchSnapshot();
});

describe('another language from one push to the next', () => {
  it('keeps the one summary comment, its marks and what it knows, and says nothing twice', async () => {
    const { stage, runs, after } = await twice('German', 'Japanese');
    const marks = stage.github.conversation().flatMap(({ body }) => readMarks(body));
    expect(marks.map(({ kind }) => kind)).toEqual(['state']);
    expect(runs.map(({ outputs }) => [outputs['findings'], outputs['posted']])).toEqual([
      ['2', '2'],
      ['2', '0'],
    ]);
    expect(after.summary[0]?.split('\n', 1)).toEqual(['### Postil · 新しい指摘なし、未解決 2 件']);
  });

  it('leaves outputs, log and the names of findings in English', async () => {
    const { runs } = await twice('German', 'fr');
    expect(runs.map(({ log }) => /Nothing new|2 findings|2 still open/.test(log))).toEqual([true, true]);
  });
});

it('a language without a catalogue keeps our English around the words of the model, and the log says so once', async () => {
  const { before, runs } = await twice('Dutch', 'Dutch');
  expect(before.summary[0]?.split('\n', 1)).toEqual(['### Postil · 2 findings: 2 warnings · 1 file reviewed']);
  expect(runs[0]?.log.match(/The model writes in Dutch/g)).toHaveLength(1);
});
