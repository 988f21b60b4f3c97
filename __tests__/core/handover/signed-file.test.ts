import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReviewFile, renderReviewFile } from '../../../src/core/handover/review-file.ts';
import { digestOfFile, isSignedFile, signFile } from '../../../src/core/handover/signed-file.ts';
import { noMemory } from '../../../src/core/history/memory.ts';
import { markKeys, noKeys } from '../../../src/core/history/signed-marks.ts';
import { composeReview } from '../../../src/core/review/compose-review.ts';
import { previewSettings } from '../../../src/core/settings/parse-settings.ts';
import { firstReading } from '../../fakes/earlier-rounds.ts';
import { context, pullRequest } from '../../fakes/review-record.ts';
import { origin, reviewedDraft, runOf } from '../../fakes/rich-record.ts';

const subject = { repository: 'acme/shop', number: 7 };
const secret = 'a-key-of-all-jobs-0123456789';
const keys = markKeys([secret], subject);
const json = fc.dictionary(fc.string(), fc.jsonValue()).filter((value) => Object.keys(value).length > 0);

describe('the signature of a file', () => {
  it('holds for the text, be it with a newline or without, and is a part of the same JSON', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = signFile(JSON.stringify(value), keys);
        const { signature, ...rest } = JSON.parse(text);
        expect([isSignedFile(text, keys), isSignedFile(text.trimEnd(), keys), typeof signature]).toEqual([
          true,
          true,
          'string',
        ]);
        expect(JSON.stringify(rest)).toBe(JSON.stringify(JSON.parse(JSON.stringify(value))));
        expect(digestOfFile(text)).toBe(digestOfFile(text.trimEnd()));
      }),
    );
  });

  it('holds for no other text, key, pull request or place', () => {
    const edit = fc.record({ at: fc.nat(), cut: fc.nat(2), put: fc.string({ maxLength: 2, unit: 'grapheme' }) });
    fc.assert(
      fc.property(json, edit, (value, { at, cut, put }) => {
        const text = signFile(JSON.stringify(value), keys).trimEnd();
        const from = at % text.length;
        const changed = `${text.slice(0, from)}${put}${text.slice(from + cut)}`;
        fc.pre(changed.trimEnd() !== text);
        expect(isSignedFile(changed, keys)).toBe(false);
        const others = [markKeys([`${secret}!`], subject), markKeys([secret], { ...subject, number: 8 }), noKeys];
        expect(others.map((other) => isSignedFile(text, other))).toEqual([false, false, false]);
        const content = JSON.stringify(value);
        const elsewhere = keys.sign(content, { in: 'summary', comment: 7 });
        expect(isSignedFile(`${content.slice(0, -1)},"signature":"${elsewhere}"}`, keys)).toBe(false);
      }),
    );
  });

  it('holds with a key of before, and there is none without a key', () => {
    const rotated = markKeys(['a-new-key-of-all-jobs-0123456789', secret], subject);
    const text = signFile('{"a":1}', keys);
    expect([isSignedFile(text, rotated), signFile('{"a":1}', noKeys), isSignedFile('{"a":1}\n', keys)]).toEqual([
      true,
      '{"a":1}\n',
      false,
    ]);
  });
});

describe('a plan', () => {
  it('has a shard: of none nothing could be missing', () => {
    const draft = { ...reviewedDraft({ batches: [] }), plan: { isShared: false, batches: [], shards: [] } };
    const { identity } = origin;
    const composing = {
      pullRequest,
      settings: previewSettings([]),
      files: [],
      memory: noMemory,
      identity,
      mayApprove: false,
      ...firstReading,
    };
    const by = { identity, context: { ...context, run: runOf([]) }, keys, shard: null, plans: true };
    expect(() => renderReviewFile({ draft, review: composeReview(draft, composing) }, by)).toThrow(/without shards/);
    const whole = { ...draft, plan: { ...draft.plan, shards: [{ batches: [], tokens: 0, cost: null, minutes: 0 }] } };
    const text = renderReviewFile({ draft: whole, review: composeReview(whole, composing) }, by);
    const parsed = parseReviewFile(text.replace(/"shards":\[[^\]]*\][^\]]*\]/, '"shards":[]'), { isPlan: true });
    expect([parseReviewFile(text, { isPlan: true }).ok, parsed]).toEqual([
      true,
      { ok: false, problems: ['it is a plan without shards'] },
    ]);
  });
});
