import { answerRequest } from '../../src/core/answer-request.ts';
import type { Asked } from '../../src/core/history/asked.ts';
import { withSignatures } from '../../src/core/history/signed-marks.ts';
import type { Comment, PullRequest } from '../../src/core/pull-request/pull-request.ts';
import type { DestinationName } from '../../src/core/review/sink.ts';
import { previewSettings } from '../../src/core/settings/parse-settings.ts';
import { opening } from '../fakes/asking.ts';
import { past } from '../fakes/earlier-rounds.ts';
import { MemoryRepository } from '../fakes/memory-repository.ts';
import { deliveryOf, keys, pullRequest, reviewer, thread } from '../fakes/review-record.ts';
import { reviewParts } from '../fakes/rich-record.ts';
import { ScriptedModel, type ScriptedStep } from '../fakes/scripted-model.ts';
import { changedFile, hunk } from './findings/make.ts';

const line = '  return items[items.length].price;';
const text = `${'\n'.repeat(11)}${line}\n`;
const files = [changedFile('src/cart.ts', { hunks: [hunk({ old: 12, new: 12 }, '-  return 0;', `+${line}`)] })];
export type Given = {
  readonly asked: Asked;
  readonly replies?: readonly Comment[];
  readonly conversation?: readonly Comment[];
  readonly pull?: Partial<PullRequest>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly script?: readonly ScriptedStep[];
  readonly signs?: boolean;
};

/** What comes of what somebody asks: the headline, the answer, whether it was taken up, what was delivered, and how often the model was asked. */
export async function requested({
  asked,
  replies = [],
  conversation = [],
  pull = {},
  settings = {},
  script = [],
  signs = true,
}: Given) {
  const delivered: string[] = [];
  let accepted = 0;
  const destination = (name: DestinationName) => ({
    name,
    deliver: async () => {
      delivered.push(name);
      return deliveryOf(name);
    },
  });
  const said = { ...pullRequest, conversation, threads: [thread({ comments: [opening, ...replies] })], ...pull };
  const model = new ScriptedModel(...script);
  const { review, verdict } = await answerRequest(
    reviewParts({
      ...{ asked, model, identity: reviewer, signs, past },
      settings: previewSettings([{ where: 'input', trusted: true, values: settings }]),
      pullRequest: withSignatures(said, keys),
      changes: async () => ({ files, missing: [] }),
      repository: new MemoryRepository({ 'src/cart.ts': text, 'src/guard.ts': 'check(items);\n' }),
      destinations: (
        ['answer', 'pull request review', 'summary comment', 'annotations', 'check run', 'job summary'] as const
      ).map(destination),
      onAccept: async () => {
        accepted += 1;
      },
    }),
    asked,
  );
  return { review, verdict, accepted, delivered, asks: model.requests.length };
}
