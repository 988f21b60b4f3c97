import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { imagesOf } from '../agent/image-message.ts';
import type { Message } from '../agent/message.ts';
import type { ModelRequest } from '../agent/model.ts';

/** What a model was asked, as 32 hex digits: equal when the same would be sent. Taken after secrets were taken out, as in the recording. */
export function requestKey(request: ModelRequest, redact: (text: string) => string): string {
  const messages = request.messages.map(keyOf);
  const { tools, toolChoice, maxOutputTokens } = request;
  const asked = [messages, tools.map(({ name }) => name), toolChoice, maxOutputTokens];
  return bytesToHex(sha256(utf8ToBytes(redact(JSON.stringify(asked))))).slice(0, 32);
}

function keyOf(message: Message): readonly unknown[] {
  if (message.role === 'assistant') return [message.role, message.text, message.toolCalls];
  if (message.role === 'tool') return [message.role, message.callId, message.text];
  // Images by their digests: a replay has no bytes of them.
  const images = imagesOf(message).map(({ digest, detail }) => [digest, detail]);
  return [message.role, message.text, ...(images.length === 0 ? [] : [images])];
}
