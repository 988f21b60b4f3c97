import { stateMarkIn } from '../history/known-findings.ts';
import { type StateMark, withoutNotice, writeMark } from '../history/mark.ts';
import { noKeys } from '../history/signed-marks.ts';
import { fitState, joinStates, packState, type State } from '../history/state.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { nextStateOf } from './next-state.ts';
import { noticeCharacters } from './not-reviewed.ts';
import { printSurface } from './print-markdown.ts';
import type { SurfaceContext } from './sections/surfaces.ts';

type StickyContext = SurfaceContext & {
  /** The number of the comment; null while it has none yet. */
  readonly comment: number | null;
  /** What the comment knows now, where another run wrote it meanwhile; null where it is as this run read it. */
  readonly present: State | null;
};

/** Characters for the state: the comment has 65,536 in all. */
const stateCharacters = 46_000;

/**
 * The one summary comment of a pull request, updated by every run; null when this run looked at nothing. Its mark is signed for one `comment`, so a copy
 * of it in another one says nothing; null while it has no number yet.
 */
export function renderSticky(record: ReviewRecord, context: StickyContext): string | null {
  const { review } = record;
  const next = nextStateOf(record, context);
  if (next === null || !hasLooked(record)) return null;
  const { keys = noKeys, present } = context;
  const joined = fitState(present === null ? next : joinStates(next, present), stateCharacters);
  // A run without a key knows of no state, and leaves none.
  const marker = `\n\n${writeState(joined, { name: review.identity?.name ?? '', comment: context.comment, keys })}`;
  const reserved = marker.length + noticeCharacters;
  const beyond = joined.beyond.reduce((sum, { count }) => sum + count, 0);
  return `${printSurface('summary comment', record, { context: { ...context, beyond }, reserved })}${marker}`;
}

/** The comment with what this run knows in its state, and with the words that another run wrote. */
export function withJoinedState(body: string, record: ReviewRecord, context: StickyContext): string | null {
  const next = nextStateOf(record, context);
  const { present, keys = noKeys } = context;
  const name = record.review.identity?.name ?? '';
  const mark = stateMarkIn(body, name);
  if (next === null || present === null || mark === null || !hasLooked(record)) return null;
  const joined = fitState(joinStates({ ...present, number: present.number + 1 }, next), stateCharacters);
  const start = body.lastIndexOf('<!-- postil:v2 ');
  return `${body.slice(0, start)}${writeState(joined, { comment: context.comment, name, keys })}`;
}

function writeState(
  state: State,
  { name, keys, comment }: Pick<StickyContext, 'comment'> & { name: string; keys: NonNullable<StickyContext['keys']> },
): string {
  const { number, run, head } = state;
  // What is not signed yet says nothing, or it would be a state that nobody can believe.
  const data = keys.signs && comment !== null ? packState(state) : null;
  const mark: StateMark = { kind: 'state', name, run, number, head, data };
  return writeMark(mark, (content) => (comment === null ? null : keys.sign(content, { in: 'summary', comment })));
}

/** Where there is no key for a model, the rules looked; and an empty diff ends what was open. */
function hasLooked({ review }: ReviewRecord): boolean {
  const { stop, outcome, signs = false } = review;
  const isByRules = stop.reason === 'no-key' && signs;
  const isEmpty = stop.reason === 'skipped' && stop.nothing === true && review.gone.length > 0;
  return (outcome !== 'skipped' || isByRules || isEmpty) && outcome !== 'failed' && stop.reason !== 'cancelled';
}

/**
 * Whether the summary comment that is there already holds all that this run has to say: the same commit, the same findings, and none of it looked at
 * again. Then the earlier run's words and costs stay.
 */
export function isUnchanged(
  record: ReviewRecord,
  present: string,
  context: Pick<SurfaceContext, 'redact' | 'keys'>,
): boolean {
  const next = nextStateOf(record, context);
  const before = record.review.round?.before ?? null;
  if (next === null || before === null || withoutNotice(present) !== present) return false;
  return record.review.coverage.reviewed.length === 0 && comparedFacts(next) === comparedFacts(before);
}

function comparedFacts({ head, readings, findings }: State): string {
  const places = findings.map(({ id, places: all }) => [id, all.map(({ life }) => life)]);
  return JSON.stringify([head, (readings?.receipts ?? []).map(({ key }) => key).toSorted(), places.toSorted()]);
}
