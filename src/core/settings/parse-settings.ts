import { UserError } from '../errors.ts';
import { baseUrlProblem, baseUrlWarning } from './base-url.ts';
import { costProblem } from './cost-problem.ts';
import type { Definition } from './definition.ts';
import { definitions, type SettingName, settingNames } from './definitions.ts';
import { type Layer, type ReadLayer, readLayer } from './layers.ts';
import { largestOutput } from './output-tokens.ts';
import { profiles } from './profiles.ts';
import { readValue, type SettingValue } from './read-value.ts';
import type { Settings } from './settings.ts';
import { toSettings } from './to-settings.ts';

export type ParsedSettings = {
  readonly settings: Settings;
  /** What a person should know, such as a limit that the config file wanted to raise. */
  readonly notes: readonly string[];
};

/**
 * Settings from inputs or flags, environment, config file, defaults: in this order. The file may lower a limit, never raise it.
 * @throws UserError that names all problems at once.
 */
export function parseSettings(trusted: readonly Layer[], file: Layer | null): ParsedSettings {
  const layers = trusted.map(readLayer);
  const fileLayer = file === null ? null : readLayer(file);
  const problems = [...layers, ...(fileLayer === null ? [] : [fileLayer])].flatMap((layer) => layer.problems);
  const merged = merge(layers, fileLayer);
  const urlProblem = baseUrlProblem(String(merged.values.get('base-url')));
  if (urlProblem !== null) problems.push(urlProblem);
  if (problems.length > 0) throw settingsError(problems);
  const settings = toSettings(merged.values);
  const unpriced = costProblem(settings);
  if (unpriced !== null) throw settingsError([unpriced]);
  return { settings, notes: [...merged.notes, ...baseUrlWarning(settings.baseUrl)] };
}

/**
 * Does what comes before the config file is read. When it fails and a setting is impossible, the setting is reported: it may be
 * the reason. Otherwise settings wait, so that those of the file are reported with them.
 */
export async function settingsFirst<T>(trusted: readonly Layer[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problems = trusted.flatMap((layer) => readLayer(layer).problems);
    throw problems.length === 0 ? error : settingsError(problems);
  }
}

/** What is needed before the config file can be read, from the trusted places alone. Problems are reported by `parseSettings`. */
export function previewSettings(trusted: readonly Layer[]): Settings {
  return toSettings(merge(trusted.map(readLayer), null).values);
}

export function settingsError(problems: readonly string[]): UserError {
  const message =
    problems.length === 1
      ? (problems[0] ?? '')
      : `The settings have ${problems.length} problems:\n${problems.map((problem) => `- ${problem}`).join('\n')}\n`;
  return new UserError(message, {
    hint: 'All settings and their allowed values: https://github.com/postil/postil/blob/v0/docs/inputs.md',
  });
}

type Merged = {
  readonly values: ReadonlyMap<SettingName, SettingValue>;
  readonly notes: readonly string[];
};

function merge(trusted: readonly ReadLayer[], file: ReadLayer | null): Merged {
  const values = new Map<SettingName, SettingValue>();
  const notes: string[] = [];
  for (const name of settingNames) {
    const from = [...trusted, ...(file === null ? [] : [file])].find((layer) => layer.values.has(name));
    values.set(name, from?.values.get(name) ?? defaultOf(name));
  }
  if (file !== null) notes.push(...keepLimits(values, { trusted, file }));
  return { values, notes };
}

/** FAILURES, security 3: limits are never raised by the file. The profile's iterations are a limit too. */
function keepLimits(
  values: Map<SettingName, SettingValue>,
  { trusted, file }: { trusted: readonly ReadLayer[]; file: ReadLayer },
): readonly string[] {
  const notes: string[] = [];
  for (const name of settingNames) {
    const wanted = file.values.get(name);
    const definition: Definition = definitions[name];
    if (!definition.limit || typeof wanted !== 'number') continue;
    const ceiling = trusted.find((layer) => layer.values.has(name))?.values.get(name) ?? ceilingOf(name);
    // A zero ceiling means "chosen by Postil": the profile keeps its own below.
    if (typeof ceiling !== 'number' || ceiling === 0) continue;
    values.set(name, Math.min(ceiling, wanted));
    if (wanted > ceiling)
      notes.push(
        `${file.layer.where}: '${name}' ${wanted} is above the limit ${ceiling} of the inputs; ${ceiling} holds.`,
      );
  }
  const first = (name: SettingName) =>
    trusted.find((layer) => layer.values.has(name))?.values.get(name) ?? defaultOf(name);
  for (const name of ['max-iterations', 'passes'] as const) {
    const ceiling = byProfile(name, { wanted: first(name), profile: first('profile') });
    if (byProfile(name, { wanted: values.get(name), profile: values.get('profile') }) <= ceiling) continue;
    values.set(name, ceiling);
    notes.push(`${file.layer.where}: more than ${ceiling} ${nouns[name]} need an input; ${ceiling} hold.`);
  }
  return notes;
}

const nouns = { 'max-iterations': 'iterations', passes: 'passes' } as const;

/** Zero is the number of the profile. */
function byProfile(
  name: keyof typeof nouns,
  { wanted, profile }: { readonly wanted: SettingValue | undefined; readonly profile: SettingValue | undefined },
): number {
  if (typeof wanted === 'number' && wanted > 0) return wanted;
  const chosen = Object.entries(profiles).find(([other]) => other === profile)?.[1];
  return chosen?.[name === 'passes' ? 'passes' : 'maxIterations'] ?? 0;
}

/** Without an input the file may lower what Postil would choose. */
function ceilingOf(name: SettingName): SettingValue {
  return name === 'max-tokens' ? largestOutput : defaultOf(name);
}

function defaultOf(name: SettingName): SettingValue {
  const read = readValue(definitions[name], definitions[name].default);
  return read.ok ? read.value : null;
}
