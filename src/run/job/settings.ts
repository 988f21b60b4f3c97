import { changeOf, type JobEvent } from '../../adapters/actions/event.ts';
import { type Asked, settingsFor, verbOf } from '../../core/history/asked.ts';
import type { RunIdentity } from '../../core/history/memory.ts';
import { settingsDigest } from '../../core/history/scope.ts';
import { noteWithoutKeys } from '../../core/history/signed-marks.ts';
import { inEnglish } from '../../core/messages/languages.ts';
import { asideOf } from '../../core/review/left-out.ts';
import { namesConfig, readConfigFiles } from '../../core/settings/config-file.ts';
import { type Layer, parseSettings, settingsFirst } from '../../core/settings/parse-settings.ts';
import type { Settings } from '../../core/settings/settings.ts';
import { checkDenyPaths } from '../../core/tools/deny-paths.ts';
import type { OpenPullRequest } from '../open-pull-request.ts';
import type { Job } from './context.ts';
import { type HandedFiles, openHandedFiles, settingsOfShard } from './handover.ts';

/** What started a run. */
export type Trigger = {
  readonly event: JobEvent;
  /** The command of a comment; undefined where a push started the run. */
  readonly asked: Asked | undefined;
  /** How the pull request was found, where that is not plain. */
  readonly notes: readonly string[];
};

/** What a run is to do, by the inputs, the config file and the command. */
export type JobSettings = {
  readonly settings: Settings;
  /** The settings without what a command changes: the next review after a push is compared with these. */
  readonly usual: Settings;
  readonly identity: RunIdentity;
  readonly asked: Asked | undefined;
  /** True where a label or a text changed, and no code. */
  readonly isAside: boolean;
  /** Files that other jobs of the same run wrote. */
  readonly handed: HandedFiles;
  readonly notes: readonly string[];
};

/** Reads the config file at the base commit, and the files of other jobs. @throws UserError for settings that contradict each other */
export async function readJobSettings(job: Job, trigger: Trigger, open: OpenPullRequest): Promise<JobSettings> {
  const { inputs } = job;
  const { asked, event } = trigger;
  const { pullRequest, keys, code } = open;
  const files = await settingsFirst(inputs.layers, () =>
    readConfigFiles(code.repository, inputs.preview.config, namesConfig(inputs.layers)),
  );
  const layers = [...open.sharedLayers, ...inputs.layers];
  const usual = parseSettings(layers, files);
  const doubts = await checkDenyPaths(usual, code);
  const parsed = asked === undefined ? usual : parseSettings([commandLayer(asked, usual.settings), ...layers], files);
  const unsigned = noteWithoutKeys(keys, { ...parsed.settings, pullRequest });
  const handed = await openHandedFiles(parsed.settings, { keys, pullRequest, secrets: inputs.secrets });
  const identity: RunIdentity = {
    name: reviewerName(job, usual.settings),
    run: runId(job.environment),
    // The job that posts is known by the settings of the job that reviewed.
    settings: handed.file?.identity.settings ?? digestOf(usual.settings, inputs.secrets.apiKey),
  };
  const aside = asideOf(changeOf(event), { settings: parsed.settings, pullRequest, identity });
  // A commit that was reviewed already is not reviewed again because a label changed.
  const reviewed = aside.again.length === 0 ? parsed.settings : { ...parsed.settings, incremental: true };
  return {
    settings: settingsOfShard(reviewed, handed),
    usual: usual.settings,
    identity,
    asked,
    isAside: aside.isAside,
    handed,
    notes: [
      ...[...inputs.notes, ...trigger.notes, ...parsed.notes, ...doubts],
      ...[...open.notes, ...unsigned, ...aside.again.map(inEnglish)],
    ],
  };
}

/** The settings that a command stands for, which go before all others. */
function commandLayer(asked: Asked, usual: Settings): Layer {
  return { where: `command /postil ${verbOf(asked) ?? ''}`, trusted: true, values: settingsFor(asked, usual) };
}

function digestOf(settings: Settings, apiKey: string): string {
  // A job that plans has no key, and plans for jobs that have one.
  const hasKey = apiKey !== '' || settings.mode === 'plan';
  return settingsDigest(settings, { withModel: hasKey && settings.profile !== 'offline' });
}

/** Name under which this run comments. Before the config file was read it may be another one. */
export function reviewerName({ environment }: Job, settings: Settings): string {
  return settings.name || environment['GITHUB_WORKFLOW'] || 'Postil';
}

/** One attempt of one workflow run, such as `4711-1`. */
export function runId(environment: NodeJS.ProcessEnv): string {
  return `${environment['GITHUB_RUN_ID'] ?? '0'}-${environment['GITHUB_RUN_ATTEMPT'] ?? '1'}`;
}
