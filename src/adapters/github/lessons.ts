import { UserError } from '../../core/errors.ts';
import { type Lesson, readLessons } from '../../core/team/learn.ts';
import { isQueryRefusal, messageOf } from './answers.ts';
import { remember } from './api-repository.ts';
import { type GitHub, gitHubError, type RepositoryName } from './client.ts';
import { ask, connection, pageIn, whole } from './connection.ts';
import { readDiscussion } from './discussion.ts';
import { mayWrite } from './pull.ts';
import { has, integer } from './shapes.ts';

export type MergedLessons = {
  readonly lessons: readonly Lesson[];
  readonly pullRequests: number;
  /** How many findings by the author they hold. */
  readonly findings: number;
  /** Logins whose permission GitHub does not tell: what they declined does not count. */
  readonly unknown: readonly string[];
};

/**
 * What people who may write declined on the merged pull requests that changed last: `last` of them, at most 100. One request lists them, and one or
 * more read each. `author` is the login that Postil posts as.
 *
 * @throws UserError
 */
export async function readMergedLessons(
  github: GitHub,
  { repository, last, author }: { repository: RepositoryName; last: number; author: string },
): Promise<MergedLessons> {
  const unknown = new Set<string>();
  const canWrite = remember(async (login: string) => {
    const answer = await mayWrite(github, { repository, login });
    if (answer === null) unknown.add(login);
    return answer ?? false;
  });
  try {
    const numbers = await listMerged(github, repository, last);
    const lessons: Lesson[] = [];
    let findings = 0;
    // GitHub asks for one request after the other where many are sent.
    for (const number of numbers) {
      const read = await readLessons(await readDiscussion(github, { ...repository, number }), { author, canWrite });
      lessons.push(...read.lessons);
      findings += read.findings;
    }
    return { lessons, pullRequests: numbers.length, findings, unknown: [...unknown] };
  } catch (error) {
    const subject = `pull requests of ${repository.owner}/${repository.repository}`;
    if (!isQueryRefusal(error)) throw gitHubError(error, { subject, permission: 'pull-requests: read' });
    const hint = 'Check the repository, and that the token may read pull requests.';
    throw new UserError(`GitHub does not show ${subject}: ${messageOf(error)}.`, { hint });
  }
}

const merged = connection({
  name: 'pullRequests',
  page: 'states: MERGED, first: 100, after: $after, orderBy: { field: UPDATED_AT, direction: DESC }',
  select: 'number',
  node: has({ number: integer }),
  from: ({ number }) => number,
});

async function listMerged(
  github: GitHub,
  { owner, repository: name }: RepositoryName,
  last: number,
): Promise<readonly number[]> {
  const query = (fields: string) => `query Postil($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) { ${fields} }
}`;
  const answered = await ask({ github, query, path: ['repository'], variables: { owner, name } }, [merged]);
  return whole(pageIn(answered, merged)).items.slice(0, last);
}
