import { pageName } from '../addresses.ts';
import { UserError } from '../errors.ts';
import { definitions, isSettingName, profiles, type SettingName, settingNames } from './definitions.ts';
import { baseUrlProblem, baseUrlWarning } from './formats.ts';
import { costProblem, largestOutput } from './problems.ts';
import { type Definition, nearest, readValue, type SettingValue } from './setting.ts';
import { camel, type Settings, type SettingsAsRead } from './settings.ts';

export type ParsedSettings = {
  readonly settings: Settings;
  /** Where the value of a setting comes from; null where it is the default. */
  readonly layerOf: (name: SettingName) => Layer | null;
  /** What a person should know, such as a limit that the config file wanted to raise. */
  readonly notes: readonly string[];
};

/**
 * Settings from inputs or flags, environment, config files, defaults: in this order. A file may lower a limit, never raise it.
 * @throws UserError that names all problems at once.
 */
export function parseSettings(trusted: readonly Layer[], files: readonly Layer[] = []): ParsedSettings {
  const [layers, fileLayers] = [trusted.map(readLayer), files.map(readLayer)];
  const problems = [...layers, ...fileLayers].flatMap((layer) => layer.problems);
  const merged = merge(layers, fileLayers);
  const urlProblem = baseUrlProblem(String(merged.values.get('base-url')));
  if (urlProblem !== null) problems.push(urlProblem);
  if (problems.length > 0) throw settingsError(problems);
  const settings = toSettings(merged.values);
  const unpriced = costProblem(settings);
  if (unpriced !== null) throw settingsError([unpriced]);
  const layerOf = (name: SettingName) => findLayer([...layers, ...fileLayers], name)?.layer ?? null;
  return { settings, layerOf, notes: [...merged.notes, ...baseUrlWarning(settings.baseUrl)] };
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
  return toSettings(merge(trusted.map(readLayer), []).values);
}

export function settingsError(problems: readonly string[]): UserError {
  const message =
    problems.length === 1
      ? (problems[0] ?? '')
      : `The settings have ${problems.length} problems:\n${problems.map((problem) => `- ${problem}`).join('\n')}\n`;
  return new UserError(message, {
    hint: `All settings and their allowed values: ${pageName('inputs.md')}`,
  });
}

function merge(trusted: readonly ReadLayer[], files: readonly ReadLayer[]) {
  const values = new Map<SettingName, SettingValue>();
  for (const name of settingNames) values.set(name, firstOf([...trusted, ...files], name) ?? defaultOf(name));
  return { values, notes: files.length === 0 ? [] : keepLimits(values, { trusted, files }) };
}

/** What the first of the layers that names a setting says of it. */
function firstOf(layers: readonly ReadLayer[], name: SettingName): SettingValue | undefined {
  return findLayer(layers, name)?.values.get(name);
}

function findLayer(layers: readonly ReadLayer[], name: SettingName): ReadLayer | undefined {
  return layers.find((layer) => layer.values.has(name));
}

/** Limits are never raised by a file: neither above the inputs, nor above what the shared file lowers. The profile's iterations are a limit too. */
function keepLimits(
  values: Map<SettingName, SettingValue>,
  { trusted, files }: { trusted: readonly ReadLayer[]; files: readonly ReadLayer[] },
): readonly string[] {
  const notes: string[] = [];
  for (const name of settingNames) {
    const definition: Definition = definitions[name];
    const asking = definition.limit ? files.filter((file) => typeof file.values.get(name) === 'number') : [];
    if (asking.length === 0) continue;
    const given = firstOf(trusted, name) ?? ceilingOf(name);
    const limits = [
      { of: 'the inputs', number: given },
      ...asking.map((file) => ({ of: file.layer.where, number: file.values.get(name) })),
    ];
    // Zero means "chosen by Postil": the profile keeps its own below.
    const [lowest] = limits.flatMap(numbered).toSorted((one, other) => one.number - other.number);
    if (lowest === undefined) continue;
    values.set(name, lowest.number);
    for (const file of asking) {
      const wanted = Number(file.values.get(name));
      if (wanted > lowest.number)
        notes.push(
          `${file.layer.where}: '${name}' ${wanted} is above the limit of ${lowest.of}; using ${lowest.number}.`,
        );
    }
  }
  const first = (name: SettingName) => firstOf(trusted, name) ?? defaultOf(name);
  for (const name of ['max-iterations', 'passes'] as const) {
    const ceiling = byProfile(name, { wanted: first(name), profile: first('profile') });
    if (byProfile(name, { wanted: values.get(name), profile: values.get('profile') }) <= ceiling) continue;
    values.set(name, ceiling);
    const where = files.map(({ layer }) => layer.where).join(', ');
    notes.push(`${where}: more than ${ceiling} ${nouns[name]} must be set by an input; using ${ceiling}.`);
  }
  return notes;
}

function numbered({ of, number }: { of: string; number: SettingValue | undefined }) {
  return typeof number === 'number' && number > 0 ? [{ of, number }] : [];
}

const nouns = { 'max-iterations': 'iterations', passes: 'passes' } as const;

/** Zero is the number of the profile. */
function byProfile(
  name: keyof typeof nouns,
  { wanted, profile }: { wanted: SettingValue | undefined; profile: SettingValue | undefined },
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
  const definition: Definition = definitions[name];
  const read = readValue(definition, definition.default);
  return read.ok ? read.value : null;
}

/** Settings from one place, as written there. `where` names the place for a person, such as `input` or `.postil/config.yml`; `flag` on the command line. */
export type Layer = {
  readonly where: string;
  readonly trusted: boolean;
  /** A file of another repository, which fits many. */
  readonly isShared?: true;
  readonly values: { readonly [name: string]: unknown };
};

type ReadLayer = {
  readonly layer: Layer;
  readonly values: ReadonlyMap<SettingName, SettingValue>;
  readonly problems: readonly string[];
};

/** Reads every value of a layer; each problem names the key, the value, what is allowed, and the nearest key. */
export function readLayer(layer: Layer): ReadLayer {
  const values = new Map<SettingName, SettingValue>();
  const problems: string[] = [];
  for (const [name, written] of Object.entries(layer.values)) {
    const problem = isSettingName(name) ? readInto(values, { layer, name, written }) : unknownKey(layer, name);
    if (problem !== null) problems.push(problem);
  }
  return { layer, values, problems };
}

function readInto(
  values: Map<SettingName, SettingValue>,
  { layer, name, written }: { layer: Layer; name: SettingName; written: unknown },
): string | null {
  const definition: Definition = definitions[name];
  if (definition.locked && !layer.trusted) {
    return `${layer.where}: '${name}' may be set by an input, a flag or the environment only, not by a file of the repository.`;
  }
  const read = readValue(definition, written);
  if (!read.ok) return `${placed(layer, name)} is ${shortened(written)}; allowed: ${read.allowed}.`;
  if (read.value === null) return null;
  const allowed = definition.problem?.([read.value].flat().map(String)) ?? null;
  // The value may be a secret.
  if (allowed !== null) return `${placed(layer, name)} cannot be read; allowed: ${allowed}.`;
  values.set(name, read.value);
  return null;
}

/** A setting as the person wrote it who set it there. */
export function placed({ where }: Layer, name: string): string {
  return where === 'flag' ? `'--${name}'` : `${where}: '${name}'`;
}

/** A value as it was written, at most 200 characters of it. */
function shortened(written: unknown): string {
  const text = JSON.stringify(written) ?? '';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

const secrets = ['api-key', 'state-key', 'github-token'];

function unknownKey(layer: Layer, name: string): string {
  if (secrets.includes(name)) return `${layer.where}: '${name}' is a secret, which no file of the repository may hold.`;
  const guess = nearest(name, settingNames);
  return `${layer.where}: '${name}' is not a setting${guess === null ? '' : `; did you mean '${guess}'?`}`;
}

/** The typed settings of merged values, which were checked against their definitions before. */
function toSettings(values: ReadonlyMap<SettingName, SettingValue>): Settings {
  const read = Object.fromEntries(settingNames.map((name) => [camel(name), settingOf(name, values.get(name) ?? null)]));
  if (!isWhole(read)) throw new Error('A setting of the table is missing.');
  const { maxIterations, verify, passes, filesPerBatch } = profiles[read.profile];
  return {
    ...read,
    maxIterations: read.maxIterations || maxIterations,
    passes: read.passes || passes,
    filesPerBatch: read.filesPerBatch || filesPerBatch,
    verify: read.verify === 'auto' ? verify : read.verify === 'true',
  };
}

function settingOf(name: SettingName, value: SettingValue): unknown {
  const { kind, read }: Definition = definitions[name];
  const items = [value ?? []].flat().map(String);
  if (read !== undefined) return read(items);
  if (kind === 'list') return items;
  return kind === 'string' ? (value ?? '') : value;
}

function isWhole(read: object): read is SettingsAsRead {
  return settingNames.every((name) => Object.hasOwn(read, camel(name)));
}

/** The settings that decide what is found, by name: all but those that say of themselves that they do not. */
export function findingSettings(settings: Settings): readonly (readonly [string, unknown])[] {
  const values = new Map(Object.entries(settings));
  const finding = settingNames.filter((name) => !('keepsFindings' in definitions[name]));
  return finding.map((name) => [name, values.get(camel(name))]);
}
