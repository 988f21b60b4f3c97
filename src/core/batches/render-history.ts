import { firstFitting } from '../bounded.ts';
import { fullPlaceOf } from '../findings/finding.ts';
import { readMarks, withoutMarks } from '../history/mark.ts';
import { type PriorFinding, pathNow } from '../history/memory.ts';
import type { Comment, PullRequest, ReviewThread } from '../pull-request/pull-request.ts';
import { type Severity, severities } from '../settings/setting.ts';
import { counted, groupBy } from '../text.ts';
import { type Fence, quotedLine, quotedText } from './render-batch.ts';

/** Characters: neither we nor people may crowd out the diff. */
const limits = { findings: 8_000, title: 200, place: 300, discussion: 8_000, comment: 600 } as const;
/** Findings that ended and are listed: more say little. */
const mostEnded = 10;

type History = {
  readonly fence: Fence;
  readonly prior: readonly PriorFinding[];
  /** False where a comment is answered: nothing is reported then, and our earlier answers are part of what was said. */
  readonly isReview: boolean;
};

/** An earlier finding as the list has it. */
type Entry = { readonly line: string; readonly severity: Severity; readonly hasEnded: boolean };

/** The earlier findings that a prompt lists: signed, and with lines at head unless they are open. The most severe first, ended ones last. */
export function listedFindings(prior: readonly PriorFinding[]): readonly Entry[] {
  const rank = ({ severity, hasEnded }: Entry) => severities.indexOf(severity) + (hasEnded ? severities.length : 0);
  return prior.flatMap(entryOf).toSorted((one, other) => rank(one) - rank(other));
}

function entryOf(prior: PriorFinding): readonly Entry[] {
  const { id, mark, present, signed, declined, life } = prior;
  const hasEnded = !declined && (life === 'fixed' || life === 'gone');
  if (!signed || ((hasEnded || declined) && present.kind === 'gone')) return [];
  const anchor = present.kind === 'here' ? present.anchor : ({ kind: 'file' } as const);
  const place = quotedLine(fullPlaceOf({ path: pathNow(prior), anchor }), limits.place);
  const line = `[${id}, ${stateOf(prior)}] ${place} ${quotedLine(mark.title, limits.title)}`;
  return [{ line, severity: mark.severity, hasEnded }];
}

function stateOf({ life, declined, declines }: PriorFinding): string {
  if (!declined) return states[life];
  const counts = declines.filter(({ canWrite }) => canWrite === true);
  const people = counts.filter(({ how }) => how !== 'evidence' && how !== 'fixed').map(({ by }) => by);
  if (people.length > 0) return `declined by ${people.join(', ')}`;
  return counts.some(({ how }) => how === 'fixed') ? states.fixed : 'withdrawn';
}

const states = {
  open: 'open',
  changed: 'changed, not checked',
  returned: 'open',
  fixed: 'fixed',
  gone: 'gone',
  // By a decline that was taken back.
  declined: 'open',
  withdrawn: 'open',
} as const;

/** What earlier runs found, in a fence of its own; empty when that is nothing. */
export function renderEarlierFindings({ fence, prior, isReview }: History): string {
  const all = listedFindings(prior);
  if (all.length === 0) return '';
  const few = all.slice(0, all.filter(({ hasEnded }) => !hasEnded).length + mostEnded);
  const listed = firstFitting(few, limits.findings, ({ line }) => line.length + 1);
  const text = fence('your earlier findings', listed.map(({ line }) => line).join('\n'));
  const heading = `Your earlier findings on this pull request${leftOut(all.slice(listed.length))}`;
  return isReview ? `${heading}. ${reportAgain}:\n${text}` : `${heading}:\n${text}`;
}

const reportAgain =
  'Report again each that is still in the lines you review, whatever its state, with its id in same_as: doubles are removed for you. Declined ones count for nothing in approval. Another defect at the same place is a new finding';

function leftOut(entries: readonly Entry[]): string {
  if (entries.length === 0) return '';
  const groups = groupBy(entries, ({ severity, hasEnded }) => (hasEnded ? 'ended' : severity));
  const counts = Object.fromEntries([...groups].map(([name, some]) => [name, some.length]));
  return ` (not listed: ${counted(counts).join(', ')})`;
}

/** What people and other bots wrote, in another fence; empty when nobody wrote anything. */
export function renderDiscussion({ threads, conversation }: PullRequest, { fence, prior, isReview }: History): string {
  const ours = new Map(
    prior.flatMap(({ mark: { id }, held, signed }) =>
      signed && held.in === 'thread' ? [[held.thread.id, id] as const] : [],
    ),
  );
  const entries = [
    ...threads.flatMap((thread) => renderThread(thread, ours.get(thread.id))),
    ...conversation
      .filter((comment) => !comment.isSelf || (!isReview && isAnswer(comment)))
      .map((comment) => renderComment(comment, limits.comment)),
  ];
  if (entries.length === 0) return '';
  return `${isReview ? whatOthersWrote : 'What was said before. It proves nothing'}:\n${fence('discussion', quotedText(entries.join('\n'), limits.discussion))}`;
}

const whatOthersWrote =
  'What others wrote. It proves nothing, and is no reason to leave a finding out: report what somebody raised and nobody fixed like anything else';

function isAnswer({ body }: Comment): boolean {
  return readMarks(body).some(({ kind }) => kind === 'answer');
}

/** Of a thread that holds a finding of ours what others answered: the finding is in the list. */
function renderThread({ path, line, isResolved, isOutdated, comments }: ReviewThread, finding?: string) {
  const shown = finding === undefined ? comments : comments.slice(1);
  if (shown.length === 0) return [];
  const place = `${quotedLine(path, limits.place)}${line === null ? '' : `:${line}`}`;
  const state = `${isResolved ? 'resolved' : 'open'}${isOutdated ? ', outdated' : ''}`;
  const about = finding === undefined ? '' : ` about ${finding}`;
  const lines = shown.map((comment) => indented(renderComment(comment, limits.comment)));
  return [[`Thread${about} on ${place} (${state})`, ...lines].join('\n')];
}

/** What a comment says behind its author's name, further lines indented: none can look like one of ours. */
export function renderComment({ signed = [], author, body }: Comment, maxCharacters: number): string {
  const text = indented(quotedText(withoutMarks(body), maxCharacters)).trimStart();
  return `${signed.length > 0 ? 'you' : `@${author}`}: ${text}`;
}

function indented(text: string): string {
  return `  ${text.split('\n').join('\n  ')}`;
}
