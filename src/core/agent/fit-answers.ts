import type { ToolMessage } from './message.ts';
import { lastCallSize, type Session } from './session.ts';

/**
 * The answers of a turn, with the longest ones left out as long as the last call could not be paid beside them: results
 * that nobody can answer from any more would cost everything that was found before.
 */
export function fitAnswers(
  session: Session,
  turn: { readonly answers: readonly ToolMessage[]; readonly note: string | null },
): readonly ToolMessage[] {
  let fitted = turn.answers.map((message, index) => noted(message, { note: turn.note, last: isLast(index, turn) }));
  const longestFirst = [...turn.answers.entries()].sort(([, one], [, other]) => other.text.length - one.text.length);
  for (const [index, message] of longestFirst) {
    if (session.member.keep(lastCallSize(session, { messages: fitted, outputTokens: 0 }))) return fitted;
    const leftOut = {
      ...message,
      text: `not shown: its ${message.text.length} characters do not fit the token budget.`,
    };
    if (leftOut.text.length >= message.text.length) break;
    fitted = fitted.with(index, noted(leftOut, { note: turn.note, last: isLast(index, turn) }));
  }
  session.member.keep(lastCallSize(session, { messages: fitted, outputTokens: 0 }));
  return fitted;
}

function isLast(index: number, turn: { readonly answers: readonly ToolMessage[] }): boolean {
  return index === turn.answers.length - 1;
}

function noted(message: ToolMessage, given: { readonly note: string | null; readonly last: boolean }): ToolMessage {
  if (given.note === null || !given.last) return message;
  return { ...message, text: `${message.text}\n\n${given.note}` };
}
