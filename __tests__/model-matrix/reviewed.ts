import { openAiModel } from '../../src/adapters/openai/open-ai-model.ts';
import type { Review } from '../../src/core/review/review.ts';
import { type ReviewParts, reviewPullRequest } from '../../src/core/review-pull-request.ts';
import { parseSettings } from '../../src/core/settings/parse-settings.ts';
import { addedFile } from '../fakes/changed-files.ts';
import { MemoryRepository } from '../fakes/memory-repository.ts';
import type { Answer, ModelOptions, Refusable } from '../fakes/model-server/script.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { type FakeModel, startModel } from '../fakes/model-server/start-model.ts';
import { pullRequest } from '../fakes/review-record.ts';
import { quickClock } from './quick-clock.ts';

/** Who answers: an API, streaming or not, with function calling or by text. */
export type Adapter = {
  readonly name: string;
  readonly api: 'chat' | 'responses';
  readonly stream: boolean;
  readonly rejects: readonly Refusable[];
};

export const adapters: readonly Adapter[] = (['chat', 'responses'] as const).flatMap((api) =>
  [true, false].map((stream) => ({ name: `${api}${stream ? ', streaming' : ''}`, api, stream, rejects: [] })),
);
export const byText: Adapter = { name: 'chat, tools by text', api: 'chat', stream: true, rejects: ['tools'] };

export type Position = 'first' | 'middle' | 'final';
export const positions: readonly Position[] = ['first', 'middle', 'final'];
const turnOf = { first: 0, middle: 1, final: 2 } as const;

const source = 'export function last(items: number[]): number {\n  return items[items.length];\n}\n';
const finding = { path: 'src/last.ts', quote: '  return items[items.length];', title: 'Reads past the end' };

/** A review of three calls, as a careful model makes it. */
const good: readonly Answer[] = [
  call('read_file', { path: 'src/last.ts' }),
  call('read_file_lines', { path: 'src/last.ts', start_line: 1, end_line: 3 }),
  submit([finding]),
];

export type Fault = {
  /** What is answered instead. */
  readonly answers: readonly Answer[];
  /** True: from there on always. */
  readonly lasts?: boolean;
  /** What the server is like beside. */
  readonly server?: Partial<ModelOptions>;
};

export type Reviewed = { readonly review: Review; readonly server: FakeModel; readonly virtualMinutes: number };

export const limits = { iterations: 6, tokens: 200_000 };

/** A whole review over HTTP in which something goes wrong at one call. */
export async function reviewWith(
  fault: Fault,
  { adapter, position }: { adapter: Adapter; position: Position },
): Promise<Reviewed> {
  let made = 0;
  let faulty = 0;
  const server = await startModel({
    ...fault.server,
    rejects: [...adapter.rejects, ...(fault.server?.rejects ?? [])],
    answers: () => {
      const due = made >= turnOf[position] && (fault.lasts === true || faulty < fault.answers.length);
      const instead = due ? fault.answers[faulty % fault.answers.length] : undefined;
      if (instead !== undefined) {
        faulty += 1;
        return instead;
      }
      made += 1;
      return good[Math.min(made, good.length) - 1] ?? submit([]);
    },
  });
  const clock = quickClock();
  try {
    const { review } = await reviewPullRequest(partsFor(server, { adapter, clock }));
    return { review, server, virtualMinutes: clock.now() / 60_000 };
  } finally {
    await server.close();
  }
}

function partsFor(
  server: FakeModel,
  { adapter, clock }: { adapter: Adapter; clock: ReviewParts['clock'] },
): ReviewParts {
  const values = {
    'max-iterations': `${limits.iterations}`,
    'max-total-tokens': `${limits.tokens}`,
    api: adapter.api,
    model: 'scripted',
  };
  const { settings } = parseSettings([{ where: 'input', trusted: true, values }], null);
  const repository = new MemoryRepository({ 'src/last.ts': source }, { base: {}, mergeBase: {} });
  const model = openAiModel({
    ...settings,
    apiKey: server.apiKey,
    baseUrl: server.url,
    stream: adapter.stream,
    cacheKey: 'matrix',
    onAdjust: () => {},
  });
  return {
    settings,
    notes: [],
    pullRequest,
    changes: async () => ({ files: [addedFile('src/last.ts', source.trimEnd().split('\n'))], missing: [] }),
    repository,
    search: null,
    history: null,
    model,
    verifyModel: null,
    syntax: null,
    report: () => undefined,
    identity: null,
    past: null,
    sinks: [],
    recorders: [],
    handOver: null,
    clock,
    random: () => 0,
    startedAt: clock.now(),
    signal: new AbortController().signal,
  };
}
