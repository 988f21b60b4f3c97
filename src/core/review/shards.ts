import { listedBatchSchema } from '../batches/batch-list.ts';
import type { MessageOf } from '../messages/message.ts';
import { costOrNull, count, exactly, type Infer, listOf, yesOrNo } from '../schema.ts';
import type { Coverage } from './review.ts';

const shareSchema = exactly({
  batches: listOf(count, 'Which of the batches, the most valuable first.'),
  tokens: count,
  cost: costOrNull,
  minutes: { type: 'number', minimum: 0 },
});

/** How a review is divided over jobs, each with its share of what the run may take. */
export const shardPlanSchema = exactly({
  isShared: { ...yesOrNo, description: 'Whether every batch sees the diff of all of them.' },
  batches: listOf(listedBatchSchema),
  shards: listOf(shareSchema),
});
export type ShardPlan = Infer<typeof shardPlanSchema>;
/** Such as `3,000 files in 8 shards`. */
export function planMessage(
  { shards }: ShardPlan,
  { reviewed }: Pick<Coverage, 'reviewed'>,
): MessageOf<'skip.planned'> {
  return { code: 'skip.planned', count: shards.length, files: { code: 'files.count', count: reviewed.length } };
}

export type ShardShare = ShardPlan['shards'][number];

/** Of a review in which there is nothing for a model to do: a matrix must not be empty. */
export const noShards: ShardPlan = {
  isShared: false,
  batches: [],
  shards: [{ batches: [], tokens: 0, cost: null, minutes: 0 }],
};
