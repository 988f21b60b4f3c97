import { argumentsText } from './render-chat.ts';
import type { MessageAnswer } from './script.ts';

/** A model that was offered no tools writes its calls into the text. */
export function inTextProtocol(answer: MessageAnswer): MessageAnswer {
  const written = answer.calls.map(
    (one) => `<tool_call>{"tool":${JSON.stringify(one.name)},"args":${argumentsText(one.arguments)}}</tool_call>`,
  );
  if (written.length === 0) return answer;
  return { ...answer, text: [answer.text, ...written].filter((text) => text !== null).join('\n'), calls: [] };
}
