import fc from 'fast-check';
import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/adapters/replay/virtual-clock.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { type ReviewParts, reviewPullRequest } from '../../../src/core/review-pull-request.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';
import { compareRuns } from '../../../src/core/transcript/compare-runs.ts';
import { endLineOf } from '../../../src/core/transcript/end-line.ts';
import { recordParts } from '../../../src/core/transcript/record-parts.ts';
import { replayParts } from '../../../src/core/transcript/replay-parts.ts';
import { parseTranscript } from '../../../src/core/transcript/transcript-line.ts';
import { addedFile } from '../../fakes/changed-files.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { pullRequest } from '../../fakes/review-record.ts';
import { call, ScriptedModel, type ScriptedStep, usage } from '../../fakes/scripted-model.ts';

const lines = ['one();', 'two();', 'three();'];
const files = { 'a.ts': lines.join('\n'), 'b.ts': 'b();' };

const finding = (quote: string) => ({
  path: 'a.ts',
  quote,
  lines: null,
  side: 'RIGHT',
  evidence: 'Read.',
  title: `Wrong: ${quote}`,
  review: 'x',
  severity: 'warning',
  category: 'bug',
  suggestion: null,
  rule_id: null,
  confidence: 1,
});
const approval = { approved: false, rationale: 'x', action: 'COMMENT' };
const submitted = (quotes: readonly string[]) => ({
  toolCalls: [call('submit_review', { files_review: quotes.map(finding), non_specific_review: null, approval })],
  usage: usage(500, 50),
});

const step: fc.Arbitrary<ScriptedStep> = fc.oneof(
  fc
    .constantFrom('a.ts', 'b.ts', 'none.ts')
    .map((path) => ({ toolCalls: [call('read_file', { path })], usage: usage(100, 5) })),
  fc.subarray([...lines, 'invented();']).map(submitted),
  fc.constant({ text: 'Let me check the file…' }),
  fc.constant({}),
  fc
    .constantFrom('transient', 'quota', 'context-overflow')
    .map((kind) => new ModelError(kind, 'broken', { retryAfter: 5_000 })),
  fc.constant({ toolCalls: [call('submit_verification', { confirmed: [1], dismissed: [], adjusted: [] })] }),
);

it('a replay comes to what was recorded, whatever the model and its server did', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const script = [...steps, ...Array.from({ length: 30 }, () => submitted([lines[0] ?? '']))];
      const written: string[] = [];
      const clock = new FakeClock();
      const parts = recordParts(partsWith(new ScriptedModel(...script), clock), {
        write: (line) => written.push(JSON.stringify(line)),
        finish: async () => null,
        path: 'x.jsonl',
        redact: (text) => text,
        version: '0',
      });
      const { review } = await clock.drive(reviewPullRequest(parts));
      const transcript = parseTranscript(`${written.join('\n')}\n`);
      if (!transcript.ok) throw new Error(transcript.problems.join());
      const virtual = new VirtualClock(transcript.value.start.recorded_at);
      const { parts: again, divergences } = replayParts(transcript.value, {
        clock: virtual,
        redact: (text) => text,
        report: () => undefined,
        recorders: [],
        signal: new AbortController().signal,
        languageOf: () => null,
      });
      const replayed = await virtual.drive(reviewPullRequest(again));
      expect([...divergences(), ...compareRuns(transcript.value.end, endLineOf(replayed))]).toEqual([]);
      expect(replayed.review.metrics.usage).toEqual(review.metrics.usage);
      expect(replayed.review.headline).toBe(review.headline);
    }),
    { numRuns: 60 },
  );
});

function partsWith(model: ScriptedModel, clock: FakeClock): ReviewParts {
  return {
    settings: parseSettings([{ where: 'input', trusted: true, values: { 'max-iterations': '4' } }], null).settings,
    notes: [],
    pullRequest,
    changes: async () => ({ files: [addedFile('a.ts', lines)], missing: [] }),
    repository: new MemoryRepository(files),
    search: null,
    history: null,
    syntax: null,
    model,
    verifyModel: null,
    embedder: null,
    report: () => undefined,
    identity: null,
    signs: false,
    past: null,
    sinks: [],
    recorders: [],
    handOver: null,
    clock,
    random: () => 0,
    startedAt: 0,
    signal: new AbortController().signal,
  };
}
