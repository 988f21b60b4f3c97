import type { CodeParts } from '../languages/code-parts.ts';
import { languageNamed } from '../languages/languages.ts';
import { lineScanner } from '../languages/scan-code.ts';
import type { Repository } from '../repository/repository.ts';
import { sharedFolder } from '../settings/shared-config.ts';
import { builtInRules } from './built-in-rules.ts';
import { type AddedRun, matchRun } from './match-lines.ts';
import { disabledRule, parseRule } from './parse-rule.ts';
import { patternOf } from './pattern.ts';
import { type Example, hasPattern, type Rule } from './rule.ts';

type LoadedRules = {
  readonly rules: readonly Rule[];
  /** What is wrong with rule files of the repository, one sentence each. */
  readonly problems: readonly string[];
};

export const rulesFolder = '.postil/rules/';
const sharedRules = `${sharedFolder}rules/`;
const maxFiles = 200;

/**
 * The built-in rules, and those of `.postil/rules/*.md` at the base commit: a pull request cannot change the rules that it is
 * reviewed by. A rule of the repository replaces the built-in or shared one with its id; `enabled: false` switches that one off.
 */
export async function loadRules(repository: Repository): Promise<LoadedRules> {
  const files = await readRuleFiles(repository);
  const rules = new Map(builtInRules.map((rule) => [rule.id, rule]));
  const problems = [...files.problems];
  const places = new Map<string, boolean>();
  for (const { path, text } of files.texts) {
    const disabled = disabledRule(text);
    if (disabled !== null) {
      if (!rules.delete(disabled)) problems.push(`The rule ${path} switches off ${disabled}, which does not exist.`);
      continue;
    }
    const parsed = parseRule({ path, text, origin: 'repository' });
    if (!parsed.ok) {
      problems.push(parsed.problem);
      continue;
    }
    const { rule } = parsed;
    const before = places.get(rule.id);
    places.set(rule.id, isSharedRule(path));
    if (before !== undefined && before === isSharedRule(path))
      problems.push(`Two rules have the id ${rule.id}; ${path} is used.`);
    problems.push(...checkExamples(rule).map((problem) => `In the rule ${path} ${problem}.`));
    rules.set(rule.id, rule);
  }
  return { rules: [...rules.values()], problems };
}

type RuleFiles = {
  readonly texts: readonly { readonly path: string; readonly text: string }[];
  readonly problems: readonly string[];
};

async function readRuleFiles(repository: Repository): Promise<RuleFiles> {
  const entries = await repository.listFiles('base');
  const found = entries.map((entry) => entry.path);
  const paths = [...found.filter(isSharedRule), ...found.filter(isRuleFile)];
  const misplaced = found.filter(isMisplaced);
  const contents = await Promise.all(
    paths.slice(0, maxFiles).map(async (path) => ({ path, content: await repository.readFile(path, 'base') })),
  );
  return {
    texts: contents.flatMap(({ path, content }) => (content.kind === 'text' ? [{ path, text: content.text }] : [])),
    problems: [
      ...contents
        .filter(({ content }) => content.kind !== 'text')
        .map(({ path }) => `The rule ${path} is ignored: it is not a text file.`),
      ...(paths.length > maxFiles ? [`Only the first ${maxFiles} of ${paths.length} rule files are used.`] : []),
      ...misplaced.slice(0, mostNamed).map(whyMisplaced),
      ...(misplaced.length > mostNamed ? [`${misplaced.length - mostNamed} more misplaced rules are ignored.`] : []),
    ],
  };
}

const mostNamed = 5;

function whyMisplaced(path: string): string {
  return `The rule ${path} is ignored: rules are files directly in ${folderOf(path)} with names that end in .md, in lower case.`;
}

function folderOf(path: string): string {
  return path.startsWith(sharedRules) ? sharedRules : rulesFolder;
}

/** Looks like a rule to a person. */
function isMisplaced(path: string): boolean {
  return path.startsWith(folderOf(path)) && /\.(md|markdown)$/i.test(path) && !isRuleFile(path) && !isSharedRule(path);
}

export function isRuleFile(path: string): boolean {
  return isDirectlyIn(rulesFolder, path);
}

/** One that lies beside a config file which many repositories share. */
function isSharedRule(path: string): boolean {
  return isDirectlyIn(sharedRules, path);
}

function isDirectlyIn(folder: string, path: string): boolean {
  return path.startsWith(folder) && path.endsWith('.md') && !path.slice(folder.length).includes('/');
}

/** What a rule's own examples say against it: bad ones that it misses, good ones that it finds. */
export function checkExamples(rule: Rule): readonly string[] {
  return exampleFaults(rule).map(({ text }) => text);
}

type ExampleFault = { readonly text: string; readonly example: Example };

export function exampleFaults(rule: Rule): readonly ExampleFault[] {
  if (!hasPattern(rule)) return [];
  const find = patternOf(rule);
  const isFound = (example: Example) => matchRun(runOf(example), { rule, find }, partsOf(example, rule)).length > 0;
  return [
    ...rule.bad
      .filter((example) => !isFound(example))
      .map((example) => ({ text: `the pattern misses the bad example ${quoted(example)}`, example })),
    ...rule.good
      .filter(isFound)
      .map((example) => ({ text: `the pattern matches the good example ${quoted(example)}`, example })),
  ];
}

function runOf({ text }: Example): AddedRun {
  const lines = text.split('\n');
  return { lines, indexes: lines.map((_line, index) => index), line: 1 };
}

/** An example is a file of the language that its block names, else of the rule's first. */
function partsOf({ text, language }: Example, { languages }: Rule): CodeParts | null {
  const syntax = languageNamed(language ?? languages[0] ?? '')?.syntax;
  if (syntax === undefined) return null;
  const spans = text.split('\n').map(lineScanner(syntax).scan);
  return (line) => spans[line - 1] ?? [];
}

function quoted({ text }: Example): string {
  return JSON.stringify(text.trim());
}

/** What `postil rules` prints: a line a rule, and what is wrong with those of the folder. `oneLine` makes their words harmless. */
export function describeRules({ rules, problems }: LoadedRules, oneLine: (text: string) => string): string {
  const width = Math.max(...rules.map(({ id }) => id.length));
  const lines = rules.map(
    (rule) => `${rule.id.padEnd(width)}  ${rule.severity.padEnd(8)}  ${kindOf(rule)}  ${oneLine(rule.title)}`,
  );
  const examples = rules.reduce((sum, { good, bad }) => sum + good.length + bad.length, 0);
  const result =
    problems.length === 0
      ? `${examples} examples hold.`
      : problems.map((problem) => `Problem: ${oneLine(problem)}`).join('\n');
  return `${lines.join('\n')}\n\n${rules.length} rules.${problems.length === 0 ? ' ' : '\n'}${result}\n`;
}

function kindOf(rule: Rule): string {
  return `${rule.origin === 'repository' ? 'yours   ' : 'built-in'}  ${hasPattern(rule) ? 'pattern ' : 'guidance'}`;
}
