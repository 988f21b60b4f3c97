import {
  addReply,
  allSaid,
  firstPull,
  newComment,
  type ReviewState,
  reviewComments,
  type Said,
  type Store,
} from './store.ts';
import type { WorldComment, WorldPullRequest } from './world.ts';

/** What the number of a comment or review stands for. */
export function findSaid(store: Store, id: number): Said {
  const found = allSaid(store).find(({ said }) => said.id === id);
  if (found === undefined) throw new Error(`Nothing that was said has the id ${id}.`);
  return found;
}

/** The people around the first pull request of the store. A review comment is named by words that it holds, or by its id. */
export function peopleOf(store: Store) {
  const pull = () => firstPull(store);
  const find = (which: string | number) => {
    const found = reviewComments(pull()).find(({ comment }) =>
      typeof which === 'number' ? comment.id === which : comment.body.includes(which),
    );
    if (found === undefined) throw new Error(`No review comment says "${which}".`);
    return found;
  };
  return {
    resolve: (words: string, by: string) => Object.assign(find(words).thread, { resolved: true, resolvedBy: by }),
    voteDown: (words: string, by: string, date = new Date().toISOString()) =>
      find(words).comment.reactions.push({ by, content: 'THUMBS_DOWN', date }),
    /** Answers in the thread of a review comment, and gives the id of the answer. */
    reply: (which: string | number, answer: WorldComment) =>
      addReply(store, { pull: pull(), thread: find(which).thread }, answer).id,
    /** Edits a review comment, or what somebody else wrote there. */
    edit: (words: string, by: string, date = new Date().toISOString()) =>
      Object.assign(find(words).comment, { edited: { by, date } }),
    /** Writes a comment below the pull request, and gives its id. */
    say: (comment: WorldComment) => {
      const said = newComment(store, comment);
      pull().conversation.push(said);
      return said.id;
    },
    /** Submits a review without comments, and gives its id. */
    review: ({ state = 'COMMENTED', ...comment }: WorldComment & { readonly state?: ReviewState }) => {
      const review = { ...newComment(store, comment), state, commit: pull().headSha };
      pull().reviews.push(review);
      return review.id;
    },
    /** Gives a comment or review other words: its author does, unless told. */
    rewrite: (id: number, { body, by, date = new Date().toISOString() }: Rewrite) => {
      const { said } = findSaid(store, id);
      Object.assign(said, { body, edited: { by: by ?? said.author, date } });
    },
    /** Hides a comment or review, as "Hide" in its menu does. */
    hide: (id: number) => {
      findSaid(store, id).said.isMinimized = true;
    },
    /** Deletes a comment; the last one of a thread takes the thread along. */
    remove: (id: number) => removeSaid(findSaid(store, id)),
    /** With its thread. */
    deleteReviewComment: (words: string) => pull().threads.splice(pull().threads.indexOf(find(words).thread), 1),
    /** Closes or locks the pull request, makes it a draft or ready, gives it another base, other words or labels. */
    change: (state: Partial<Omit<WorldPullRequest, 'number' | 'author' | 'head' | 'conversation' | 'threads'>>) => {
      pull().given = { ...pull().given, ...state };
    },
    /** Deletes a comment below the pull request. */
    deleteComment: (words: string) => {
      const { conversation } = pull();
      const found = conversation.findIndex(({ body }) => body.includes(words));
      conversation.splice(found, 1);
    },
  };
}

type Rewrite = { readonly body: string; readonly by?: string; readonly date?: string };

export function removeSaid(found: Said): void {
  const { kind, pull } = found;
  if (kind === 'pull_request_review') throw new Error('Nobody deletes a review that was submitted.');
  if (kind === 'issue_comment') {
    pull.conversation.splice(pull.conversation.indexOf(found.said), 1);
    return;
  }
  const { thread, said } = found;
  thread.comments.splice(thread.comments.indexOf(said), 1);
  if (thread.comments.length === 0) pull.threads.splice(pull.threads.indexOf(thread), 1);
}
