import { describe, expect, it } from 'vitest';
import type { Placement } from '../../../src/core/findings/placement.ts';
import { deliver } from '../../../src/core/review/deliver.ts';
import { emptyReview } from '../../../src/core/review/empty-review.ts';
import type { Review } from '../../../src/core/review/review.ts';
import type { Delivery, Recorder, Sink } from '../../../src/core/review/sink.ts';

function placement(id: string, place: 'inline' | 'summary'): Placement {
  const finding = {
    id,
    path: 'src/a.ts',
    anchor: { kind: 'file' as const },
    title: id,
    review: '',
    evidence: '',
    severity: 'warning' as const,
    category: 'bug' as const,
    suggestion: null,
    ruleId: null,
    confidence: 1,
    source: 'model' as const,
    alsoAt: [],
  };
  return place === 'inline' ? { finding, place } : { finding, place, reason: 'below `min-severity`' };
}

function review(placements: readonly Placement[]): Review {
  const empty = emptyReview({ reason: 'skipped', why: '' }, { pullRequest: null, milliseconds: 0 });
  return { ...empty, outcome: 'findings', stop: { reason: 'completed' }, placements };
}

function sink(name: string, delivery: Partial<Delivery>): Sink {
  return {
    name,
    deliver: async () => ({ sink: name, status: 'delivered', reason: null, delivered: [], url: null, ...delivery }),
  };
}

const exploding: Sink = {
  name: 'exploding',
  deliver: async () => {
    throw new Error('socket hang up');
  },
};

async function ledger(sinks: readonly Sink[], placements: readonly Placement[]) {
  const record = await deliver(review(placements), { sinks, recorders: [] }, () => undefined);
  return record.ledger.map(({ finding, place, reason }) => [finding.id, place, reason]);
}

describe('delivery', () => {
  it('books every finding once, at the best place that took it', async () => {
    const comments = sink('review', { delivered: [{ findingId: 'f1', place: 'inline', url: 'https://x' }] });
    const annotations = sink('annotations', {
      delivered: [
        { findingId: 'f1', place: 'annotation', url: null },
        { findingId: 'f2', place: 'annotation', url: null },
      ],
    });
    const placements = [placement('f1', 'inline'), placement('f2', 'inline'), placement('f3', 'summary')];
    expect(await ledger([comments, annotations], placements)).toEqual([
      ['f1', 'inline', null],
      ['f2', 'annotation', null],
      ['f3', 'summary', 'below `min-severity`'],
    ]);
  });

  it('says why a finding is not where it was to be, when its sink delivered the others', async () => {
    const comments = sink('review', {
      delivered: [{ findingId: 'f1', place: 'inline', url: null }],
      reason: 'GitHub did not accept a comment: line must be part of the diff.',
    });
    const annotations = sink('annotations', { delivered: [{ findingId: 'f2', place: 'annotation', url: null }] });
    expect(await ledger([comments, annotations], [placement('f1', 'inline'), placement('f2', 'inline')])).toEqual([
      ['f1', 'inline', null],
      ['f2', 'annotation', 'GitHub did not accept a comment: line must be part of the diff.'],
    ]);
  });

  it('lets the others deliver when one sink breaks, and keeps the cause', async () => {
    const annotations = sink('annotations', { delivered: [{ findingId: 'f1', place: 'annotation', url: null }] });
    expect(await ledger([exploding, annotations], [placement('f1', 'inline'), placement('f2', 'inline')])).toEqual([
      ['f1', 'annotation', null],
      ['f2', 'summary', 'socket hang up.'],
    ]);
  });

  it('tells the recorders what became of everything, and survives one that breaks', async () => {
    const told: string[] = [];
    const recorder: Recorder = {
      name: 'summary',
      record: async ({ deliveries }) => {
        told.push(...deliveries.map(({ sink: name, status }) => `${name} ${status}`));
        throw new Error('disk full');
      },
    };
    const statuses: string[] = [];
    await deliver(review([]), { sinks: [exploding], recorders: [recorder] }, (delivery) =>
      statuses.push(`${delivery.sink} ${delivery.status} ${delivery.reason}`),
    );
    expect([told, statuses]).toEqual([
      ['exploding failed'],
      ['exploding failed socket hang up.', 'summary failed disk full.'],
    ]);
  });
});
