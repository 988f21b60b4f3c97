import { fixText, guardText, type PlacedTrap, ruleTrap } from './code.ts';
import { type Commit, diffOf } from './commits.ts';

/** What a model is shown and asked. */
export type Seen = {
  /** Lines of the diff, each with its number: of a removed one the old one. */
  readonly rows: readonly {
    readonly path: string;
    readonly line: number;
    readonly sign: ' ' | '+' | '-';
    readonly text: string;
  }[];
  readonly questions: readonly Question[];
  /** Findings of ours that it lists, with their state in its words. */
  readonly raised: readonly { readonly id: string; readonly state: string; readonly title: string }[];
  /** All that it says was said before, by whomever. */
  readonly discussed: string;
  /** It says not to raise that again. */
  readonly forbids: boolean;
  readonly text: string;
};

export type Question = {
  readonly id: string;
  readonly path: string;
  readonly lines: readonly [number, number] | null;
  readonly title: string;
};

/** What it submits. */
export type Submitted = {
  readonly findings: readonly SubmittedFinding[];
  readonly earlier: readonly SubmittedAnswer[];
};

export type SubmittedFinding = {
  readonly path: string;
  readonly quote: string | null;
  readonly title: string;
  readonly review: string;
  readonly side?: 'RIGHT' | 'LEFT';
  readonly lines?: string;
  readonly severity?: string;
  readonly also_at?: readonly string[];
  readonly same_as?: string | null;
};

export type SubmittedAnswer = {
  readonly id: string;
  readonly state: 'fixed' | 'still there' | 'unsure';
  readonly path: string | null;
  readonly quote: string | null;
};

export type Reviewer = (seen: Seen) => Submitted;

/** What a run came to. */
export type Report = {
  readonly gate: 'fine' | 'warn' | 'findings' | 'unknown' | 'incomplete' | 'failed';
  readonly outcome: string;
  readonly headline: string;
  /** Of the summary comment. */
  readonly heading: string;
  readonly open: readonly FoundFinding[];
  readonly declined: readonly FoundFinding[];
  readonly ended: readonly string[];
  readonly counts: { readonly facts: number; readonly output: number; readonly listed: number };
  readonly isApproved: boolean;
  /** Deliveries that failed, in words. */
  readonly failures: readonly string[];
  /** Paths that it looked at. */
  readonly reviewed: readonly string[];
  readonly calls: number;
};

export type FoundFinding = {
  readonly id: string;
  readonly title: string;
  readonly path: string;
  readonly lines: { readonly side: 'RIGHT' | 'LEFT'; readonly start: number; readonly end: number } | null;
  readonly severity: string;
  readonly alsoAt: readonly string[];
  readonly alsoMore: number;
  readonly life: string | undefined;
  readonly place: string;
  readonly url: string | null;
  readonly source: 'model' | 'rule';
};

/** The commits that a reviewer can look at: it knows the code. */
export type Sight = {
  readonly head: Commit;
  readonly mergeBase: Commit;
  /** Earlier heads, the newest last. */
  readonly heads: readonly Commit[];
};

export type Manner = {
  /** Titles of different defects that nobody tells apart by their words. */
  readonly titles: 'own' | 'alike';
  /** All places of one defect in one finding. */
  readonly gathers: boolean;
  /** Stays silent about what was said before, where the prompt asks for that. */
  readonly obeys: boolean;
};

export const plainManner: Manner = { titles: 'own', gathers: false, obeys: false };

/** Calls that nothing guards, because of what the pull request changes. */
export function defectsOf({ head, mergeBase }: Pick<Sight, 'head' | 'mergeBase'>): readonly PlacedTrap[] {
  const before = new Map(mergeBase.traps.map((trap) => [trap.id, trap]));
  return head.traps.filter((trap) => !trap.isGuarded && before.get(trap.id)?.isGuarded !== false);
}

export function titleOf(name: string, { titles }: Pick<Manner, 'titles'>): string {
  return titles === 'own' ? `${name}() runs unguarded` : `A call runs unguarded and breaks: ${name}()`;
}

/** The name of the call that a title is about; null for another matter. */
export function nameIn(title: string): string | null {
  return /(\w+)\(\)/.exec(title)?.[1] ?? null;
}

/** Reports each defect in the lines that it is shown, and answers by the code. */
export function honest(sight: Sight, manner: Manner): Reviewer {
  return (seen) => {
    const defects = defectsOf(sight).filter(({ name }) => name !== ruleTrap);
    const isSilent = ({ name }: PlacedTrap) => manner.obeys && seen.forbids && seen.discussed.includes(`${name}()`);
    const findings = defects
      .filter((defect) => !isSilent(defect))
      .flatMap((defect) => findingOn(defect, { seen, manner, sight }) ?? []);
    return {
      findings: manner.gathers ? gathered(findings) : findings,
      earlier: seen.questions.map((question) => answerTo(question, sight)),
    };
  };
}

type Looking = { readonly seen: Seen; readonly manner: Manner; readonly sight: Sight };

/**
 * Null where the lines that make it a defect are not shown. A call that was safe before is told by what took its guard away, as far as that is shown.
 */
function findingOn(
  { id, path, line, name, func, text }: PlacedTrap,
  { seen, manner, sight }: Looking,
): SubmittedFinding | null {
  const rows = seen.rows.filter((row) => row.path === path);
  const own = rows.find((row) => row.sign !== '-' && row.line === line);
  if (own === undefined) return null;
  const isOld = sight.mergeBase.traps.some((trap) => trap.id === id);
  const condition = rows.findLast((row) => row.sign === '+' && row.line < line && row.text === 'if (DEBUG) {');
  const removed = rows.find((row) => row.sign === '-' && row.text === guardText(name));
  const said = { path, title: titleOf(name, manner), review: `In ${func} nothing guards ${name}: it breaks there.` };
  const cause = isOld ? (condition ?? removed ?? own) : own;
  const quote = cause === own ? text : cause.text;
  const side = cause.sign === '-' ? 'LEFT' : 'RIGHT';
  return { ...said, quote, lines: `${cause.line}-${cause.line}`, side };
}

function gathered(findings: readonly SubmittedFinding[]): readonly SubmittedFinding[] {
  const first = new Map<string, SubmittedFinding>();
  for (const finding of findings) {
    const known = first.get(finding.title);
    const place = `${finding.path}:${finding.lines}`;
    if (known === undefined) first.set(finding.title, finding);
    else first.set(finding.title, { ...known, also_at: [...(known.also_at ?? []), place] });
  }
  return [...first.values()];
}

/** By the code: what is there still is quoted where it is; what is not, by the line that took its place. */
export function answerTo(question: Question, sight: Sight): SubmittedAnswer {
  const name = nameIn(question.title) ?? '';
  const there = sight.head.traps.filter((trap) => trap.name === name);
  const id = idOf(question, { name, sight });
  const own = there.find((trap) => trap.id === id) ?? (id === null ? there.find(isUnguarded) : undefined);
  if (own !== undefined && isUnguarded(own)) {
    return { id: question.id, state: 'still there', path: own.path, quote: own.text };
  }
  const quote = proofOf(question, { own, name, sight });
  return { id: question.id, state: quote === null ? 'unsure' : 'fixed', ...(quote ?? { path: null, quote: null }) };
}

function isUnguarded({ isGuarded }: PlacedTrap): boolean {
  return !isGuarded;
}

/** The call that a question is about, as the newest head tells that has it there; null where none has. */
function idOf({ path, lines }: Question, { name, sight }: { name: string; sight: Sight }): number | null {
  const has = (trap: PlacedTrap) =>
    trap.name === name && trap.path === path && (lines === null || (lines[0] <= trap.line && trap.line <= lines[1]));
  for (const head of sight.heads.toReversed()) {
    const found = head === sight.head ? undefined : head.traps.find(has);
    if (found !== undefined) return found.id;
  }
  return null;
}

type Proving = { readonly own: PlacedTrap | undefined; readonly name: string; readonly sight: Sight };

/** A line of code at head that shows that the call is safe, or what stands there in its place; null where there is none. */
function proofOf({ path }: Question, { own, name, sight }: Proving): { path: string; quote: string } | null {
  const { head } = sight;
  if (own !== undefined) {
    const guard = head.guards.find((one) => one.name === name && one.path === own.path && one.func === own.func);
    if (guard !== undefined) return { path: own.path, quote: guard.text };
  }
  const now = head.texts.has(path) ? path : renamedTo(path, sight);
  const texts = (now === null ? undefined : head.texts.get(now))?.split('\n') ?? [];
  const fix = texts.find((line) => line.trim() === fixText(name));
  if (now === null || fix !== undefined) return now === null ? null : { path: now, quote: fix?.trim() ?? '' };
  const near = lineInPlace(path, { now, name, sight });
  return near === null ? null : { path: now, quote: near };
}

function renamedTo(path: string, { heads, head }: Sight): string | null {
  const moves = heads.flatMap((from) => diffOf(from, head).filter(({ oldPath }) => oldPath === path));
  return moves.find((file) => file.letter === 'R')?.path ?? null;
}

/** Where the call was deleted, the line that took its place, or the nearest one before it. */
function lineInPlace(path: string, { now, name, sight }: { now: string; name: string; sight: Sight }): string | null {
  const files = sight.heads.toReversed().map((from) => diffOf(from, sight.head).find((file) => file.oldPath === path));
  for (const file of files) {
    for (const { lines } of file?.hunks ?? []) {
      const at = lines.findIndex((line) => line.startsWith('-') && line.includes(`${name}(input)`));
      const code = (line: string) => !line.startsWith('-') && /\w/.test(line.slice(1));
      const found = at === -1 ? undefined : (lines.slice(at).find(code) ?? lines.slice(0, at).findLast(code));
      if (found !== undefined && file?.path === now) return found.slice(1).trim();
    }
  }
  return null;
}
