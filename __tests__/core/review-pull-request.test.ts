import { describe, expect, it } from 'vitest';
import type { Changes } from '../../src/core/pull-request/source.ts';
import { type ReviewParts, reviewPullRequest } from '../../src/core/review-pull-request.ts';
import { parseSettings } from '../../src/core/settings/parse-settings.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { MemoryRepository } from '../fakes/memory-repository.ts';
import { pullRequest } from '../fakes/review-record.ts';

async function outcomeOf(changes: Changes): Promise<readonly string[]> {
  const offline = { where: 'input', trusted: true, values: { profile: 'offline' } };
  const parts: ReviewParts = {
    settings: parseSettings([offline], null).settings,
    notes: [],
    pullRequest,
    changes: async () => changes,
    repository: new MemoryRepository({}),
    search: null,
    history: null,
    model: null,
    verifyModel: null,
    syntax: null,
    report: () => undefined,
    identity: null,
    past: null,
    sinks: [],
    handOver: null,
    recorders: [],
    clock: new FakeClock(),
    random: () => 0,
    startedAt: 0,
    signal: new AbortController().signal,
  };
  const { review } = await reviewPullRequest(parts);
  return [review.outcome, review.headline];
}

describe('a pull request without a readable file', () => {
  it('is skipped when it changes none', async () => {
    expect(await outcomeOf({ files: [], missing: [] })).toEqual([
      'skipped',
      'Not reviewed: The pull request changes no files.',
    ]);
  });

  it('is partial when its diff could not be read: that is not the same as no change', async () => {
    expect(await outcomeOf({ files: [], missing: ['Of 12 changed files GitHub listed none.'] })).toEqual([
      'partial',
      'Partial review: no findings. Of 12 changed files GitHub listed none.',
    ]);
  });
});
