import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { ModelRequest } from '../agent/model.ts';

/** What a model was asked, as 32 hex digits: equal when the same would be sent. Taken after secrets were taken out, as in the recording. */
export function requestKey(request: ModelRequest, redact: (text: string) => string): string {
  const messages = request.messages.map((message) => {
    if (message.role === 'assistant') return [message.role, message.text, message.toolCalls];
    return message.role === 'tool' ? [message.role, message.callId, message.text] : [message.role, message.text];
  });
  const { tools, toolChoice, maxOutputTokens } = request;
  const asked = [messages, tools.map(({ name }) => name), toolChoice, maxOutputTokens];
  return bytesToHex(sha256(utf8ToBytes(redact(JSON.stringify(asked))))).slice(0, 32);
}
