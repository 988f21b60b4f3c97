import type { EarlierAnswer, RecheckItem } from '../findings/earlier.ts';
import type { Finding } from '../findings/finding.ts';
import { overlaps } from '../findings/similarity.ts';
import { type ChangedFile, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import { groupBy } from '../text.ts';
import { isClosed } from './known-findings.ts';
import { type Evidence, hasEnded, isOpen, type Life, lifeOfAll, nextState } from './life.ts';
import { type MarkedLines, withoutMarks } from './mark.ts';
import { isAlike, type Matching } from './match.ts';
import { digestsOf, findingId, type PriorFinding, pathNow } from './memory.ts';

/** Places of which this run is to find out what became of them. Until somebody does, they are asked about in every run. */
export function toAsk(prior: readonly PriorFinding[]): readonly PriorFinding[] {
  return prior.filter((one) => {
    if (!one.signed || one.declined || one.saidFixed || one.provenFixed === true) return false;
    const isTouched = one.change.kind === 'changed' || one.change.kind === 'unknown';
    return one.isLoose === true || (isOpen(one.life) && isTouched);
  });
}

/** The question about one of them. */
export function recheckItem(prior: PriorFinding): RecheckItem {
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
    const { lines, unplaced = false } = one.mark;
    const answer = asked.has(one) ? byId.get(one.id) : undefined;
    const isMoved = one.signed && !one.declined && !hasEnded(one.life) && one.present.kind === 'gone';
    if (!asked.has(one) && !unplaced && !isMoved) return one;
    // Where this run finds it, it stands.
    if (found.some((finding) => isAlike(one.mark, finding) && isHere(finding, one))) return one;
    const isThere = answer?.state === 'still there';
    // That something with another title is the same is no more than a claim.
    const again = found.find(
      (finding) =>
        isPlaceFor(one, finding) &&
        isAlike(one.mark, finding) &&
        (isThere ||
          unplaced ||
          isClaimedToBe(finding, one) ||
          (finding.path !== pathNow(one) && !isHeld(finding, prior))),
    );
    const placing = isThere && isPlaceFor(one, answer) ? answer : undefined;
    const place = placing?.anchor.kind === 'lines' ? placing : (again ?? placing);
    // Its lines stay its own where nobody quotes others.
    if (place === undefined || (place.anchor.kind === 'file' && lines !== null)) return one;
    return { ...one, present: { kind: 'here', path: place.path, anchor: place.anchor } };
  });
}

/** Whether another finding stands where this one is. */
function isHeld(finding: Finding, prior: readonly PriorFinding[]): boolean {
  return prior.some((other) => other.signed && isHere(finding, other) && isAlike(other.mark, finding));
}

function isHere({ path, anchor }: Finding, { present }: PriorFinding): boolean {
  return present.kind === 'here' && present.path === path && overlaps(present.anchor, anchor);
}

function isClaimedToBe({ sameAs }: Finding, { id, mark }: PriorFinding): boolean {
  return sameAs === id || sameAs === mark.id;
}

/** A finding whose lines are gone may have moved to another file: with one of its lines at least. */
function isPlaceFor(prior: PriorFinding, { path, anchor }: Pick<Finding, 'path' | 'anchor'>): boolean {
  if (path === pathNow(prior)) return true;
  const { digests = [] } = prior.mark.lines ?? {};
  const isThere = anchor.kind === 'lines' && digestsOf(anchor.quote).some((digest) => digests.includes(digest));
  return prior.present.kind === 'gone' && isThere;
}

/** A finding of an earlier round, all its places together. */
export type SettledFinding = {
  /** What this run says of it; null where it was not found again. */
  readonly finding: Finding | null;
  /** The place that stands for it: the first one that decides what it is. */
  readonly prior: PriorFinding;
  /** The others in the same state. */
  readonly others: readonly PriorFinding[];
  /** How many of its places ended, and how many there are. */
  readonly ended: number;
  readonly of: number;
};

export type Settled = {
  /** They count: each as a finding of this review, found again or not. */
  readonly standing: readonly SettledFinding[];
  readonly ended: readonly SettledFinding[];
  readonly declined: readonly SettledFinding[];
  /** Every place, with its new life. */
  readonly parts: readonly PriorFinding[];
};

type Known = { readonly answers: readonly EarlierAnswer[]; readonly files: readonly ChangedFile[] | null };

/**
 * What became of every earlier finding. `files` are those of the diff; null where it was not read: then nothing changes. Only `matching.fresh` is not
 * settled by it.
 */
export function settle(matching: Omit<Matching, 'fresh'>, { answers, files }: Known): Settled {
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  const unseen = matching.unseen.map((prior) => ({ finding: null, prior }));
  const parts = [...matching.standing, ...matching.declinedAgain, ...unseen].map(({ finding, prior }) => {
    const answer = byId.get(prior.id);
    const of = evidenceOf(prior, { isFound: finding !== null, answer, files });
    const proof = answer?.state === 'fixed' ? answer.kept : undefined;
    const now = { ...prior, life: nextState(lifeBefore(prior), of), seen: of === 'found' };
    return { finding, prior: proof === undefined ? now : { ...now, proof } };
  });
  const byFinding = groupBy(parts, ({ prior }) => (prior.signed ? findingId(prior) : prior.id));
  const findings = [...byFinding.values()].flatMap((some) => gathered(some, files));
  const withLife = (holds: (life: Life) => boolean) => findings.filter(({ prior }) => holds(prior.life));
  return {
    standing: withLife(isOpen),
    ended: withLife(hasEnded),
    declined: withLife((life) => life === 'declined' || life === 'withdrawn'),
    parts: parts.map(({ prior }) => prior),
  };
}

/** What a comment that was opened again says is news no more; and what people say is fixed, and is not, is. */
function lifeBefore({ life, held, saidFixed }: PriorFinding): Life {
  if (life === 'returned' && !isClosed(held)) return 'open';
  return saidFixed && life === 'open' ? 'fixed' : life;
}

type LivedPart = { readonly finding: Finding | null; readonly prior: PriorFinding };

/** A finding ends with the last of its places; with one that is not kept nobody knows, unless the diff is empty. */
function gathered(parts: readonly LivedPart[], files: Known['files']): readonly SettledFinding[] {
  const all = lifeOfAll(parts.map(({ prior }) => prior.life));
  const isOver = hasEnded(all);
  // A rule looks everywhere in every run: what it hits beyond the places that are kept it finds again.
  const isUnsure = isOver && files?.length !== 0 && parts.some(({ prior }) => hasMore(prior));
  const own = parts.filter(({ prior: { life } }) => isOpen(life) === isOpen(all) && hasEnded(life) === isOver);
  const [first, ...others] = own.toSorted(
    (one, other) => Number(one.finding === null) - Number(other.finding === null),
  );
  if (first === undefined) return [];
  const prior = { ...first.prior, life: isUnsure ? ('changed' as const) : all };
  const ended = parts.filter((one) => hasEnded(one.prior.life)).length;
  const of = parts.length + (prior.known?.finding.more ?? 0);
  return [{ finding: first.finding, prior, others: others.map((one) => one.prior), ended, of }];
}

function hasMore({ known }: PriorFinding): boolean {
  return known !== null && known.finding.source === 'model' && (known.finding.more ?? 0) > 0;
}

/** What people say about it goes before what we found out. */
export function declinedBy({ declined, declines }: PriorFinding): 'people' | 'evidence' | null {
  if (!declined) return null;
  return declines.some(({ how, canWrite }) => canWrite === true && how !== 'evidence') ? 'people' : 'evidence';
}

type Given = {
  readonly isFound: boolean;
  readonly answer: EarlierAnswer | undefined;
  readonly files: readonly ChangedFile[] | null;
};

function evidenceOf(prior: PriorFinding, { isFound, answer, files }: Given): Evidence {
  const { change, life, isBack, saidFixed, provenFixed = false, isLoose = false } = prior;
  const by = declinedBy(prior);
  if (by !== null) return by === 'people' ? 'declined' : 'withdrawn';
  if (isFound || answer?.state === 'still there') return 'found';
  // Without the diff nobody knows whether what left it is in it again.
  const hasLeft = files === null ? life === 'gone' : isLeft(prior, files);
  if (hasEnded(life) && isBack && !hasLeft) return 'back';
  const isProven = answer?.state === 'fixed' || saidFixed || provenFixed;
  if (isProven && (change.kind !== 'same' || isLoose)) return 'proven';
  if (files !== null && hasLeft) return 'left';
  if (isLoose) return 'proof changed';
  return change.kind === 'same' ? 'unchanged' : 'changed';
}

/** Its lines are nowhere in the files of the diff: these are deleted, or it is about none of them. `followed` has looked for them elsewhere. */
function isLeft(prior: PriorFinding, files: readonly ChangedFile[]): boolean {
  const { change, known } = prior;
  if (change.kind === 'file gone' || files.length === 0) return true;
  if (change.kind === 'unknown' || known?.finding.outside === true) return false;
  return !files.some(({ path }) => path === pathNow(prior));
}
