import { validate } from '@octokit/graphql-schema';
import { expect, it } from 'vitest';
import { discussionQueries, threadCommentsQuery } from '../../../src/adapters/github/discussion-queries.ts';
import { minimizeMutation, resolveThreadMutation } from '../../../src/adapters/github/graphql-mutations.ts';
import { linkedQueries } from '../../../src/adapters/github/linked-query.ts';
import { mergedQuery } from '../../../src/adapters/github/merged-pull-requests.ts';

it.each([
  ...Object.entries(discussionQueries),
  ['linked issues and checks', linkedQueries.all],
  ['linked issues', linkedQueries.issues],
  ['checks of the head', linkedQueries.checks],
  ['merged pull requests', mergedQuery],
  ['resolving of a thread', resolveThreadMutation],
  ['minimising of a comment', minimizeMutation],
  ['comments of a thread', threadCommentsQuery],
])("asks for the %s in the words of GitHub's schema", (_name, query) => {
  expect(validate(query)).toEqual([]);
});

it('would notice a field that GitHub does not have', () => {
  expect(validate(discussionQueries.threads.replace('isResolved', 'isSettled'))).toHaveLength(1);
});
