import type { Finding } from '../findings/finding.ts';
import { type CodeParts, codeParts, type ReadHead } from '../languages/code-parts.ts';
import type { Message } from '../messages/message.ts';
import type { ChangedFile, Hunk } from '../pull-request/changed-file.ts';
import { unreviewable } from '../pull-request/file-kinds.ts';
import { privateKeyBody } from '../secrets/values.ts';
import { severities } from '../settings/setting.ts';
import type { Carried } from './carried.ts';
import {
  type AddedRun,
  type AddPlace,
  addedRuns,
  collectHits,
  type FileMatcher,
  type Hit,
  hitAt,
  lineMatcher,
  lineOf,
  type MatchedLines,
  matchRun,
  type RuleHits,
  type ScopedRule,
} from './match-lines.ts';
import { type CommentFor, ignoreComments, ignoredBy, notesOnComments, obeyedComments } from './obey-comments.ts';
import { columnsOf } from './pattern.ts';
import { appliesTo, isAboutSecrets, type Rule } from './rule.ts';

type RuleRun = {
  readonly rules: readonly Rule[];
  readonly files: readonly ChangedFile[];
  readonly nextId: () => string;
  /** Asked only where a rule that tells code from comments may match. */
  readonly readHead: ReadHead;
  readonly commentFor: CommentFor;
  /** Takes out of a line what no quote may show. */
  readonly hide: (text: string) => string;
  /** Left out where every added line is new. */
  readonly carried?: Carried;
  /** Every hit is a finding, whatever it has in common with others. */
  readonly each?: true;
};

type RanRules = {
  readonly findings: readonly Finding[];
  /** What comments keep from being raised: shown, never counted. */
  readonly ignored: readonly Finding[];
};

/**
 * The rule engine: the patterns of the rules against every added line, without a model. Patterns run in linear time (RE2), all
 * of them in one pass. A rule raises at most `max-findings`: the last has some of the other hits as its places and counts the rest. A
 * credential is raised once, by the rule that knows most of it: where else it stands is a place of that finding.
 */
export async function runRules({
  rules,
  files,
  nextId,
  readHead,
  commentFor,
  hide,
  carried,
  each,
}: RuleRun): Promise<RanRules> {
  const inTurn = rules.toSorted((one, other) => turnOf(one) - turnOf(other));
  const matcherFor = lineMatcher(inTurn);
  const secretsIn = lineMatcher(inTurn.filter(isAboutSecrets));
  const othersIn = lineMatcher(inTurn.filter((rule) => !isAboutSecrets(rule)));
  const raised = raisedMatters();
  const hits = collectHits(hide);
  const ignored: Finding[] = [];
  const keep: Keep = (rule, place, secrets) => {
    const held = rule.oncePerFile ? [`${rule.id} in ${place.path}`] : secrets;
    const all = each ? [] : held;
    const matters = raised.newOnLine(all, place);
    if (all.length > 0 && matters.length === 0) return;
    const comment = commentFor({ path: place.path, ruleId: rule.id, line: place.line });
    if (comment === null) raised.add(matters, place, () => hits.add(rule, place));
    else ignored.push(ignoredBy({ ...findingOf(rule, hitAt(place, hide)), id: nextId() }, comment));
  };
  const run = async (file: ChangedFile, matcher: FileMatcher | null) => {
    if (matcher !== null) await runOver(file, { matcher, keep, readHead, carried: carried ?? (() => false) });
  };
  for (const file of files) {
    if (unreviewable(file) === null) await run(file, matcherFor(file.path));
    else {
      await run(file, secretsIn(file.path));
      await run(withoutLongLines(file), othersIn(file.path));
    }
  }
  const findings = hits.all().flatMap((found) => findingsOf(found, nextId));
  return { findings, ignored };
}

/** Characters. What a generator or a minifier writes is longer, and breaks every rule that people wrote for people. */
const longLine = 1_000;

/** A generated or vendored file with its long lines empty: what people put between them is looked at like any other code. */
function withoutLongLines(file: ChangedFile): ChangedFile {
  const shortened = (line: string) => (line.length > longLine ? line.slice(0, 1) : line);
  return { ...file, hunks: file.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(shortened) })) };
}

type Keep = (rule: Rule, place: MatchedLines, secrets: readonly string[]) => void;

async function runOver(
  file: ChangedFile,
  { matcher, keep, readHead, carried }: { matcher: FileMatcher; keep: Keep; readHead: ReadHead; carried: Carried },
): Promise<void> {
  let parts: CodeParts | null = null;
  for (const { hunk, run, scoped } of candidatesIn(file, matcher)) {
    const { rule } = scoped;
    if (rule.skip.length > 0) parts ??= await codeParts(file, readHead);
    for (const { offset, count, secrets } of matchRun(run, scoped, parts)) {
      const index = run.indexes[offset] ?? 0;
      const what = secrets.find(({ name }) => name !== null)?.name ?? null;
      const place = { path: file.path, hunk, index, line: run.line + offset, lines: count, what };
      if (carried(rule, place)) continue;
      const values = secrets.map(({ value }) => value);
      keep(rule, place, values);
    }
  }
  for (const { rule } of matcher.multiLine.filter((scoped) => scoped.rule.secrets === 'private-keys')) {
    for (const hunk of file.hunks) {
      for (const { index, line } of replacedKeys(hunk)) {
        keep(rule, { path: file.path, hunk, index, line, lines: 1, what: 'private key' }, []);
      }
    }
  }
}

/** Of rules about credentials the one that knows their form comes first, then the most severe. */
function turnOf(rule: Rule): number {
  if (!isAboutSecrets(rule) || rule.secrets === 'tokens') return 0;
  return 1 + severities.indexOf(rule.severity);
}

/** What is raised once however often it stands there: credentials, and a rule in a file. */
function raisedMatters() {
  const hits = new Map<string, AddPlace>();
  const byLine = new Map<string, string[]>();
  return {
    /** Those that no hit on this line holds; from then on one does. */
    newOnLine: (matters: readonly string[], { path, line }: MatchedLines): readonly string[] => {
      const known = byLine.get(`${path}:${line}`) ?? [];
      const fresh = matters.filter((one) => !known.some((other) => other.includes(one) || one.includes(other)));
      if (fresh.length > 0) byLine.set(`${path}:${line}`, [...known, ...fresh]);
      return fresh;
    },
    /** A hit with something new in it is one of its own, any other a place of those that have it all. */
    add: (matters: readonly string[], place: MatchedLines, raise: () => AddPlace): void => {
      const holders = matters.flatMap((one) => hits.get(one) ?? []);
      if (matters.length > 0 && holders.length === matters.length) {
        for (const addPlace of new Set(holders)) addPlace(place);
        return;
      }
      const addPlace = raise();
      for (const one of matters) if (!hits.has(one)) hits.set(one, addPlace);
    },
  };
}

function findingsOf({ rule, hits }: RuleHits, nextId: () => string): readonly Finding[] {
  return hits.map(({ alsoAt, alsoMore, ...hit }) => {
    const places = alsoMore === 0 ? { alsoAt } : { alsoAt, alsoMore };
    return { ...findingOf(rule, hit), id: nextId(), ...places };
  });
}

function findingOf(rule: Rule, hit: Hit): Omit<Finding, 'id'> {
  const { path, startLine, endLine, quote, what } = hit;
  return {
    path,
    anchor: { kind: 'lines', side: 'RIGHT', startLine, endLine, quote, ...columnsOf(rule, hit) },
    title: rule.title,
    review: rule.guidance,
    evidence: evidenceOf(rule, { path, startLine, endLine, what }),
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

function evidenceOf(rule: Rule, { path, startLine, endLine, what }: Omit<Hit, 'quote'>): string {
  const pattern = rule.pattern ?? '';
  const text = pattern.length > maxPatternCharacters ? `${pattern.slice(0, maxPatternCharacters)}…` : pattern;
  const origin = rule.origin === 'built-in' ? 'built-in rule' : "repository's rule";
  if (what !== null)
    return `The added line ${path}:${startLine} holds a value in the form of a ${what}: ${origin} ${rule.id}.`;
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

type AppliedRules = RanRules & {
  /** For the findings of the model that name a rule. */
  readonly commentFor: CommentFor;
  /** What a person should know of comments that are not obeyed. */
  readonly notes: readonly Message[];
};

/** Runs the rules, and obeys the comments `postil-ignore: rule-id reason` that stood in the code before the change. */
export async function applyRules(run: Omit<RuleRun, 'commentFor'>): Promise<AppliedRules> {
  const comments = await ignoreComments(run.files, run.readHead);
  const commentFor = obeyedComments(comments);
  const ruleIds = run.rules.map(({ id }) => id);
  return { ...(await runRules({ ...run, commentFor })), commentFor, notes: notesOnComments(comments, ruleIds) };
}

type Candidate = { readonly hunk: Hunk; readonly run: AddedRun; readonly scoped: ScopedRule };

/** The rules with the lines that they may match. */
function* candidatesIn({ hunks }: ChangedFile, matcher: FileMatcher): Generator<Candidate> {
  for (const hunk of hunks) {
    for (const run of addedRuns(hunk)) {
      for (const [offset, text] of run.lines.entries()) {
        for (const scoped of matcher.ofLine(text)) yield { hunk, run: lineOf(run, offset), scoped };
      }
      if (matcher.multiLine.length === 0) continue;
      const whole = run.lines.join('\n');
      for (const scoped of matcher.multiLine.filter(({ mayMatch }) => mayMatch(whole))) yield { hunk, run, scoped };
    }
  }
}

/** The rules that are about at least one of these paths. */
export function rulesFor(rules: readonly Rule[], paths: readonly string[]): readonly Rule[] {
  return rules.filter((rule) => paths.some(appliesTo(rule)));
}

/**
 * The names of at least 8 characters that lines use as code does: declared, called, assigned to, or a member of something. Linear in their
 * length: each word is read from its start alone.
 */
export function identifiersIn(lines: Iterable<string>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const line of lines) {
    for (const [name = '', declared = '', used = ''] of line.matchAll(uses)) {
      if (name !== '') names.add(declared || used);
    }
  }
  return names;
}

const uses =
  /(?:\b(?:function|def|class|const|let|var|fn|func|fun|type|interface|enum|struct|import|new|return|await)[ ]|[.])([A-Za-z_$][\w$]{7,})|(?<![\w$"'`/=@-])([A-Za-z_$][\w$]{7,})(?=[ ]?(?:[(.]|=[^=]|:[ ]))/g;

/**
 * Added lines inside a private key whose first line stood there before, the first of each key: added lines alone do not show that they are
 * one.
 */
function replacedKeys(hunk: Hunk): readonly { readonly index: number; readonly line: number }[] {
  const head = hunk.lines.flatMap((text, index) =>
    text.startsWith('+') || text.startsWith(' ') ? [{ index, text: text.slice(1), added: text.startsWith('+') }] : [],
  );
  const inside = privateKeyBody(head.map(({ text }) => text));
  let told = false;
  return head.flatMap(({ index, added }, at) => {
    // A key that begins with an added line is found by that.
    if (!inside.has(at - 1)) told = head[at - 1]?.added ?? false;
    if (told || !added || !inside.has(at)) return [];
    told = true;
    return [{ index, line: hunk.newStart + at }];
  });
}
