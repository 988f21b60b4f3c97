import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { folderRules, repositoryRoot, requireThere, writeStarterFiles } from '../adapters/files/folder.ts';
import { Journal } from '../adapters/files/journal.ts';
import { reviewFiles } from '../adapters/files/recorders.ts';
import { printedReview, terminalReporter, widthOf } from '../adapters/terminal/terminal.ts';
import { explain, UserError } from '../core/errors.ts';
import { combineReporters } from '../core/events.ts';
import { visibleLine, wrapText } from '../core/report/text.ts';
import type { RenderContext } from '../core/report/wording.ts';
import { deliver } from '../core/review/deliver.ts';
import { emptyReview } from '../core/review/empty-review.ts';
import type { Destination, ReviewRecord } from '../core/review/sink.ts';
import { openGate } from '../core/review/verdict.ts';
import { type ReviewParts, reviewPullRequest } from '../core/review-pull-request.ts';
import { describeRules, loadRules } from '../core/rules/load-rules.ts';
import { createRedactor } from '../core/secrets/redact.ts';
import { secretValues } from '../core/settings/formats.ts';
import { type Layer, previewSettings } from '../core/settings/parse-settings.ts';
import { filesOf, type Settings } from '../core/settings/settings.ts';
import { starterFiles } from '../core/team/starter.ts';
import { type LocalContext, openLocal, replay } from '../run/local.ts';
import {
  cancelOnSignals,
  environmentLayer,
  reporterFor,
  requireWritable,
  systemClock,
  takeDownRun,
  tellEnd,
  temporaryFolder,
} from '../run/surroundings.ts';
import { type StopSignal, tell } from '../run/watched.ts';
import { type Format, jobOnly, type Request } from './command.ts';
import { harmless, rendererFor, undeliveredFiles } from './show-report.ts';

const exitCodes = { fine: 0, warn: 0, findings: 1, unknown: 1, incomplete: 1, failed: 3 } as const;
const usageError = 2;

/** Does what was asked, and reports what goes wrong in a line. Gives the exit code. */
export async function runRequest({ asked, run }: Request): Promise<number> {
  try {
    if ('directory' in asked) requireThere(String(asked.directory), 'folder', 'Name one with --directory.');
    return await run();
  } catch (error) {
    process.stderr.write(`${explain(error).split('\n').map(visibleLine).join('\n')}\n`);
    return error instanceof UserError ? usageError : exitCodes.failed;
  }
}

type ReviewRequest = LocalContext['command'] & {
  readonly format: Format;
  readonly flags: Readonly<Record<string, string>>;
};

export async function review(command: ReviewRequest): Promise<number> {
  const startedAt = systemClock.now();
  const apiKey = takeKey(process.env);
  const fromEnvironment = environmentLayer(process.env, jobOnly);
  const trusted = [{ where: 'flag', trusted: true, values: command.flags }, fromEnvironment.layer];
  const preview = previewSettings(trusted);
  const redact = createRedactor([apiKey, ...secretValues(preview)]);
  const say = (text: string) => {
    const lines = wrapText(visibleLine(harmless(redact)(text)), widthOf(process.stderr));
    process.stderr.write(`${lines.join('\n')}\n`);
  };
  const terminal = terminalReporter({ redact: harmless(redact) });
  const { signal, code } = untilStopped(() => {
    terminal.stop();
    say('Stopping. What was found so far follows; press Ctrl-C again to end at once.');
  });
  const settings = { trusted, preview, notes: fromEnvironment.notes };
  const taken = takeDownRun(null, systemClock.now);
  const context = { serverUrl: null, repository: null, redact, name: 'Postil', run: taken.run };
  const folder = await temporaryFolder(undefined);
  const printed = printedReview({ render: rendererFor(command.format, context), format: command.format });
  const destinations = [...reviewFiles(filesOf(preview), context), afterTheRun(printed)];
  const journal = journalOf({ preview, context, startedAt, folder: folder.path, destinations });
  const log = combineReporters(terminal.report, taken.report, journal.count);
  const report = reporterFor(log, { path: preview.progressFile, redact });
  signal.addEventListener('abort', () => journal.cancel());
  try {
    requireWritable(filesOf(preview));
    const local = { ...settings, command, apiKey, environment: process.env, redact, report };
    const review = {
      ...local,
      destinations: journal.noting(destinations),
      startedAt,
      signal,
      temporaryFolder: folder.path,
    };
    return code(await reviewLocal(review, { say, onFinding: journal.addFinding }));
  } catch (error) {
    terminal.stop();
    for (const line of explain(error).split('\n')) say(line);
    return code(error instanceof UserError ? usageError : exitCodes.failed);
  } finally {
    terminal.stop();
    await folder.remove();
  }
}

/** Gives the exit code, and says why it is not 0 although the review was made. */
async function reviewLocal(
  context: LocalContext,
  { say, onFinding }: { say: (text: string) => void } & Pick<ReviewParts, 'onFinding'>,
): Promise<number> {
  const { deliveries, verdict } = await reviewed(context, onFinding).catch((error: unknown) => {
    if (!context.signal.aborted) throw error;
    // Stopped before there was a review: the files that were asked for say that.
    const known = {
      pullRequest: null,
      milliseconds: systemClock.now() - context.startedAt,
      earlier: 'not-kept',
    } as const;
    const to = { destinations: context.destinations, gate: openGate };
    return deliver(emptyReview({ reason: 'cancelled' }, known), to, () => undefined);
  });
  const lost = undeliveredFiles(deliveries);
  for (const text of lost) say(text);
  const code = lost.length > 0 ? exitCodes.failed : exitCodes[verdict.gate];
  if (verdict.why !== null && !context.signal.aborted) say(`Exit code ${exitCodes[verdict.gate]}: ${verdict.why}`);
  return code;
}

async function reviewed(context: LocalContext, onFinding: ReviewParts['onFinding']): Promise<ReviewRecord> {
  const { parts, close } = await openLocal(context);
  try {
    tellEnd(context.startedAt, parts.settings.timeoutMinutes);
    return await reviewPullRequest({ ...parts, onFinding });
  } finally {
    await close();
  }
}

/** Kept in the folder of the run, for whoever comes after a run that could not write. */
function journalOf(run: {
  readonly preview: Settings;
  readonly context: RenderContext;
  readonly startedAt: number;
  readonly folder: string;
  readonly destinations: readonly Destination[];
}): Journal {
  const { preview, folder, startedAt, context, destinations } = run;
  const path = join(folder, 'journal.json');
  tell({ journal: path, temporary: folder });
  tellEnd(startedAt, preview.timeoutMinutes);
  return new Journal({ context, path, token: '', startedAt, now: systemClock.now, destinations });
}

/** Who reads what is printed may take their time. */
function afterTheRun(destination: Destination): Destination {
  return {
    ...destination,
    deliver: (record) => {
      tell({ seconds: null });
      return destination.deliver(record);
    },
  };
}

function print(text: string): void {
  process.stdout.write(text);
}

/** What the process around an evaluation has. */
export type EvalSurroundings = {
  /** Empty where there is none. */
  readonly apiKey: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Settings of the environment. */
  readonly layer: Layer;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
  /** Progress, a line each. */
  readonly say: (text: string) => void;
};

export async function evaluating(work: (around: EvalSurroundings) => Promise<number>): Promise<number> {
  const apiKey = takeKey(process.env);
  const redact = createRedactor([apiKey]);
  const say = (text: string) => process.stderr.write(`${visibleLine(redact(text))}\n`);
  const { layer, notes } = environmentLayer(process.env, jobOnly);
  const { signal, code } = untilStopped(() =>
    say('Stopping. What was measured so far follows; press Ctrl-C again to end at once.'),
  );
  // Its time is that of its cases, one after the other.
  tell({ seconds: null });
  for (const note of notes) say(note);
  return code(await work({ apiKey, environment: process.env, layer, signal, print, say }));
}

/** `code` is how the process ends: as a shell counts, 128 and the number of the signal that stopped it. */
function untilStopped(onStop: () => void) {
  let stoppedBy: StopSignal | null = null;
  const signal = cancelOnSignals((name) => {
    stoppedBy = name;
    onStop();
  });
  const code = (finished: number) => (stoppedBy === null ? finished : 128 + constants.signals[stoppedBy]);
  return { signal, code };
}

type ReplayRequest = {
  /** Null: the demonstration. */
  readonly path: string | null;
  readonly format: Format;
  readonly reportFile: string;
  readonly reportHtml: string;
};

/** A recorded run again: 3 when it does not come to the same. */
export async function replayed({ path, format, reportFile, reportHtml }: ReplayRequest): Promise<number> {
  const redact = createRedactor([]);
  const terminal = terminalReporter({ redact: harmless(redact), endsAtSignals: true });
  let now = systemClock.now;
  const taken = takeDownRun(null, () => now());
  const context = { serverUrl: null, repository: null, redact, name: 'Postil', run: taken.run };
  const named = { 'report-file': reportFile, 'report-html': reportHtml };
  const printed = printedReview({ render: rendererFor(format, context), format });
  const destinations = [...reviewFiles(named, context, path ?? ''), printed];
  const report = combineReporters(terminal.report, taken.report);
  const onClock = (recorded: () => number) => {
    now = recorded;
  };
  try {
    if (path !== null) requireThere(path, 'file', 'Name a file that `transcript-file` recorded.');
    requireWritable(named, { read: path ?? '' });
    const { record, differences } = await replay(path, { report, destinations, onClock });
    process.stderr.write('Times and costs are those of the recording.\n');
    for (const difference of differences) process.stderr.write(`Differs: ${visibleLine(redact(difference))}\n`);
    const lost = undeliveredFiles(record.deliveries);
    for (const text of lost) process.stderr.write(`${visibleLine(redact(text))}\n`);
    return differences.length + lost.length === 0 ? exitCodes.fine : exitCodes.failed;
  } finally {
    terminal.stop();
  }
}

/** The key, taken out of the environment, where children and crash reports would see it. */
function takeKey(environment: NodeJS.ProcessEnv): string {
  const key = environment['POSTIL_API_KEY'] || environment['OPENAI_API_KEY'] || '';
  delete environment['POSTIL_API_KEY'];
  delete environment['OPENAI_API_KEY'];
  // Nothing is posted here, so nothing is signed.
  delete environment['POSTIL_STATE_KEY'];
  return key.trim();
}

/**
 * `postil rules`: lists the rules of the repository that a folder lies in and runs their examples; those of the folder itself where
 * there is no repository. Gives the exit code: 1 when one does not hold.
 */
export async function listRules(directory: string, tell = print): Promise<number> {
  const folder = (await repositoryRoot(directory)) ?? resolve(directory);
  const loaded = await loadRules(folderRules(folder));
  tell(`Built-in rules, and those of ${visibleLine(folder)}:\n\n${describeRules(loaded, visibleLine)}`);
  return loaded.problems.length === 0 ? 0 : 1;
}

/**
 * `postil init`: writes what is missing, and never over what is there. At the root of the repository, as GitHub looks for workflows
 * nowhere else; in the folder itself where a repository is still to be made.
 */
export async function initialise(directory: string, tell = print): Promise<number> {
  const root = await repositoryRoot(directory);
  const folder = root ?? resolve(directory);
  const results = await writeStarterFiles(folder, starterFiles).catch((cause: unknown) => {
    throw new UserError(`The files could not be written to ${folder}.`, { hint: 'Check --directory.', cause });
  });
  tell(`In ${visibleLine(folder)}:\n`);
  for (const { path, written } of results) tell(`${written ? 'written' : 'left as it is'}: ${path}\n`);
  const first = root === null ? 'make this folder the root of a repository (git init), ' : '';
  tell(
    `Next: ${first}put the key into the secret OPENAI_API_KEY, and commit these files: rules and config count once they are committed, at the base of what is reviewed.\n`,
  );
  return 0;
}
