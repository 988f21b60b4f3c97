import type { Comment, PostedReview, PullRequest, ReviewThread } from '../../core/pull-request/pull-request.ts';
import type { GitHub } from './client.ts';
import { discussionQueries, parseDiscussion, parseThreadComments, threadCommentsQuery } from './discussion-queries.ts';
import type { PullRequestReference } from './get-pull.ts';
import { type CommentNode, commentFrom } from './graphql-comment.ts';
import { allPages, type Page } from './graphql-pages.ts';
import { type ReviewNode, reviewFrom } from './review-node.ts';
import { type ThreadNode, threadFrom } from './thread-node.ts';

export type Discussion = Pick<PullRequest, 'threads' | 'conversation' | 'reviews'>;

type Subject = Pick<PullRequestReference, 'owner' | 'repository' | 'number'>;

/**
 * Everything that was said on a pull request: threads, the conversation below it, reviews. One request, and one more for every further
 * hundred of anything. By GraphQL: only it knows what is resolved and what is our own.
 *
 * Throws when any of it cannot be read: who looks whether something is there already must not take a part for the whole.
 */
export async function readDiscussion(github: GitHub, subject: Subject): Promise<Discussion> {
  const first = await ask(github, { subject, query: discussionQueries.all, after: null });
  const parts = discussionParts(github, subject);
  const [threads, conversation, reviews] = await Promise.all([
    parts.threads(first.reviewThreads),
    parts.conversation(first.comments),
    parts.reviews(first.reviews),
  ]);
  return { threads, conversation, reviews };
}

/** Each part by itself: from the beginning, or from where a first page that is already there ends. */
export function discussionParts(github: GitHub, subject: Subject): DiscussionParts {
  const page = (query: string, after: string | null) => ask(github, { subject, query, after });
  return {
    threads: async (first) => {
      const { threads: query } = discussionQueries;
      const threads = await allPages(async (after) => found((await page(query, after)).reviewThreads), first);
      return await Promise.all(threads.map((thread) => withAllComments(github, thread)));
    },
    conversation: async (first) => {
      const { comments: query } = discussionQueries;
      return (await allPages(async (after) => found((await page(query, after)).comments), first)).map(commentFrom);
    },
    reviews: async (first) => {
      const { reviews: query } = discussionQueries;
      return (await allPages(async (after) => found((await page(query, after)).reviews), first)).map(reviewFrom);
    },
  };
}

export type DiscussionParts = {
  readonly threads: (first?: Page<ThreadNode>) => Promise<readonly ReviewThread[]>;
  readonly conversation: (first?: Page<CommentNode>) => Promise<readonly Comment[]>;
  readonly reviews: (first?: Page<ReviewNode>) => Promise<readonly PostedReview[]>;
};

async function ask(
  github: GitHub,
  { subject, query, after }: { readonly subject: Subject; readonly query: string; readonly after: string | null },
) {
  const { owner, repository: name, number } = subject;
  return parseDiscussion(await github.graphql(query, { owner, name, number, after })).repository.pullRequest;
}

function found<Page>(page: Page | undefined): Page {
  if (page === undefined) throw new Error("GitHub's answer lacks what was asked for.");
  return page;
}

async function withAllComments(github: GitHub, thread: ThreadNode): Promise<ReviewThread> {
  const comments = await allPages(async (after) => {
    const data = parseThreadComments(await github.graphql(threadCommentsQuery, { thread: thread.id, after }));
    return data.node.comments;
  }, thread.comments);
  return threadFrom(thread, comments.map(commentFrom));
}
