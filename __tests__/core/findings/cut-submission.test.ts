import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeItems } from '../../../src/core/findings/cut-submission.ts';
import { submitReview } from '../../../src/core/findings/submit-review.ts';
import { changedFile, sources, submitted } from './make.ts';

const text = 'one();\ntwo();\nthree();\n';
const first = submitted({ quote: 'one();' });
const second = submitted({ quote: 'two();', title: 'Second is dropped' });
const approval = { approved: false, rationale: 'x', action: 'COMMENT' };

function open() {
  let count = 0;
  const world = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': text } });
  return submitReview({ ...world, nextId: () => `f${++count}` });
}

describe('a submission that is cut at the output limit', () => {
  const whole = JSON.stringify({ files_review: [first, second], approval });

  it('keeps its complete findings, and is asked for the rest and the approval', async () => {
    const review = open();
    const answer = await review.tool.takeCut?.(whole.slice(0, whole.indexOf('Second')));
    expect(answer).toMatch(
      /^Your call was cut at the output limit\. Taken are: ".*"\. Call submit_review again with the rest only/,
    );
    expect([review.result().findings.length, review.result().submitted]).toEqual([1, false]);
    expect((await review.tool.finish({ files_review: [second], approval })).done).toBe(true);
    expect(review.result()).toMatchObject({
      submitted: true,
      findings: [{ id: 'f1' }, { title: 'Second is dropped' }],
    });
  });

  it('does not double what comes again with the rest', async () => {
    const review = open();
    await review.tool.takeCut?.(whole.slice(0, whole.indexOf('Second')));
    await review.tool.finish({ files_review: [first, second], approval });
    expect(review.result().findings).toHaveLength(2);
  });

  it('without a complete finding is nothing', async () => {
    expect(await open().tool.takeCut?.(whole.slice(0, 40))).toBe(null);
  });
});

it('wherever a submission is cut, the items before the cut are read and nothing else', () => {
  const items = fc.array(fc.record({ title: fc.string({ unit: 'grapheme' }), nested: fc.array(fc.string()) }), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(items, fc.double({ min: 0, max: 1, noNaN: true }), (given, share) => {
      const json = JSON.stringify({ files_review: given, approval });
      const read = completeItems(json.slice(0, Math.floor(json.length * share)));
      expect(read).toEqual(given.slice(0, read.length));
      expect(completeItems(json)).toEqual(given);
    }),
  );
});

it('never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (rest) => {
      expect(Array.isArray(completeItems(`{"files_review":[${rest}`))).toBe(true);
    }),
  );
});
