import { openAiModel } from '../../src/adapters/openai/open-ai-model.ts';
import type { Model } from '../../src/core/agent/model.ts';
import type { ChangedFile } from '../../src/core/pull-request/changed-file.ts';
import type { Review } from '../../src/core/review/review.ts';
import { reviewPullRequest } from '../../src/core/review-pull-request.ts';
import { addedFile, FakeClock, MemoryRepository } from '../fakes/memory-repository.ts';
import type { Refusable } from '../fakes/model-server/replies.ts';
import type { ModelOptions } from '../fakes/model-server/script.ts';
import { type FakeModel, startModel } from '../fakes/model-server/start-model.ts';
import { changedParts, reviewParts } from '../fakes/rich-record.ts';

/** Who answers: an API, streaming or not, with function calling or by text. */
export type Adapter = {
  readonly name: string;
  readonly api: 'chat' | 'responses';
  readonly stream: boolean;
  readonly rejects: readonly Refusable[];
};

export const chat = both({ name: 'chat', api: 'chat', rejects: [] });
export const responses = both({ name: 'responses', api: 'responses', rejects: [] });
export const byText = both({ name: 'chat, tools by text', api: 'chat', rejects: ['tools'] });

function both(adapter: Omit<Adapter, 'stream'>): readonly Adapter[] {
  return [
    { ...adapter, stream: true, name: `${adapter.name}, streaming` },
    { ...adapter, stream: false },
  ];
}

export type Reviewed = {
  readonly review: Review;
  readonly server: FakeModel;
  /** What people were told of the server's ways. */
  readonly adjustments: readonly string[];
  readonly virtualMinutes: number;
};

type ReviewOf = {
  readonly adapter: Pick<Adapter, 'stream'> & { readonly api: Adapter['api'] | 'auto' };
  readonly server: ModelOptions;
  /** The files of the pull request, all added. */
  readonly files: Readonly<Record<string, string>>;
  /** Others at the reviewed commit. */
  readonly otherFiles?: Readonly<Record<string, string>>;
  /** Says when an answer is under way that will not come; set back when the call was given up. */
  readonly line?: { hanging: boolean };
  readonly inputs?: Readonly<Record<string, string>>;
};

/** A whole review over HTTP, in a time that leaps. */
export async function review(of: ReviewOf): Promise<Reviewed> {
  const server = await startModel(of.server);
  const clock = new FakeClock();
  const adjustments: string[] = [];
  let underWay = 0;
  const { parts, model } = partsFor(of, { server, clock, onAdjust: ({ change }) => adjustments.push(change) });
  const counted: Model = {
    answer: async (request, signal) => {
      underWay += 1;
      return await model.answer(request, signal).finally(() => {
        underWay -= 1;
        if (of.line !== undefined) of.line.hanging = false;
      });
    },
  };
  try {
    const isQuiet = () => underWay === 0 || of.line?.hanging === true;
    const record = await clock.drive(reviewPullRequest(changedParts(parts, { model: counted })), isQuiet);
    return { review: record.review, server, adjustments, virtualMinutes: clock.now() / 60_000 };
  } finally {
    await server.close();
  }
}

type World = {
  readonly server: FakeModel;
  readonly clock: FakeClock;
  readonly onAdjust: (adjustment: { change: string }) => void;
};

function partsFor({ adapter, files, otherFiles, inputs }: ReviewOf, { server, clock, onAdjust }: World) {
  const changes: readonly ChangedFile[] = Object.entries(files).map(([path, text]) =>
    addedFile(path, text.trimEnd().split('\n')),
  );
  const parts = reviewParts(
    {
      changes: async () => ({ files: changes, missing: [] }),
      repository: new MemoryRepository({ ...files, ...otherFiles }, { base: {}, mergeBase: {} }),
      clock,
    },
    { model: 'scripted', api: adapter.api, temperature: '0.2', ...inputs },
  );
  const { apiKey, url: baseUrl } = server;
  const sent = { apiKey, baseUrl, stream: adapter.stream, cacheKey: 'matrix', onAdjust };
  const model = openAiModel({ ...parts.settings, ...sent });
  return { parts, model };
}
