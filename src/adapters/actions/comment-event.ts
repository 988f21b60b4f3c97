import type { AskedComment, CommentEvent } from '../../core/history/asked.ts';
import { parserFor } from '../../core/schema.ts';

/** An event by which somebody may ask for something: in a comment, or by starting the workflow. */
export type AskingSubject = {
  readonly kind: 'asking';
  /** Of the pull request; null where the input `pull-request` has to tell. */
  readonly number: number | null;
  /** Null for a run by hand: the input `command` says what is asked. */
  readonly heard: CommentEvent;
};

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const number = { type: 'integer', minimum: 1 } as const;

// Null for an account that was deleted meanwhile.
const user = {
  type: ['object', 'null'],
  required: ['login'],
  properties: { login: text, type: textOrNull },
} as const;

const said = { node_id: text, id: number, html_url: text, body: textOrNull, user } as const;
const required = ['node_id', 'id', 'html_url', 'body', 'user'] as const;

const head = {
  type: 'object',
  required: ['repo'],
  properties: { repo: { type: ['object', 'null'], required: ['full_name'], properties: { full_name: text } } },
} as const;
const pull = {
  type: 'object',
  required: ['number', 'head', 'base'],
  properties: { number, head, base: head },
} as const;

const parseIssueComment = parserFor({
  type: 'object',
  required: ['action', 'issue', 'comment'],
  properties: {
    action: text,
    issue: { type: 'object', required: ['number'], properties: { number, pull_request: { type: ['object', 'null'] } } },
    comment: { type: 'object', required, properties: said },
  },
});

const parseReviewComment = parserFor({
  type: 'object',
  required: ['action', 'pull_request', 'comment'],
  properties: {
    action: text,
    pull_request: pull,
    comment: { type: 'object', required, properties: { ...said, in_reply_to_id: { type: ['integer', 'null'] } } },
  },
});

const parseReview = parserFor({
  type: 'object',
  required: ['action', 'pull_request', 'review'],
  properties: { action: text, pull_request: pull, review: { type: 'object', required, properties: said } },
});

const parseDispatch = parserFor({ type: 'object', required: ['sender'], properties: { sender: user } });

type Unasking = { readonly kind: 'skip'; readonly reason: string } | { readonly kind: 'other' };

/** What GitHub tells of a comment, or of who started the workflow. */
export function askingSubject(name: string, payload: unknown): AskingSubject | Unasking {
  switch (name) {
    case 'issue_comment': {
      const parsed = parseIssueComment(payload);
      if (!parsed.ok) return other;
      const { action, issue, comment } = parsed.value;
      if (issue.pull_request === undefined || issue.pull_request === null) return onAnIssue;
      return asking(comment, { in: 'conversation', thread: null, number: issue.number, isNew: action === 'created' });
    }
    case 'pull_request_review_comment': {
      const parsed = parseReviewComment(payload);
      if (!parsed.ok) return other;
      const { action, pull_request: on, comment } = parsed.value;
      const thread = comment.in_reply_to_id ?? comment.id;
      return asking(comment, { in: 'thread', thread, number: on.number, isNew: action === 'created', on });
    }
    case 'pull_request_review': {
      const parsed = parseReview(payload);
      if (!parsed.ok) return other;
      const { action, pull_request: on, review } = parsed.value;
      return asking(review, { in: 'review', thread: null, number: on.number, isNew: action === 'submitted', on });
    }
    default: {
      const parsed = parseDispatch(payload);
      const sender = parsed.ok ? parsed.value.sender : null;
      const by = { by: sender?.login ?? 'ghost', isBot: isBot(sender) };
      return { kind: 'asking', number: null, heard: { ...by, comment: null, isNew: true, withoutSecrets: false } };
    }
  }
}

const other = { kind: 'other' } as const;
const onAnIssue = { kind: 'skip', reason: 'The comment is on an issue, not on a pull request.' } as const;

type Said = Extract<ReturnType<typeof parseReview>, { ok: true }>['value']['review'];
type Pull = Extract<ReturnType<typeof parseReview>, { ok: true }>['value']['pull_request'];

type CommentPlace = {
  readonly in: AskedComment['in'];
  readonly thread: AskedComment['thread'];
  /** Of the pull request. */
  readonly number: number;
  readonly isNew: boolean;
  readonly on?: Pull;
};

function asking({ node_id, id, html_url, body, user: by }: Said, at: CommentPlace): AskingSubject {
  const comment = { in: at.in, id: node_id, number: id, url: html_url, body: body ?? '', thread: at.thread };
  const who = { by: by?.login ?? 'ghost', isBot: isBot(by) };
  const heard = { ...who, comment, isNew: at.isNew, withoutSecrets: at.on !== undefined && isFork(at.on) };
  return { kind: 'asking', number: at.number, heard };
}

function isBot(by: Said['user']): boolean {
  return by !== null && (by.type === 'Bot' || by.login.endsWith('[bot]'));
}

/** A head of a repository that was deleted is a fork's: that is the safe side. */
function isFork({ head: from, base }: Pull): boolean {
  return from.repo === null || from.repo.full_name !== base.repo?.full_name;
}
