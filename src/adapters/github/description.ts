import { withBlock } from '../../core/memory/own-block.ts';
import type { Delivery, Destination, ReviewRecord } from '../../core/review/sink.ts';
import { english } from '../../core/words/say.ts';
import { type GitHub, inPull, refusalIn } from './client.ts';
import { longestBody, writeOnce } from './posted.ts';
import { type PullRequestReference, readPull } from './pull.ts';
import { describeStop } from './review-sink.ts';

type DescriptionOptions = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  /** Of this reviewer. */
  readonly name: string;
  /** In at most so many characters. */
  readonly render: (record: ReviewRecord, room: number) => string;
  readonly onNote: (text: string) => void;
};

/** Keeps the walkthrough in a block of its own in the description, and never touches what a person wrote. What GitHub does not permit fails nothing. */
export function ownDescription(options: DescriptionOptions): Destination {
  return {
    name: 'description',
    deliver: async (record) => {
      const { walkthrough, pullRequest } = record.review;
      if (options.github.signal.aborted || walkthrough.length === 0) return delivery('skipped', null);
      try {
        return await keepBlock(options, record);
      } catch (error) {
        return delivery('refused', describeStop(refusalIn(error), pullRequest));
      }
    },
  };
}

function delivery(status: Delivery['status'], reason: string | null): Delivery {
  return { sink: 'description', status, reason, delivered: [], url: null };
}

async function keepBlock(options: DescriptionOptions, record: ReviewRecord): Promise<Delivery> {
  const { github, reference, name, render, onNote } = options;
  // As it is now: somebody may have written since this run began.
  const pull = await readPull(github, reference);
  if (pull.head.sha !== record.review.pullRequest?.head.sha)
    return delivery('skipped', english('The head moved meanwhile.'));
  const room = (most: number) => render(record, most);
  const kept = withBlock(pull.body ?? '', { name, most: longestBody, render: room });
  if ('why' in kept) {
    const said = english('The description is left as it is: {why}.', { why: kept.why });
    onNote(said);
    return delivery('skipped', said);
  }
  const { description } = kept;
  if (description === null) return delivery('skipped', null);
  await writeOnce(github, { write: () => github.rest.pulls.update({ ...inPull(reference), body: description }) });
  return delivery('delivered', null);
}
