import { UserError } from '../../core/errors.ts';
import { type Lesson, lessonOf } from '../../core/memory/lesson.ts';
import type { Comment } from '../../core/pull-request/pull-request.ts';
import type { GitHub } from './client.ts';
import { isQueryRefusal, messageOf } from './github-answer.ts';
import { gitHubError } from './github-error.ts';
import { mayWrite } from './may-write.ts';
import { type MergedOptions, mergedPullRequests } from './merged-pull-requests.ts';
import { discussionParts } from './read-discussion.ts';
import { remember } from './remember.ts';
import type { RepositoryName } from './trees.ts';

export type LessonOptions = {
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
  /** Logins of whom it could not be learnt whether they may write: what they said does not count. */
  readonly unknown: readonly string[];
};

/** What people who may write turned down, over one or more pull requests. One request lists them, and one or more read each. @throws UserError */
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
    const learnt = await Promise.all(read.map((thread) => lessonOf(thread, { isOurs, canWrite })));
    lessons.push(...learnt.filter((lesson) => lesson !== null));
  }
  return { lessons, pullRequests: numbers.length, threads, ours, unknown: [...unknown] };
}
