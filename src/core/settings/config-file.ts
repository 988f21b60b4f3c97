import { isAlias, isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { isRecord } from '../bounded.ts';
import { UserError } from '../errors.ts';
import type { FileContent, Repository } from '../repository/repository.ts';
import { grouped } from '../text.ts';
import { definitions, settingNames } from './definitions.ts';
import { type Layer, readLayer, settingsError } from './parse-settings.ts';
import type { Definition } from './setting.ts';
import { ownConfigOf, seenAt, sharedConfigIn } from './shared-config.ts';

/**
 * The config files at the base commit, the nearer first: the repository's own, and the one that it shares with others. The pull request's own
 * version is only diff. A missing file is left out, but where somebody named it: then it is left out only when this change adds it.
 * @throws UserError when one is no YAML mapping, cannot be read as text, or was named and is missing.
 */
export async function readConfigFiles(
  repository: Repository,
  config: string,
  isNamed = false,
): Promise<readonly Layer[]> {
  const shared = sharedConfigIn(config);
  if (shared === null) return await readLayers(repository, { path: config, isNamed });
  const own = await readLayers(repository, { path: ownConfigOf(config), isNamed: false });
  return [...own, ...(await readShared(repository, seenAt(shared), config))];
}

async function readLayers(
  repository: Repository,
  { path, isNamed }: { path: string; isNamed: boolean },
): Promise<readonly Layer[]> {
  const content = await repository.readFile(path, 'base');
  if (!isMissing(content)) return [layerOf(content, path)];
  if (!isNamed || !isMissing(await repository.readFile(path, 'head'))) return [];
  throw new UserError(`The config file ${path} does not exist at the base commit.`, {
    hint: "Correct the path in 'config', or leave it out: without it .postil/config.yml is read where there is one.",
  });
}

async function readShared(repository: Repository, path: string, config: string): Promise<readonly Layer[]> {
  const content = await repository.readFile(path, 'base');
  if (!isMissing(content)) return [{ ...layerOf(content, config), isShared: true }];
  throw new UserError(`The config file ${config} does not exist.`, {
    hint: "Correct the path in 'config'. Only a job reads the configuration of another repository: on the command line leave it out.",
  });
}

function layerOf(content: FileContent, where: string): Layer {
  return { where, trusted: false, values: parseConfig(textOf(content, where), where) };
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
  if (isRecord(values)) return { ...yaml, values };
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
  const initial = definition.default === undefined ? {} : { default: defaultValue(kind, definition.default) };
  if (kind === 'list') {
    const item = pairs ? { type: ['string', 'object'], additionalProperties: { type: 'string' } } : { type: 'string' };
    return { description, type: ['array', 'string', ...(pairs ? ['object'] : [])], items: item, ...initial };
  }
  // A config file may write `true` with and without quotes.
  const words = choices?.flatMap((word) => (word === 'true' || word === 'false' ? [word, word === 'true'] : [word]));
  if (kind === 'choice') return { description, enum: words, ...initial };
  return { description, type: kind, ...limits, ...initial };
}

function defaultValue(kind: Definition['kind'], text: string): unknown {
  if (kind === 'list') return text.split('\n');
  if (kind === 'boolean') return text === 'true';
  return kind === 'integer' || kind === 'number' ? Number(text) : text;
}

/** What is wrong in a file of the repository, for the person who wrote it. */
export type Fault = {
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  /** A sentence without its full stop. */
  readonly text: string;
  /** Another one, with its full stop. */
  readonly hint?: string;
};

export type YamlText = {
  /** Undefined when there are faults. */
  readonly values: unknown;
  readonly faults: readonly Fault[];
  /** Where a key of the mapping stands; the first line for one that is not there. */
  readonly placeOf: (key: string) => Pick<Fault, 'line' | 'column'>;
};

/** Of the whole text. A configuration has hundreds. */
const maxCharacters = 65_536;

/** Reads YAML that people write by hand. `firstLine` is the line of the file that the text begins in. Never throws. */
export function readYaml(text: string, firstLine = 1): YamlText {
  const first = { line: firstLine, column: 1 };
  const refused = (fault: string) => ({ values: undefined, faults: [{ ...first, text: fault }], placeOf: () => first });
  if (text.length > maxCharacters) {
    return refused(`It has ${grouped(text.length)} characters; the maximum is ${grouped(maxCharacters)}`);
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent', lineCounter });
  // The parser goes down level by level, and tells in these words where its stack ended.
  if (document.errors.some(({ message }) => message.includes('call stack'))) return refused('It is nested too deeply');
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line) + firstLine - 1, column: Math.max(1, col) };
  };
  const faults: Fault[] = document.errors.map(({ message, code, pos: [offset] }) => ({
    ...at(code === 'MISSING_CHAR' ? (openQuote() ?? offset) : offset),
    ...withHint(message.trim()),
  }));
  if (faults.length === 0) faults.push(...unresolvedAliases());
  const values = faults.length === 0 ? toValue() : undefined;
  return { values, faults, placeOf: (key) => at(offsetOf(key)) };

  /** A quote that is never closed is found at the end of the file; it is looked for where it was opened. */
  function openQuote(): number | null {
    let opened: number | null = null;
    visit(document, {
      Scalar: (_key, node) => {
        if (node.type?.startsWith('QUOTE') && node.range) opened = node.range[0];
      },
    });
    return opened;
  }

  /** A glob without quotes begins like an alias of YAML. */
  function unresolvedAliases(): readonly Fault[] {
    const found: Fault[] = [];
    visit(document, {
      Alias: (_key, node) => {
        if (node.resolve(document) !== undefined) return;
        found.push({ ...at(node.range?.[0] ?? 0), ...withHint(`Unresolved alias *${node.source}`) });
      },
    });
    return found;
  }

  /** At most ten aliases: a bomb of nested ones is an error, not a full memory. */
  function toValue(): unknown {
    try {
      return document.toJS({ maxAliasCount: 10 });
    } catch (error) {
      faults.push({ ...at(0), text: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  }

  function offsetOf(key: string): number {
    const items = isMap(document.contents) ? document.contents.items : [];
    const pair = items.find(({ key: name }) => isScalar(name) && String(name.value) === key);
    return isScalar(pair?.key) || isAlias(pair?.key) ? (pair.key.range?.[0] ?? 0) : 0;
  }
}

/** `The text at line 2, column 4.` */
function faultText({ text, line, column, hint = '' }: Fault): string {
  return `${text} at line ${line}, column ${column}. ${hint}`.trim();
}

/** A sentence with a colon looks like a mapping. */
function withHint(text: string): Pick<Fault, 'text' | 'hint'> {
  const isLikely = /alias|nested mapping|scalar at node end/i.test(text);
  return isLikely ? { text, hint: 'Put an item that begins with `*` or holds a colon into quotes.' } : { text };
}
