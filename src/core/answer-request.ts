import { answerComment } from './answering/answer-comment.ts';
import { findingAsked, isAboutFinding, threadOf } from './answering/subject.ts';
import { answersOf } from './history/answers.ts';
import { type Asked, askedAt, asksForReview, pathsAsked, verbOf } from './history/asked.ts';
import { threadMark } from './history/known-findings.ts';
import type { Memory } from './history/memory.ts';
import { inEnglish } from './messages/languages.ts';
import { verbatim } from './messages/message.ts';
import { deliver } from './review/deliver.ts';
import { emptyReview } from './review/empty-review.ts';
import type { Review } from './review/review.ts';
import { isOnPullRequest, type ReviewRecord } from './review/sink.ts';
import { openGate } from './review/verdict.ts';
import { type ReviewParts, remember, reviewPullRequest } from './review-pull-request.ts';
import { globsProblem } from './settings/formats.ts';
import { plural } from './text.ts';

/** The recipe where somebody asks in a comment: look whether that is still to be answered, then review or answer, and deliver. */
export async function answerRequest(parts: ReviewParts, asked: Asked): Promise<ReviewRecord> {
  const memory = await remember(parts);
  const left = whyLeft(asked, { parts, memory });
  if (left?.isFailure === true) return await conclude(parts, { ...failed(parts, left.why, ''), answer: null });
  if (left !== null) return await conclude(parts, said(parts, left.why, { answer: null }), left.isSilent);
  await parts.output.onAccept?.();
  if (asksForReview(asked)) return await reviewPullRequest(parts, memory);
  const answered = await answerComment(parts, asked, memory);
  const metrics = answered.metrics === null ? {} : { metrics: answered.metrics };
  if (answered.answer === null)
    return await conclude(parts, { ...failed(parts, answered.why, answered.hint), ...metrics });
  const { answer } = answered;
  if (answer.text === '') {
    return await conclude(
      parts,
      { ...said(parts, 'Nobody disputes the finding, and nobody asks.', { answer: null }), ...metrics },
      true,
    );
  }
  const told = { answer, nonSpecific: [answer.text], ...metrics };
  return await conclude(parts, said(parts, headlineOf(asked, answer.isDone), told));
}

function headlineOf(asked: Asked, isDone: boolean): string {
  if (asked.by === '') return 'The question is answered.';
  const verb = verbOf(asked);
  const what = verb === 'reply' ? 'a reply' : verb === null ? 'a comment without a command' : `\`/postil ${verb}\``;
  return `${isDone ? 'Answered' : 'Could not do what was asked'}: ${what} of @${asked.by}.`;
}

type Left = {
  readonly why: string;
  /** Without a reaction: nothing was asked that is still open. */
  readonly isSilent?: true;
  /** It should have been answered. */
  readonly isFailure?: true;
};

/** Why what was asked gets no answer; null when it gets one. */
function whyLeft(asked: Asked, { parts, memory }: { parts: ReviewParts; memory: Memory }): Left | null {
  const {
    pullRequest,
    identity,
    settings,
    output: { signs },
  } = parts;
  const { comment } = asked;
  if (identity === null) return null;
  if (comment !== null && !pullRequest.discussionRead) {
    const why = 'The existing comments could not be read, so it is not known whether this was answered already.';
    return { why, isFailure: true };
  }
  const answers = answersOf(pullRequest, { name: identity.name, signs });
  const at = askedAt(asked, identity);
  if (answers.some(({ mark }) => mark.to === at)) return { why: 'This was answered already.', isSilent: true };
  // With a person's token our own comment starts a run, too.
  if (answers.some((one) => one.comment.id === comment?.id))
    return { why: 'The comment is an answer of this reviewer.', isSilent: true };
  if (isAnothers(asked, { parts, memory })) return { why: "The thread is another reviewer's.", isSilent: true };
  if (answers.length >= settings.maxCommands) {
    return {
      why: `This pull request has had ${plural(answers.length, 'answer')}, and the maximum is ${settings.maxCommands} (\`max-commands\`).`,
    };
  }
  const problem = globsProblem(pathsAsked(asked));
  if (problem !== null) return { why: `A review can be asked for by ${problem}.` };
  const verb = verbOf(asked);
  if (verb === null && answers.some(({ mark }) => mark.verb === 'unknown' || mark.verb === 'help')) {
    return { why: 'This is no command, and the list of commands was given before.' };
  }
  return verb === 'reply' ? whyNoReply(asked, { parts, memory }) : null;
}

/** A command about a finding in the thread of a reviewer with another name, who hears it, too. */
function isAnothers(asked: Asked, { parts, memory }: { parts: ReviewParts; memory: Memory }): boolean {
  const thread = threadOf(asked, parts.pullRequest);
  if (thread === null || !isAboutFinding(asked) || findingAsked(asked, memory.prior) !== null) return false;
  const mark = threadMark(thread, null);
  return mark !== null && mark.name !== parts.identity?.name;
}

function whyNoReply(asked: Asked, { parts, memory }: { parts: ReviewParts; memory: Memory }): Left | null {
  const {
    pullRequest,
    identity,
    output: { signs },
  } = parts;
  const finding = findingAsked(asked, memory.prior);
  const thread = threadOf(asked, pullRequest);
  const left = (why: string): Left => ({ why, isSilent: true });
  if (finding === null || thread === null) {
    return left('The reply is to no finding that this reviewer signed (`name` and `state-key` decide).');
  }
  if (thread.comments.find(({ id }) => id === asked.comment?.id)?.isSelf === true) return left('The reply is our own.');
  if (finding.declined) return left('The finding is declined: there is nothing to answer.');
  const given = answersOf({ conversation: [], threads: [thread] }, { name: identity?.name ?? '', signs });
  if (given.some(({ mark }) => mark.verb === 'reply')) {
    return left('One reply was answered in this thread. `/postil recheck` or `/postil ask` asks for more.');
  }
  return null;
}

/** A run that said something, or nothing, and reviewed nothing. */
function said(parts: ReviewParts, headline: string, told: Partial<Review>): Review {
  const why = verbatim(headline);
  return { ...empty(parts, { reason: 'skipped', why }), headline: [why], ...told };
}

function failed(parts: ReviewParts, message: string, hint: string): Review {
  return empty(parts, { reason: 'failed', message, hint });
}

function empty(
  { pullRequest, run: { clock, startedAt }, trigger: { notes } }: ReviewParts,
  stop: Parameters<typeof emptyReview>[0],
): Review {
  const milliseconds = clock.now() - startedAt;
  // A comment changes no check, so nothing that stood before is looked at.
  return emptyReview(stop, { pullRequest, milliseconds, notes, earlier: 'known', isEvent: true });
}

async function conclude(parts: ReviewParts, review: Review, isSilent = false): Promise<ReviewRecord> {
  const {
    output: { report, destinations },
    run: { clock, startedAt },
  } = parts;
  const { outcome, headline } = review;
  report({
    type: 'review-end',
    outcome,
    headline: inEnglish.sentences(headline),
    milliseconds: clock.now() - startedAt,
  });
  // What stands on the pull request is a review's to change.
  const to = destinations.filter((one) => !isOnPullRequest(one) && !(isSilent && one.name === 'answer'));
  return await deliver(review, { destinations: to, gate: openGate }, (delivery) =>
    report({ type: 'delivery-end', delivery }),
  );
}
