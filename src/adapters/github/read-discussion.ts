import type { PullRequest } from '../../core/pull-request/pull-request.ts';
import type { GitHub } from './client.ts';
import { discussionQueries, parseDiscussion, parseThreadComments, threadCommentsQuery } from './discussion-queries.ts';
import type { PullRequestReference } from './get-pull.ts';
import { commentFrom } from './graphql-comment.ts';
import { allPages } from './graphql-pages.ts';
import { reviewFrom } from './review-node.ts';
import { type ThreadNode, threadFrom } from './thread-node.ts';

export type Discussion = Pick<PullRequest, 'threads' | 'conversation' | 'reviews'>;

/**
 * Everything that was said on a pull request: threads, the conversation below it, reviews. One request, and one more for every further
 * hundred of anything. By GraphQL: only it knows what is resolved and what is our own.
 */
export async function readDiscussion(
  github: GitHub,
  { owner, repository, number }: Pick<PullRequestReference, 'owner' | 'repository' | 'number'>,
): Promise<Discussion> {
  const pull = { owner, name: repository, number };
  const ask = async (query: string, after: string | null) =>
    parseDiscussion(await github.graphql(query, { ...pull, after })).repository.pullRequest;
  const first = await ask(discussionQueries.all, null);
  const [threads, comments, reviews] = await Promise.all([
    allPages(async (after) => found((await ask(discussionQueries.threads, after)).reviewThreads), first.reviewThreads),
    allPages(async (after) => found((await ask(discussionQueries.comments, after)).comments), first.comments),
    allPages(async (after) => found((await ask(discussionQueries.reviews, after)).reviews), first.reviews),
  ]);
  return {
    threads: await Promise.all(threads.map((thread) => withAllComments(github, thread))),
    conversation: comments.map(commentFrom),
    reviews: reviews.map(reviewFrom),
  };
}

function found<Page>(page: Page | undefined): Page {
  if (page === undefined) throw new Error("GitHub's answer lacks what was asked for.");
  return page;
}

async function withAllComments(github: GitHub, thread: ThreadNode) {
  const comments = await allPages(async (after) => {
    const data = parseThreadComments(await github.graphql(threadCommentsQuery, { thread: thread.id, after }));
    return data.node.comments;
  }, thread.comments);
  return threadFrom(thread, comments.map(commentFrom));
}
