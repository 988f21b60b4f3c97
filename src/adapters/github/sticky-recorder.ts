import type { StickyMark } from '../../core/memory/mark.ts';
import { readMarks } from '../../core/memory/mark-text.ts';
import type { RunIdentity } from '../../core/memory/run-identity.ts';
import type { Comment } from '../../core/pull-request/pull-request.ts';
import type { Delivery, Recorder, ReviewRecord } from '../../core/review/sink.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import { answerOf } from './github-answer.ts';
import { sameText } from './posted-comments.ts';
import { refusalOf } from './refusal.ts';
import { capped } from './review-request.ts';
import { describeStop } from './review-troubles.ts';
import { writeOnce } from './write-once.ts';

export type StickyOptions = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  readonly identity: RunIdentity;
  /** As it was when the run began; null when there was none. */
  readonly existing: Comment | null;
  /** Null when there is nothing to keep. */
  readonly render: (record: ReviewRecord) => string | null;
  /** The conversation as it is by now. */
  readonly look: () => Promise<readonly Comment[]>;
  readonly currentHead: () => Promise<string | null>;
};

type Written = { readonly id: number; readonly url: string };

const sinkName = 'summary comment';

/** The one summary comment: created by the first run, updated in place by the others. */
export function stickyRecorder(options: StickyOptions): Recorder {
  const delivery = (status: Delivery['status'], reason: string | null, url: string | null = null): Delivery => {
    return { sink: sinkName, status, reason, delivered: [], url };
  };
  return {
    name: sinkName,
    record: async (record) => {
      const rendered = options.render(record);
      if (rendered === null || options.github.signal.aborted) return delivery('skipped', null);
      const body = capped(rendered);
      try {
        if (await isOvertaken(options)) return delivery('skipped', 'A later run has updated it for a newer commit.');
        const written = options.existing === null ? null : await update(options, { id: options.existing.restId, body });
        return delivery('delivered', null, (written ?? (await create(options, body))).url);
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === null) throw error;
        const status = refusal.kind === 'permission' ? 'refused' : 'failed';
        return delivery(status, describeStop(refusal, record.review.pullRequest));
      }
    },
  };
}

/** Our own summary comment of this name: of several the oldest. */
export function findSticky(conversation: readonly Comment[], name: string): Comment | null {
  return conversation.find((comment) => stickyMarkIn(comment, name) !== null) ?? null;
}

function stickyMarkIn({ isSelf, body }: Comment, name: string): StickyMark | null {
  if (!isSelf) return null;
  const mark = readMarks(body).find((one) => one.kind === 'sticky' && one.name === name);
  return mark?.kind === 'sticky' ? mark : null;
}

/** Two runs may overlap: what a run on a newer head has written is not taken back by the older one. */
async function isOvertaken({ existing, identity, look, currentHead, github }: StickyOptions): Promise<boolean> {
  if (existing === null || github.signal.aborted) return false;
  const now = (await look()).find(({ id }) => id === existing.id);
  const mark = now === undefined ? null : stickyMarkIn(now, identity.name);
  if (mark === null || now === undefined || sameText(now.body, existing.body) || mark.run === identity.run)
    return false;
  return mark.head === (await currentHead().catch(() => null));
}

/** Null when the comment is gone. An update says the same however often it is sent. */
async function update(
  { github, reference, existing }: StickyOptions,
  { id, body }: { readonly id: number | null; readonly body: string },
): Promise<Written | null> {
  const { owner, repository: repo } = reference;
  if (id === null) return null;
  if (existing !== null && existing.restId === id && sameText(existing.body, body)) {
    return { id, url: existing.url ?? '' };
  }
  const write = async (): Promise<Written | null> => {
    const answer = await github.rest.issues.updateComment({ owner, repo, comment_id: id, body });
    return { id, url: answer.data.html_url };
  };
  try {
    return await write();
  } catch (error) {
    if (answerOf(error)?.status === 404) return null;
    if (refusalOf(error)?.kind !== 'uncertain') throw error;
    return await write();
  }
}

async function create(options: StickyOptions, body: string): Promise<Written> {
  const { github, reference } = options;
  const { owner, repository: repo, number } = reference;
  const written = await writeOnce({
    settleMilliseconds: github.settleMilliseconds,
    write: async () => {
      const answer = await github.rest.issues.createComment({ owner, repo, issue_number: number, body });
      return { id: answer.data.id, url: answer.data.html_url };
    },
    look: async () => (await ownStickies(options)).find(({ body: text }) => sameText(text, body)) ?? null,
  });
  return await yieldToOldest(options, { written, body });
}

type Listed = Written & { readonly body: string };

async function ownStickies({ look, identity }: StickyOptions): Promise<readonly Listed[]> {
  const conversation = await look();
  return conversation.flatMap((comment) => {
    const { restId: id, url, body } = comment;
    return id !== null && stickyMarkIn(comment, identity.name) !== null ? [{ id, url: url ?? '', body }] : [];
  });
}

/** Two runs at once may both have created one: the oldest stays, and gets our text (FAILURES P17). */
async function yieldToOldest(
  options: StickyOptions,
  { written, body }: { readonly written: Written; readonly body: string },
): Promise<Written> {
  const { github, reference } = options;
  const { owner, repository: repo } = reference;
  const oldest = (await ownStickies(options).catch(() => [])).toSorted((one, other) => one.id - other.id)[0];
  if (oldest === undefined || oldest.id >= written.id) return written;
  await github.rest.issues.deleteComment({ owner, repo, comment_id: written.id });
  return (await update(options, { id: oldest.id, body })) ?? written;
}
