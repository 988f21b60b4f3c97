import * as core from '@actions/core';
import { readInputs } from './adapters/actions/inputs.ts';
import {
  deliverRest,
  type Journal,
  type Journaled,
  type OpenCheck,
  readJournal,
  removeJournal,
} from './adapters/actions/journal.ts';
import type { Clock } from './core/agent/agent.ts';
import { explain } from './core/errors.ts';
import { characters, cutMarkdown, neutralise } from './core/report/text.ts';
import type { StoppedDraft } from './core/review/draft.ts';
import { failure, whyOf } from './core/review/headline.ts';
import { createRedactor } from './core/secrets/redact.ts';

/** Milliseconds that a cancelled run gets to end by itself (the runner kills it soon after), and that a run gets over its time. */
const usual = { afterSignal: 4_000, overtime: 3_000 };

export type Net = {
  readonly journal: Journal;
  readonly signal: AbortSignal;
  /** When the run must have ended, by the clock `Date.now`. */
  readonly end: number;
  readonly redact: (text: string) => string;
  /** Writes to the log what batches that run did until now. */
  readonly endLog: () => void;
  readonly exit?: (code: number) => void;
  readonly patience?: typeof usual;
};

/**
 * Catches a run that breaks outside of everything that catches errors, that does not end when it is cancelled, or that does not end in its time:
 * what is known is written, and the process ends with an error of one line.
 */
export function spanNet({ journal, signal, end, redact, endLog, ...net }: Net): void {
  const { exit = (code: number) => process.exit(code), patience = usual } = net;
  const endNow = (stop: StoppedDraft['stop']) => {
    journal.end(stop);
    journal.deliverRest();
    endLog();
    core.setFailed(neutralise(redact(whyOf(stop))));
    exit(1);
  };
  process.on('uncaughtException', (error) => endNow(failure(error)));
  signal.addEventListener('abort', () => {
    journal.end({ reason: 'cancelled' });
    setTimeout(() => endNow({ reason: 'cancelled' }), patience.afterSignal).unref();
  });
  const late: StoppedDraft['stop'] = {
    reason: 'failed',
    message: 'The run did not end within `timeout-minutes` and was stopped.',
    hint: 'The end of its log shows what it waited for.',
  };
  setTimeout(() => endNow(late), Math.min(end + patience.overtime - Date.now(), longestTimer)).unref();
}

/** Timers of JavaScript overflow beyond this, and then fire at once. */
const longestTimer = 2 ** 31 - 1;

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
  if (journal.summary !== null || journal.outputs !== null) core.info('Postil delivered what its main step had not.');
  if (journal.check !== null) await concludeCheck(journal.check, { journal, token, environment, clock });
  removeJournal(path);
}

const pointer = 'The rest is in the job summary.';

async function concludeCheck(
  { id, end }: NonNullable<OpenCheck>,
  by: { journal: Journaled; token: string; environment: NodeJS.ProcessEnv; clock: Clock },
): Promise<void> {
  const { journal, token, environment, clock } = by;
  const { createGitHub } = await import(/* webpackMode: "eager" */ './adapters/github/client.ts');
  const [owner = '', repo = ''] = (environment['GITHUB_REPOSITORY'] ?? '').split('/');
  const title = journal.cancelled ? 'The run was cancelled.' : 'The run ended early.';
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
