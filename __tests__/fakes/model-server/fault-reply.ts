import type { Outcome } from '../loopback.ts';
import { jsonReply } from './problem.ts';
import type { Answer } from './script.ts';

/** What a scripted fault sends. */
export function faultReply(answer: Extract<Answer, { kind: 'fault' }>): Outcome {
  if (typeof answer.body !== 'string') {
    const reply = jsonReply(answer.status, answer.body);
    return { ...reply, headers: { ...reply.headers, ...answer.headers } };
  }
  return { status: answer.status, headers: { 'content-type': 'text/html', ...answer.headers }, body: answer.body };
}
