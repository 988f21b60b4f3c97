import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endedComment } from '../../../src/core/history/ended-comment.ts';
import {
  countReviews,
  idOf,
  priorMarks,
  stickyOf,
  withoutOwnChecks,
} from '../../../src/core/history/known-findings.ts';
import type { Life } from '../../../src/core/history/life.ts';
import { type Mark, readMarks, type StickyMark, withoutMarks, writeMark } from '../../../src/core/history/mark.ts';
import { withSignatures } from '../../../src/core/history/signed-marks.ts';
import {
  type HeadCheck,
  nothingLinked,
  type PullRequest,
  type ReviewThread,
} from '../../../src/core/pull-request/pull-request.ts';
import { sanitiseMarkdown } from '../../../src/core/report/sanitise.ts';
import {
  finding,
  keys,
  marked,
  ownRemark,
  postedReview,
  pullRequest,
  remark,
  signedComment,
  signedMark,
  stickyMark,
  thread,
} from '../../fakes/review-record.ts';

const identity = { name: 'Review', run: '9-1', settings: '' };

function sticky(run: string, more: Partial<StickyMark> = {}): StickyMark {
  return stickyMark({ run, ...more });
}

function posted(run: string): Mark {
  return { kind: 'review', name: 'Review', run, commit: 'a'.repeat(40), settings: '', event: 'COMMENT' };
}

const comment = (mark: Mark) => ownRemark(signedMark(mark, { in: 'summary', comment: 1 }));
const twelve = { reviews: 12 };
const inReview = (mark: Mark) => postedReview({ body: signedMark(mark, { in: 'review' }) });
const counted = comment(sticky('8-1', twelve));
const unsigned = ownRemark(writeMark(sticky('8-1', twelve)));
const inThread = (run: string) =>
  thread({ comments: [ownRemark(signedComment('Words.', marked(finding(), { run }))), comment(posted('7-1'))] });

describe('the number of earlier reviews', () => {
  it.each<[string, Partial<PullRequest>, number]>([
    ['is none at first', {}, 0],
    ['is what the summary comment counted', { conversation: [counted] }, 12],
    ['leaves this run out', { conversation: [comment(sticky('9-1', twelve))] }, 11],
    ['is that of the runs that posted', { reviews: ['7-1', '7-2', '8-1', '8-1', '9-1'].map(posted).map(inReview) }, 3],
    ['counts a run that left comments alone', { threads: ['5-1', '6-1'].map(inThread) }, 2],
    ['knows nothing of another name', { reviews: [inReview({ ...posted('7-1'), name: 'Other' })] }, 0],
    ['believes no summary comment that is not signed', { conversation: [unsigned] }, 0],
    ['believes no review that is not signed', { reviews: [postedReview({ body: writeMark(posted('7-1')) })] }, 0],
    ['believes no summary comment of somebody else', { conversation: [{ ...counted, isSelf: false }] }, 0],
    ['believes no review of somebody else', { reviews: [{ ...inReview(posted('7-1')), isSelf: false }] }, 0],
  ])('%s', (_, said, expected) => {
    const read = withSignatures({ ...pullRequest, ...said }, keys);
    expect(countReviews(read, identity)).toBe(expected);
  });
});

const mark = marked();

describe('a mark', () => {
  it('is read back as it was written, whatever its texts hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (title, path) => {
        const written = { ...mark, title, path };
        expect(readMarks(`Text.\n\n${writeMark(written)}`)).toEqual([written]);
      }),
    );
  });

  it('is one comment that nothing in it can end, and holds nothing that acts', () => {
    const texts = fc.oneof(fc.string(), fc.constantFrom('-->', '--!>', '<!--', '@ada', '#12', '--', '\n', '\u202E'));
    fc.assert(
      fc.property(fc.array(texts), (parts) => {
        const text = writeMark({ ...mark, title: parts.join('') });
        expect(text.slice(4, -3)).not.toMatch(/--|[<>@#\n]|[^\x20-\x7e]/);
        expect([text.startsWith('<!-- postil:v1 {'), text.endsWith('} -->')]).toEqual([true, true]);
      }),
    );
  });

  it('is not believed in text of a model, which is sanitised before', () => {
    for (const text of [writeMark(mark), `\`${writeMark(mark)}\``, `> ${writeMark(mark)}`, `    ${writeMark(mark)}`]) {
      expect(readMarks(sanitiseMarkdown(text))).toEqual([]);
    }
  });

  it.each([
    ['another version', writeMark(mark).replace('postil:v1', 'postil:v2')],
    ['half a mark', writeMark(mark).slice(0, -8)],
    ['no JSON', '<!-- postil:v1 {no} -->'],
    ['another shape', '<!-- postil:v1 {"kind":"finding"} -->'],
    ['a finding that nobody made', writeMark(mark).replace(',"source":"model"', '')],
    ['a line below 1', writeMark({ ...mark, lines: { side: 'LEFT', startLine: 0, endLine: 1, digests: [] } })],
  ])('of %s is passed over', (_, text) => {
    expect(readMarks(text)).toEqual([]);
  });

  it('reading never throws, and reads 200 at most', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readMarks(`<!-- postil:v1 {${text}} -->${text}`).length).toBeLessThanOrEqual(1);
      }),
    );
    expect(readMarks(`${writeMark(mark)}\n`.repeat(300))).toHaveLength(200);
  });

  it('is not seen by people or the model', () => {
    expect(withoutMarks(`First.\n\n${writeMark(mark)}\n\nSecond.\n\n${writeMark(mark)}\n`)).toBe('First.\n\nSecond.');
  });
});

describe('own checks', () => {
  const identity = { name: 'Careful', run: '4711-2', settings: '' };

  const job = { name: 'job', workflow: null, run: null, state: 'failed', conclusion: '' } as const;

  const ours = { workflow: 'Review' };
  const old = { name: 'old', ...ours, run: '12' };
  it.each<[string, readonly Partial<HeadCheck>[]]>([
    ['the check run of our name', [{ name: 'Careful' }]],
    ['the jobs of our workflow, of this run and of earlier ones', [old, { name: 'now', ...ours, run: '4711' }]],
    ['those of the workflow of our name where the run is not among the checks', [{ workflow: 'Careful', run: '9' }]],
  ])('leave out %s', (_, checks) => {
    const all = [...checks, { name: 'build', workflow: 'CI' }].map((check) => ({ ...job, ...check }));
    const left = withoutOwnChecks({ ...nothingLinked, checks: all }, identity).checks;
    expect(left?.map(({ name }) => name)).toEqual(['build']);
  });

  it('leave what could not be read unread, and on a laptop everything', () => {
    expect(withoutOwnChecks(nothingLinked, identity).checks).toBeNull();
    expect(withoutOwnChecks({ ...nothingLinked, checks: [job] }, null).checks).toEqual([job]);
  });
});

const body = `Words.\n\n${writeMark(mark)}`;
const own = thread({ comments: [ownRemark(body)] });

describe('a mark in a thread', () => {
  it.each<[string, boolean, ReviewThread]>([
    ['of our own whose place it names', true, own],
    ['on the file, when GitHub did not take its lines', true, { ...own, subject: 'file', originalLine: null }],
    ['that somebody else wrote', false, thread({ comments: [remark({ body })] })],
    ['that answers somebody', false, thread({ comments: [remark(), ownRemark(body)] })],
    ['on another line', false, { ...own, originalLine: 13 }],
    ['on more lines', false, { ...own, originalStartLine: 10 }],
    ['on the other side', false, { ...own, side: 'LEFT' }],
    ['of another name', false, thread({ comments: [ownRemark(`${writeMark({ ...mark, name: 'Other' })}`)] })],
    ['of no version that we know', false, thread({ comments: [ownRemark(body.replace('v1', 'v9'))] })],
  ])('in a comment %s counts: %s', (_, counts, one) => {
    const marks = priorMarks({ ...pullRequest, threads: [one] }, 'Review').map((held) => held.mark);
    expect(marks).toEqual(counts ? [mark] : []);
  });

  it('counts once, however many hold it', () => {
    const reviews = [postedReview({ body })];
    expect(priorMarks({ ...pullRequest, threads: [own], reviews }, 'Review')).toHaveLength(1);
  });
});

describe('what became of a finding that the summary comment does not name', () => {
  const said = signedComment('Words.', mark);
  const ended = endedComment(said, { life: 'fixed', commit: 'c'.repeat(40) });
  it.each<[string, string, Partial<ReviewThread>, Life]>([
    ['nothing', said, {}, 'open'],
    ['nothing when a person resolved its thread', said, { isResolved: true, resolvedBy: 'grace' }, 'open'],
    ['that it ended when we did', said, { isResolved: true, resolvedBy: 'github-actions' }, 'fixed'],
    ['that it ended when its comment says so', ended, {}, 'fixed'],
  ])('is %s', (_, text, more, life) => {
    const threads = [thread({ comments: [ownRemark(text)], ...more })];
    const read = withSignatures({ ...pullRequest, threads }, keys);
    expect(priorMarks(read, 'Review').map((one) => one.life)).toEqual([life]);
  });
});

describe('the id of a finding', () => {
  const of = (changes: object, signed = true) => idOf({ ...mark, ...changes }, { signed });

  it('follows from its mark, or is the one that an earlier mark gave it', () => {
    const later = { commit: 'd'.repeat(40), title: 'Other words' };
    expect([of({}), of({ run: '8-1' })]).toEqual([expect.stringMatching(/^p-[0-9a-f]{8}$/), of({})]);
    expect([of(later) === of({}), of({ ...later, id: of({}) })]).toEqual([false, of({})]);
  });

  it('is another one for a reviewer of another name, and none that an unsigned mark gives itself', () => {
    expect([of({ name: 'Other' }) === of({}), of({ id: 'p-3f09ab12' }, false)]).toEqual([false, of({})]);
  });
});

describe('a mark in a review', () => {
  it.each([
    ['of the same commit', {}, 1],
    ['of another commit', { commit: 'd'.repeat(40) }, 0],
    ['that somebody else wrote', { isSelf: false }, 0],
    ['that is not published', { state: 'PENDING' }, 0],
  ] as const)('%s: counts %o %d', (_, changes, count) => {
    const reviews = [postedReview({ body, ...changes })];
    expect(priorMarks({ ...pullRequest, reviews }, 'Review')).toHaveLength(count);
  });
});

describe('the summary comment', () => {
  const here = sticky('1-1', { unreviewed: ['b.ts'], others: [mark, { ...mark, name: 'Other' }] });
  const signedIn1 = (one: StickyMark) => signedMark(one, { in: 'summary', comment: 1 });

  it('is the oldest signed one of our own of this name, with the findings of this name alone', () => {
    const of = (head: string) => ({ ...here, head: head.repeat(40) });
    const conversation = [
      remark({ body: signedIn1(of('b')) }),
      ownRemark(writeMark(of('f'))),
      ownRemark(signedIn1({ ...here, name: 'Other' })),
      ownRemark(signedIn1(here)),
      ownRemark(signedIn1(of('d'))),
    ];
    const read = withSignatures({ ...pullRequest, conversation }, keys);
    expect(stickyOf(read.conversation, 'Review')).toEqual({ ...here, others: [mark] });
  });

  it('is nothing when nobody of us wrote one', () => {
    expect(stickyOf([remark({ body: writeMark(here) })], 'Review')).toBeNull();
  });
});

describe('a finding whose comment was deleted', () => {
  const open = sticky('1-1', { open: [{ ...mark, comment: 1 }] });
  const conversation = [ownRemark(signedMark(open, { in: 'summary', comment: 9 }), { restId: 9 })];
  const held = (changes: Partial<typeof pullRequest>) =>
    priorMarks(withSignatures({ ...pullRequest, conversation, ...changes }, keys), 'Review').map((one) => one.held);
  const said = (title: string) => thread({ comments: [ownRemark(signedComment('Words.', { ...mark, title }))] });

  const rewritten = signedComment('Words.', mark).replace('Words', 'All is well');
  const deleted = { in: 'sticky', deleted: true } as const;
  it.each<[string, readonly ReviewThread[], object]>([
    ['is still known by the summary comment', [], deleted],
    ['is not one whose comment is there', [said(mark.title)], { in: 'thread' }],
    ['is not one whose comment has another title now', [said('Other words')], { in: 'thread' }],
    ['is one whose comment somebody rewrote', [thread({ comments: [ownRemark(rewritten)] })], deleted],
    ['is one whose comment holds no mark any more', [thread({ comments: [ownRemark('Never mind.')] })], deleted],
  ])('%s', (_, threads, expected) => {
    expect(held({ threads })).toMatchObject([expected]);
  });

  it('is not known by what a stranger wrote', () => {
    const copied = remark({ body: signedMark(open, { in: 'summary', comment: 9 }) });
    const unsigned = ownRemark(writeMark(open), { restId: 9 });
    expect([copied, unsigned].map((one) => held({ conversation: [one] }))).toEqual([[], []]);
  });
});
