import { readMemoryFile } from '../src/adapters/files/folder.ts';
import { originUrl } from '../src/adapters/git/bare-repository.ts';
import { createGitHub } from '../src/adapters/github/client.ts';
import { type ReadLessons, readLessons } from '../src/adapters/github/lessons.ts';
import { UserError } from '../src/core/errors.ts';
import { visibleLine } from '../src/core/report/text.ts';
import { repositoryOfRemote } from '../src/core/repository/path.ts';
import { createRedactor } from '../src/core/secrets/redact.ts';
import { memoryFile, memoryPatch, type Proposal, proposeAnswers } from '../src/core/team/learn.ts';
import { plural } from '../src/core/text.ts';
import { systemClock, takeTokens, version } from '../src/run/machine.ts';

type LearnRequest = {
  readonly directory: string;
  /** `owner/name`; null for that of the folder. */
  readonly repository: string | null;
  /** Login that Postil posts as. */
  readonly author: string;
  /** Null for the merged ones. */
  readonly pullRequest: number | null;
  /** Null for the `last` ones. */
  readonly sinceDays: number | null;
  readonly last: number;
};

/**
 * `postil learn`: prints a patch that adds what people declined to the standing answers, and writes nothing. Gives the exit code.
 *
 * @throws UserError with what to set.
 */
export async function learn(command: LearnRequest): Promise<number> {
  const environment = process.env;
  const token = takeToken(environment);
  const redact = createRedactor([token]);
  const tell = (text: string) => process.stderr.write(`${visibleLine(redact(text))}\n`);
  const memory = await readMemoryFile(command.directory);
  const name = await repositoryOf(command, environment);
  const [owner = '', repository = ''] = name.split('/');
  const github = createGitHub({
    token,
    apiUrl: environment['GITHUB_API_URL'] ?? 'https://api.github.com',
    graphqlUrl: environment['GITHUB_GRAPHQL_URL'] ?? 'https://api.github.com/graphql',
    userAgent: `postil/${version}`,
    onWait: tell,
    clock: systemClock,
  });
  const { author } = command;
  const of = wanted(command, systemClock.now());
  const read = await readLessons(github, { repository: { owner, repository }, of, author });
  const proposal = proposeAnswers(read.lessons, memory ?? '');
  for (const line of toldOf(read, { proposal, name, author })) tell(line);
  if (proposal.lines.length > 0) process.stdout.write(memoryPatch(memory, proposal.lines.map(redact)));
  return 0;
}

function takeToken(environment: NodeJS.ProcessEnv): string {
  const { gitHub } = takeTokens(environment);
  if (gitHub !== '') return gitHub;
  throw new UserError('There is no GitHub token.', {
    hint: 'Set GITHUB_TOKEN, such as GITHUB_TOKEN=$(gh auth token) postil learn. It reads pull requests, and who may write.',
  });
}

const perDay = 86_400_000;
/** A question of minutes, and of the rate limit. */
const pullRequestsAtMost = 100;

function wanted({ pullRequest, sinceDays, last }: LearnRequest, now: number): Parameters<typeof readLessons>[1]['of'] {
  if (pullRequest !== null) return pullRequest;
  if (sinceDays === null) return { atMost: last, since: null };
  return { atMost: pullRequestsAtMost, since: new Date(now - sinceDays * perDay).toISOString() };
}

/** As it was named, else the job's, else where the clone came from. */
async function repositoryOf({ repository, directory }: LearnRequest, environment: NodeJS.ProcessEnv): Promise<string> {
  const named = repository ?? environment['GITHUB_REPOSITORY'] ?? '';
  if (named !== '') return named;
  const server = environment['GITHUB_SERVER_URL'] ?? 'https://github.com';
  const origin = await originUrl(directory, environment);
  const found = origin === null ? null : repositoryOfRemote(origin, server);
  if (found !== null) return found;
  // The address is not shown: it may hold a password.
  const why = origin === null ? 'has no remote `origin`' : `has a remote \`origin\` that is not on ${server}`;
  throw new UserError(`Which repository? The folder ${directory} ${why}.`, {
    hint: 'Name it: --repository owner/name. For another server set GITHUB_SERVER_URL, GITHUB_API_URL and GITHUB_GRAPHQL_URL.',
  });
}

/** What a person should know of how it came to the patch. */
function toldOf(
  read: ReadLessons,
  { proposal, name, author }: { proposal: Proposal; name: string; author: string },
): readonly string[] {
  const { lines, known, left } = proposal;
  const { pullRequests, findings, lessons } = read;
  const of = `${plural(pullRequests, 'pull request')} of ${name}, ${plural(findings, 'finding')}`;
  return [
    `Read: ${of} by ${author}, ${lessons.length} declined.`,
    ...(pullRequests > 0 && findings === 0 ? [`No finding is by ${author}: name who posts with --author.`] : []),
    ...(read.unknown.length === 0 ? [] : [unknownNote(read.unknown)]),
    ...(known === 0 ? [] : [`${known} already known: ${memoryFile} or another one says the same.`]),
    ...(left === 0 ? [] : [`${left} more are left for the next run.`]),
    lines.length === 0
      ? 'Nothing to learn.'
      : `Proposed: ${plural(lines.length, 'standing answer')} for ${memoryFile}. Nothing was written: read the patch, then apply it with \`postil learn … | git apply\`.`,
  ];
}

function unknownNote(logins: readonly string[]): string {
  const who = logins.slice(0, 10).join(', ');
  return `Could not read whether ${who} may write, so what they declined does not count: the token needs push access to the repository.`;
}
