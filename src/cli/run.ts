import { constants } from 'node:os';
import { join } from 'node:path';
import { requireThere } from '../adapters/files/folder.ts';
import { Journal } from '../adapters/files/journal.ts';
import { reviewFiles } from '../adapters/files/recorders.ts';
import { printedReview, terminalReporter, widthOf } from '../adapters/terminal/terminal.ts';
import { explain, UserError } from '../core/errors.ts';
import { combineReporters } from '../core/events.ts';
import { inEnglish } from '../core/messages/languages.ts';
import { visibleLine, wrapText } from '../core/report/text.ts';
import type { RenderContext } from '../core/report/wording.ts';
import { deliver } from '../core/review/deliver.ts';
import { emptyReview } from '../core/review/empty-review.ts';
import type { Destination, ReviewRecord } from '../core/review/sink.ts';
import { openGate } from '../core/review/verdict.ts';
import { type ReviewOutput, reviewPullRequest } from '../core/review-pull-request.ts';
import { createRedactor } from '../core/secrets/redact.ts';
import type { Layer } from '../core/settings/parse-settings.ts';
import { filesOf, type Settings } from '../core/settings/settings.ts';
import { openLocal } from '../run/local.ts';
import type { LocalCommand, LocalRun } from '../run/local-run.ts';
import { systemClock, temporaryFolder } from '../run/machine.ts';
import { reporterFor, requireWritable } from '../run/output-files.ts';
import { takeDownRun } from '../run/parts.ts';
import { replay } from '../run/replay.ts';
import { cancelOnSignals, type StopSignal, tell, tellEnd } from '../run/watched.ts';
import type { Format, Request } from './command.ts';
import { type FixRequest, fix, requireFiles } from './fix.ts';
import { personOf } from './person.ts';
import { harmless, rendererFor, tellWritten, undeliveredFiles } from './show-report.ts';

const exitCodes = { fine: 0, warn: 0, findings: 1, unknown: 1, incomplete: 1, failed: 3 } as const;
const usageError = 2;

/** Does what was asked, and reports what goes wrong in a line. Gives the exit code. */
export async function runRequest({ asked, run }: Request): Promise<number> {
  // A command takes secrets out of the environment, and a server may repeat one in its answer.
  const environment = { ...process.env };
  try {
    if ('directory' in asked) requireThere(String(asked.directory), 'folder', 'Name one with --directory.');
    return await run();
  } catch (error) {
    const text = harmless(personOf(environment).redact)(explain(error));
    process.stderr.write(`${text.split('\n').map(visibleLine).join('\n')}\n`);
    return error instanceof UserError ? usageError : exitCodes.failed;
  }
}

type ReviewRequest = LocalCommand & {
  readonly format: Format;
  /** Findings alone, and errors. */
  readonly quiet: boolean;
  /** Null: nothing is fixed. */
  readonly fix: FixRequest | null;
  readonly flags: Readonly<Record<string, string>>;
};

/** What every command begins with that reads a change: the keys and settings of the person, and what tells them how it goes. */
export function begin(flags: ReviewRequest['flags']) {
  const startedAt = systemClock.now();
  const inputs = personOf(process.env, flags);
  const { redact } = inputs;
  const say = (text: string) => {
    const lines = wrapText(visibleLine(harmless(redact)(text)), widthOf(process.stderr));
    process.stderr.write(`${lines.join('\n')}\n`);
  };
  const terminal = terminalReporter({ redact: harmless(redact) });
  const { signal, code } = untilStopped(() => {
    terminal.stop();
    say('Stopping. What was found so far follows; press Ctrl-C again to end at once.');
  });
  return { inputs, run: { clock: systemClock, startedAt, signal }, say, terminal, code };
}

export async function review(command: ReviewRequest): Promise<number> {
  const { inputs, run, say, terminal, code } = begin(command.flags);
  const { preview, redact } = inputs;
  const { startedAt, signal } = run;
  const taken = takeDownRun(null, systemClock.now);
  const context = { serverUrl: null, repository: null, redact, name: 'Postil', run: taken.run };
  const folder = await temporaryFolder(undefined);
  const { format, quiet } = command;
  const printed = printedReview({ render: rendererFor(format, context, { quiet }), format });
  // A patch has stdout for itself.
  const onStdout = command.fix?.isDry === true ? [] : [afterTheRun(printed)];
  const destinations = [...reviewFiles(filesOf(preview), context), ...onStdout];
  const journal = journalOf({ preview, context, startedAt, folder: folder.path, destinations });
  const log = combineReporters(...(quiet ? [] : [terminal.report]), taken.report, journal.count);
  const report = reporterFor(log, { path: preview.progressFile, redact });
  signal.addEventListener('abort', () => journal.cancel());
  try {
    requireWritable(filesOf(preview));
    const output = { report, destinations: journal.noting(destinations), temporaryFolder: folder.path };
    const review: LocalRun = { environment: process.env, command, inputs, output, run };
    const fixing = command.fix === null ? null : { ...command.fix, root: await requireFiles(command.directory) };
    return code(await reviewLocal(review, { say, quiet, fixing, onFinding: journal.addFinding }));
  } catch (error) {
    terminal.stop();
    for (const line of explain(error).split('\n')) say(line);
    return code(error instanceof UserError ? usageError : exitCodes.failed);
  } finally {
    terminal.stop();
    await folder.remove();
  }
}

type LocalEnd = {
  readonly onFinding?: ReviewOutput['onFinding'];
  readonly say: (text: string) => void;
  readonly quiet: boolean;
  readonly fixing: (FixRequest & { readonly root: string }) | null;
};

/** Prints a patch as it is, unless the runner of a job would obey a line of it. */
export function printPatch(text: string): void {
  const unread = harmless((same) => same);
  const lines = text.replaceAll('\r\n', '\n');
  print(unread(lines) === lines ? text : unread(text));
}

/** Gives the exit code, and says why it is not 0 although the review was made. */
async function reviewLocal(local: LocalRun, { say, quiet, fixing, onFinding }: LocalEnd): Promise<number> {
  const record = await reviewed(local, onFinding).catch((error: unknown) => {
    if (!local.run.signal.aborted) throw error;
    // Stopped before there was a review: the files that were asked for say that.
    const known = {
      pullRequest: null,
      milliseconds: systemClock.now() - local.run.startedAt,
      earlier: 'not-kept',
    } as const;
    const to = { destinations: local.output.destinations, gate: openGate };
    return deliver(emptyReview({ reason: 'cancelled' }, known), to, () => undefined);
  });
  const { deliveries, verdict } = record;
  const lost = undeliveredFiles(deliveries);
  for (const text of lost) say(text);
  const isTold = !quiet || !['fine', 'warn', 'findings'].includes(verdict.gate);
  if (quiet && isTold) say(inEnglish.sentences(record.review.headline));
  if (!quiet) tellWritten(deliveries);
  const isStopped = local.run.signal.aborted;
  if (fixing !== null && isStopped) say('Nothing was fixed: the review was stopped.');
  const fixed = fixing === null || isStopped || (await fix(record, { ...fixing, print: printPatch, say }));
  const code = lost.length > 0 || !fixed ? exitCodes.failed : exitCodes[verdict.gate];
  if (isTold && verdict.why !== null && !isStopped) say(`Exit code ${exitCodes[verdict.gate]}: ${verdict.why}`);
  return code;
}

async function reviewed(local: LocalRun, onFinding: ReviewOutput['onFinding']): Promise<ReviewRecord> {
  const { parts, close } = await openLocal(local);
  try {
    tellEnd(local.run.startedAt, parts.settings.timeoutMinutes);
    return await reviewPullRequest({ ...parts, output: { ...parts.output, onFinding } });
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
  const { apiKey, environment, layer, notes, redact } = personOf(process.env);
  const say = (text: string) => process.stderr.write(`${visibleLine(redact(text))}\n`);
  const { signal, code } = untilStopped(() =>
    say('Stopping. What was measured so far follows; press Ctrl-C again to end at once.'),
  );
  // Its time is that of its cases, one after the other.
  tell({ seconds: null });
  for (const note of notes) say(note);
  return code(await work({ apiKey, environment, layer, signal, print, say }));
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
    tellWritten(record.deliveries);
    return differences.length + lost.length === 0 ? exitCodes.fine : exitCodes.failed;
  } finally {
    terminal.stop();
  }
}
