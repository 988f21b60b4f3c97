import { describe, expect, it } from 'vitest';
import { readMarks, readWrittenMarks, writeMark } from '../../../src/core/history/mark.ts';
import {
  type MarkPlace,
  markKeys,
  noKeys,
  noteWithoutKeys,
  signingKeys,
  withSignatures,
} from '../../../src/core/history/signed-marks.ts';
import { surroundingsAt } from '../../../src/core/history/surroundings.ts';
import type { Comment } from '../../../src/core/pull-request/pull-request.ts';
import { composeReview } from '../../../src/core/review/compose-review.ts';
import { remember } from '../../../src/core/review-pull-request.ts';
import { previewSettings } from '../../../src/core/settings/parse-settings.ts';
import { firstReading, knownFinding, past, stateMark } from '../../fakes/earlier-rounds.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import {
  finding,
  keys,
  marked,
  ownRemark,
  pullRequest,
  signedComment,
  signedMark,
  thread,
} from '../../fakes/review-record.ts';
import { batchWith, reviewedDraft, reviewParts } from '../../fakes/rich-record.ts';
import { changedFile, hunk } from '../findings/make.ts';

const identity = { name: 'Review', run: '9-1', settings: '0123456789abcdef' };
const mark = marked();
const here: MarkPlace = { in: 'thread', words: 'Words of a comment.' };
const secret = 'a-key-of-the-tests-0123456789';
const subject = { repository: 'acme/shop', number: 7 };

function written(by = keys, place = here) {
  const [one] = readWrittenMarks(writeMark(mark, (content) => by.sign(content, place)));
  if (one === undefined) throw new Error('There is no mark.');
  return one;
}

const of = (more: object, key = secret) => markKeys([key], { ...subject, ...more });
const below = (words: string): MarkPlace => ({ in: 'thread', words });
const rotated = markKeys(['new-key-0123456789abcdef', secret], subject);

describe('a signed mark', () => {
  it('is read by those who know no signatures', () => {
    expect(readMarks(writeMark(mark, (content) => keys.sign(content, here)))).toEqual([mark]);
  });

  it.each<[string, boolean, { by?: typeof keys; place?: MarkPlace }]>([
    ['where it was signed', true, {}],
    ['whatever the case of the repository', true, { by: of({ repository: 'Acme/Shop' }) }],
    ['below a line of other words', false, { place: below('Lines 3–5:\n\nWords of a comment.') }],
    ['with other line ends', true, { place: below('Words of\r\na comment.\r\n') }],
    ['below other words', false, { place: below('Words of a coverage report.') }],
    ['in a review', false, { place: { in: 'review' } }],
    ['in a summary comment', false, { place: { in: 'summary', comment: 1 } }],
    ['in another pull request', false, { by: of({ number: 8 }) }],
    ['in another repository', false, { by: of({ repository: 'acme/shed' }) }],
    ['for another key', false, { by: of({}, `${secret}!`) }],
    ['without a key', false, { by: noKeys }],
    ['after the key was changed, with the old one on a second line', true, { by: rotated }],
  ])('holds %s: %s', (_, holds, { by = keys, place = here }) => {
    expect(by.accepts(written(), place)).toBe(holds);
  });

  it('seals a content in eleven characters, by the first key, for one pull request, and by none without a key', () => {
    const [seal, same] = [keys.seal('a.ts'), of({}).seal('a.ts')];
    const others = [keys.seal('b.ts'), rotated.seal('a.ts'), of({ number: 8 }).seal('a.ts'), noKeys.seal('a.ts')];
    expect([seal?.length, seal === same, new Set([seal, ...others]).size]).toEqual([11, true, 5]);
  });

  it('is signed by the first of several keys', () => {
    expect(keys.accepts(written(rotated), here)).toBe(false);
  });

  it('holds for the summary comment of one number alone', () => {
    const one = written(keys, { in: 'summary', comment: 1 });
    expect([1, 2].map((comment) => keys.accepts(one, { in: 'summary', comment }))).toEqual([true, false]);
  });

  it('holds no more when a character of it is changed', () => {
    const { content, signature } = written();
    const changed = content.replace('"critical"', '"nitpick"');
    expect(keys.accepts({ content: changed, signature }, here)).toBe(false);
  });
});

describe('the keys of a run', () => {
  const apiKey = 'sk-proj-Zq81mLw0Xy72Vb3N';
  const two = ` ${secret}\n\nanother-key-0123456789 `;
  const all = [secret, 'another-key-0123456789', apiKey];
  it.each<[string, string, string, readonly string[]]>([
    ['are the lines of `state-key`, then `api-key`', two, apiKey, all],
    ['are the `api-key` where there is no other', '', apiKey, [apiKey]],
    ['are none where a server takes any text', '', 'sk-no-key-required', []],
    ['are none where the text is long and says nothing', '', 'x'.repeat(40), []],
  ])('%s', (_, stateKey, key, expected) => {
    expect(signingKeys({ stateKey, apiKey: key })).toEqual(expected);
  });

  it('are refused when one could be guessed, without being told', () => {
    const attempt = () => signingKeys({ stateKey: `${secret}\nhunter2`, apiKey: '' });
    expect(attempt).toThrow("'state-key' has a line that could be guessed: 20 characters are the fewest.");
    expect(attempt).not.toThrow(/hunter2/);
  });
});

const files = [
  changedFile('src/cart.ts', { hunks: [hunk({ old: 12, new: 12 }, '+  return items[items.length].price;')] }),
];
const repository = new MemoryRepository({ 'src/cart.ts': 'line;\n'.repeat(30) });
/** What the last run left that had a key. */
const summary = surroundingsAt({ repository, syntax: null })
  .around('src/cart.ts', finding().anchor)
  .then((around) => stateMark({ findings: [knownFinding(mark, { around })] }))
  .then((state) =>
    ownRemark(`### Postil · Said\n\n${signedMark(state, { in: 'summary', comment: 9 })}`, { restId: 9 }),
  );

/** What becomes of a finding that a resolved thread of ours holds. */
async function again(body: string, { by = keys, conversation = [] as readonly Comment[] } = {}) {
  const threads = [thread({ comments: [ownRemark(body)], isResolved: true, resolvedBy: 'grace' })];
  const read = withSignatures({ ...pullRequest, threads, conversation }, by);
  const settings = previewSettings([]);
  const known = { pullRequest: read, identity, settings, past, repository };
  const memory = await remember(reviewParts({ ...known, signs: by.signs }));
  const context = { ...known, files, memory, mayApprove: true, ...firstReading };
  const { findings } = composeReview(reviewedDraft({ batches: [batchWith([finding()])] }), context);
  return findings.map((one) => (one.place === 'standing' ? `standing, held by ${one.held}` : one.place));
}

describe('a finding that is found again', () => {
  const signed = signedComment('The words.', mark);
  const unsigned = `The words.\n\n${writeMark(mark)}`;

  const kept = 'standing, held by sticky';
  it.each([
    ['is declined in a comment of ours', signed, {}, 'suppressed'],
    ['is not posted twice, and counts, in a run without a key', signed, { by: noKeys }, kept],
  ])('%s', async (_, body, known, expected) => {
    expect(await again(body, { conversation: [await summary], ...known })).toEqual([expected]);
  });

  it.each([
    ['is not posted twice, counts and is kept by us when a run without a key posted it', unsigned, [kept]],
    ['without the state is asked again beside what was declined', signed, ['inline', 'suppressed']],
    [
      'is not posted twice, and counts, after somebody edited the comment and nothing else holds it',
      `No!\n\n${signed}`,
      [kept],
    ],
  ])('%s', async (_, body, expected) => {
    expect((await again(body)).toSorted()).toEqual(expected);
  });
});

describe('a run without a key', () => {
  const said = { ...pullRequest, conversation: [ownRemark(writeMark(mark))] };

  it.each([
    ['says so when it was here before', noKeys, said, 'comment', 'review-and-post', 1],
    ['says so when it is to approve', noKeys, pullRequest, 'approve', 'post', 1],
    ['is silent at first', noKeys, pullRequest, 'comment', 'post', 0],
    ['is silent where it posts nothing', noKeys, said, 'comment', 'review', 0],
    ['is another than one with a key', keys, said, 'approve', 'post', 0],
  ] as const)('%s', (_, by, read, reviewEvent, mode, notes) => {
    expect(noteWithoutKeys(by, { pullRequest: read, reviewEvent, mode })).toHaveLength(notes);
  });
});
