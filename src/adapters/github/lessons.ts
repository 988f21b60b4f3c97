import { UserError } from '../../core/errors.ts';
import type { Comment } from '../../core/pull-request/pull-request.ts';
import { type Lesson, lessonOf } from '../../core/team/learn.ts';
import { isQueryRefusal, messageOf } from './answers.ts';
import { remember } from './api-repository.ts';
import { type GitHub, gitHubError, type RepositoryName } from './client.ts';
import { discussionParts } from './discussion.ts';
import { answerParser, pageInfoSchema } from './graphql.ts';
import { mayWrite } from './pull.ts';

type LessonOptions = {
  readonly repository: RepositoryName;
  /** One pull request, or the merged ones that changed last. */
  readonly of: number | Pick<MergedOptions, 'atMost' | 'since'>;
  /** Login that Postil posts as, such as `github-actions[bot]`. */
  readonly author: string;
};

export type ReadLessons = {
  readonly lessons: readonly Lesson[];
  readonly pullRequests: number;
  /** Review threads, and those of them that `author` opened. */
  readonly threads: number;
  readonly ours: number;
  /** Logins of whom it could not be found out whether they may write: what they said does not count. */
  readonly unknown: readonly string[];
};

/** What people who may write declined, over one or more pull requests. One request lists them, and one or more read each. @throws UserError */
export async function readLessons(github: GitHub, options: LessonOptions): Promise<ReadLessons> {
  const { repository, of } = options;
  const name = `${repository.owner}/${repository.repository}`;
  try {
    const numbers = typeof of === 'number' ? [of] : await mergedPullRequests(github, { repository, ...of });
    return await lessonsOf(github, { ...options, numbers });
  } catch (error) {
    const subject = typeof of === 'number' ? `pull request #${of} in ${name}` : `pull requests of ${name}`;
    if (!isQueryRefusal(error)) throw gitHubError(error, { subject, permission: 'pull-requests: read' });
    const hint = 'Check the repository and the number, and that the token may read pull requests.';
    throw new UserError(`GitHub does not show ${subject}: ${messageOf(error)}.`, { hint });
  }
}

async function lessonsOf(
  github: GitHub,
  { repository, author, numbers }: LessonOptions & { readonly numbers: readonly number[] },
): Promise<ReadLessons> {
  const unknown = new Set<string>();
  const canWrite = remember(async (login: string) => {
    const answer = await mayWrite(github, { repository, login });
    if (answer === null) unknown.add(login);
    return answer ?? false;
  });
  const isOurs = (comment: Comment) => comment.author.toLowerCase() === author.toLowerCase();
  const lessons: Lesson[] = [];
  let threads = 0;
  let ours = 0;
  // One after the other: GitHub asks for that where many are read.
  for (const number of numbers) {
    const read = await discussionParts(github, { ...repository, number }).threads();
    threads += read.length;
    ours += read.filter(({ comments: [first] }) => first !== undefined && isOurs(first)).length;
    const learned = await Promise.all(read.map((thread) => lessonOf(thread, { isOurs, canWrite })));
    lessons.push(...learned.filter((lesson) => lesson !== null));
  }
  return { lessons, pullRequests: numbers.length, threads, ours, unknown: [...unknown] };
}

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
        // Not counted: nobody reads all of them.
        pullRequests: {
          type: 'object',
          required: ['pageInfo', 'nodes'],
          properties: {
            pageInfo: pageInfoSchema,
            nodes: {
              type: 'array',
              items: {
                type: 'object',
                required: ['number', 'updatedAt', 'mergedAt'],
                properties: {
                  number: { type: 'integer' },
                  updatedAt: { type: 'string' },
                  mergedAt: { type: ['string', 'null'] },
                },
              },
            },
          },
        },
      },
    },
  },
});

type MergedOptions = {
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
