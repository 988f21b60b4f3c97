import { readMemoryFile } from '../src/adapters/files/folder.ts';
import { createGitHub } from '../src/adapters/github/client.ts';
import { readMergedLessons } from '../src/adapters/github/lessons.ts';
import { personOf } from '../src/cli/person.ts';
import { printPatch } from '../src/cli/run.ts';
import { harmless } from '../src/cli/show-report.ts';
import { visibleLine } from '../src/core/report/text.ts';
import { memoryFile, memoryPatch, proposeAnswers } from '../src/core/team/learn.ts';
import { plural } from '../src/core/text.ts';
import { gitHubOptions } from '../src/run/github-connection.ts';
import { systemClock } from '../src/run/machine.ts';
import { apiOf, repositoryHere, tokenFor } from '../src/run/pull-request-here.ts';

type LearnRequest = {
  readonly directory: string;
  /** `owner/name`; null for that of the folder. */
  readonly repository: string | null;
  /** Login that Postil posts as. */
  readonly author: string;
  /** How many merged pull requests are read. */
  readonly last: number;
};

/**
 * `postil learn`: prints a patch that adds what people declined to the standing answers, and writes nothing. Gives the exit code.
 *
 * @throws UserError with what to set.
 */
export async function learn({ directory, repository: named, author, last }: LearnRequest): Promise<number> {
  const { environment, tokens, redact } = personOf(process.env);
  const say = (text: string) => process.stderr.write(`${visibleLine(harmless(redact)(text))}\n`);
  const memory = await readMemoryFile(directory);
  const { serverUrl, ...repository } =
    named === null
      ? await repositoryHere(directory, { environment, hint: 'Name it: --repository owner/name.' })
      : repositoryNamed(named, environment);
  const api = { ...environment, ...apiOf(serverUrl, environment) };
  const token = tokenFor(serverUrl, { environment, tokens });
  const github = createGitHub(gitHubOptions({ token, environment: api, clock: systemClock, onWait: say }));
  const { lessons, pullRequests, findings, unknown } = await readMergedLessons(github, { repository, last, author });
  const lines = proposeAnswers(lessons, memory ?? '');
  say(`Read: ${plural(pullRequests, 'pull request')}, ${plural(findings, 'finding')}, ${lessons.length} declined.`);
  if (findings === 0) say(`No finding is by ${author}: name who posts with --author.`);
  if (unknown.length > 0) {
    const who = unknown.slice(0, 10).join(', ');
    say(`What ${who} declined does not count: the token needs push access to see whether they may write.`);
  }
  if (lines.length > 0) printPatch(redact(memoryPatch(memory, lines)));
  say(
    lines.length === 0
      ? 'Nothing to learn.'
      : `Proposed: ${plural(lines.length, 'line')} for ${memoryFile}. Nothing was written: read the patch, then apply it with \`git apply\`.`,
  );
  return 0;
}

function repositoryNamed(named: string, environment: NodeJS.ProcessEnv): Awaited<ReturnType<typeof repositoryHere>> {
  const [owner = '', repository = ''] = named.split('/');
  return { serverUrl: environment['GITHUB_SERVER_URL'] || 'https://github.com', owner, repository };
}
