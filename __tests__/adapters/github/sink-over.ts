import { reviewSink } from '../../../src/adapters/github/review-sink.ts';
import type { ReviewPost } from '../../../src/core/review/review-post.ts';
import type { Sink } from '../../../src/core/review/sink.ts';
import { head } from './pull-answers.ts';
import { type Desk, reviewDesk } from './review-desk.ts';
import { reference, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';

export type SinkOver = { readonly sink: Sink; readonly desk: Desk; readonly server: ScriptedGitHub };

/** A sink that posts this to a desk of its own. */
export async function sinkOver(
  post: ReviewPost | null,
  options: {
    readonly signal?: AbortSignal;
    readonly currentHead?: () => Promise<string | null>;
    readonly whyNotApprove?: () => Promise<string | null>;
  } = {},
): Promise<SinkOver> {
  const desk = reviewDesk();
  const { currentHead = async () => head, whyNotApprove = async () => null, ...client } = options;
  const server = await scriptedGitHub(desk.script, client);
  const sink = reviewSink({
    github: server.github,
    reference,
    identity: { name: 'Review', run: '1-1', settings: '0123456789abcdef' },
    commit: head,
    signs: false,
    render: () => post,
    currentHead,
    whyNotApprove,
    look: async () => ({ threads: [], conversation: [], reviews: [] }),
    blocking: () => false,
  });
  return { sink, desk, server };
}
