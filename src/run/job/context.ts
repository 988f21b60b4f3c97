import { mask, readInputs } from '../../adapters/actions/inputs.ts';
import { jobLogReporter } from '../../adapters/actions/job-log.ts';
import { jobSummary, stepOutputs } from '../../adapters/actions/recorders.ts';
import { Journal } from '../../adapters/files/journal.ts';
import { reviewFiles } from '../../adapters/files/recorders.ts';
import type { GitHubOptions } from '../../adapters/github/client.ts';
import type { ImageFiles } from '../../adapters/images/codec.ts';
import type { OpenSyntax } from '../../adapters/syntax/syntax.ts';
import { combineReporters, type Reporter } from '../../core/events.ts';
import { stateKeyLines } from '../../core/history/signed-marks.ts';
import { inEnglish, translatorFor } from '../../core/messages/languages.ts';
import type { Translator } from '../../core/messages/translator.ts';
import type { RenderContext } from '../../core/report/wording.ts';
import type { Destination } from '../../core/review/sink.ts';
import { createRedactor, type Redactor } from '../../core/secrets/redact.ts';
import { secretValues } from '../../core/settings/formats.ts';
import { type Layer, previewSettings } from '../../core/settings/parse-settings.ts';
import { filesOf, type Secrets, type Settings } from '../../core/settings/settings.ts';
import { type CrashReport, journalOfJob } from '../job-last-words.ts';
import { type RunClock, temporaryFolder } from '../machine.ts';
import { reporterFor } from '../output-files.ts';
import { takeDownRun } from '../parts.ts';
import { environmentLayer, inputLayer } from '../setting-layers.ts';
import { tell, tellEnd } from '../watched.ts';

/** What a job starts with. */
export type JobStart = {
  /** Variables of the step. `readJobInputs` deletes the secrets from it. */
  readonly environment: NodeJS.ProcessEnv;
  readonly run: RunClock;
  /** Called with what a crash report needs, before anything can throw that nobody catches. */
  readonly onBegin?: (report: CrashReport) => void;
  readonly overrides?: JobOverrides;
};

/** Parts of a job that tests replace. */
export type JobOverrides = {
  /** 'none' for a server that does not count requests. */
  readonly pace?: GitHubOptions['pace'];
  /** Limits of a request that are shorter than those that follow from the time of the run. */
  readonly limits?: GitHubOptions['limits'];
  /** A parser that outlives the run. */
  readonly syntax?: OpenSyntax;
  readonly imageFiles?: ImageFiles;
};

/** A job before it has asked GitHub anything. */
export type Job = {
  readonly environment: NodeJS.ProcessEnv;
  readonly run: RunClock;
  readonly inputs: JobInputs;
  readonly output: JobOutput;
  readonly overrides: JobOverrides;
};

/** What the workflow says: a pull request cannot change any of it. */
export type JobInputs = {
  readonly secrets: Secrets;
  /** Inputs, then variables. */
  readonly layers: readonly Layer[];
  /** The settings of the layers alone: the config file is read later. */
  readonly preview: Settings;
  /** Sentences about inputs and variables that do not exist. */
  readonly notes: readonly string[];
  /** Takes secrets out of a text. */
  readonly redact: Redactor;
};

/** Where a job reports, besides GitHub. */
export type JobOutput = {
  /** Shows progress in the job log, the journal, the timeline and the progress file. */
  readonly report: Reporter;
  /** What all renderers share. `configure` changes it for texts that are rendered afterwards. */
  readonly render: RenderContext;
  /** Sets what only the config file and the pull request tell. */
  readonly configure: (facts: { language: string; hears: boolean }) => void;
  /** Report files, the job summary and the outputs of the step. */
  readonly destinations: readonly Destination[];
  readonly journal: Journal;
  /** The folder that `close` removes. */
  readonly temporaryFolder: string;
  /** Page of this workflow run; null outside of a job. */
  readonly runUrl: string | null;
  readonly close: () => Promise<void>;
};

/** Reads the inputs and opens the outputs. */
export async function openJob(start: JobStart): Promise<Job> {
  const { environment, run, overrides = {} } = start;
  const inputs = readJobInputs(environment);
  return { environment, run, inputs, output: await openJobOutput(start, inputs), overrides };
}

/** Reads the inputs of the step, masks secrets in the log and deletes them from the environment. */
export function readJobInputs(environment: NodeJS.ProcessEnv): JobInputs {
  const {
    'github-token': githubToken = '',
    'api-key': apiKey = '',
    'state-key': stateKeyInput = '',
    ...settingInputs
  } = readInputs(environment);
  // The variable must leave the environment even where the input goes first.
  const stateKeyVariable = takeStateKeyVariable(environment);
  const stateKey = stateKeyInput || stateKeyVariable;
  const trusted = [inputLayer(settingInputs), environmentLayer(environment)];
  const layers = trusted.map(({ layer }) => layer);
  const preview = previewSettings(layers);
  mask(secretValues(preview));
  return {
    secrets: { githubToken, apiKey, stateKey },
    layers,
    preview,
    notes: trusted.flatMap(({ notes }) => notes),
    redact: createRedactor([githubToken, apiKey, ...stateKeyLines(stateKey), ...secretValues(preview)]),
  };
}

function takeStateKeyVariable(environment: NodeJS.ProcessEnv): string {
  const stateKey = environment['POSTIL_STATE_KEY'] ?? '';
  delete environment['POSTIL_STATE_KEY'];
  mask([stateKey]);
  return stateKey;
}

async function openJobOutput({ environment, run, onBegin }: JobStart, inputs: JobInputs): Promise<JobOutput> {
  const { redact, preview, secrets } = inputs;
  const runUrl = runUrlOf(environment);
  const timeline = takeDownRun(runUrl, run.clock.now);
  const render = renderContext(environment, { redact, run: timeline.run, language: preview.language });
  const log = jobLogReporter({ redact, now: run.clock.now });
  onBegin?.({ redact, endLog: log.end });
  const folder = await temporaryFolder(environment['RUNNER_TEMP']);
  const files = reviewFiles(filesOf(preview), render);
  const destinations = [...files, jobSummary(render, environment), stepOutputs({ redact })];
  const path = journalOfJob(environment, { startedAt: run.startedAt, folder: folder.path });
  const times = { startedAt: run.startedAt, now: run.clock.now };
  const journal = new Journal({ context: render, path, token: secrets.githubToken, destinations, ...times });
  const progress = combineReporters(log.report, timeline.report, journal.count);
  run.signal.addEventListener('abort', () => journal.cancel());
  tell({ journal: path, temporary: folder.path });
  tellEnd(run.startedAt, preview.timeoutMinutes, run.clock);
  return {
    report: reporterFor(progress, { path: preview.progressFile, redact }),
    render,
    configure: ({ language, hears }) => {
      render.t = translatorFor(language) ?? inEnglish;
      render.hears = hears;
    },
    destinations,
    journal,
    temporaryFolder: folder.path,
    runUrl,
    close: async () => {
      log.end();
      await folder.remove();
    },
  };
}

function runUrlOf(environment: NodeJS.ProcessEnv): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: run } = environment;
  const isJob = server !== undefined && name !== undefined && run !== undefined;
  return isJob ? `${server}/${name}/actions/runs/${run}` : null;
}

type JobRenderContext = RenderContext & { t: Translator; hears: boolean };

function renderContext(
  environment: NodeJS.ProcessEnv,
  { redact, run, language }: Readonly<{ redact: Redactor; run: RenderContext['run'] & object; language: string }>,
): JobRenderContext {
  return {
    serverUrl: environment['GITHUB_SERVER_URL'] ?? 'https://github.com',
    repository: environment['GITHUB_REPOSITORY'] ?? null,
    redact,
    name: 'Postil',
    run,
    t: translatorFor(language) ?? inEnglish,
    hears: false,
  };
}
