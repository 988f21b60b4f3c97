import { UserError } from '../../core/errors.ts';
import { type Lesson, lessonsOf } from '../../core/team/learn.ts';
import { isQueryRefusal, messageOf } from './answers.ts';
import { remember } from './api-repository.ts';
import { type GitHub, gitHubError, type RepositoryName } from './client.ts';
import { connection, type GraphNode, pagesOf } from './connection.ts';
import { readDiscussion } from './discussion.ts';
import { mayWrite } from './pull.ts';
import { has, integer, text, textOrNull } from './shapes.ts';

/** `since` in ISO 8601; null for no limit. */
type Recent = { readonly atMost: number; readonly since: string | null };

type LessonOptions = {
  readonly repository: RepositoryName;
  /** One pull request, or the merged ones that changed last. */
  readonly of: number | Recent;
  /** Login that Postil posts as, such as `github-actions[bot]`. */
  readonly author: string;
};

export type ReadLessons = {
  readonly lessons: readonly Lesson[];
  readonly pullRequests: number;
  /** How many findings by `author` they hold. */
  readonly findings: number;
  /** Logins of whom it could not be found out whether they may write: what they said does not count. */
  readonly unknown: readonly string[];
};

/** What people who may write declined, over one or more pull requests. One request lists them, and one or more read each. @throws UserError */
export async function readLessons(github: GitHub, options: LessonOptions): Promise<ReadLessons> {
  const { repository, of } = options;
  const name = `${repository.owner}/${repository.repository}`;
  try {
    const numbers = typeof of === 'number' ? [of] : await mergedPullRequests(github, repository, of);
    return await lessonsFrom(github, { ...options, numbers });
  } catch (error) {
    // biome-ignore lint/nursery/noBaseToString: Biome does not see that it is a number here.
    const subject = typeof of === 'number' ? `pull request #${of} in ${name}` : `pull requests of ${name}`;
    if (!isQueryRefusal(error)) throw gitHubError(error, { subject, permission: 'pull-requests: read' });
    const hint = 'Check the repository and the number, and that the token may read pull requests.';
    throw new UserError(`GitHub does not show ${subject}: ${messageOf(error)}.`, { hint });
  }
}

async function lessonsFrom(
  github: GitHub,
  { repository, author, numbers }: LessonOptions & { readonly numbers: readonly number[] },
): Promise<ReadLessons> {
  const unknown = new Set<string>();
  const canWrite = remember(async (login: string) => {
    const answer = await mayWrite(github, { repository, login });
    if (answer === null) unknown.add(login);
    return answer ?? false;
  });
  const isOurs = (said: { readonly author: string }) => said.author.toLowerCase() === author.toLowerCase();
  const lessons: Lesson[] = [];
  let findings = 0;
  // One after the other: GitHub asks for that where many are read.
  for (const number of numbers) {
    const discussion = await readDiscussion(github, { ...repository, number });
    const learned = await lessonsOf(discussion, { isOurs, canWrite });
    lessons.push(...learned.lessons);
    findings += learned.findings;
  }
  return { lessons, pullRequests: numbers.length, findings, unknown: [...unknown] };
}

const merged = connection({
  name: 'pullRequests',
  page: 'states: MERGED, first: 50, after: $after, orderBy: { field: UPDATED_AT, direction: DESC }',
  select: 'number updatedAt mergedAt',
  node: has({ number: integer, updatedAt: text, mergedAt: textOrNull }),
  from: (node) => node,
});

function repositoryPlace(github: GitHub, { owner, repository: name }: RepositoryName): GraphNode {
  return {
    github,
    query: (fields) => `query Postil($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) { ${fields} }
}`,
    path: ['repository'],
    variables: { owner, name },
  };
}

/** The numbers of the merged pull requests that changed last, newest first. */
export async function mergedPullRequests(
  github: GitHub,
  repository: RepositoryName,
  { atMost, since }: Recent,
): Promise<readonly number[]> {
  const numbers: number[] = [];
  for await (const { items } of pagesOf(repositoryPlace(github, repository), merged)) {
    const recent = items.filter(({ mergedAt }) => since === null || (mergedAt ?? '') >= since);
    numbers.push(...recent.map(({ number }) => number));
    // What was not touched since was not merged since.
    const isOver = items.some(({ updatedAt }) => since !== null && updatedAt < since);
    if (isOver || numbers.length >= atMost) break;
  }
  return numbers.slice(0, atMost);
}
