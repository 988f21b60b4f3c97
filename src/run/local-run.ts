import type { LocalSubject } from '../adapters/git/local-subject.ts';
import type { Reporter } from '../core/events.ts';
import type { Asked } from '../core/history/asked.ts';
import type { Destination } from '../core/review/sink.ts';
import type { Redactor } from '../core/secrets/redact.ts';
import type { Layer } from '../core/settings/parse-settings.ts';
import type { Settings } from '../core/settings/settings.ts';
import type { RunClock, Tokens } from './machine.ts';
import type { modelsFor } from './parts.ts';

/** What is on this machine, or a pull request on GitHub by its number or address. */
export type ReviewSubject = LocalSubject | { readonly kind: 'pull-request'; readonly named: string };

/** What a person wants reviewed, or asks about. */
export type LocalCommand = {
  readonly directory: string;
  readonly subject: ReviewSubject;
  /** Files, folders and globs of it, all where there are none. */
  readonly paths?: readonly string[];
  /** Configuration and rules are those of the work tree, instead of those at the base commit. */
  readonly trustConfig?: boolean;
  /** A question about the change; left out for a review. */
  readonly asked?: Asked;
};

/** What flags and variables say. */
export type LocalInputs = {
  /** Empty where there is none. */
  readonly apiKey: string;
  /** For a pull request on GitHub. */
  readonly tokens: Tokens;
  /** Flags, then variables. */
  readonly layers: readonly Layer[];
  /** The settings of the layers alone: the config file is read later. */
  readonly preview: Settings;
  readonly notes: readonly string[];
  /** Takes secrets out of a text. */
  readonly redact: Redactor;
};

/** Where a review on this machine reports. */
export type LocalOutput = {
  readonly report: Reporter;
  readonly destinations: readonly Destination[];
  readonly temporaryFolder: string;
};

/** A command line that has read its flags, and nothing of the repository. */
export type LocalRun = {
  readonly environment: NodeJS.ProcessEnv;
  readonly command: LocalCommand;
  readonly inputs: LocalInputs;
  readonly output: LocalOutput;
  readonly run: RunClock;
  /** Other models than those behind the endpoint. */
  readonly models?: typeof modelsFor;
};
