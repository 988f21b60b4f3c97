import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { doubledThreads, knownParts } from '../../../src/core/history/known-findings.ts';
import { matchFindings } from '../../../src/core/history/match.ts';
import type { PriorFinding } from '../../../src/core/history/memory.ts';
import { settle } from '../../../src/core/history/settle.ts';
import { withSignatures } from '../../../src/core/history/signed-marks.ts';
import { withoutTwins } from '../../../src/core/history/twins.ts';
import { prior, stateOf } from '../../fakes/earlier-rounds.ts';
import {
  finding,
  keys,
  linesAt,
  marked,
  ownRemark,
  remark,
  reviewer,
  signedComment,
  thread,
} from '../../fakes/review-record.ts';
import { changedFile } from '../findings/make.ts';

type Known = Partial<PriorFinding> & { readonly run?: string; readonly of?: Partial<Finding> };

/** An earlier finding of a run: of its own thread where the thread has a number. */
function known(index: number, { run = '7-1', of = {}, ...changes }: Known, restId?: number): PriorFinding {
  const one = finding({ id: `f${index}`, ...of });
  const comment = ownRemark('Words.', { restId: restId ?? null });
  const held = { in: 'thread', thread: thread({ comments: [comment] }), comment } as const;
  return prior(one, { mark: marked(one, { run }), ...(restId === undefined ? {} : { held }), ...changes });
}

const ids = (all: readonly PriorFinding[]) => all.map(({ id }) => id);
/** Of another run. */
const run = '8-1';
const elsewhere = { present: { kind: 'here', path: 'src/b.ts', anchor: { kind: 'file' } } } as const;

describe('two threads of one finding', () => {
  it.each<[string, Known, readonly string[], Partial<Finding>?]>([
    ['are one where two runs opened them: the older stays', { run }, ['p-f2']],
    ['are one on overlapping lines', { run, of: { anchor: linesAt([10, 14], '') } }, ['p-f2']],
    ['are one where it came back', { run, life: 'returned' }, ['p-f2']],
    ['are two where one run names both', {}, []],
    ['are two with other words', { run, of: { title: 'Cents are rounded twice' } }, []],
    ['are two of unlike kinds', { run, of: { category: 'documentation' } }, []],
    ['are one of one rule, in whatever words', { run, of: { ruleId: 'a', title: 'Other' } }, ['p-f2'], { ruleId: 'a' }],
    ['are two of two rules', { run, of: { ruleId: 'b' } }, [], { ruleId: 'a' }],
    ['are two on the next line', { run, of: { anchor: linesAt([13, 13], '') } }, []],
    ['are two in two files', { run, ...elsewhere }, []],
    ['are two where one is not signed', { run, signed: false }, []],
    ['are two where somebody declined one', { run, declined: true }, []],
    ['are two where one has ended', { run, life: 'fixed', isBack: false }, []],
    ['are two where the lines of one are gone', { run, present: { kind: 'gone' } }, []],
  ])('%s', (_, second, expected, first = {}) => {
    const all = [known(1, { of: first }, 60), known(2, second, 61)];
    const { prior: left, twins } = withoutTwins(all);
    expect([ids(twins), ids(left)]).toEqual([expected, ids(all).filter((id) => !expected.includes(id))]);
  });

  it('leave the older one, and before one without a number one with it', () => {
    const older = withoutTwins([known(1, {}, 99), known(2, { run }, 61)]);
    const alone = withoutTwins([known(1, {}), known(2, { run }, 61)]);
    expect([older, alone].map(({ twins }) => ids(twins))).toEqual([['p-f1'], ['p-f1']]);
  });

  it('leave one of three', () => {
    const all = ['7-1', '8-1', '9-1'].map((run, index) => known(index, { run }, 60 + index));
    expect(ids(withoutTwins(all).prior)).toEqual(['p-f0']);
  });

  it('are one though their lines are gone since', () => {
    const gone = { present: { kind: 'gone' } } as const;
    const { prior: left, twins } = withoutTwins([known(1, gone, 60), known(2, { run, ...gone }, 61)]);
    expect([ids(left), ids(twins)]).toEqual([['p-f1'], ['p-f2']]);
  });

  it('leave the newer one where it holds another place, for that', () => {
    const second = known(2, { run }, 61);
    const more = { ...second, id: 'p-f2.2', part: 1, ...elsewhere };
    const { prior: left, twins } = withoutTwins([known(1, {}, 60), second, more]);
    expect([ids(left), ids(twins)]).toEqual([['p-f1', 'p-f2.2'], []]);
  });
});

describe('earlier findings that meet on one line', () => {
  const [ended, open] = [{ life: 'fixed' }, {}] as const;
  const standing = (...some: readonly Known[]) => {
    const { prior: all } = withoutTwins(some.map((one, index) => known(index, one)));
    const files = [changedFile('src/cart.ts'), changedFile('src/b.ts')];
    const settled = settle(matchFindings([], all), { answers: [], files });
    return settled.standing.map((one) => `${one.prior.id} ${one.prior.life}`);
  };
  it.each<[string, readonly Known[], readonly string[]]>([
    ['what ended stays so where it stands as another', [ended, open], ['p-f1 open']],
    ['one that ended comes back', [ended], ['p-f0 returned']],
    ['one of two that ended comes back', [ended, ended], ['p-f0 returned']],
    ['one in another place comes back, too', [{ ...ended, ...elsewhere }, open], ['p-f0 returned', 'p-f1 open']],
    ['two that are open stay two', [open, open], ['p-f0 open', 'p-f1 open']],
  ])('are one: %s', (_, some, expected) => {
    expect(standing(...some)).toEqual(expected);
  });
});

describe('threads of one id', () => {
  const mark = marked(finding({ anchor: linesAt([5, 5], 'x') }), { id: 'p-1' });
  const said = (restId: number, ...answers: ReturnType<typeof remark>[]) => {
    const own = ownRemark(signedComment(`Words of ${restId}.`, mark), { restId });
    return thread({ id: `t${restId}`, path: mark.path, line: 5, originalLine: 5, comments: [own, ...answers] });
  };
  const read = (...threads: readonly ReturnType<typeof said>[]) =>
    withSignatures({ conversation: [], reviews: [], threads }, keys);
  const threadsOf = (parts: ReturnType<typeof knownParts>) =>
    parts.map(({ held }) => (held.in === 'thread' ? held.thread.id : held.in));

  it('are one finding, in the older one, and the other says it twice', () => {
    const [discussion, at] = [read(said(1), said(2)), { name: reviewer.name, state: null }];
    expect([threadsOf(knownParts(discussion, at)), threadsOf(doubledThreads(discussion, at))]).toEqual([
      ['t1'],
      ['t2'],
    ]);
  });

  it('are one finding in the one that somebody answered', () => {
    const [discussion, at] = [
      read(said(1), said(2, remark({ body: 'By design.' }))),
      { name: reviewer.name, state: null },
    ];
    expect([threadsOf(knownParts(discussion, at)), threadsOf(doubledThreads(discussion, at))]).toEqual([
      ['t2'],
      ['t1'],
    ]);
  });

  it('say it twice where the state knows the finding by another id', () => {
    const [discussion, at] = [read(said(1)), { name: reviewer.name, state: stateOf({ twins: ['p-1'] }) }];
    expect([threadsOf(knownParts(discussion, at)), threadsOf(doubledThreads(discussion, at))]).toEqual([[], ['t1']]);
  });
});
