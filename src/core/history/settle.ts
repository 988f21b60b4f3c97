import type { AskedFinding, EarlierAnswer } from '../findings/earlier.ts';
import type { Finding } from '../findings/finding.ts';
import { isSameTitle } from '../findings/merge.ts';
import { type ChangedFile, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import { type LifeFacts, nextState } from './life.ts';
import { type MarkedLines, withoutMarks } from './mark.ts';
import { type Matching, matchFindings } from './match.ts';
import { digestsOf, type PriorFinding, pathNow } from './memory.ts';
import { withoutLines } from './new-lines.ts';
import { isClosed } from './prior-marks.ts';

/** Findings of which this run is to find out what became of them. Until somebody does, they are asked about in every run. */
export function toAsk(prior: readonly PriorFinding[]): readonly PriorFinding[] {
  return prior.filter(({ signed, declined, saidFixed, provenFixed, life, change }) => {
    const isOpen = life === 'open' || life === 'changed' || life === 'returned';
    return (
      signed &&
      !declined &&
      !saidFixed &&
      provenFixed !== true &&
      isOpen &&
      (change.kind === 'changed' || change.kind === 'unknown')
    );
  });
}

/** The question about one of them. */
export function asAsked(prior: PriorFinding): AskedFinding {
  const { id, mark, change, held } = prior;
  const { lines } = mark;
  const known = change.kind === 'changed';
  return {
    id,
    path: pathNow(prior),
    title: mark.title,
    said: held.in === 'thread' ? withoutMarks(held.comment.body) : '',
    place: lines === null ? mark.path : `${mark.path}:${lines.startLine}-${lines.endLine}`,
    lines: lines?.side === 'RIGHT' ? { start: lines.startLine, end: lines.endLine } : null,
    hunks: known ? change.hunks.map((hunk) => partOf(hunk, lines)) : [],
    isAmong: known ? null : (texts) => areAmong(lines?.digests ?? [], texts),
  };
}

const around = 4;

/** Of a hunk the part about the lines of a finding: a file may be rewritten in one. What takes the place of removed lines stands behind all of them. */
function partOf(hunk: Hunk, lines: MarkedLines | null): Hunk {
  if (lines === null || lines.side === 'LEFT') return hunk;
  const all = [...hunkLines(hunk)];
  let old = hunk.oldLines === 0 ? hunk.oldStart + 1 : hunk.oldStart;
  const places = all.map(({ oldLine }) => {
    if (oldLine === null) return old - 0.5;
    old = oldLine + 1;
    return oldLine;
  });
  const from = places.findIndex((place) => place >= lines.startLine - around);
  const to = places.findLastIndex((place) => place <= lines.endLine + around);
  if (from === -1 || to < from) return hunk;
  const next = all.slice(to + 1);
  const ends = next.findIndex(({ kind }) => kind === 'context');
  const rest = (ends === -1 ? next : next.slice(0, ends)).filter(({ kind }) => kind === 'added');
  const kept = [...all.slice(from, to + 1), ...rest];
  const before = all.slice(0, from);
  const count = (side: 'oldLine' | 'newLine', some: typeof all) => some.filter((line) => line[side] !== null).length;
  return {
    ...hunk,
    oldStart: hunk.oldStart + count('oldLine', before),
    oldLines: count('oldLine', kept),
    newStart: hunk.newStart + count('newLine', before),
    newLines: count('newLine', kept),
    lines: kept.map(({ kind, text }) => `${signs[kind]}${text}`),
  };
}

const signs = { context: ' ', added: '+', removed: '-' } as const;

function areAmong(digests: readonly string[], texts: readonly string[]): boolean {
  const there = new Set(digestsOf(texts.join('\n'), texts.length));
  return digests.every((digest) => there.has(digest));
}

type RunAnswers = {
  readonly answers: readonly EarlierAnswer[];
  /** What this run found, where it is. */
  readonly found: readonly Finding[];
};

/** The same findings, with those that are still there at the place that they have now: there this run may have found them, too. */
export function withAnswers(prior: readonly PriorFinding[], { answers, found }: RunAnswers): readonly PriorFinding[] {
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  const asked = new Set(toAsk(prior));
  return prior.map((one) => {
    const { lines, title, unplaced = false } = one.mark;
    const answer = asked.has(one) ? byId.get(one.id) : undefined;
    if (!asked.has(one) && !unplaced) return one;
    const isThere = answer?.state === 'still there';
    // That something with another title is the same is no more than a claim.
    const again = found.find(
      (finding) =>
        finding.path === pathNow(one) &&
        isSameTitle(finding.title, title) &&
        (isThere || unplaced || finding.sameAs === one.id),
    );
    const said = isThere && answer.path === pathNow(one) ? answer : undefined;
    const place = said?.anchor.kind === 'lines' ? said : (again ?? said);
    // Its lines stay its own where nobody quotes others.
    return place === undefined || (place.anchor.kind === 'file' && lines !== null) ? one : movedTo(one, place);
  });
}

/** What a push added elsewhere stays new. */
function movedTo(prior: PriorFinding, { path, anchor }: Pick<Finding, 'path' | 'anchor'>): PriorFinding {
  return { ...prior, present: { kind: 'here', path, anchor }, newLines: withoutLines(prior.newLines, anchor) };
}

/** What ended and is found again in its file: it comes back, though its code may be another. Only what is nothing else is looked at. */
export function foundAgain(matching: Matching): Matching {
  const moved = [...matching.unmatched, ...matching.gone].flatMap((prior) => {
    const hasEnded = prior.signed && (prior.life === 'fixed' || prior.life === 'gone');
    const again = hasEnded ? matching.fresh.find((finding) => isSameMatter(finding, prior)) : undefined;
    return again === undefined ? [] : [movedTo(prior, again)];
  });
  const { fresh, standing } = matchFindings(matching.fresh, moved);
  const back = new Set(standing.map(({ prior }) => prior.id));
  const left = (some: readonly PriorFinding[]) => some.filter(({ id }) => !back.has(id));
  const all = [...matching.standing, ...standing];
  return { ...matching, fresh, standing: all, unmatched: left(matching.unmatched), gone: left(matching.gone) };
}

function isSameMatter({ path, title, ruleId }: Finding, prior: PriorFinding): boolean {
  const { mark } = prior;
  return path === pathNow(prior) && (ruleId === null ? isSameTitle(title, mark.title) : ruleId === mark.ruleId);
}

export type Settled = {
  /** They count: each as a finding of this review, found again or not. */
  readonly standing: readonly { readonly finding: Finding | null; readonly prior: PriorFinding }[];
  readonly ended: readonly PriorFinding[];
  readonly declined: readonly { readonly finding: Finding | null; readonly prior: PriorFinding }[];
};

/**
 * What became of every earlier finding. `files` are those of the diff; null where it was not read. Only `matching.fresh` is not settled by it.
 */
export function settle(
  matching: Omit<Matching, 'fresh'>,
  { answers, files }: { answers: readonly EarlierAnswer[]; files: readonly ChangedFile[] | null },
): Settled {
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  const paths = files === null ? null : new Set(files.map(({ path }) => path));
  const lived = ({ finding, prior }: { finding: Finding | null; prior: PriorFinding }) => {
    const said = byId.get(prior.id)?.state;
    const answer = finding !== null ? 'still there' : answerOf(prior, said);
    const facts: LifeFacts = {
      code: codeOf(prior, paths),
      ...{ isBack: prior.isBack, answer, declined: declinedBy(prior), isClosed: isClosed(prior.held) },
    };
    // Somebody who may write said that it is fixed: if it is not, that is news.
    const before = prior.saidFixed && prior.life === 'open' ? 'fixed' : prior.life;
    const life = nextState(before, facts);
    return { finding, prior: { ...prior, life, seen: answer === 'still there' } };
  };
  const unseen = [...matching.unmatched, ...matching.gone].map((prior) => ({ finding: null, prior }));
  const all = [...matching.standing, ...unseen].map(lived);
  const declined = [...matching.declinedAgain, ...matching.declined.map((prior) => ({ finding: null, prior }))].map(
    lived,
  );
  const hasEnded = ({ prior: { life } }: (typeof all)[number]) => life === 'fixed' || life === 'gone';
  return {
    standing: all.filter((one) => !hasEnded(one)),
    ended: all.filter(hasEnded).map(({ prior }) => prior),
    declined,
  };
}

/** What people say about it goes before what we found out. */
export function declinedBy({ declined, declines }: PriorFinding): LifeFacts['declined'] {
  if (!declined) return null;
  return declines.some(({ how, canWrite }) => canWrite === true && how !== 'evidence') ? 'people' : 'evidence';
}

function answerOf(
  { saidFixed, provenFixed }: PriorFinding,
  said: EarlierAnswer['state'] | undefined,
): LifeFacts['answer'] {
  if (said === 'still there') return said;
  return said === 'fixed' || saidFixed || provenFixed === true ? 'fixed' : null;
}

/** Of a file that is deleted, or that the pull request does not change any more, nothing is left when its lines are not there. */
function codeOf({ change, present, mark }: PriorFinding, paths: ReadonlySet<string> | null): LifeFacts['code'] {
  const isOut = paths !== null && present.kind === 'gone' && !paths.has(present.path ?? mark.path);
  if (change.kind === 'file gone' || isOut) return 'left';
  return change.kind;
}
