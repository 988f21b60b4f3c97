import { readDiscussion } from '../../../src/adapters/github/read-discussion.ts';
import { findSticky, stickyRecorder } from '../../../src/adapters/github/sticky-recorder.ts';
import type { StickyMark } from '../../../src/core/memory/mark.ts';
import { withoutMarks, writeMark } from '../../../src/core/memory/mark-text.ts';
import type { Comment } from '../../../src/core/pull-request/pull-request.ts';
import type { Delivery, Recorder, ReviewRecord } from '../../../src/core/review/sink.ts';
import { pullRequest, recordOf } from '../../fakes/review-record.ts';
import { head, type StrictGitHub, strictGitHub } from './strict-github.ts';

type Words = { readonly run: string; readonly words: string; readonly head?: string; readonly name?: string };

export type StickyDesk = StrictGitHub & {
  readonly currentHead: () => Promise<string | null>;
  recorder(run: {
    readonly run: string;
    readonly name?: string;
    /** By the number of the comment, where it is signed. */
    readonly body: string | null | ((comment: number | null) => string);
    readonly existing: Comment | null;
    readonly currentHead?: () => Promise<string | null>;
  }): Recorder;
};

/** A pull request on which several runs keep their summary comment. */
export async function stickyDesk(options: Parameters<typeof strictGitHub>[0] = {}): Promise<StickyDesk> {
  const strict = await strictGitHub(options);
  const { github, reference } = strict;
  const current = async () => head;
  return {
    ...strict,
    currentHead: current,
    recorder: ({ run, name = 'Review', body, existing, currentHead = current }) =>
      stickyRecorder({
        github,
        reference,
        identity: { name, run, settings: '' },
        existing,
        render: (_, comment) => (typeof body === 'function' ? body(comment) : body),
        look: async () => (await readDiscussion(github, reference)).conversation,
        currentHead,
      }),
  };
}

/** A whole run: it reads the conversation, something may happen `meanwhile`, and it writes. */
export async function runOn(desk: StickyDesk, words: Words, meanwhile?: () => unknown): Promise<Delivery> {
  const { run, name = 'Review' } = words;
  const { conversation } = await readDiscussion(desk.github, desk.reference);
  const existing = findSticky(conversation, name);
  const recorder = desk.recorder({ run, name, body: said(words), existing, currentHead: desk.currentHead });
  await meanwhile?.();
  return await recorder.record(recordAt(words.head ?? head));
}

/** A review of this head. */
export function recordAt(sha: string): ReviewRecord {
  return recordOf({ pullRequest: { ...pullRequest, head: { ...pullRequest.head, sha } } });
}

/** A summary comment with its mark. */
export function said({ run, words, head: reviewed = head, name = 'Review' }: Words): string {
  const state = { head: reviewed, mergeBase: '', settings: '', unreviewed: [], others: [] };
  const mark: StickyMark = { kind: 'sticky', name, run, ...state };
  return `### ${name} · ${words}\n\n${writeMark(mark)}`;
}

/** What the comments below the pull request say. */
export function bodies({ fake }: StrictGitHub): readonly string[] {
  return fake.conversation().map(({ body }) => withoutMarks(body).replace(/^### \w+ · /, ''));
}

/** Every write with its status, such as `POST 201`. */
export function writesOf({ fake }: StrictGitHub): readonly string[] {
  return fake.writes().map(({ method, status }) => `${method} ${status}`);
}
