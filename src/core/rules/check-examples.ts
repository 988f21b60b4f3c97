import type { AddedRun } from './added-runs.ts';
import type { CodeParts } from './code-parts.ts';
import { languageNamed } from './language.ts';
import { matchRun } from './match-run.ts';
import { patternOf } from './pattern.ts';
import { type Example, hasPattern, type Rule } from './rule.ts';
import { lineScanner } from './scan-lines.ts';

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
