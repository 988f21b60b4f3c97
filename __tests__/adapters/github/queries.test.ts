import { validate } from '@octokit/graphql-schema';
import { expect, it } from 'vitest';
import { conversationQuery } from '../../../src/adapters/github/read-conversation.ts';
import { threadCommentsQuery, threadsQuery } from '../../../src/adapters/github/read-threads.ts';

it.each([
  ['conversation', conversationQuery],
  ['threads', threadsQuery],
  ['comments of a thread', threadCommentsQuery],
])("asks for the %s in the words of GitHub's schema", (_name, query) => {
  expect(validate(query)).toEqual([]);
});

it('would notice a field that GitHub does not have', () => {
  expect(validate(threadsQuery.replace('isResolved', 'isSettled'))).toHaveLength(1);
});
