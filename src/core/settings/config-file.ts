import { UserError } from '../errors.ts';
import type { FileContent, Repository } from '../repository/repository.ts';
import type { Definition } from './definition.ts';
import { definitions, settingNames } from './definitions.ts';
import { type Layer, readLayer } from './layers.ts';
import { settingsError } from './parse-settings.ts';
import { type Fault, faultText, readYaml, type YamlText } from './yaml-text.ts';

/**
 * The config file at the base commit: the pull request's own version is only diff. A missing file is null, but where somebody named it: then
 * it is null only when this change adds it.
 * @throws UserError when it is no YAML mapping, cannot be read as text, or was named and is missing.
 */
export async function readConfigFile(repository: Repository, path: string, named = false): Promise<Layer | null> {
  const content = await repository.readFile(path, 'base');
  if (isMissing(content)) {
    if (!named || !isMissing(await repository.readFile(path, 'head'))) return null;
    throw new UserError(`The config file ${path} does not exist at the base commit.`, {
      hint: "Correct the path in 'config', or leave it out: without it .postil/config.yml is read where there is one.",
    });
  }
  return { where: path, trusted: false, values: parseConfig(textOf(content, path), path) };
}

function isMissing(content: FileContent): boolean {
  return content.kind === 'unreadable' && content.reason === 'missing';
}

/** Whether somebody named the config file, be it by its usual path. */
export function namesConfig(trusted: readonly Layer[]): boolean {
  return trusted.some(({ values }) => typeof values['config'] === 'string' && values['config'].trim() !== '');
}

function textOf(content: FileContent, path: string): string {
  if (content.kind === 'text') return content.text;
  const found = content.kind === 'symlink' ? 'a symbolic link' : content.reason;
  throw settingsError([`${path}: cannot be read as text at the base commit (${found}).`]);
}

// One slip makes many errors, and the first tells.
const maxProblems = 5;

function parseConfig(text: string, path: string): { readonly [name: string]: unknown } {
  const { values, faults } = readMapping(text);
  if (faults.length === 0) return values;
  throw settingsError(faults.slice(0, maxProblems).map((fault) => `${path}: ${faultText(fault)}`));
}

function readMapping(text: string): YamlText & { readonly values: { readonly [name: string]: unknown } } {
  const yaml = readYaml(text);
  const { values = null, faults } = yaml;
  if (values === null) return { ...yaml, values: {} };
  if (typeof values === 'object' && !Array.isArray(values)) return { ...yaml, values: { ...values } };
  const fault = { line: 1, column: 1, text: 'It must be a mapping of settings, such as `max-comments: 10`' };
  return { ...yaml, values: {}, faults: [...faults, fault] };
}

/** What keeps a text from being the config file, each where it stands: every run fails with such a file at the base. */
export function configFaults(text: string): readonly Fault[] {
  const { values, faults, placeOf } = readMapping(text);
  const where = 'config file';
  const ofValues = Object.entries(values).flatMap(([name, value]) =>
    readLayer({ where, trusted: false, values: { [name]: value } }).problems.map((problem) => ({
      ...placeOf(name),
      text: problem.replace(`${where}: `, '').replace(/\.$/, ''),
    })),
  );
  return [...faults, ...ofValues];
}

/** The JSON Schema of the config file, published as `config.schema.json` so that editors complete it. */
export function configFileSchema(): { readonly [key: string]: unknown } {
  const allowed = settingNames.filter((name) => !('locked' in definitions[name]));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Postil configuration (.postil/config.yml)',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(allowed.map((name) => [name, propertySchema(definitions[name])])),
  };
}

function propertySchema(definition: Definition): { readonly [key: string]: unknown } {
  const { kind, description, choices, minimum, maximum, pairs } = definition;
  const limits = { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
  const initial = definition.default === '' ? {} : { default: defaultValue(definition) };
  if (kind === 'list') {
    const item = pairs ? { type: ['string', 'object'], additionalProperties: { type: 'string' } } : { type: 'string' };
    return { description, type: ['array', 'string', ...(pairs ? ['object'] : [])], items: item, ...initial };
  }
  if (kind === 'choice') return { description, enum: choices, ...initial };
  return { description, type: kind, ...limits, ...initial };
}

function defaultValue(definition: Definition): unknown {
  if (definition.kind === 'list') return definition.default.split('\n');
  if (definition.kind === 'boolean') return definition.default === 'true';
  return definition.kind === 'integer' || definition.kind === 'number'
    ? Number(definition.default)
    : definition.default;
}
