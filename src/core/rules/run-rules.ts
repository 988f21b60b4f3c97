import type { Finding } from '../findings/finding.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { candidatesIn } from './candidates.ts';
import { type CodeParts, codeParts, type ReadHead } from './code-parts.ts';
import { collectHits, type Hit, hitAt, type Place, type RuleHits } from './collect-hits.ts';
import { type FileMatcher, lineMatcher } from './line-matcher.ts';
import { matchRun } from './match-run.ts';
import { type CommentFor, type IgnoredFinding, reasonOf } from './obey-comments.ts';
import type { Rule } from './rule.ts';

export type RuleRun = {
  readonly rules: readonly Rule[];
  readonly files: readonly ChangedFile[];
  readonly nextId: () => string;
  /** Asked only where a rule that tells code from comments may match. */
  readonly readHead: ReadHead;
  readonly commentFor: CommentFor;
  /** Takes out of a line what no quote may show. */
  readonly hide: (text: string) => string;
};

export type RanRules = {
  readonly findings: readonly Finding[];
  /** What comments keep from being raised: told, never counted. */
  readonly ignored: readonly IgnoredFinding[];
};

/**
 * The rule engine: the patterns of the rules against every added line, without a model. Patterns run in linear time (RE2), all
 * of them in one pass. A rule gives at most `max-findings`; the last names some of the other places and counts the rest.
 */
export async function runRules({ rules, files, nextId, readHead, commentFor, hide }: RuleRun): Promise<RanRules> {
  const matcherFor = lineMatcher(rules);
  const hits = collectHits(hide);
  const ignored: IgnoredFinding[] = [];
  const keep: Keep = (rule, place) => {
    const comment = commentFor({ path: place.path, ruleId: rule.id, line: place.line });
    if (comment === null) hits.add(rule, place);
    else ignored.push({ finding: { ...findingOf(rule, hitAt(place, hide)), id: nextId() }, reason: reasonOf(comment) });
  };
  for (const file of files) {
    const matcher = matcherFor(file.path);
    if (matcher !== null) await runOver(file, { matcher, keep, readHead });
  }
  const findings = hits.all().flatMap((found) => findingsOf(found, nextId));
  return { findings, ignored };
}

type Keep = (rule: Rule, place: Place) => void;
type Running = { readonly matcher: FileMatcher; readonly keep: Keep; readonly readHead: ReadHead };

async function runOver(file: ChangedFile, { matcher, keep, readHead }: Running): Promise<void> {
  let parts: CodeParts | null = null;
  for (const { hunk, run, scoped } of candidatesIn(file, matcher)) {
    const { rule } = scoped;
    if (rule.skip.length > 0) parts ??= await codeParts(file, readHead);
    for (const { offset, count } of matchRun(run, scoped, parts)) {
      const index = run.indexes[offset] ?? 0;
      keep(rule, { path: file.path, hunk, index, line: run.line + offset, lines: count });
    }
  }
}

function findingsOf({ rule, first, otherPlaces }: RuleHits, nextId: () => string): readonly Finding[] {
  return first.map((hit, index) => ({
    ...findingOf(rule, hit),
    id: nextId(),
    alsoAt: index === first.length - 1 ? otherPlaces : [],
  }));
}

function findingOf(rule: Rule, { path, startLine, endLine, quote }: Hit): Omit<Finding, 'id'> {
  return {
    path,
    anchor: { kind: 'lines', side: 'RIGHT', startLine, endLine, quote },
    title: rule.title,
    review: rule.guidance,
    evidence: evidenceOf(rule, { path, startLine, endLine }),
    severity: rule.severity,
    category: rule.category,
    suggestion: null,
    ruleId: rule.id,
    confidence: 1,
    source: 'rule',
    alsoAt: [],
  };
}

const maxPatternCharacters = 200;

function evidenceOf(rule: Rule, { path, startLine, endLine }: Omit<Hit, 'quote'>): string {
  const pattern = rule.pattern ?? '';
  const text = pattern.length > maxPatternCharacters ? `${pattern.slice(0, maxPatternCharacters)}…` : pattern;
  const origin = rule.origin === 'built-in' ? 'built-in rule' : "repository's rule";
  const lines =
    startLine === endLine ? `line ${path}:${startLine} matches` : `lines ${path}:${startLine}-${endLine} match`;
  return `The added ${lines} the pattern of the ${origin} ${rule.id}: ${codeSpan(text)}`;
}

/** Inline code whose marks are longer than any run of backticks inside. */
function codeSpan(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const marks = '`'.repeat(longest + 1);
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${marks}${space}${text}${space}${marks}`;
}
