import { stateMarkIn } from '../history/known-findings.ts';
import { withNotice } from '../history/mark.ts';
import type { RunIdentity } from '../history/memory.ts';
import { isLaterRun } from '../history/recall.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Translator } from '../messages/translator.ts';
import { stopMessages } from '../review/headline.ts';
import type { Review } from '../review/review.ts';
import { firstSentences } from '../text.ts';
import { markdownLine } from './print-markdown.ts';
import { untrustedLine } from './sanitise.ts';
import { commitWords } from './sections/links.ts';
import { linked } from './text.ts';
import type { RenderContext } from './wording.ts';

/** Characters that every summary comment leaves free, so that this paragraph always fits above it. */
export const noticeCharacters = 1_200;

const reasonCharacters = 300;

/**
 * The summary comment after a run that reviewed nothing: what it said stays, with its mark, under a paragraph that says so. Null when the comment is
 * none of this name, is of a later run, or speaks for this very head and nothing failed.
 */
export function renderNotReviewed(
  review: Review,
  /** `present` is the comment as it is now; `head` the full hash of this run's head, null when it was not found out. */
  { present, head, identity, context }: NoticeOptions,
): string | null {
  const mark = stateMarkIn(present, identity.name);
  if (mark === null || isLaterRun(mark.run, identity.run)) return null;
  if (review.outcome !== 'failed' && mark.head === head) return null;
  const run = context.run?.url ?? null;
  const { t = inEnglish } = context;
  const reason = firstSentences(reasonOf(review, t), reasonCharacters);
  const why = untrustedLine(reason, context, reasonCharacters);
  const commit = markdownLine([commitWords(mark.head, context)], context);
  const paragraph = `> [!WARNING]\n> **${t({ code: 'not-reviewed.since', commit })}** ${why}${run === null ? '' : ` (${linked(t({ code: 'link.run' }), run)})`}`;
  return withNotice(present, paragraph);
}

type NoticeOptions = {
  readonly present: string;
  readonly head: string | null;
  readonly identity: Pick<RunIdentity, 'name' | 'run'>;
  readonly context: RenderContext;
};

function reasonOf({ stop }: Review, t: Translator): string {
  // What it had found until then is listed in the job summary alone.
  const isCancelled = stop.reason === 'cancelled' || stop.reason === 'completed';
  return t.sentences(isCancelled ? [{ code: 'run.cancelled' }] : stopMessages(stop));
}
