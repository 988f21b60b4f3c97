import type { Definition } from './definition.ts';
import { definitions, isSettingName, type SettingName, settingNames } from './definitions.ts';
import { nearest } from './nearest.ts';
import { readValue, type SettingValue } from './read-value.ts';

/** Settings from one place, as written there. `where` names the place for a person, such as `input` or `.postil/config.yml`. */
export type Layer = {
  readonly where: string;
  readonly trusted: boolean;
  readonly values: { readonly [name: string]: unknown };
};

export type ReadLayer = {
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
