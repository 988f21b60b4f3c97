import * as core from '@actions/core';
import { readInputs } from './adapters/actions/inputs.ts';
import { deliverRest, type Journaled, type OpenCheck, readJournal, removeJournal } from './adapters/actions/journal.ts';
import { neutralise } from './adapters/actions/neutralise.ts';
import type { Clock } from './core/agent/clock.ts';
import { explain } from './core/errors.ts';
import { characters, cutMarkdown } from './core/report/limits.ts';
import { createRedactor } from './core/repository/redact.ts';

/** Milliseconds for the conclusion of a check: the runner waits for this step, too. */
const checkMilliseconds = 4_000;

/**
 * The `post:` step, which runs however the main step ended: it delivers what that one left on disk and could not deliver itself. After a step
 * that ended well it does nothing. Never throws.
 */
export async function post(path: string, environment: NodeJS.ProcessEnv, clock: Clock): Promise<void> {
  const { 'github-token': token = '' } = readInputs(environment);
  const journal = readJournal(path, token);
  if (journal === null) return;
  deliverRest(journal, environment);
  if (journal.summary !== null || journal.outputs !== null) core.info('Postil wrote what its step had not delivered.');
  if (journal.check !== null) await concludeCheck(journal.check, { journal, token, environment, clock });
  removeJournal(path);
}

type Concluding = {
  readonly journal: Journaled;
  readonly token: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
};

const pointer = 'The rest is in the job summary.';

async function concludeCheck(
  { id, end }: NonNullable<OpenCheck>,
  { journal, token, environment, clock }: Concluding,
): Promise<void> {
  const { createGitHub } = await import(/* webpackMode: "eager" */ './adapters/github/client.ts');
  const [owner = '', repo = ''] = (environment['GITHUB_REPOSITORY'] ?? '').split('/');
  const title = journal.cancelled ? 'The run was cancelled.' : 'The run ended before it was through.';
  const summary = cutMarkdown(journal.summary ?? title, { max: 60_000, measure: characters, pointer });
  const conclusion = journal.cancelled ? 'cancelled' : (end?.conclusion ?? 'failure');
  const output = end === null ? { title, summary } : { title: end.title, summary: end.summary };
  try {
    const github = createGitHub({
      token,
      apiUrl: environment['GITHUB_API_URL'] ?? 'https://api.github.com',
      graphqlUrl: environment['GITHUB_GRAPHQL_URL'] ?? 'https://api.github.com/graphql',
      userAgent: 'postil',
      onWait: () => undefined,
      clock,
      limits: { attempt: checkMilliseconds, patience: checkMilliseconds, end: clock.now() + checkMilliseconds },
    });
    const completed = { status: 'completed', conclusion, completed_at: new Date().toISOString() } as const;
    await github.rest.checks.update({ owner, repo, check_run_id: id, ...completed, output });
  } catch (error) {
    const redact = createRedactor([token]);
    core.warning(neutralise(redact(`The check run could not be concluded. ${explain(error)}`)), { title: 'Postil' });
  }
}
