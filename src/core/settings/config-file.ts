import { type Document, parseDocument } from 'yaml';
import { grouped } from '../grouped.ts';
import type { FileContent, Repository } from '../repository/repository.ts';
import type { Definition } from './definition.ts';
import { definitions, settingNames } from './definitions.ts';
import type { Layer } from './layers.ts';
import { settingsError } from './parse-settings.ts';

/**
 * The config file at the base commit: the pull request's own version is only diff. A missing file is null.
 * @throws UserError when it is no YAML mapping, or cannot be read as text.
 */
export async function readConfigFile(repository: Repository, path: string): Promise<Layer | null> {
  const content = await repository.readFile(path, 'base');
  if (content.kind === 'unreadable' && content.reason === 'missing') return null;
  return { where: path, trusted: false, values: parseConfig(textOf(content, path), path) };
}

function textOf(content: FileContent, path: string): string {
  if (content.kind === 'text') return content.text;
  const found = content.kind === 'symlink' ? 'a symbolic link' : content.reason;
  throw settingsError([`${path}: cannot be read as text at the base commit (${found}).`]);
}

// One slip makes many errors, and the first tells.
const maxProblems = 5;
/** Of the whole file. A configuration has hundreds. */
const maxCharacters = 65_536;

function parseConfig(text: string, path: string): { readonly [name: string]: unknown } {
  if (text.length > maxCharacters) {
    throw settingsError([
      `${path}: has ${grouped(text.length)} characters; at most ${grouped(maxCharacters)} are read.`,
    ]);
  }
  const document = parseDocument(text, { prettyErrors: true, logLevel: 'silent' });
  // The parser goes down level by level, and tells in these words where its stack ended.
  if (document.errors.some(({ message }) => message.includes('call stack'))) {
    throw settingsError([`${path}: is nested too deep to be read.`]);
  }
  if (document.errors.length > 0)
    throw settingsError(
      document.errors.slice(0, maxProblems).map((error) => `${path}: ${error.message.trim()}${hintFor(error.message)}`),
    );
  const value = toValue(document, path);
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw settingsError([`${path}: must be a mapping of settings, such as \`max-comments: 10\`.`]);
  }
  return Object.fromEntries(Object.entries(value));
}

/** At most ten aliases: a bomb of nested ones is an error, not a full memory. */
function toValue(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 10 });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw settingsError([`${path}: ${message}.${hintFor(message)}`]);
  }
}

/** A glob begins like an alias of YAML, and a sentence with a colon looks like a mapping. */
function hintFor(message: string): string {
  const isLikely = /alias|nested mapping|scalar at node end/i.test(message);
  return isLikely ? '\nPut an item that begins with `*` or holds a colon into quotes.' : '';
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
