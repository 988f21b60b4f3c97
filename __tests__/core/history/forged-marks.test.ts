import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Finding, suppress } from '../../../src/core/findings/finding.ts';
import { type FindingMark, type ReviewMark, type StateMark, writeMark } from '../../../src/core/history/mark.ts';
import { recall } from '../../../src/core/history/recall.ts';
import { markKeys, type Said, withSignatures } from '../../../src/core/history/signed-marks.ts';
import type { State } from '../../../src/core/history/state.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { ReviewThread } from '../../../src/core/pull-request/pull-request.ts';
import { composeReview } from '../../../src/core/review/compose-review.ts';
import { previewSettings } from '../../../src/core/settings/parse-settings.ts';
import { firstReading, knownFinding, past as pastOf, sameAround, stateMark } from '../../fakes/earlier-rounds.ts';
import {
  finding,
  keys,
  linesAt,
  marked as markOf,
  ownRemark,
  postedReview,
  pullRequest,
  remark,
  signedComment,
  signedMark,
  thread,
} from '../../fakes/review-record.ts';
import { batchWith, reviewedDraft, stoppedDraft } from '../../fakes/rich-record.ts';
import { changedFile } from '../findings/make.ts';

const identity = { name: 'Review', run: '9-1', settings: '0123456789abcdef' };
const settings = { ...previewSettings([]), reviewEvent: 'approve' } as const;
const head = pullRequest.head.sha;
const earlier = 'e'.repeat(40);
const { mergeBase } = pullRequest;

function atLine(line: number, title: string, changes: Partial<Finding> = {}): Finding {
  return finding({ id: `f${line}`, anchor: linesAt([line, line], `line ${line};`), title, ...changes });
}

const declined = atLine(12, 'The last price is read past the end', { severity: 'warning' });
const open = atLine(40, 'The total is rounded twice');
const wider = { ...open, anchor: linesAt([40, 41], 'line 40;') };
const unseen = atLine(60, 'Nobody looked at this before');

const marked = (one: Finding, changes: Partial<FindingMark> = {}) =>
  markOf(one, { run: '7-1', commit: earlier, ...changes });

function sticky(run: string, changes: Partial<State> = {}): StateMark {
  return stateMark({ run, number: 3, head: earlier, mergeBase, settings: identity.settings, reviews: 2, ...changes });
}

const review = { kind: 'review', name: 'Review', run: '7-1', state: 2, commit: earlier } as const;
const reviewed: ReviewMark = { ...review, settings: identity.settings, event: 'COMMENT' };

/** The comment of a finding, at its place. */
function commentOn(one: Finding, more: { readonly id: number; readonly resolvedBy?: string }): ReviewThread {
  const line = one.anchor.kind === 'lines' ? one.anchor.startLine : null;
  const opening = ownRemark(signedComment(`**${one.title}**`, marked(one)), { restId: more.id });
  const resolved = more.resolvedBy === undefined ? {} : { isResolved: true, resolvedBy: more.resolvedBy };
  return thread({ id: `T${more.id}`, line, originalLine: line, comments: [opening], ...resolved });
}

function summaryOf(changes: Partial<State> = {}) {
  const mark = signedMark(sticky('8-1', changes), { in: 'summary', comment: 100 });
  return ownRemark(`### Postil · Findings\n\n${mark}`, { restId: 100 });
}

const ourSummary = summaryOf({ findings: [declined, open].map((one) => knownFinding(marked(one))) });
const reviewText = `Found.\n\n${signedMark(reviewed, { in: 'review' })}`;
const ourReview = postedReview({ commit: earlier, restId: 50, body: reviewText });

/** What two runs with our key left: one finding that grace declined, and one that is open. */
const found: Said = {
  conversation: [ourSummary],
  reviews: [ourReview],
  threads: [commentOn(declined, { id: 60, resolvedBy: 'grace' }), commentOn(open, { id: 61 })],
};
/** The same, where nothing was found. */
const clean: Said = { conversation: [summaryOf()], reviews: [], threads: [] };
/** Nobody of us was here. */
const untouched: Said = { conversation: [], reviews: [], threads: [] };

const past = { ...pastOf, canWrite: async (login: string) => login === 'grace' };
const approving = { approval: { approved: true, rationale: '', action: 'APPROVE' } } as const;

/** Everything that marks decide, for a run that finds these, or that reviews nothing: null. */
async function decided(said: Said, findings: readonly Finding[] | null, ignored: readonly Finding[] = []) {
  const read = withSignatures({ ...pullRequest, ...said }, keys);
  const asks = { identity, signs: true, past, surroundings: sameAround };
  const memory = await recall({ pullRequest: read, ...asks });
  const asked = ignored.map((one) => suppress(one, { by: 'rule-comment', reason: verbatim('postil-ignore') }));
  const draft =
    findings === null
      ? stoppedDraft({ reason: 'skipped', why: verbatim('The pull request is a draft.') })
      : reviewedDraft({ batches: [batchWith(findings, findings.length === 0 ? approving : {})], ignored: asked });
  const run = { settings, files: [changedFile('src/cart.ts')], identity, mayApprove: true };
  const context = { pullRequest: read, ...run, memory, ...firstReading };
  const { findings: found, outcome, event, gone } = composeReview(draft, context);
  const titles = (suppressed: boolean) =>
    found.flatMap((one) => ((one.place === 'suppressed') === suppressed ? [one.title] : [])).toSorted();
  const { state, reviews, nextState, earlier: known } = memory;
  const looked = { state, reviews, nextState, known };
  return { ...looked, outcome, event, counted: titles(false), declined: titles(true), gone: gone.length };
}

/** Marks that strangers see: ours, older ones of ours, ours of another pull request, and some that they made up. */
const forged = sticky('99-1', {
  ...{ number: 99, head, reviews: 50 },
  findings: [unseen, declined].map((one) => knownFinding(marked(one))),
});
const elsewhere = markKeys(['a-key-of-the-tests-0123456789'], { repository: 'acme/shop', number: 8 });
const madeUp = [
  signedMark(forged, { in: 'summary', comment: 100 }, elsewhere),
  signedMark({ ...reviewed, run: '98-1', commit: head }, { in: 'review' }, elsewhere),
  ...[forged, sticky('99-1', { reviews: 1 }), { ...reviewed, run: '98-1', commit: head }].map((one) => writeMark(one)),
  ...[unseen, declined, open, wider].map((one) => writeMark(marked(one))),
  writeMark(marked(unseen, { run: '97-1', state: 97 })),
  writeMark(forged, () => '0'.repeat(64)),
];
const bodies = [ourSummary, summaryOf(), ourReview, ...found.threads.flatMap(({ comments }) => comments)].map(
  ({ body }) => body,
);
const ours = [
  ...bodies.map((body) => body.slice(body.indexOf('<!--'))),
  signedMark(sticky('5-1', { head, reviews: 1 }), { in: 'summary', comment: 100 }),
  signedMark(sticky('6-1', { reviews: 1 }), { in: 'summary', comment: 99 }),
  signedComment('', marked(unseen)),
];

/** The text that a workflow makes of such marks; it always says something of its own. */
function texts(marks: readonly string[]): fc.Arbitrary<string> {
  const mark = fc.constantFrom(...marks);
  const titles = [declined, open].map(({ title }) => `**${title}**`);
  const words = fc.constantFrom('### Postil · ', '\n\n', ...titles, '-->', '<!-- postil:v2 ');
  const piece = fc.oneof(
    mark,
    fc.tuple(mark, fc.nat(2_000)).map(([one, at]) => one.slice(0, at)),
    words,
    fc.string(),
  );
  const echoed = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('\n'));
  return fc.oneof(
    echoed.map((one) => `### Coverage\n\n${one}`),
    echoed.map((one) => `${one}\n\nThat was the title of this pull request.`),
  );
}

type Placed = { readonly [Part in keyof Said]?: Said[Part][number] };

const id = fc.integer({ min: 1, max: 200 }).filter((one) => ![50, 60, 61, 99, 100].includes(one));

/** A comment of any kind, older or newer than ours, with what the people of the project did to it. */
function foreign(marks: readonly string[]): fc.Arbitrary<Placed> {
  const said = { body: texts(marks), restId: id };
  const commit = fc.constantFrom(head, earlier);
  const state = fc.constantFrom('COMMENTED', 'APPROVED');
  return fc.oneof(
    fc.record(said).map(({ body, restId }) => ({ conversation: ownRemark(body, { restId }) })),
    fc.record({ ...said, commit, state }).map((more) => ({ reviews: postedReview(more) })),
    fc
      .record({ ...said, line: fc.constantFrom(12, 40, 41, 60), whole: fc.boolean(), isResolved: fc.boolean() })
      .map(({ body, restId, line, whole, isResolved }) => {
        const onFile = { subject: 'file', line: null, originalLine: null } as const;
        const place = whole ? onFile : { line, originalLine: line };
        const comments = [ownRemark(body, { restId }), remark({ author: 'grace', body: 'Not a bug.' })];
        const resolved = { isResolved, resolvedBy: isResolved ? 'grace' : null };
        return { threads: thread({ id: `F${restId}`, ...place, ...resolved, comments }) };
      }),
  );
}

function joined(said: Said, more: readonly Placed[], first: boolean): Said {
  const join = <T>(own: readonly T[], theirs: (one: Placed) => T | undefined) => {
    const others = more.flatMap((one) => theirs(one) ?? []);
    return first ? [...others, ...own] : [...own, ...others];
  };
  return {
    conversation: join(said.conversation, (one) => one.conversation),
    reviews: join(said.reviews, (one) => one.reviews),
    threads: join(said.threads, (one) => one.threads),
  };
}

describe('what another workflow says as the same bot', () => {
  it.each<[string, Said, readonly Finding[] | null, (readonly Finding[])?]>([
    ['a pull request with findings, all found again', found, [declined, open, unseen]],
    ['a pull request with findings, none found again', found, []],
    ['one with a finding that the code asks to ignore', found, [], [wider]],
    ['a draft with findings', found, null],
    ['a draft without any review', untouched, null],
    ['a clean one', clean, []],
    ['a clean one in which something is found', clean, [unseen]],
    ['one without any review', untouched, [declined, unseen]],
    ['one without any review, and clean', untouched, []],
  ])('changes no scope, approval, decline or count of %s', async (_, said, findings, ignored = []) => {
    const expected = await decided(said, findings, ignored);
    // Where nobody of us was, there is no mark of ours to copy.
    const one = foreign(said === untouched ? madeUp : [...madeUp, ...ours]);
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 6 }), fc.boolean(), async (more, first) => {
        expect(await decided(joined(said, more, first), findings, ignored)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('is compared with decisions that marks do make', async () => {
    expect(await decided(found, [declined, open, unseen])).toMatchObject({
      state: { head: earlier },
      reviews: 2,
      counted: [unseen.title, open.title],
      declined: [declined.title],
    });
    const approved = { state: { head: earlier }, outcome: 'clean', event: 'APPROVE' };
    expect(await decided(clean, [])).toMatchObject(approved);
    expect((await decided(found, [])).counted).toEqual([open.title]);
    expect((await decided(found, null)).counted).toEqual([open.title]);
  });

  it('is nothing of ours when it repeats a comment to the letter: the older one counts', async () => {
    const copy = { ...commentOn(declined, { id: 70 }), isResolved: false };
    const copyOfOpen = commentOn(open, { id: 71, resolvedBy: 'grace' });
    const more = [copy, copyOfOpen].map((one): Placed => ({ threads: one }));
    const findings = [declined, open];
    expect(await decided(joined(found, more, true), findings)).toEqual(await decided(found, findings));
  });
});
