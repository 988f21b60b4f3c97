import { GraphQLError, type ValidationRule } from 'graphql';

/**
 * What GitHub Enterprise Server 3.19, the oldest that GitHub supports, knows of all that Postil asks: looked up in what GitHub publishes for it
 * (github/docs, `src/graphql/data/ghes-3.19`; github/rest-api-description, `ghes-3.19`). Look up there what you add here.
 */
export const enterpriseVersion = '3.19.0';

const ofLists = 'totalCount pageInfo nodes';
const ofComments = `id fullDatabaseId author createdAt lastEditedAt editor body viewerDidAuthor url isMinimized
  viewerCanMinimize reactions`;

const fields: Readonly<Record<string, string>> = {
  Query: 'repository node',
  Mutation: 'addReaction minimizeComment unminimizeComment resolveReviewThread unresolveReviewThread',
  Repository: 'nameWithOwner pullRequest pullRequests',
  PullRequest: `number title body locked isDraft updatedAt mergedAt labels reviewThreads comments reviews commits
    closingIssuesReferences`,
  PullRequestReviewThread: `id path line startLine originalLine originalStartLine diffSide subjectType isResolved isOutdated
    resolvedBy viewerCanResolve comments`,
  PullRequestReview: `${ofComments} state commit`,
  PullRequestReviewComment: ofComments,
  IssueComment: ofComments,
  Issue: 'number title body repository',
  Actor: 'login',
  User: 'login',
  Reaction: 'content createdAt user',
  Commit: 'oid statusCheckRollup',
  PullRequestCommit: 'commit',
  StatusCheckRollup: 'state contexts',
  StatusContext: 'context state',
  CheckRun: 'name status conclusion startedAt checkSuite',
  CheckSuite: 'workflowRun',
  WorkflowRun: 'databaseId url workflow',
  Workflow: 'name',
  PageInfo: 'hasNextPage endCursor',
  Minimizable: 'isMinimized',
  AddReactionPayload: 'reaction',
  MinimizeCommentPayload: 'minimizedComment',
  UnminimizeCommentPayload: 'unminimizedComment',
  ResolveReviewThreadPayload: 'thread',
  UnresolveReviewThreadPayload: 'thread',
};

const lists =
  /^(PullRequest|PullRequestReview|PullRequestReviewThread|PullRequestReviewComment|PullRequestCommit|IssueComment|Issue|Reaction|StatusCheckRollupContext)Connection$/;

/** In the words of GraphQL itself. */
export const knownToEnterprise: ValidationRule = (context) => ({
  Field: (node) => {
    const type = context.getParentType()?.name ?? '';
    const field = node.name.value;
    const known = lists.test(type) ? ofLists : (fields[type] ?? '');
    if (field === '__typename' || known.split(/\s+/).includes(field)) return;
    context.reportError(new GraphQLError(`Cannot query field "${field}" on type "${type}".`, { nodes: node }));
  },
});

/** Below a repository's address. */
const operations: Readonly<Record<string, readonly string[]>> = {
  '/pulls': ['GET'],
  '/pulls/:number': ['GET', 'PATCH'],
  '/pulls/:number/commits': ['GET'],
  '/pulls/:number/files': ['GET'],
  '/pulls/:number/comments': ['GET', 'POST'],
  '/pulls/:number/comments/:id/replies': ['POST'],
  '/pulls/:number/reviews': ['GET', 'POST'],
  '/pulls/:number/reviews/:id': ['GET', 'PUT', 'DELETE'],
  '/pulls/:number/reviews/:id/dismissals': ['PUT'],
  '/pulls/comments/:id': ['GET', 'PATCH', 'DELETE'],
  '/issues/:number/comments': ['POST'],
  '/issues/:number/labels': ['GET', 'POST', 'PUT'],
  '/issues/:number/labels/:name': ['DELETE'],
  '/issues/comments/:id': ['GET', 'PATCH', 'DELETE'],
  '/labels': ['POST'],
  '/labels/:name': ['GET'],
  '/commits/:sha': ['GET'],
  '/commits/:sha/pulls': ['GET'],
  '/commits/:sha/check-runs': ['GET'],
  '/check-runs': ['POST'],
  '/check-runs/:id': ['GET', 'PATCH'],
  '/actions/artifacts': ['GET'],
  '/actions/runs/:id': ['GET'],
  '/actions/runs/:id/jobs': ['GET'],
  '/actions/runs/:id/rerun': ['POST'],
  '/actions/jobs/:id/rerun': ['POST'],
  '/compare/:base\\.\\.\\.:head': ['GET'],
  '/contents/:path': ['GET'],
  '/git/blobs/:sha': ['GET'],
  '/git/ref/:ref': ['GET'],
  '/git/tags/:sha': ['GET'],
  '/git/trees/:sha': ['GET'],
  '/collaborators/:login/permission': ['GET'],
};

/** Throws for an endpoint that is not among them: what a test may ask of the fake, an old server answers too. */
export function demandKnown(method: string, path: string): void {
  if (operations[path]?.includes(method) === true) return;
  throw new Error(
    `Does an Enterprise Server ${enterpriseVersion} know ${method} ${path}? Look it up, and list it in enterprise.ts.`,
  );
}

/** REST by the version that a client may name: https://docs.github.com/en/enterprise-server@3.19/rest/about-the-rest-api/api-versions */
export const apiVersions: readonly (string | undefined)[] = [undefined, '2022-11-28'];
