import { describe, expect, it } from 'vitest';
import { doubledThreads, knownParts } from '../../../src/core/history/known-findings.ts';
import type { PriorFinding } from '../../../src/core/history/memory.ts';
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

/** What a run of this number made of the finding at these lines; `line` in the head of another commit where it is told. */
function madeBy(run: number, line: number, changes: Partial<PriorFinding> = {}): PriorFinding {
  const one = finding({ anchor: linesAt([line, line], 'x') });
  return prior(one, { mark: marked(one, { id: `p-${run}`, run: `${run}-1`, ...changes.mark }), ...changes });
}

const ids = (all: readonly { readonly mark: { readonly id: string } }[]) => all.map(({ mark }) => mark.id);

describe('what two runs at once made of one finding', () => {
  const gone = { present: { kind: 'gone' }, change: { kind: 'changed', isIntact: false, hunks: [] } } as const;

  it.each<[string, readonly PriorFinding[], readonly string[], readonly string[]]>([
    ['is one', [madeBy(1, 5), madeBy(2, 5)], ['p-1'], ['p-2']],
    ['is one though its lines are gone since', [madeBy(1, 5, gone), madeBy(2, 5, gone)], ['p-1'], ['p-2']],
    ['is two at other lines', [madeBy(1, 5), madeBy(2, 6)], ['p-1', 'p-2'], []],
    ['is two where somebody declined the first', [madeBy(1, 5, { declined: true }), madeBy(2, 5)], ['p-1', 'p-2'], []],
  ])('%s', (_, all, kept, twins) => {
    const left = withoutTwins(all);
    expect([ids(left.prior), ids(left.twins)]).toEqual([kept, twins]);
  });

  it('stays for a place that the other one does not have', () => {
    const second = madeBy(2, 9, { id: 'p-2.2', part: 1 });
    const left = withoutTwins([madeBy(1, 5), madeBy(2, 5), second]);
    expect([left.prior.map(({ id }) => id), left.twins]).toEqual([['p-1', 'p-2.2'], []]);
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

  it('are one finding, in the older one, and the other is told twice', () => {
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

  it('are told twice where the state knows the finding by another id', () => {
    const [discussion, at] = [read(said(1)), { name: reviewer.name, state: stateOf({ twins: ['p-1'] }) }];
    expect([threadsOf(knownParts(discussion, at)), threadsOf(doubledThreads(discussion, at))]).toEqual([[], ['t1']]);
  });
});
