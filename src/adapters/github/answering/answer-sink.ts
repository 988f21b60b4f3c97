import { threadOf } from '../../../core/answering/subject.ts';
import { answersOf, type GivenAnswer } from '../../../core/history/answers.ts';
import { type Asked, askedAt, asksForReview, pathsAsked, verbOf } from '../../../core/history/asked.ts';
import type { RunIdentity } from '../../../core/history/memory.ts';
import { type Message, verbatim } from '../../../core/messages/message.ts';
import type { Translator } from '../../../core/messages/translator.ts';
import type { PullRequest } from '../../../core/pull-request/pull-request.ts';
import type { GateWord } from '../../../core/report/answer.ts';
import { type Answer, plainAnswer } from '../../../core/review/review.ts';
import { type Destination, deliveryOf, messagesOf, type ReviewRecord } from '../../../core/review/sink.ts';
import { answerOf } from '../answers.ts';
import { type GitHub, inPull, inRepository, refusalIn } from '../client.ts';
import type { Discussion } from '../discussion.ts';
import { capped, sameText, writeOnce } from '../posted.ts';
import type { PullRequestReference } from '../pull.ts';
import { react, whyGone } from './asked-comment.ts';

export type AnswerOptions = {
  readonly github: GitHub;
  /** A client for the last words of a cancelled run. */
  readonly lastWords: () => GitHub;
  readonly reference: PullRequestReference;
  readonly asked: Asked;
  readonly identity: Pick<RunIdentity, 'name' | 'run'>;
  /** Whether this run has a key to sign with. */
  readonly signs: boolean;
  readonly pullRequest: PullRequest;
  readonly render: (answer: Answer, form: { gate: GateWord | null; movedTo: string | null }) => string;
  /** In the language of the pull request. */
  readonly t: Translator;
  /** Everything that was said, as it is now, with the signatures that hold. */
  readonly look: () => Promise<Discussion>;
  readonly currentHead: () => Promise<string | null>;
  /** Runs the check again that the answer may change; null where there is none. */
  readonly runGateAgain: () => Promise<GateWord | null>;
};

const name = 'answer';

/**
 * Answers a comment where it stands, and reacts to it: 🚀 when what it asks is done, 😕 when it is not. One comment gets one answer, and one reply of a
 * thread: of two that were written at once the younger is taken back.
 */
export function answerInPlace(options: AnswerOptions): Destination {
  const { github, lastWords, asked } = options;
  return {
    name,
    deliver: async (record) => {
      if (github.signal.aborted)
        return deliveryOf(name, 'skipped', await conclude({ github: lastWords(), asked }, false));
      const answer = answerIn(record, options);
      try {
        const gone =
          answer === null || asked.comment === null
            ? null
            : await whyGone(github, { ...options, comment: asked.comment });
        if (gone !== null) return deliveryOf(name, 'skipped', verbatim(gone));
        const posted = answer === null ? null : await post(answer, options);
        const unreacted = await conclude(options, answer?.isDone === true);
        if (posted === null) return deliveryOf(name, 'skipped', unreacted);
        return deliveryOf(name, 'delivered', messagesOf(posted.trouble, unreacted), posted.url);
      } catch (error) {
        const refusal = refusalIn(error);
        await conclude(options, false);
        return deliveryOf(name, 'failed', { code: 'delivery.answer-failed', why: refusal.reason });
      }
    },
  };
}

/** For a run that ends before there is anything to say. */
export function reactOnly(options: Pick<AnswerOptions, 'github' | 'asked'>): Destination {
  return { name, deliver: async () => deliveryOf(name, 'skipped', await conclude(options, false)) };
}

async function conclude(
  { github, asked }: Pick<AnswerOptions, 'github' | 'asked'>,
  isDone: boolean,
): Promise<Message | null> {
  if (asked.comment === null) return null;
  const why = await react(github, asked.comment, isDone ? 'ROCKET' : 'CONFUSED');
  return why === null ? null : { code: 'delivery.no-reaction', why };
}

/** What a run comes to as an answer: what it wrote, or of a review what came out. Null for one that failed. */
function answerIn({ review, deliveries }: ReviewRecord, { asked, t }: AnswerOptions): Answer | null {
  if (review.answer !== undefined) return review.answer;
  if (!asksForReview(asked) || review.outcome === 'failed') return null;
  const told = deliveries.filter(({ sink }) => sink === 'summary comment' || sink === 'pull request review');
  const url = told.find((one) => one.url?.startsWith('http') === true)?.url ?? null;
  const where = url === null ? '' : t({ code: 'answer.whole-summary', url });
  const nothing = pathsAsked(asked).length > 0 && review.coverage.reviewed.length === 0;
  const isDone = review.outcome !== 'skipped' && !nothing;
  const lead = nothing ? t({ code: 'answer.no-file-named' }) : '';
  const text = t.joined([lead, t.sentences(review.headline), where]);
  return { ...plainAnswer, asked, text, isDone, movesGate: isDone };
}

type Written = { readonly id: number; readonly url: string };
/** `trouble`: what a person should know; null when all went well. */
type Posted = { readonly url: string; readonly trouble: Message | null };

/** Of two answers the first stays. @throws what Octokit throws. */
async function post(answer: Answer, options: AnswerOptions): Promise<Posted> {
  const { github, pullRequest, asked } = options;
  const now = await options.currentHead().catch(() => null);
  const movedTo = now === null || now === pullRequest.head.sha ? null : now;
  const body = capped(options.render(answer, { gate: null, movedTo }));
  const written = await writeOnce(github, {
    write: () => create(body, options),
    look: async () => (await given(options)).find((one) => sameText(one.body, body)) ?? null,
  });
  const all = await given(options).catch(() => []);
  const oldest = all.toSorted((one, other) => one.id - other.id)[0];
  if (oldest !== undefined && oldest.id < written.id) {
    await remove(written, options);
    return { url: oldest.url, trouble: { code: 'delivery.answered-first' } };
  }
  // A check at another head is not this answer's to start.
  const moves = answer.movesGate && movedTo === null && asked.mayWrite;
  const gate = moves ? await options.runGateAgain().catch(() => null) : null;
  if (gate === null) return { url: written.url, trouble: null };
  const withGate = capped(options.render(answer, { gate, movedTo }));
  const trouble = await writeOnce(github, { write: () => update(written, { body: withGate, options }) }).then(
    () => null,
    (error: unknown) => ({ code: 'delivery.answer-gate', why: refusalIn(error).reason }) as const,
  );
  return { url: written.url, trouble };
}

/** What we answered already to this comment, or, to a reply, in this thread. */
async function given({
  look,
  identity,
  asked,
  signs,
}: AnswerOptions): Promise<readonly (Written & { readonly body: string })[]> {
  const at = askedAt(asked, identity);
  const discussion = await look();
  const thread = threadOf(asked, discussion);
  const isReply = ({ comment, mark }: GivenAnswer) =>
    verbOf(asked) === 'reply' && mark.verb === 'reply' && thread?.comments.some(({ id }) => id === comment.id) === true;
  const answers = answersOf(discussion, { name: identity.name, signs }).filter(
    (one) => one.mark.to === at || isReply(one),
  );
  return answers.flatMap(({ comment: { restId: id, url, body } }) =>
    id === null ? [] : [{ id, url: url ?? '', body }],
  );
}

function isInThread({ asked }: Pick<AnswerOptions, 'asked'>): boolean {
  return asked.comment !== null && asked.comment.thread !== null;
}

async function create(body: string, { github, reference, asked }: AnswerOptions): Promise<Written> {
  const thread = asked.comment?.thread ?? null;
  if (thread === null) {
    const sent = { ...inRepository(reference), issue_number: reference.number, body };
    const { data } = await github.rest.issues.createComment(sent);
    return { id: data.id, url: data.html_url };
  }
  const sent = { ...inPull(reference), comment_id: thread, body };
  const { data } = await github.rest.pulls.createReplyForReviewComment(sent);
  return { id: data.id, url: data.html_url };
}

async function update({ id }: Written, { body, options }: { body: string; options: AnswerOptions }): Promise<void> {
  const sent = { ...inRepository(options.reference), comment_id: id, body };
  if (isInThread(options)) await options.github.rest.pulls.updateReviewComment(sent);
  else await options.github.rest.issues.updateComment(sent);
}

async function remove({ id }: Written, options: AnswerOptions): Promise<void> {
  const sent = { ...inRepository(options.reference), comment_id: id };
  try {
    if (isInThread(options)) await options.github.rest.pulls.deleteReviewComment(sent);
    else await options.github.rest.issues.deleteComment(sent);
  } catch (error) {
    if (answerOf(error)?.status !== 404) throw error;
  }
}
