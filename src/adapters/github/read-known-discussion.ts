import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import { isQueryRefusal, messageOf } from './github-answer.ts';
import { type Discussion, discussionParts, readDiscussion } from './read-discussion.ts';

/** `missing` says in one sentence each what could not be read; it is empty when everything was. */
export type KnownDiscussion = Discussion & { readonly missing: readonly string[] };

/**
 * What can be read of what was said on a pull request; never throws. One query asks for everything, and where GitHub refuses to answer
 * that, each part is asked for by itself: a field that it denies or does not know in one of them must not lose the others.
 */
export async function readKnownDiscussion(github: GitHub, reference: PullRequestReference): Promise<KnownDiscussion> {
  try {
    return { ...(await readDiscussion(github, reference)), missing: [] };
  } catch (error) {
    const nothing = { threads: [], conversation: [], reviews: [], missing: [sentence(everything, error)] };
    // Where the server did not answer at all, it would not answer the parts either.
    return isQueryRefusal(error) ? await readParts(github, { reference, nothing }) : nothing;
  }
}

const everything = 'discussion (threads, comments and reviews)';

async function readParts(
  github: GitHub,
  { reference, nothing }: { readonly reference: PullRequestReference; readonly nothing: KnownDiscussion },
): Promise<KnownDiscussion> {
  const parts = discussionParts(github, reference);
  const [threads, conversation, reviews] = await Promise.all([
    orMissing('review threads', parts.threads()),
    orMissing('conversation', parts.conversation()),
    orMissing('reviews', parts.reviews()),
  ]);
  const missing = [threads, conversation, reviews].flatMap((part) => part.missing);
  if (missing.length === 3) return nothing;
  return { threads: threads.found, conversation: conversation.found, reviews: reviews.found, missing };
}

async function orMissing<Item>(what: string, reading: Promise<readonly Item[]>) {
  try {
    return { found: await reading, missing: [] };
  } catch (error) {
    return { found: [], missing: [sentence(what, error)] };
  }
}

function sentence(what: string, error: unknown): string {
  return `The ${what} could not be read: ${messageOf(error)}.`;
}
