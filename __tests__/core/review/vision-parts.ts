import type { Images } from '../../../src/core/images/images.ts';
import { noMetrics } from '../../../src/core/review/metrics.ts';
import type { BundleReview } from '../../../src/core/review/review-bundle.ts';
import type { ReviewingParts } from '../../../src/core/review/reviewing-parts.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { pullRequest } from '../../fakes/review-record.ts';
import { ScriptedModel } from '../../fakes/scripted-model.ts';

type Given = {
  readonly images?: Images;
  readonly include?: readonly string[];
  readonly warn?: (text: string) => void;
};

/** A review that shows images, with a model that is never asked. */
export function partsWith({ images, include = [], warn }: Given): ReviewingParts {
  const values = { vision: true, include: include.join('\n') };
  return {
    settings: parseSettings([{ where: 'input', trusted: true, values }], null).settings,
    notes: [],
    pullRequest,
    changes: async () => ({ files: [], missing: [] }),
    repository: new MemoryRepository({}),
    search: null,
    history: null,
    syntax: null,
    ...(images === undefined ? {} : { images }),
    model: new ScriptedModel(),
    verifyModel: null,
    embedder: null,
    report: (event) => (event.type === 'warning' ? warn?.(event.text) : undefined),
    clock: new FakeClock(),
    random: () => 0,
    startedAt: 0,
    signal: new AbortController().signal,
  };
}

/** A bundle that was reviewed without a finding, or not at all. */
export function bundleReview({ paths, reviewed }: { paths: readonly string[]; reviewed: boolean }): BundleReview {
  return {
    report: {
      name: 'all',
      paths,
      stop: reviewed ? { reason: 'submitted' } : { reason: 'context-overflow' },
      reviewed,
      gap: reviewed ? null : 'The context overflowed.',
      approval: null,
      nonSpecificReview: null,
      rawFreeText: null,
      followUp: null,
      metrics: noMetrics,
    },
    findings: [],
    refused: [],
    dismissed: [],
  };
}
