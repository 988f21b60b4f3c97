import type { definitions } from './definitions.ts';
import { type FileSetting, fileSettings, type NamedFiles } from './files.ts';
import type { Definition } from './setting.ts';

type Definitions = typeof definitions;

/** What each setting reads as, by its name in camel case. */
export type SettingsAsRead = { readonly [K in keyof Definitions as Camel<K>]: ValueOf<Definitions[K]> };

/**
 * Everything that decides a review, apart from secrets. Printed, recorded, compared between runs. The type follows from the table; what the
 * profile decides is already applied.
 */
export type Settings = Omit<SettingsAsRead, 'verify'> & {
  readonly verify: boolean;
};

type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;

/** The name of a setting in camel case. */
export function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A number without a default is null until somebody sets it. */
type ValueOf<D extends Definition> = D extends { readonly read: (items: readonly string[]) => infer T }
  ? T
  : D extends { readonly choices: readonly (infer C)[] }
    ? C
    : D extends { readonly kind: 'integer' | 'number' }
      ? D extends { readonly default: string }
        ? number
        : number | null
      : OfKind[D['kind']];

type OfKind = {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  list: readonly string[];
  choice: string;
};

/** The files that a run with these settings writes. */
export function filesOf(settings: Settings): NamedFiles {
  const values = new Map<string, unknown>(Object.entries(settings));
  // Other jobs read these two.
  const writes: { readonly [name in FileSetting]?: Settings['mode'] } = {
    'review-file': 'review',
    'plan-file': 'plan',
  };
  const written = fileSettings.filter((name) => (writes[name] ?? settings.mode) === settings.mode);
  return Object.fromEntries(
    written.map((name) => [name, String(values.get(camel(name)))]).filter(([, path]) => path !== ''),
  );
}

/** Whether a job with this mode leaves it to another one to post, to fail for findings, and to write anything on GitHub. */
export function handsOver({ mode }: Pick<Settings, 'mode'>): boolean {
  return mode === 'review' || mode === 'plan';
}

/** The settings, and none names a file: paths are this machine's. */
export function withoutFiles(settings: Settings): Settings {
  return { ...settings, ...Object.fromEntries(fileSettings.map((name) => [camel(name), ''])) };
}

/** Kept apart from the settings, so that they are never printed or recorded with them. */
export type Secrets = {
  readonly githubToken: string;
  readonly apiKey: string;
  /** One key per line. */
  readonly stateKey: string;
};

/**
 * Milliseconds of the clock. At `soft` no new iteration starts and the last calls run; at `hard` everything stops, and the
 * rest of the time is for delivering, to other servers until `delivery` and to files until `end`. Soft is the timeout minus the larger of
 * 60 s and 15 %, or half of a very short one.
 */
export function deadlines(
  startedAt: number,
  timeoutMinutes: number,
): { readonly soft: number; readonly hard: number; readonly delivery: number; readonly end: number } {
  const whole = timeoutMinutes * 60_000;
  const end = startedAt + whole;
  const margin = Math.min(Math.max(60_000, whole * 0.15), whole / 2);
  return { soft: end - margin, hard: end - margin / 3, delivery: end - Math.min(5_000, margin / 10), end };
}
