import { RE2JS, RE2JSException } from 're2js';
import { categories } from '../findings/finding.ts';
import { parserFor } from '../schema.ts';
import { nearest } from '../settings/nearest.ts';
import { severities } from '../settings/severity.ts';
import { splitFrontMatter } from './front-matter.ts';
import type { Rule } from './rule.ts';
import { readBody } from './rule-body.ts';

export type RuleFile = { readonly path: string; readonly text: string; readonly origin: Rule['origin'] };

export type ParsedRule =
  | { readonly ok: true; readonly rule: Rule }
  /** One sentence for the person who wrote the file; it names the file. */
  | { readonly ok: false; readonly problem: string };

const maxCharacters = 65_536;
const maxPatternCharacters = 2_000;

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
    pattern: { type: 'string' },
    enabled: { type: 'boolean' },
  },
} as const;

const keys = Object.keys(frontMatterSchema.properties);
const parseFrontMatter = parserFor(frontMatterSchema);

/** Reads a rule file: YAML front matter, guidance in Markdown, examples below `## Good` and `## Bad`. Never throws. */
export function parseRule(file: RuleFile): ParsedRule {
  const refuse = (problem: string): ParsedRule => ({
    ok: false,
    problem: `The rule ${file.path} is ignored: ${problem}.`,
  });
  if (file.text.length > maxCharacters) return refuse(`it has more than ${maxCharacters} characters`);
  const front = splitFrontMatter(file.text);
  if (!front.ok) return refuse(front.problem);
  const unknown = Object.keys(front.values).find((key) => !keys.includes(key));
  if (unknown !== undefined) return refuse(unknownKey(unknown));
  const parsed = parseFrontMatter(front.values);
  if (!parsed.ok) return refuse(parsed.problems.join('; '));
  const { id, title, severity, category, paths = [], pattern = null } = parsed.value;
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(id)) return refuse('its id must be lower-case letters, digits and hyphens');
  const problem = pattern === null ? null : patternProblem(pattern);
  if (problem !== null) return refuse(problem);
  return {
    ok: true,
    rule: { id, title, severity, category, paths, pattern, ...readBody(front.body), origin: file.origin },
  };
}

/** The id of the rule that a file switches off with `enabled: false`; null when it does not. */
export function disabledRule(text: string): string | null {
  const front = splitFrontMatter(text);
  if (!front.ok) return null;
  const id = front.values['id'];
  return front.values['enabled'] === false && typeof id === 'string' ? id : null;
}

function unknownKey(key: string): string {
  const meant = nearest(key, keys);
  return `unknown key ${JSON.stringify(key)}; ${meant === null ? `allowed are ${keys.join(', ')}` : `did you mean ${meant}?`}`;
}

function patternProblem(pattern: string): string | null {
  if (pattern.length > maxPatternCharacters) return `its pattern has more than ${maxPatternCharacters} characters`;
  try {
    return RE2JS.compile(pattern).test('') ? 'its pattern matches an empty line, so it would match everywhere' : null;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `its pattern is not RE2 syntax: ${error.message}`;
  }
}
