import type { GitHub } from './client.ts';
import { answerParser, pageOf } from './graphql-pages.ts';
import type { RepositoryName } from './trees.ts';

export const mergedQuery = `query PostilMerged($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequests(states: MERGED, first: 50, after: $after, orderBy: { field: UPDATED_AT, direction: DESC }) {
      pageInfo { hasNextPage endCursor } nodes { number updatedAt mergedAt }
    }
  }
}`;

const parseMerged = answerParser({
  type: 'object',
  required: ['repository'],
  properties: {
    repository: {
      type: 'object',
      required: ['pullRequests'],
      properties: {
        pullRequests: pageOf({
          type: 'object',
          required: ['number', 'updatedAt', 'mergedAt'],
          properties: {
            number: { type: 'integer' },
            updatedAt: { type: 'string' },
            mergedAt: { type: ['string', 'null'] },
          },
        }),
      },
    },
  },
});

export type MergedOptions = {
  readonly repository: RepositoryName;
  readonly atMost: number;
  /** ISO 8601; null for no limit. */
  readonly since: string | null;
};

/** The numbers of the merged pull requests that changed last, newest first. */
export async function mergedPullRequests(
  github: GitHub,
  { repository, atMost, since }: MergedOptions,
): Promise<readonly number[]> {
  const { owner, repository: name } = repository;
  const numbers: number[] = [];
  let after: string | null = null;
  do {
    const data = parseMerged(await github.graphql(mergedQuery, { owner, name, after }));
    const { nodes, pageInfo } = data.repository.pullRequests;
    const recent = nodes.filter(({ mergedAt }) => since === null || (mergedAt ?? '') >= since);
    numbers.push(...recent.map(({ number }) => number));
    // What was not touched since was not merged since.
    const isOver = nodes.some(({ updatedAt }) => since !== null && updatedAt < since);
    after = pageInfo.hasNextPage && !isOver ? pageInfo.endCursor : null;
  } while (after !== null && numbers.length < atMost);
  return numbers.slice(0, atMost);
}
