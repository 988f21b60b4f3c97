import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { UserError } from '../errors.ts';
import { toBase64 } from '../images/images.ts';
import type { Comment, PostedReview, PullRequest, ReviewThread } from '../pull-request/pull-request.ts';
import { handsOver, type Settings } from '../settings/settings.ts';
import { whatItSaid } from './ended-comment.ts';
import { type FindingMark, type Mark, readWrittenMarks, type WrittenMark, withoutMarks } from './mark.ts';

/** Where a mark stands. A genuine mark that is found at another place is text. */
export type MarkPlace =
  /** The comment that opens a review thread: it holds for these words only, because people decline what they read. */
  | { readonly in: 'thread'; readonly words: string }
  | { readonly in: 'review' }
  /** The summary comment, by the number that REST knows it by. */
  | { readonly in: 'summary'; readonly comment: number }
  /**
   * An answer to a comment, in the thread that this comment opens, or below the pull request. Its mark says itself to which comment, about what and
   * when, so a copy of it says nothing more.
   */
  | { readonly in: 'answer'; readonly thread: number | null }
  /** A file that one job hands to another. */
  | { readonly in: 'file' };

/** Signs the marks of one pull request and knows them again. The keys themselves cannot be got at. */
export type MarkKeys = {
  /** False without a key: then nothing is approved, nothing is narrowed, and what people declined does not count. */
  readonly signs: boolean;
  /** Null without a key. */
  readonly sign: (content: string, place: MarkPlace) => string | null;
  readonly accepts: (mark: Pick<WrittenMark, 'content' | 'signature'>, place: MarkPlace) => boolean;
  /** 11 characters that nobody without the key can tell for a content: with the first key, or another by its place. Null where there is no such key. */
  readonly seal: (content: string, key?: number) => string | null;
};
/** Keys of at least this entropy, roughly: signatures are public, and a shorter key could be guessed from one. */
const shortestKey = 20;
const fewestDifferent = 8;

/**
 * What signs: each line of `state-key`, the first one for what is written, then `api-key`. An `api-key` that is no real one, as servers without
 * keys take it, signs nothing.
 *
 * @throws UserError when a line of `state-key` could be guessed.
 */
export function signingKeys({ stateKey, apiKey }: { stateKey: string; apiKey: string }): string[] {
  const lines = stateKeyLines(stateKey);
  if (!lines.every(isHardToGuess)) {
    throw new UserError(`'state-key' has a line that could be guessed: ${shortestKey} characters are the fewest.`, {
      hint: 'Put a random text into the secret, such as the output of `openssl rand -hex 32`; several keys stand on lines of their own.',
    });
  }
  return [...lines, ...[apiKey.trim()].filter(isHardToGuess)];
}

/** The keys in the input `state-key`, one per line. */
export function stateKeyLines(stateKey: string): readonly string[] {
  return stateKey
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function isHardToGuess(key: string): boolean {
  return key.length >= shortestKey && new Set(key).size >= fewestDifferent;
}

/** The marks of one pull request, signed with the first key and accepted with any of them. */
export function markKeys(
  secrets: readonly string[],
  /** `repository` is `owner/name`. */
  { repository, number }: { repository: string; number: number },
): MarkKeys {
  const keysFor = (use: string) =>
    secrets.map((secret) => hkdf(sha256, utf8ToBytes(secret), undefined, utf8ToBytes(use), 32));
  const keys = keysFor(purpose);
  const sealing = keysFor(sealPurpose);
  const subject = [purpose, repository.toLowerCase(), number];
  const signatureBy = (key: Uint8Array, { content, place }: { content: string; place: MarkPlace }) =>
    bytesToHex(hmac(sha256, key, utf8ToBytes(`${JSON.stringify([...subject, ...boundTo(place)])}\n${content}`)));
  return {
    signs: keys.length > 0,
    sign: (content, place) => {
      const [first] = keys;
      return first === undefined ? null : signatureBy(first, { content, place });
    },
    accepts: ({ content, signature }, place) =>
      signature !== null && keys.some((key) => isEqual(signature, signatureBy(key, { content, place }))),
    seal: (content, at = 0) => {
      const key = sealing[at];
      if (key === undefined) return null;
      const bytes = hmac(sha256, key, utf8ToBytes(JSON.stringify([...subject, content]))).slice(0, sealBytes);
      return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
    },
  };
}

/** Keeps these keys apart from whatever else is derived of the same secret. */
const purpose = 'postil mark 1';
const sealPurpose = 'postil seal 1';
/** Many are kept, and nobody without the key can look for two contents with the same. */
const sealBytes = 8;

/** Keys of nobody. */
export const noKeys: MarkKeys = { signs: false, sign: () => null, accepts: () => false, seal: () => null };

function boundTo(place: MarkPlace): readonly (string | number)[] {
  switch (place.in) {
    case 'thread':
      return ['thread', digestOfWords(place.words)];
    case 'review':
      return ['review'];
    case 'summary':
      return ['summary', place.comment];
    case 'answer':
      return ['answer', place.thread ?? 0];
    case 'file':
      return ['file'];
  }
}

/**
 * Of letters and digits alone: GitHub may store other line ends. One that says that its finding ended folds what it said, and holds it still.
 */
function digestOfWords(body: string): string {
  const all = withoutMarks(body).replaceAll('\r\n', '\n');
  const words = (whatItSaid(all) ?? all).replace(/[^\p{L}\p{N}]+/gu, '');
  return bytesToHex(sha256(utf8ToBytes(words)));
}

/** Takes as long wherever the first difference is. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

export type Said = Pick<PullRequest, 'conversation' | 'reviews' | 'threads'>;

/** The same, with the signatures that hold named in `signed`: once in a comment of our own, and where the mark was signed for. */
export function withSignatures<Discussion extends Said>(discussion: Discussion, keys: MarkKeys): Discussion {
  const inSummary = (comment: Comment) =>
    comment.restId === null
      ? []
      : held(comment, { keys, place: { in: 'summary', comment: comment.restId }, fits: isNoAnswer });
  const conversation = discussion.conversation.map((comment) => ({
    ...comment,
    signed: [...inSummary(comment), ...inAnswer(comment, { keys, thread: null })],
  }));
  const place: MarkPlace = { in: 'review' };
  const reviews = discussion.reviews.map((review) => ({ ...review, signed: held(review, { keys, place }) }));
  const threads = firstOnly(discussion.threads.map((one) => inThread(one, keys)));
  return { ...discussion, conversation, reviews, threads };
}

function isNoAnswer({ kind }: Mark): boolean {
  return kind !== 'answer';
}

function inAnswer(comment: Comment, { keys, thread }: { keys: MarkKeys; thread: number | null }): readonly string[] {
  return held(comment, { keys, place: { in: 'answer', thread }, fits: (mark) => !isNoAnswer(mark) });
}

function held(
  { body, isSelf }: Pick<Comment, 'body' | 'isSelf'>,
  {
    keys,
    place,
    fits = () => true,
  }: {
    keys: MarkKeys;
    place: MarkPlace;
    /** Whether GitHub's own word of the place agrees with the mark. */
    fits?: (mark: Mark) => boolean;
  },
): readonly string[] {
  if (!isSelf || !keys.signs) return [];
  const marks = readWrittenMarks(body).filter((written) => fits(written.mark) && keys.accepts(written, place));
  return marks.flatMap(({ signature }) => signature ?? []);
}

function inThread(thread: ReviewThread, keys: MarkKeys): ReviewThread {
  const [first, ...replies] = thread.comments;
  if (first === undefined) return thread;
  const fits = (mark: Mark) => mark.kind === 'finding' && mark.path === thread.path && agrees(mark, thread);
  const signed = held(first, { keys, place: { in: 'thread', words: first.body }, fits });
  return {
    ...thread,
    comments: [
      { ...first, signed },
      ...replies.map((reply) => ({ ...reply, signed: inAnswer(reply, { keys, thread: first.restId }) })),
    ],
  };
}

/** Whether a thread is on the lines of a mark. A comment on a file may hold a finding on lines that GitHub refused. */
export function agrees({ lines }: FindingMark, thread: ReviewThread): boolean {
  if (thread.subject === 'file') return true;
  if (lines === null || lines.side !== thread.side) return false;
  const { originalLine, originalStartLine } = thread;
  if (originalLine === null) return false;
  return lines.endLine === originalLine && lines.startLine === (originalStartLine ?? originalLine);
}

/** Of several comments with the same words and the same mark the oldest is ours: the others were copied from it. */
function firstOnly(threads: readonly ReviewThread[]): readonly ReviewThread[] {
  const oldest = new Map<string, number>();
  for (const { comments } of threads) {
    for (const signature of comments[0]?.signed ?? []) {
      oldest.set(signature, Math.min(oldest.get(signature) ?? Number.POSITIVE_INFINITY, age(comments[0])));
    }
  }
  return threads.map((thread) => {
    const [first, ...replies] = thread.comments;
    if (first === undefined) return thread;
    const signed = (first.signed ?? []).filter((signature) => oldest.get(signature) === age(first));
    return { ...thread, comments: [{ ...first, signed }, ...replies] };
  });
}

function age(comment: Comment | undefined): number {
  return comment?.restId ?? Number.MAX_SAFE_INTEGER;
}

/** The marks in a comment or review of ours. `isSigned`: it was written by a run with our key, for this place. */
export function marksIn({
  isSelf,
  body,
  signed = [],
}: Pick<Comment | PostedReview, 'isSelf' | 'body' | 'signed'>): readonly ReadMark[] {
  if (!isSelf) return [];
  return readWrittenMarks(body).map(({ mark, signature }) => ({
    mark,
    isSigned: signature !== null && signed.includes(signature),
  }));
}

export type ReadMark = { readonly mark: Mark; readonly isSigned: boolean };

/** What a person should know of a run that has no key, where that makes a difference: an approval is asked for, or something was posted before. */
export function noteWithoutKeys(
  keys: MarkKeys,
  {
    pullRequest,
    reviewEvent,
    mode,
  }: {
    pullRequest: Said;
    reviewEvent: 'comment' | 'request-changes' | 'approve';
    mode: Settings['mode'];
  },
): readonly string[] {
  if (keys.signs || handsOver({ mode })) return [];
  const { conversation, reviews, threads } = pullRequest;
  const said = [...conversation, ...reviews, ...threads.flatMap(({ comments }) => comments.slice(0, 1))];
  return reviewEvent === 'approve' || said.some((one) => marksIn(one).length > 0) ? [withoutKeys] : [];
}

const withoutKeys =
  'This run has no key to sign its comments with, so this review is a full one, nothing is approved, and what people declined before does not count. Set `state-key` to a random text of 20 characters or more. Runs for forks and Dependabot get no secrets.';
