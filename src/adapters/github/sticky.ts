import { stateMarkIn, summaryComments } from '../../core/history/known-findings.ts';
import type { RunIdentity } from '../../core/history/memory.ts';
import { isLaterRun } from '../../core/history/recall.ts';
import type { State } from '../../core/history/state.ts';
import type { Message } from '../../core/messages/message.ts';
import type { Comment } from '../../core/pull-request/pull-request.ts';
import { type Delivery, type Destination, deliveryOf, type ReviewRecord } from '../../core/review/sink.ts';
import { answerOf } from './answers.ts';
import { inRepository, refusalIn } from './client.ts';
import { capped, longestBody, sameText, writeOnce } from './posted.ts';
import type { GitHubSession } from './pull.ts';
import { describeStop } from './review-sink.ts';

/** For which comment the summary is written, and what another run wrote there since this one began. */
export type SummaryPlace = {
  /** The comment's number; null while it has none. */
  readonly comment: number | null;
  readonly present: State | null;
};

export type StickyOptions = {
  readonly identity: Pick<RunIdentity, 'name' | 'run'>;
  /** As it was when the run began; null when there was none. */
  readonly existing: Comment | null;
  /** Null when there is nothing to keep. */
  readonly render: (record: ReviewRecord, place: SummaryPlace) => string | null;
  /** The words of another run, with what both know; null when that cannot be said. */
  readonly renderJoined: (record: ReviewRecord, body: string, place: SummaryPlace) => string | null;
  /** The comment as it is now, once this run has reviewed nothing. Null when that changes nothing in it. */
  readonly renderNotReviewed: (record: ReviewRecord, present: string) => string | null;
  /** The state in a comment; null where our key did not sign it. */
  readonly stateIn: (comment: { readonly id: number; readonly body: string }) => State | null;
  /** Whether this run has a key: without one it leaves a signed state alone. */
  readonly signs: boolean;
  /** The conversation as it is now. */
  readonly look: () => Promise<readonly Comment[]>;
  readonly currentHead: () => Promise<string | null>;
};

type StickyWork = GitHubSession &
  StickyOptions & {
    /** What another run knew where this one wrote before: its own words hold it since. */
    readonly joined: State | null;
  };

/**
 * The one summary comment: created by the first run, updated in place by the others. Before anything is posted it names what will be, so that a run
 * that is killed has lost nothing.
 */
export function summaryComment(session: GitHubSession, given: StickyOptions): Destination {
  const name = 'summary comment';
  let options: StickyWork = { ...session, ...given, joined: null };
  const write = async (record: ReviewRecord): Promise<Delivery> => {
    const { pullRequest } = record.review;
    if (options.render(record, { comment: null, present: null }) === null || options.github.signal.aborted) {
      const url = await sayNotReviewed(options, record);
      return deliveryOf(name, url === null ? 'skipped' : 'delivered', null, url);
    }
    if (!options.signs && options.existing !== null && holdsState(options.existing.body, options)) {
      return deliveryOf(name, 'skipped', { code: 'delivery.state-without-key' });
    }
    const bodyFor = (place: SummaryPlace) => capped(options.render(record, place) ?? '');
    const joinedFor = (body: string, place: SummaryPlace) => {
      const joined = options.renderJoined(record, body, place);
      return joined === null ? null : capped(joined);
    };
    const kept = await keep(options, { bodyFor, joinedFor, head: pullRequest?.head.sha ?? '' });
    const { comment, by, joined } = kept;
    const body = by === 'us' ? comment?.body : options.existing?.body;
    if (comment !== null) options = { ...options, existing: { ...comment, body: body ?? '' }, joined };
    if (kept.by === 'another run') return deliveryOf(name, 'skipped', { code: 'delivery.summary-superseded' });
    return deliveryOf(name, kept.trouble ? 'failed' : 'delivered', kept.trouble ?? null, kept.comment?.url ?? null);
  };
  return {
    name,
    announce: async (record) => {
      if (options.signs && !options.github.signal.aborted) await write(record).catch(() => undefined);
    },
    deliver: async (record) => {
      try {
        return await write(record);
      } catch (error) {
        const refusal = refusalIn(error);
        const status = refusal.kind === 'permission' ? 'refused' : 'failed';
        return deliveryOf(name, status, describeStop(refusal, record.review.pullRequest));
      }
    },
  };
}

function holdsState(body: string, { identity }: Pick<StickyOptions, 'identity'>): boolean {
  return typeof stateMarkIn(body, identity.name)?.data === 'string';
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
  return summaryComments(conversation, name)[0] ?? null;
}

/** What this run says in the comment, and the head that it is about. */
type Ours = {
  readonly bodyFor: (place: SummaryPlace) => string;
  readonly joinedFor: (body: string, place: SummaryPlace) => string | null;
  readonly head: string;
};
type Written = { readonly id: number; readonly url: string; readonly body: string };
/** Whose words the comment holds in the end. */
type Kept = Pick<StickyWork, 'joined'> & {
  readonly by: 'us' | 'another run';
  readonly comment: Comment | null;
  readonly trouble?: Message;
};

async function keep(options: StickyWork, ours: Ours): Promise<Kept> {
  const present = await presentOf(options);
  const updated = present === null ? null : await update(options, { present, ours });
  return updated ?? (await create(options, ours));
}

/** The comment as it is now: another run may have updated it. Null when there was none, or somebody deleted it. */
async function presentOf(options: StickyWork): Promise<Written | null> {
  const id = options.existing?.restId ?? null;
  return id === null ? null : await read(options, id);
}

async function read({ github, reference }: StickyWork, id: number): Promise<Written | null> {
  return await unlessGone(async () => {
    const { data } = await github.rest.issues.getComment({ ...inRepository(reference), comment_id: id });
    return { id, url: data.html_url, body: data.body ?? '' };
  });
}

/** Others may write at the same time: so often is looked again whether what was written stands. */
const attempts = 3;

/** Null when the comment is gone. */
async function update(options: StickyWork, { present, ours }: { present: Written; ours: Ours }): Promise<Kept | null> {
  let now = present;
  for (let attempt = 1; ; attempt += 1) {
    const joined = strangersState(options, now);
    const place = { comment: now.id, present: joined };
    const isTheirs = await belongsToAnother(options, { present: now, ours });
    const body = isTheirs ? ours.joinedFor(now.body, place) : ours.bodyFor(place);
    const by = isTheirs ? 'another run' : 'us';
    if (body === null || sameText(now.body, body)) return { by, joined, comment: commentOf(options, now) };
    if ((await unlessGone(() => rewrite(options, { ...now, body }))) === null) return null;
    const written = { ...now, body };
    const after = await read(options, now.id);
    const stands = after === null || sameText(after.body, body) || stateOf(options, after) === null;
    if (stands || attempt === attempts) return { by, joined, comment: commentOf(options, written) };
    now = after;
  }
}

/** Null where the comment is as this run read it; what it joined before where it is as this run wrote it. */
function strangersState(options: StickyWork, now: Written): State | null {
  const { existing, joined } = options;
  if (existing !== null && existing.restId === now.id && sameText(existing.body, now.body)) return joined;
  return stateOf(options, now);
}

function stateOf({ stateIn }: StickyWork, { id, body }: Written): State | null {
  return stateIn({ id, body });
}

/** It says the same however often it is sent, so nobody has to look before it is sent again. */
async function rewrite({ github, reference }: StickyWork, { id, body }: Written): Promise<true> {
  const asked = { ...inRepository(reference), comment_id: id, body };
  await writeOnce(github, { write: () => github.rest.issues.updateComment(asked) });
  return true;
}

/** True when the words of another run stay: a run that is no longer the latest takes nothing back. */
async function belongsToAnother(
  { existing, identity, currentHead }: StickyWork,
  { present, ours }: { present: Written; ours: Ours },
): Promise<boolean> {
  if (existing !== null && existing.restId === present.id && sameText(existing.body, present.body)) return false;
  const mark = stateMarkIn(present.body, identity.name);
  if (mark === null || mark.run === identity.run) return false;
  if (mark.head === ours.head) return isLaterRun(mark.run, identity.run);
  const head = await currentHead().catch(() => null);
  return head !== null && head !== ours.head;
}

async function create(options: StickyWork, ours: Ours): Promise<Kept> {
  const { github, reference } = options;
  const body = ours.bodyFor({ comment: null, present: null });
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
  return summaryComments(await look(), identity.name).flatMap(({ restId: id, url, body }) =>
    id === null ? [] : [{ id, url: url ?? '', body }],
  );
}

/** Its number is known only now, and a mark is signed for one comment. Without that the next run believes nothing of it. */
async function signed(options: StickyWork, { written, ours }: { written: Written; ours: Ours }): Promise<Kept> {
  const kept = { by: 'us', joined: null, comment: commentOf(options, written) } as const;
  if (sameText(written.body, ours.bodyFor({ comment: written.id, present: null }))) return kept;
  try {
    const present = await read(options, written.id);
    return (present === null ? null : await update(options, { present, ours })) ?? kept;
  } catch (error) {
    const { reason: why } = refusalIn(error);
    return { ...kept, trouble: { code: 'delivery.unsigned-summary', why } };
  }
}

/** Two runs at once may both have created one: the oldest stays, and ours is taken back. */
async function yieldToOldest(options: StickyWork, { written, ours }: { written: Written; ours: Ours }): Promise<Kept> {
  const { github, reference } = options;
  const oldest = (await ownStickies(options).catch(() => [])).toSorted((one, other) => one.id - other.id)[0];
  const kept =
    oldest === undefined || oldest.id >= written.id ? null : await update(options, { present: oldest, ours });
  if (kept === null) return await signed(options, { written, ours });
  // Only now, so that our words stand somewhere whatever goes wrong.
  await unlessGone(() => github.rest.issues.deleteComment({ ...inRepository(reference), comment_id: written.id }));
  return kept;
}

/** What was written, as the next look of this run compares it. */
function commentOf({ existing }: StickyWork, { id, url, body }: Written): Comment {
  const before = existing ?? {
    id: '',
    author: '',
    date: '',
    thumbsDown: [],
    isMinimized: false,
    viewerCanMinimize: false,
  };
  return { ...before, isSelf: true, restId: id, url, body };
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
