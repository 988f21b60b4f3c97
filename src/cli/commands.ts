import { terminalRecorder, terminalReporter } from '../adapters/terminal/terminal.ts';
import { explain, UserError } from '../core/errors.ts';
import { combineReporters } from '../core/events.ts';
import { visibleLine } from '../core/report/text.ts';
import { type Verdict, verdictOf } from '../core/review/outcome.ts';
import { reviewPullRequest } from '../core/review-pull-request.ts';
import { createRedactor } from '../core/secrets/redact.ts';
import { secretValues } from '../core/settings/formats.ts';
import { previewSettings } from '../core/settings/parse-settings.ts';
import { type LocalContext, openLocal, replay } from '../laptop.ts';
import {
  cancelOnSignals,
  environmentLayer,
  fileRecorders,
  reporterFor,
  requireWritable,
  systemClock,
  takeDownRun,
  temporaryFolder,
  version,
} from '../surroundings.ts';
import type { Command } from './arguments.ts';
import { initialise, listRules } from './folder.ts';

const exitCodes = { fine: 0, warn: 0, findings: 1, incomplete: 1, failed: 3 } as const;
const usageError = 2;

/** Does what was asked. Gives the exit code. */
export async function run(command: Exclude<Command, { kind: 'help' | 'version' | 'usage' }>): Promise<number> {
  switch (command.kind) {
    case 'rules':
      return told(() => listRules(command.directory, print));
    case 'learn':
      return told(() => learned(command));
    case 'init':
      return told(() => initialise(command.directory, print));
    case 'report':
      return told(() => reportPage(command));
    case 'replay':
      return replayed(command);
    case 'review':
      return review(command);
  }
}

async function review(command: LocalContext['command']): Promise<number> {
  const startedAt = Date.now();
  const signal = cancelOnSignals();
  const apiKey = takeKey(process.env);
  const fromEnvironment = environmentLayer(process.env);
  const trusted = [{ where: 'flag', trusted: true, values: command.flags }, fromEnvironment.layer];
  const preview = previewSettings(trusted);
  const redact = createRedactor([apiKey, ...secretValues(preview)]);
  const terminal = terminalReporter({ redact });
  const settings = { trusted, preview, notes: fromEnvironment.notes };
  const taken = takeDownRun(null, () => Date.now());
  const log = combineReporters(terminal.report, taken.report);
  const report = reporterFor(log, { path: preview.progressFile, redact });
  const context = { serverUrl: null, repository: null, redact, name: 'Postil', run: taken.run };
  const recorders = [terminalRecorder({ redact }), ...fileRecorders(preview, context)];
  const folder = await temporaryFolder(undefined);
  try {
    requireWritable(preview);
    const local = {
      ...settings,
      command,
      apiKey,
      environment: process.env,
      redact,
      report,
      recorders,
      startedAt,
      signal,
    };
    return exitCodes[(await reviewLocal({ ...local, temporaryFolder: folder.path })).kind];
  } catch (error) {
    process.stderr.write(
      `${explain(error)
        .split('\n')
        .map((line) => visibleLine(redact(line)))
        .join('\n')}\n`,
    );
    return error instanceof UserError ? usageError : exitCodes.failed;
  } finally {
    terminal.stop();
    await folder.remove();
  }
}

async function reviewLocal(context: LocalContext): Promise<Verdict> {
  const { parts, close } = await openLocal(context);
  try {
    const record = await reviewPullRequest(parts);
    return verdictOf(record, { ...parts.settings, reviewEvent: 'comment' });
  } finally {
    await close();
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

/** What goes wrong is reported in a line. */
async function told(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    process.stderr.write(`${visibleLine(explain(error))}\n`);
    return error instanceof UserError ? usageError : exitCodes.failed;
  }
}

async function learned(command: Extract<Command, { kind: 'learn' }>): Promise<number> {
  // Loaded when it is asked for: GitHub's client is large.
  const { learn } = await import(/* webpackMode: "eager" */ './learn.ts');
  return await learn(command, { environment: process.env, version, clock: systemClock });
}

async function reportPage(command: Extract<Command, { kind: 'report' }>): Promise<number> {
  const { writeReportPage } = await import(/* webpackMode: "eager" */ './report.ts');
  return await writeReportPage(command, print);
}

/** A recorded run again: 3 when it does not come to the same. */
async function replayed({ path, reportFile, reportHtml }: Extract<Command, { kind: 'replay' }>): Promise<number> {
  const redact = createRedactor([]);
  const terminal = terminalReporter({ redact });
  let now = () => Date.now();
  const taken = takeDownRun(null, () => now());
  const context = { serverUrl: null, repository: null, redact, name: 'Postil', run: taken.run };
  const files = fileRecorders({ reportFile, reportHtml, sarifFile: '' }, context);
  try {
    const recorders = [terminalRecorder({ redact }), ...files];
    const report = combineReporters(terminal.report, taken.report);
    const { differences } = await replay(path, {
      report,
      recorders,
      onClock: (recorded) => {
        now = recorded;
      },
    });
    for (const difference of differences) process.stderr.write(`Differs: ${visibleLine(redact(difference))}\n`);
    return differences.length === 0 ? exitCodes.fine : exitCodes.failed;
  } catch (error) {
    process.stderr.write(`${visibleLine(explain(error))}\n`);
    return error instanceof UserError ? usageError : exitCodes.failed;
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
