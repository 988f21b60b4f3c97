import { setTimeout as sleep } from 'node:timers/promises';
import { changedFile, MemoryRepository } from '../__tests__/fakes/memory-repository.ts';
import { pullRequest } from '../__tests__/fakes/review-record.ts';
import type { Model, ModelRequest } from '../src/core/agent/model.ts';
import { reviewPullRequest } from '../src/core/review-pull-request.ts';
import { parseSettings } from '../src/core/settings/parse-settings.ts';
import { codeLines } from './code-text.ts';
import type { Row } from './row.ts';
import { median } from './sample.ts';
import { wallClock } from './wall-clock.ts';

const runs = 5;
const batchCount = 8;
const latency = 100;
/** Answers that the slowest batch waits for; batch n of the others waits for n. */
const slowestAnswers = 10;

/** Eight batches at once, over a model that takes 100 ms for every answer. */
export async function batches(): Promise<readonly Row[]> {
  const ratios: number[] = [];
  for (let index = 0; index < runs; index += 1) ratios.push((await reviewOnce()) / (slowestAnswers * latency));
  const sum = answersOf.reduce((total, answers) => total + answers, 0) / slowestAnswers;
  return [
    {
      measure: '8 batches at once: wall time to the slowest alone',
      measured: median(ratios),
      unit: 'times',
      // Near the slowest: one answer more leaves room for a first call that the others wait for.
      promised: { atMost: 1.2 },
    },
    { measure: '  the same one after the other', measured: sum, unit: 'times', promised: null },
  ];
}

const answersOf = Array.from({ length: batchCount }, (_, index) => (index === 0 ? slowestAnswers : index));
const filesABatch = 2;
const paths = Array.from({ length: batchCount * filesABatch }, (_, index) => `src/file-${index + 10}.ts`);
const files = paths.map((path, index) =>
  changedFile(path, { additions: 40, lines: codeLines({ seed: index, count: 40 }).map((line) => `+${line}`) }),
);
const repository = new MemoryRepository(
  Object.fromEntries(paths.map((path, index) => [path, codeLines({ seed: index, count: 40 }).join('\n')])),
);

/** Milliseconds of a whole review. */
async function reviewOnce(): Promise<number> {
  const start = performance.now();
  const values = { concurrency: batchCount, 'files-per-batch': filesABatch };
  const { review } = await reviewPullRequest({
    settings: parseSettings([{ where: 'bench', trusted: true, values }]).settings,
    pullRequest,
    identity: null,
    past: null,
    code: {
      changes: async () => ({ files, missing: [] }),
      repository,
      search: null,
      history: null,
      syntax: null,
      images: undefined,
    },
    models: { model: patientModel, verifyModel: null, embedder: null },
    run: { clock: wallClock, random: () => 0, startedAt: start, signal: new AbortController().signal },
    output: { report: () => {}, signs: false, handOver: null, destinations: [] },
    trigger: { notes: [] },
  });
  const milliseconds = performance.now() - start;
  if (review.outcome !== 'clean' || review.batches.length !== batchCount) {
    throw new Error(`${review.batches.length} batches were reviewed, and the outcome is ${review.outcome}.`);
  }
  return milliseconds;
}

/** Reads on until its batch has had the answers that it is to wait for. */
const patientModel: Model = {
  answer: async (request) => {
    await sleep(latency);
    const turn = request.messages.filter(({ role }) => role === 'assistant').length + 1;
    const last = turn >= (answersOf[batchOf(request)] ?? 1);
    const name = last ? 'submit_review' : 'read_file_lines';
    const argumentsOfCall = last ? nothingFound : { path: paths[0], start_line: turn, end_line: turn + 10 };
    const toolCall = { id: `call_${turn}`, name, arguments: JSON.stringify(argumentsOfCall) };
    return {
      message: { role: 'assistant', text: '', toolCalls: [toolCall], raw: null },
      end: 'tool-calls',
      usage: null,
    };
  },
};

const nothingFound = {
  files_review: [],
  non_specific_review: null,
  approval: { approved: true, rationale: 'Nothing to mend.', action: 'APPROVE' },
};

/** By the first file whose diff the prompt shows. */
function batchOf({ messages }: ModelRequest): number {
  const prompt = messages.map((message) => message.text).join('\n');
  return Math.floor(paths.findIndex((path) => prompt.includes(`## ${path} `)) / filesABatch);
}
