import type { Comment, PullRequest } from '../pull-request/pull-request.ts';

type Hide = (text: string) => string;

/** What people and CI wrote, without what is hidden: everything of a pull request that stands in a prompt. Names, commits and places stay. */
export function hiddenInPullRequest(pullRequest: PullRequest, hide: Hide): PullRequest {
  const { title, body, labels, commits, linked, conversation, threads, reviews } = pullRequest;
  const comments = (list: readonly Comment[]) => list.map((comment) => ({ ...comment, body: hide(comment.body) }));
  return {
    ...pullRequest,
    title: hide(title),
    body: hide(body),
    labels: labels.map(hide),
    commits: commits.map((commit) => ({ ...commit, message: hide(commit.message) })),
    linked: {
      ...linked,
      issues: linked.issues.map((issue) => ({ ...issue, title: hide(issue.title), body: hide(issue.body) })),
      checks:
        linked.checks === null
          ? null
          : linked.checks.map((check) => ({
              ...check,
              name: hide(check.name),
              workflow: check.workflow === null ? null : hide(check.workflow),
              conclusion: hide(check.conclusion),
            })),
    },
    conversation: comments(conversation),
    threads: threads.map((thread) => ({ ...thread, comments: comments(thread.comments) })),
    reviews: reviews.map((review) => ({ ...review, body: hide(review.body) })),
  };
}
