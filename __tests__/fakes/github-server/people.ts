import { reviewComments, type Store, type StoredThread } from './store.ts';
import type { WorldPullRequest } from './world.ts';

export type People = {
  /** Resolves the thread that holds these words. */
  resolve(words: string, by: string): void;
  /** Gives a 👎 to the first comment that holds these words. */
  voteDown(words: string, by: string): void;
  reply(words: string, answer: { readonly author: string; readonly body: string }): void;
  /** Writes a comment below the pull request. */
  say(comment: { readonly author: string; readonly body: string }): void;
  /** Deletes the review comment that holds these words, and with it its thread. */
  deleteReviewComment(words: string): void;
  /** Closes the pull request, makes it a draft or ready, or gives it another base. */
  change(state: Partial<Pick<WorldPullRequest, 'state' | 'draft' | 'base'>>): void;
  /** Deletes the comment below the pull request that holds these words. */
  deleteComment(words: string): void;
};

/** The people around the first pull request of the store. */
export function peopleOf(store: Store): People {
  const pull = () => {
    const [first] = store.pulls;
    if (first === undefined) throw new Error('The world has no pull request.');
    return first;
  };
  const find = (words: string) => {
    const found = reviewComments(pull()).find(({ comment }) => comment.body.includes(words));
    if (found === undefined) throw new Error(`No review comment says "${words}".`);
    return found;
  };
  const resolve = (thread: StoredThread, by: string) => {
    thread.resolved = true;
    thread.resolvedBy = by;
  };
  return {
    resolve: (words, by) => resolve(find(words).thread, by),
    voteDown: (words, by) => find(words).comment.thumbsDown.push(by),
    reply: (words, { author, body }) => {
      const { thread, comment } = find(words);
      const now = new Date().toISOString();
      const stamps = { createdAt: now, updatedAt: now, thumbsDown: [], isMinimized: false };
      thread.comments.push({ id: store.nextId(), author, body, ...stamps, reviewId: null, replyTo: comment.id });
    },
    say: ({ author, body }) => {
      const now = new Date().toISOString();
      const stamps = { createdAt: now, updatedAt: now, thumbsDown: [], isMinimized: false };
      pull().conversation.push({ id: store.nextId(), author, body, ...stamps });
    },
    deleteReviewComment: (words) => {
      const { thread } = find(words);
      pull().threads.splice(pull().threads.indexOf(thread), 1);
    },
    change: (state) => {
      pull().given = { ...pull().given, ...state };
    },
    deleteComment: (words) => {
      const { conversation } = pull();
      conversation.splice(
        conversation.findIndex(({ body }) => body.includes(words)),
        1,
      );
    },
  };
}
