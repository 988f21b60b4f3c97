import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as core from '@actions/core';
import { readInputs } from '../adapters/actions/inputs.ts';
import { jobSummary, stepOutputs } from '../adapters/actions/recorders.ts';
import { type Journaled, killed, lastRecord, readJournal, writeJournal } from '../adapters/files/journal.ts';
import type { Clock } from '../core/agent/agent.ts';
import { explain } from '../core/errors.ts';
import { inEnglish } from '../core/messages/languages.ts';
import { renderCheckSummary } from '../core/report/summary.ts';
import { characters, cutMarkdown, neutralise } from '../core/report/text.ts';
import type { RenderContext } from '../core/report/wording.ts';
import type { StoppedDraft } from '../core/review/draft.ts';
import { stopMessages } from '../core/review/headline.ts';
import type { Destination } from '../core/review/sink.ts';
import { failure } from '../core/review/stops.ts';
import { createRedactor } from '../core/secrets/redact.ts';
import { gitHubOptions } from './github-connection.ts';
import { deliverRest, stopOf } from './last-words.ts';
import { type LastWords, tell } from './watched.ts';

/** Milliseconds for the conclusion of a check: the runner waits for this step, too. */
const checkMilliseconds = 4_000;

/**
 * The log tells what nobody caught in one sentence, not by a page of the bundle, and the process that watches delivers the rest. Gives how to tell it
 * with what the run knows by then.
 */
export function catchBroken(): (report: CrashReport) => void {
  let known: CrashReport = { redact: (text: string) => text, endLog: () => {} };
  process.on('uncaughtException', (error) => {
    const sentence = neutralise(known.redact(inEnglish.sentences(stopMessages(failure(error)))));
    known.endLog();
    core.setFailed(sentence);
    tell({ broke: sentence });
    process.exit(1);
  });
  return (report) => {
    known = report;
  };
}

/** What the report of a crash needs of the run. */
export type CrashReport = { readonly redact: (text: string) => string; readonly endLog: () => void };

/** The name under which the runner keeps the journal's path for the `post:` step. */
const stateName = 'journal';

/** The path of the journal that a main step of this job left; null in a main step. */
export function journalOf(environment: NodeJS.ProcessEnv): string | null {
  return environment[`STATE_${stateName}`] || null;
}

/** Where a job keeps its journal: where its `post:` step finds it again, if it has one. */
export function journalOfJob(
  environment: NodeJS.ProcessEnv,
  /** The run's own, which is removed when it ends. */
  { startedAt, folder }: { readonly startedAt: number; readonly folder: string },
): string {
  const { RUNNER_TEMP: kept = '', GITHUB_STATE: state = '' } = environment;
  if (state === '') return join(folder, 'journal.json');
  const path = join(kept || tmpdir(), `postil-journal-${process.pid}-${startedAt}.json`);
  try {
    core.saveState(stateName, path);
  } catch {
    // Without it there is no `post:` step to speak of.
  }
  return path;
}

function toRunner(environment: NodeJS.ProcessEnv) {
  return (context: RenderContext): readonly Destination[] => [stepOutputs(context), jobSummary(context, environment)];
}

/** In a process of its own, for a run that did not end by itself: delivers what it left. The check is for the `post:` step to conclude. */
export async function speakLastWords(words: LastWords, environment: NodeJS.ProcessEnv): Promise<void> {
  const { 'github-token': token = '' } = readInputs(environment);
  const { journal: path = null, temporary = null } = words;
  const journal = path === null ? null : readJournal(path, token);
  await deliverRest({ ...words, journal, stop: stopOf(words) }, toRunner(environment));
  const cancelled = words.why === 'cancelled';
  if (path !== null && journal !== null) writeJournal(path, { ...journal, cancelled, left: [] }, { token });
  if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
}

/**
 * The `post:` step, which runs however the main step ended: it delivers what that one left on disk and could not deliver itself. After a step
 * that ended well it does nothing. Never throws.
 */
export async function post(path: string, environment: NodeJS.ProcessEnv, clock: Clock): Promise<void> {
  const { 'github-token': token = '' } = readInputs(environment);
  const journal = readJournal(path, token);
  if (journal === null) return;
  const stop: StoppedDraft['stop'] = journal.cancelled ? { reason: 'cancelled' } : killed;
  await deliverRest({ journal, stop }, toRunner(environment));
  if (journal.left.length > 0) core.info('Postil delivered what its main step had not.');
  if (journal.check !== null) await concludeCheck(journal, { stop, token, environment, clock });
  rmSync(path, { force: true });
}

async function concludeCheck(
  journal: Journaled,
  by: { stop: StoppedDraft['stop']; token: string; environment: NodeJS.ProcessEnv; clock: Clock },
): Promise<void> {
  const { stop, token, environment, clock } = by;
  const { check, cancelled } = journal;
  if (check === null) return;
  const { createGitHub } = await import(/* webpackMode: "eager" */ '../adapters/github/client.ts');
  const [owner = '', repo = ''] = (environment['GITHUB_REPOSITORY'] ?? '').split('/');
  const { record, context } = lastRecord(journal, stop);
  const { t = inEnglish } = context;
  const title = t({ code: cancelled ? 'run.cancelled' : 'run.ended-early' });
  const pointer = t({ code: 'cut.last-words' });
  const summary = cutMarkdown(renderCheckSummary(record, context), { max: 60_000, measure: characters, pointer });
  const conclusion = cancelled ? 'cancelled' : (check.end?.conclusion ?? 'failure');
  const output = check.end === null ? { title, summary } : { title: check.end.title, summary: check.end.summary };
  try {
    const github = createGitHub({
      ...gitHubOptions({ token, environment, clock, onWait: () => undefined }),
      limits: { attempt: checkMilliseconds, patience: checkMilliseconds, end: clock.now() + checkMilliseconds },
    });
    const completed = { status: 'completed', conclusion, completed_at: new Date().toISOString() } as const;
    await github.rest.checks.update({ owner, repo, check_run_id: check.id, ...completed, output });
  } catch (error) {
    const redact = createRedactor([token]);
    core.warning(neutralise(redact(`The check run could not be concluded. ${explain(error)}`)), { title: 'Postil' });
  }
}
