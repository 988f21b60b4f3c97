import type { Heading, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { RE2JSException } from 're2js';
import { languageNamed, unknownLanguage } from '../languages/languages.ts';
import { skippable } from '../languages/scan-code.ts';
import { globProblem } from '../repository/path.ts';
import { type Infer, parserFor } from '../schema.ts';
import { secretGroups } from '../secrets/kinds.ts';
import { minHidden } from '../secrets/redact.ts';
import { type Fault, readYaml, type YamlText } from '../settings/config-file.ts';
import { categories, nearest, severities } from '../settings/setting.ts';
import { compile } from './pattern.ts';
import type { Example, Rule } from './rule.ts';

type ParsedRule =
  | { readonly ok: true; readonly rule: Rule }
  /** The problem is one sentence for the person who wrote the file; it names the file and each fault. */
  | { readonly ok: false; readonly problem: string; readonly faults: readonly Fault[] };

const maxCharacters = 65_536;
const maxPatternCharacters = 2_000;
const defaultFindings = 10;
const defaultLength = minHidden;

const frontMatterSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'title', 'severity', 'category'],
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    severity: { enum: severities },
    category: { enum: categories },
    paths: { type: 'array', items: { type: 'string' } },
    languages: { type: 'array', items: { type: 'string' } },
    pattern: { type: 'string' },
    secrets: { enum: secretGroups },
    'multi-line': { type: 'boolean' },
    skip: { type: 'array', items: { enum: skippable } },
    entropy: { type: 'number', minimum: 0, maximum: 8 },
    'min-length': { type: 'integer', minimum: minHidden, maximum: 1_000 },
    'once-per-file': { type: 'boolean' },
    'max-findings': { type: 'integer', minimum: 1, maximum: 100 },
    enabled: { type: 'boolean' },
  },
} as const;

type RuleFields = Infer<typeof frontMatterSchema>;

/** The fields of the front matter. */
export const ruleFields: readonly string[] = Object.keys(frontMatterSchema.properties);

const parseFrontMatter = parserFor(frontMatterSchema);

/** Reads a rule file: YAML front matter, guidance in Markdown, examples below `## Good` and `## Bad`. Never throws. */
export function parseRule(file: { path: string; text: string; origin: Rule['origin'] }): ParsedRule {
  const refuse = (faults: readonly Fault[]): ParsedRule => ({
    ok: false,
    problem: `The rule ${file.path} is ignored: ${faults.map(({ text }) => text).join('; ')}.`,
    faults,
  });
  if (file.text.length > maxCharacters)
    return refuse([{ line: 1, column: 1, text: `it has more than ${maxCharacters} characters` }]);
  const front = splitFrontMatter(file.text);
  if (!front.ok) return refuse(front.faults);
  const { values, placeOf } = front;
  const unknown = Object.keys(values).filter((key) => !ruleFields.includes(key));
  const parsed = parseFrontMatter(
    Object.fromEntries(Object.entries(values).filter(([key]) => ruleFields.includes(key))),
  );
  const problems: readonly Problem[] = [
    ...unknown.map((key) => [key, unknownKey(key)] as const),
    ...(parsed.ok ? [] : parsed.problems.map((problem) => [/^[\w-]+/.exec(problem)?.[0] ?? '', problem] as const)),
    ...problemsOf(values),
  ];
  if (!parsed.ok || problems.length > 0) return refuse(problems.map(([key, text]) => ({ ...placeOf(key), text })));
  return { ok: true, rule: ruleOf(parsed.value, { body: front.body, origin: file.origin }) };
}

/** The id of the rule that a file switches off with `enabled: false`; null when it does not. */
export function disabledRule(text: string): string | null {
  const front = splitFrontMatter(text);
  if (!front.ok) return null;
  const id = front.values['id'];
  return front.values['enabled'] === false && typeof id === 'string' ? id : null;
}

function ruleOf(values: RuleFields, { body, origin }: { body: string; origin: Rule['origin'] }): Rule {
  const { id, title, severity, category, paths = [], languages = [] } = values;
  const { pattern = null, secrets = null, skip = [], entropy = null } = values;
  const multiLine = values['multi-line'] ?? false;
  const { guidance, good, bad } = readBody(body);
  const examples = (blocks: readonly ExampleBlock[]) => blocks.flatMap((block) => examplesOf(block, multiLine));
  return {
    ...{ id, title, severity, category, paths },
    languages: languages.flatMap((name) => languageNamed(name)?.name ?? []),
    ...{ pattern, secrets, multiLine, skip, entropy },
    oncePerFile: values['once-per-file'] ?? false,
    minLength: values['min-length'] ?? defaultLength,
    maxFindings: values['max-findings'] ?? defaultFindings,
    ...{ guidance, good: examples(good), bad: examples(bad), origin },
  };
}

function examplesOf({ text, language }: ExampleBlock, multiLine: boolean): readonly Example[] {
  const texts = multiLine ? [text] : text.split('\n');
  return texts.filter((one) => one.trim() !== '').map((one) => ({ text: one, language }));
}

function unknownKey(key: string): string {
  const meant = nearest(key, ruleFields);
  return `unknown key ${JSON.stringify(key)}; ${meant === null ? `allowed are ${ruleFields.join(', ')}` : `did you mean ${meant}?`}`;
}

const ofPatterns = ['multi-line', 'skip', 'entropy', 'min-length', 'once-per-file', 'max-findings'] as const;

/** The key that a problem is about, and the problem. */
type Problem = readonly [key: string, text: string];

/** What the schema does not say, of the values that are of the right type. */
function problemsOf(values: { readonly [key: string]: unknown }): readonly Problem[] {
  const { id, paths, languages, pattern, secrets } = values;
  const names = textsIn(languages);
  const unknown = names.filter((name) => languageNamed(name) === null);
  const idle =
    pattern === undefined && secrets === undefined ? ofPatterns.filter((key) => values[key] !== undefined) : [];
  const text = typeof pattern === 'string' ? patternProblem(pattern, values['multi-line'] === true) : null;
  const withoutEntropy = pattern !== undefined && values['min-length'] !== undefined && values['entropy'] === undefined;
  return [
    ...(typeof id === 'string' && !/^[a-z0-9][a-z0-9-]{0,63}$/.test(id)
      ? [['id', 'its id must be lower-case letters, digits and hyphens'] as const]
      : []),
    ...unknown.map((name) => ['languages', `unknown language ${unknownLanguage(name)}`] as const),
    ...textsIn(paths).flatMap((path) => pathProblem(path)),
    ...idle.map((key) => [key, `its ${key} needs a pattern`] as const),
    ...(withoutEntropy ? [['min-length', 'its min-length needs an entropy'] as const] : []),
    ...(text === null ? [] : [['pattern', text] as const]),
  ];
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** One that begins with `!` takes paths out again. */
function pathProblem(path: string): readonly Problem[] {
  const problem = globProblem(path.replace(/^!/, ''));
  return problem === null ? [] : [['paths', `its path ${JSON.stringify(path)} is not a glob: ${problem}`]];
}

function patternProblem(pattern: string, multiLine: boolean): string | null {
  if (pattern.length > maxPatternCharacters) return `its pattern has more than ${maxPatternCharacters} characters`;
  try {
    const matchesNothing = compile({ pattern, multiLine }).test('');
    return matchesNothing ? 'its pattern matches an empty line, so it would match everywhere' : null;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `its pattern is not RE2 syntax: ${error.message}`;
  }
}

type RuleBody = {
  /** The Markdown without the sections of examples. */
  readonly guidance: string;
  readonly good: readonly ExampleBlock[];
  readonly bad: readonly ExampleBlock[];
};

type ExampleBlock = {
  readonly text: string;
  /** The first word behind the opening fence; null without one. */
  readonly language: string | null;
};

/** Takes the examples out of a rule's body: the code blocks below `## Good` and `## Bad`. */
function readBody(markdown: string): RuleBody {
  const guidance: string[] = [];
  const examples = { good: [] as ExampleBlock[], bad: [] as ExampleBlock[] };
  let section: 'good' | 'bad' | null = null;
  let copied = 0;
  for (const node of topLevel(fromMarkdown(markdown))) {
    const start = node.position?.start.offset ?? 0;
    const end = node.position?.end.offset ?? start;
    if (node.type === 'heading') section = exampleSection(node);
    if (section === null) guidance.push(markdown.slice(copied, end));
    else if (node.type === 'code') examples[section].push({ text: node.value, language: node.lang ?? null });
    copied = end;
  }
  return { guidance: guidance.join('').trim(), ...examples };
}

function topLevel(root: Root): readonly RootContent[] {
  return root.children;
}

function exampleSection(heading: Heading): 'good' | 'bad' | null {
  const text = heading.children.map((child) => (child.type === 'text' ? child.value : '')).join('');
  const name = text.trim().toLowerCase();
  return name === 'good' || name === 'bad' ? name : null;
}

type FrontMatter =
  | {
      readonly ok: true;
      readonly values: { readonly [key: string]: unknown };
      readonly placeOf: YamlText['placeOf'];
      readonly body: string;
    }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** Splits a Markdown file into the YAML between its first two `---` lines and the text below. */
export function splitFrontMatter(text: string): FrontMatter {
  const parts = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  const yaml = parts?.[1];
  if (parts === null || yaml === undefined) return refused('it has no front matter between two --- lines');
  // It begins below the first `---`.
  const { values, faults, placeOf } = readYaml(yaml, 2);
  if (faults.length > 0)
    return {
      ok: false,
      faults: faults.map((fault) => ({ ...fault, text: `its front matter is not YAML: ${fault.text}` })),
    };
  if (!isMapping(values)) return refused('its front matter is not a list of `key: value`');
  return { ok: true, values, placeOf, body: text.slice(parts[0].length) };
}

function refused(text: string): FrontMatter {
  return { ok: false, faults: [{ line: 1, column: 1, text }] };
}

function isMapping(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
