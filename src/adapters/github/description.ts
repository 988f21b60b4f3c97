import { withBlock } from '../../core/history/own-block.ts';
import { inEnglish } from '../../core/messages/languages.ts';
import type { Message } from '../../core/messages/message.ts';
import { type Delivery, type Destination, deliveryOf, type ReviewRecord } from '../../core/review/sink.ts';
import { inPull, refusalIn } from './client.ts';
import { longestBody, writeOnce } from './posted.ts';
import { type GitHubSession, readPull } from './pull.ts';
import { describeStop } from './review-sink.ts';

type DescriptionOptions = {
  /** Of this reviewer. */
  readonly name: string;
  /** In at most so many characters. */
  readonly render: (record: ReviewRecord, room: number) => string;
  readonly onNote: (text: string) => void;
};

type DescriptionWork = GitHubSession & DescriptionOptions;

/** Keeps the walkthrough in a block of its own in the description, and never touches what a person wrote. What GitHub does not permit fails nothing. */
export function ownDescription(session: GitHubSession, given: DescriptionOptions): Destination {
  const options = { ...session, ...given };
  return {
    name: 'description',
    deliver: async (record) => {
      const { walkthrough, pullRequest } = record.review;
      if (options.github.signal.aborted || walkthrough.length === 0) return deliveryOf('description', 'skipped');
      try {
        return await keepBlock(options, record);
      } catch (error) {
        return deliveryOf('description', 'refused', describeStop(refusalIn(error), pullRequest));
      }
    },
  };
}

async function keepBlock(options: DescriptionWork, record: ReviewRecord): Promise<Delivery> {
  const { github, reference, name, render, onNote } = options;
  // As it is now: somebody may have written since this run began.
  const pull = await readPull(github, reference);
  if (pull.head.sha !== record.review.pullRequest?.head.sha)
    return deliveryOf('description', 'skipped', { code: 'delivery.description-moved' });
  const room = (most: number) => render(record, most);
  const kept = withBlock(pull.body ?? '', { name, most: longestBody, render: room });
  if ('why' in kept) {
    const reason: Message = { code: 'delivery.description-kept', why: kept.why };
    onNote(inEnglish(reason));
    return deliveryOf('description', 'skipped', reason);
  }
  const { description } = kept;
  if (description === null) return deliveryOf('description', 'skipped');
  await writeOnce(github, { write: () => github.rest.pulls.update({ ...inPull(reference), body: description }) });
  return deliveryOf('description', 'delivered');
}
