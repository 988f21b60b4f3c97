import { describe, expect, it } from 'vitest';
import { learningSecrets } from '../../src/core/learn-secrets.ts';
import type { Past } from '../../src/core/memory/memory.ts';
import type { Changes } from '../../src/core/pull-request/source.ts';
import { type ReviewParts, reviewPullRequest } from '../../src/core/review-pull-request.ts';
import { parseSettings } from '../../src/core/settings/parse-settings.ts';
import { addedFile } from '../fakes/changed-files.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { MemoryRepository } from '../fakes/memory-repository.ts';
import { pullRequest } from '../fakes/review-record.ts';

function partsOf(changes: Changes): ReviewParts {
  const offline = { where: 'input', trusted: true, values: { profile: 'offline' } };
  return {
    settings: parseSettings([offline], null).settings,
    notes: [],
    pullRequest,
    changes: async () => changes,
    repository: new MemoryRepository({}),
    search: null,
    history: null,
    model: null,
    verifyModel: null,
    embedder: null,
    syntax: null,
    report: () => undefined,
    identity: null,
    signs: false,
    past: null,
    sinks: [],
    handOver: null,
    recorders: [],
    clock: new FakeClock(),
    random: () => 0,
    startedAt: 0,
    signal: new AbortController().signal,
  };
}

async function outcomeOf(changes: Changes): Promise<readonly string[]> {
  const { review } = await reviewPullRequest(partsOf(changes));
  return [review.outcome, review.headline];
}

describe('a credential in a diff', () => {
  it('is named before anybody sees the diff, be it of the pull request or of an earlier run', async () => {
    const learnt: string[] = [];
    const leaking = (value: string) => [addedFile('.env', [`API_KEY=${value}`])];
    const past: Past = {
      canWrite: async () => true,
      relationOf: async () => 'ancestor',
      changesBetween: async () => leaking('w9Xc3Vb7Nm1Qa5Sd'),
    };
    const parts = learningSecrets(
      { ...partsOf({ files: leaking('k3Jd8sLq0Zx7Vb2N'), missing: [] }), past },
      (secrets) => learnt.push(...secrets.map(({ value }) => value)),
    );
    await parts.past?.changesBetween('a', 'b');
    await parts.changes();
    expect(learnt).toEqual(['w9Xc3Vb7Nm1Qa5Sd', 'k3Jd8sLq0Zx7Vb2N']);
  });
});

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
