import { UserError } from '../errors.ts';
import { isFileKind } from '../pull-request/file-kinds.ts';
import { definitions, isSettingName, type SettingName, settingNames, wordsOf } from './definitions.ts';
import { baseUrlProblem, baseUrlWarning, readBody, readHeaders, readPathInstructions, readQuery } from './formats.ts';
import { costProblem, largestOutput } from './problems.ts';
import { type Definition, nearest, readValue, type SettingValue, severities } from './setting.ts';
import { parsePricing, profileNames, profiles, type Settings } from './settings.ts';

type ParsedSettings = {
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

/** Limits are never raised by the file. The profile's iterations are a limit too. */
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
  const read = readValue(definitions[name], definitions[name].default);
  return read.ok ? read.value : null;
}

/** Settings from one place, as written there. `where` names the place for a person, such as `input` or `.postil/config.yml`. */
export type Layer = {
  readonly where: string;
  readonly trusted: boolean;
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
  if (!read.ok) return `${layer.where}: '${name}' is ${shortened(written)}; allowed: ${read.allowed}.`;
  if (read.value === null) return null;
  const allowed = definition.problem?.([read.value].flat().map(String)) ?? null;
  // The value may be a secret.
  if (allowed !== null) return `${layer.where}: '${name}' cannot be read; allowed: ${allowed}.`;
  values.set(name, read.value);
  return null;
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

/** The typed settings of merged values. The values were checked against their definitions before. */
function toSettings(values: ReadonlyMap<SettingName, SettingValue>): Settings {
  const text = (name: SettingName) => String(values.get(name) ?? '');
  const number = (name: SettingName) => Number(values.get(name));
  const optional = (name: SettingName) => (typeof values.get(name) === 'number' ? number(name) : null);
  const flag = (name: SettingName) => values.get(name) === true;
  const list = (name: SettingName) => {
    const value = values.get(name);
    return Array.isArray(value) ? value.map(String) : [];
  };
  const profile = choice(text('profile'), profileNames);
  const { maxIterations, verify, passes } = profiles[profile];
  return {
    model: text('model'),
    baseUrl: text('base-url').replace(/\/+$/, ''),
    api: choice(text('api'), ['auto', 'responses', 'chat']),
    profile,
    maxIterations: number('max-iterations') || maxIterations,
    maxTokens: optional('max-tokens'),
    maxTotalTokens: number('max-total-tokens'),
    timeoutMinutes: number('timeout-minutes'),
    temperature: optional('temperature'),
    reasoningEffort: text('reasoning-effort'),
    maxCost: optional('max-cost'),
    pricing: parsePricing(list('pricing')).pricing,
    stream: flag('stream'),
    verify: text('verify') === 'auto' ? verify : text('verify') === 'true',
    verifyModel: text('verify-model'),
    passes: number('passes') || passes,
    reflect: flag('reflect'),
    allowFollowUp: flag('allow-follow-up'),
    maxFollowUpTokens: number('max-follow-up-tokens'),
    extraHeaders: readHeaders(list('extra-headers')),
    extraQuery: readQuery(list('extra-query')),
    extraBody: readBody(text('extra-body')),
    concurrency: number('concurrency'),
    filesPerBatch: number('files-per-batch'),
    include: list('include'),
    exclude: list('exclude'),
    skipKinds: wordsOf(list('skip-kinds')).filter(isFileKind),
    skipAuthors: list('skip-authors'),
    reviewDrafts: flag('review-drafts'),
    minSeverity: choice(text('min-severity'), severities),
    minConfidence: number('min-confidence'),
    maxComments: number('max-comments'),
    failOn: choice(text('fail-on'), ['never', ...severities]),
    requireComplete: flag('require-complete'),
    reviewEvent: choice(text('review-event'), ['comment', 'request-changes', 'approve']),
    name: text('name'),
    mode: choice(text('mode'), ['review-and-post', 'review', 'post']),
    reviewFile: text('review-file'),
    comments: flag('comments'),
    annotations: flag('annotations'),
    checkRun: flag('check-run'),
    stickyComment: flag('sticky-comment'),
    incremental: flag('incremental'),
    dryRun: flag('dry-run'),
    language: text('language'),
    guidance: list('guidance'),
    pathInstructions: readPathInstructions(list('path-instructions')),
    memory: flag('memory'),
    knowledge: list('knowledge'),
    vision: flag('vision'),
    imageDetail: choice(text('image-detail'), ['low', 'high']),
    embeddingsModel: text('embeddings-model'),
    denyPaths: list('deny-paths'),
    reportFile: text('report-file'),
    sarifFile: text('sarif-file'),
    progressFile: text('progress-file'),
    transcriptFile: text('transcript-file'),
    pullRequest: optional('pull-request'),
    config: text('config'),
  };
}

function choice<const T extends string>(value: string, choices: readonly T[]): T {
  const found = choices.find((candidate) => candidate === value);
  if (found === undefined) throw new Error(`${value} was not checked against ${choices.join(', ')}`);
  return found;
}
