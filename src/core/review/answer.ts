import type { Asked } from '../history/asked.ts';
import type { AnswerMark } from '../history/mark.ts';

/** Lines at the reviewed head, 1-based and inclusive. */
export type SourcePlace = { readonly path: string; readonly startLine: number; readonly endLine: number };

/** What somebody is answered who asked in a comment: a value, before anything is posted. */
export type Answer = {
  readonly asked: Asked;
  /** Markdown, as the model or Postil wrote it: whoever posts it makes it harmless. */
  readonly text: string;
  /** What it could not find; null when nothing is missing. */
  readonly notFound: string | null;
  /** What it cites, looked up: the most important first. */
  readonly places: readonly SourcePlace[];
  /** Of the finding that it is about; null where it is about none. */
  readonly about: string | null;
  /** What it makes of that finding, and the line that proves it; left out where it judges nothing. */
  readonly verdict?: AnswerMark['verdict'];
  readonly proof?: SourcePlace;
  /** What the finding and its proof stand in. */
  readonly around?: AnswerMark['around'];
  /** What would take the place of the finding's lines; `applies`: in the thread, with a click. */
  readonly suggestion: { readonly code: string; readonly applies: boolean } | null;
  /** False where what was asked could not be done: the text says why. */
  readonly isDone: boolean;
  /** The check of the pull request may come to something else after it. */
  readonly movesGate: boolean;
};

/** An answer that only says something. */
export const plainAnswer = {
  ...{ notFound: null, places: [], about: null, suggestion: null },
  ...{ isDone: true, movesGate: false },
} as const;
