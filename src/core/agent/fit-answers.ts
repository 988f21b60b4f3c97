import { imagesMessage, withoutImages } from './image-message.ts';
import type { ImagePart } from './image-part.ts';
import type { Message, ToolMessage } from './message.ts';
import { lastCallSize, type Session } from './session.ts';

export type AnsweredCall = { readonly message: ToolMessage; readonly images: readonly ImagePart[] };

type Turn = { readonly answers: readonly AnsweredCall[]; readonly note: string | null };

/**
 * The answers of a turn and behind them the images they speak of, without what the last call could not be paid beside: first the
 * images, then the longest answers. Results that nobody can answer from any more would cost everything that was found before.
 */
export function fitAnswers(session: Session, turn: Turn): readonly Message[] {
  const keeps = (messages: readonly Message[]) =>
    session.member.keep(lastCallSize(session, { messages, outputTokens: 0 }));
  const images = turn.answers.flatMap((answer) => answer.images);
  const shown = images.length === 0 ? [] : [imagesMessage(images)];
  let answers = turn.answers.map(({ message }, index) =>
    noted(message, { note: turn.note, last: isLast(index, turn) }),
  );
  if (shown.length > 0 && keeps([...answers, ...shown])) return [...answers, ...shown];
  const behind = shown.map((message) => withoutImages(message, 'the token budget has no room left'));
  const longestFirst = [...turn.answers.entries()].sort(
    ([, one], [, other]) => other.message.text.length - one.message.text.length,
  );
  for (const [index, { message }] of longestFirst) {
    if (keeps([...answers, ...behind])) return [...answers, ...behind];
    const leftOut = {
      ...message,
      text: `not shown: its ${message.text.length} characters do not fit the token budget.`,
    };
    if (leftOut.text.length >= message.text.length) break;
    answers = answers.with(index, noted(leftOut, { note: turn.note, last: isLast(index, turn) }));
  }
  keeps([...answers, ...behind]);
  return [...answers, ...behind];
}

function isLast(index: number, turn: Turn): boolean {
  return index === turn.answers.length - 1;
}

function noted(message: ToolMessage, given: { readonly note: string | null; readonly last: boolean }): ToolMessage {
  if (given.note === null || !given.last) return message;
  return { ...message, text: `${message.text}\n\n${given.note}` };
}
