import type { RunIdentity } from '../../core/history/memory.ts';
import { stickyComments, stickyMarkIn } from '../../core/history/prior-marks.ts';
import { isOvertaken } from '../../core/history/recall.ts';
import type { Message } from '../../core/messages/message.ts';
import type { Comment } from '../../core/pull-request/pull-request.ts';
import { type Destination, deliveryOf, type ReviewRecord } from '../../core/review/sink.ts';
import { answerOf } from './answers.ts';
import { inRepository, refusalIn } from './client.ts';
import { capped, longestBody, sameText, writeOnce } from './posted.ts';
import type { GitHubSession } from './pull.ts';
import { describeStop } from './review-sink.ts';

export type StickyOptions = {
  readonly identity: Pick<RunIdentity, 'name' | 'run'>;
  /** As it was when the run began; null when there was none. */
  readonly existing: Comment | null;
  /** For the comment of this number, or one that has none yet. Null when there is nothing to keep. */
  readonly render: (record: ReviewRecord, comment: number | null) => string | null;
  /** The comment as it is now, once this run has reviewed nothing. Null when that changes nothing in it. */
  readonly renderNotReviewed: (record: ReviewRecord, present: string) => string | null;
  /** The conversation as it is now. */
  readonly look: () => Promise<readonly Comment[]>;
  readonly currentHead: () => Promise<string | null>;
};

type StickyWork = GitHubSession & StickyOptions;

/** The one summary comment: created by the first run, updated in place by the others. */
export function summaryComment(session: GitHubSession, given: StickyOptions): Destination {
  const options = { ...session, ...given };
  const name = 'summary comment';
  return {
    name,
    deliver: async (record) => {
      const bodyFor = (comment: number | null) => capped(options.render(record, comment) ?? '');
      const { pullRequest } = record.review;
      try {
        if (options.render(record, null) === null || options.github.signal.aborted) {
          const url = await sayNotReviewed(options, record);
          return deliveryOf(name, url === null ? 'skipped' : 'delivered', null, url);
        }
        const kept = await keep(options, { bodyFor, head: pullRequest?.head.sha ?? '' });
        if (kept.by === 'us') {
          return deliveryOf(name, kept.trouble ? 'failed' : 'delivered', kept.trouble ?? null, kept.url);
        }
        return deliveryOf(name, 'skipped', { code: 'delivery.summary-superseded' });
      } catch (error) {
        const refusal = refusalIn(error);
        const status = refusal.kind === 'permission' ? 'refused' : 'failed';
        return deliveryOf(name, status, describeStop(refusal, pullRequest));
      }
    },
  };
}

/** Keeps what the comment says for the commit that it speaks for, and says that this run reviewed nothing. Its address; null when it stays as it is. */
async function sayNotReviewed(options: StickyWork, record: ReviewRecord): Promise<string | null> {
  if (options.existing === null) return null;
  const github = options.github.signal.aborted ? options.lastWords() : options.github;
  const present = await presentOf({ ...options, github });
  const body = present === null ? null : options.renderNotReviewed(record, present.body);
  if (present === null || body === null || body.length > longestBody || sameText(present.body, body)) return null;
  await rewrite({ ...options, github }, { ...present, body });
  return present.url;
}

/** Our own summary comment of this name: a signed one before any other, of several the oldest. */
export function findSticky(conversation: readonly Comment[], name: string): Comment | null {
  return stickyComments(conversation, name)[0] ?? null;
}

/** What this run says in the comment of this number, and the head that it is about. */
type Ours = { readonly bodyFor: (comment: number | null) => string; readonly head: string };
type Written = { readonly id: number; readonly url: string; readonly body: string };
/** Whose text the comment holds in the end. */
type WrittenComment =
  | { readonly by: 'us'; readonly url: string; readonly trouble?: Message }
  | { readonly by: 'another run' };

async function keep(options: StickyWork, ours: Ours): Promise<WrittenComment> {
  const present = await presentOf(options);
  const updated = present === null ? null : await update(options, { present, ours });
  return updated ?? (await create(options, ours));
}

/** The comment as it is now: another run may have updated it. Null when there was none, or somebody deleted it. */
async function presentOf({ github, reference, existing }: StickyWork): Promise<Written | null> {
  if (existing === null || existing.restId === null) return null;
  const id = existing.restId;
  return await unlessGone(async () => {
    const { data } = await github.rest.issues.getComment({ ...inRepository(reference), comment_id: id });
    return { id, url: data.html_url, body: data.body ?? '' };
  });
}

/** Null when the comment is gone. */
async function update(
  options: StickyWork,
  { present, ours }: { present: Written; ours: Ours },
): Promise<WrittenComment | null> {
  const body = ours.bodyFor(present.id);
  if (sameText(present.body, body)) return { by: 'us', url: present.url };
  if (await belongsToAnother(options, { present, ours })) return { by: 'another run' };
  return await unlessGone(() => rewrite(options, { ...present, body }));
}

/** It says the same however often it is sent, so nobody has to look before it is sent again. */
async function rewrite({ github, reference }: StickyWork, { id, url, body }: Written): Promise<WrittenComment> {
  const asked = { ...inRepository(reference), comment_id: id, body };
  await writeOnce(github, { write: () => github.rest.issues.updateComment(asked) });
  return { by: 'us', url };
}

async function belongsToAnother(
  { existing, identity, currentHead }: StickyWork,
  { present, ours }: { present: Written; ours: Ours },
): Promise<boolean> {
  if (existing !== null && existing.restId === present.id && sameText(existing.body, present.body)) return false;
  const mark = stickyMarkIn(present.body, identity.name);
  if (mark === null) return false;
  const head = await currentHead().catch(() => null);
  return isOvertaken({ present: mark, ours: { run: identity.run, head: ours.head }, currentHead: head });
}

async function create(options: StickyWork, ours: Ours): Promise<WrittenComment> {
  const { github, reference } = options;
  const body = ours.bodyFor(null);
  const written = await writeOnce(github, {
    write: async (): Promise<Written> => {
      const sent = { ...inRepository(reference), issue_number: reference.number, body };
      const { data } = await github.rest.issues.createComment(sent);
      return { id: data.id, url: data.html_url, body };
    },
    look: async () => (await ownStickies(options)).find((one) => sameText(one.body, body)) ?? null,
  });
  return await yieldToOldest(options, { written, ours });
}

async function ownStickies({ look, identity }: StickyWork): Promise<readonly Written[]> {
  return stickyComments(await look(), identity.name).flatMap(({ restId: id, url, body }) =>
    id === null ? [] : [{ id, url: url ?? '', body }],
  );
}

/** Its number is known only now, and a mark is signed for one comment. Without that the next run believes nothing of it. */
async function signed(
  options: StickyWork,
  { written, ours }: { written: Written; ours: Ours },
): Promise<WrittenComment> {
  const kept = { by: 'us', url: written.url } as const;
  const body = ours.bodyFor(written.id);
  if (sameText(written.body, body)) return kept;
  try {
    return await rewrite(options, { ...written, body });
  } catch (error) {
    const { reason } = refusalIn(error);
    return {
      ...kept,
      trouble: { code: 'delivery.unsigned-summary', why: reason },
    };
  }
}

/** Two runs at once may both have created one: the oldest stays, and ours is taken back. */
async function yieldToOldest(
  options: StickyWork,
  { written, ours }: { written: Written; ours: Ours },
): Promise<WrittenComment> {
  const { github, reference } = options;
  const oldest = (await ownStickies(options).catch(() => [])).toSorted((one, other) => one.id - other.id)[0];
  const kept =
    oldest === undefined || oldest.id >= written.id ? null : await update(options, { present: oldest, ours });
  if (kept === null) return await signed(options, { written, ours });
  // Only now, so that our words stand somewhere whatever goes wrong.
  await unlessGone(() => github.rest.issues.deleteComment({ ...inRepository(reference), comment_id: written.id }));
  return kept;
}

/** Null when the comment that this is about was deleted. */
async function unlessGone<Value>(request: () => Promise<Value>): Promise<Value | null> {
  try {
    return await request();
  } catch (error) {
    if (answerOf(error)?.status === 404) return null;
    throw error;
  }
}
