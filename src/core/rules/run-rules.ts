import type { Finding } from '../findings/finding.ts';
import type { ChangedFile, Hunk } from '../pull-request/changed-file.ts';
import { collectHits, type RuleHits } from './collect-hits.ts';
import { lineMatcher } from './line-matcher.ts';
import type { Rule } from './rule.ts';

/**
 * The rule engine: the patterns of the rules against every added line, without a model. Patterns run in linear time (RE2), all
 * of them in one pass. A rule gives at most 10 findings; the last names some of the other places and counts the rest.
 */
export function runRules(
  rules: readonly Rule[],
  files: readonly ChangedFile[],
  nextId: () => string,
): readonly Finding[] {
  const matcherFor = lineMatcher(rules);
  const hits = collectHits();
  for (const file of files) {
    const matching = matcherFor(file.path);
    if (matching === null) continue;
    for (const hunk of file.hunks) {
      for (const { index, line, text } of addedLines(hunk)) {
        for (const rule of matching(text)) hits.add(rule, { path: file.path, hunk, index, line });
      }
    }
  }
  return hits.all().flatMap((found) => findingsOf(found, nextId));
}

type AddedLine = { readonly index: number; readonly line: number; readonly text: string };

/** The added lines of a hunk, with their index in it and their number at head. */
function* addedLines(hunk: Hunk): Generator<AddedLine> {
  let line = hunk.newStart;
  for (const [index, text] of hunk.lines.entries()) {
    if (text.startsWith('+')) yield { index, line, text: text.slice(1) };
    if (text.startsWith('+') || text.startsWith(' ')) line += 1;
  }
}

function findingsOf({ rule, first, otherPlaces }: RuleHits, nextId: () => string): readonly Finding[] {
  return first.map((hit, index) => ({
    id: nextId(),
    path: hit.path,
    anchor: { kind: 'lines', side: 'RIGHT', startLine: hit.line, endLine: hit.line, quote: hit.quote },
    title: rule.title,
    review: rule.guidance,
    evidence: evidenceOf(rule, `${hit.path}:${hit.line}`),
    severity: rule.severity,
    category: rule.category,
    suggestion: null,
    ruleId: rule.id,
    confidence: 1,
    source: 'rule',
    alsoAt: index === first.length - 1 ? otherPlaces : [],
  }));
}

const maxPatternCharacters = 200;

function evidenceOf(rule: Rule, place: string): string {
  const pattern = rule.pattern ?? '';
  const text = pattern.length > maxPatternCharacters ? `${pattern.slice(0, maxPatternCharacters)}…` : pattern;
  const origin = rule.origin === 'built-in' ? 'built-in rule' : "repository's rule";
  return `The added line ${place} matches the pattern of the ${origin} ${rule.id}: ${codeSpan(text)}`;
}

/** Inline code whose marks are longer than any run of backticks inside. */
function codeSpan(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const marks = '`'.repeat(longest + 1);
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${marks}${space}${text}${space}${marks}`;
}
