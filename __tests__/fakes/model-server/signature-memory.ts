import { at, listAt, textAt } from '../json.ts';
import { bad, type Problem } from './problem.ts';

/** Gemini's thought signatures in Chat Completions: what came with a tool call must come back with it, unchanged. */
export class SignatureMemory {
  readonly #signatures = new Map<string, string>();

  remember(completion: unknown): void {
    for (const call of listAt(completion, 'choices', 0, 'message', 'tool_calls')) {
      const signature = signatureOf(call);
      if (signature !== '') this.#signatures.set(textAt(call, 'id'), signature);
    }
  }

  problem(body: unknown): Problem | null {
    for (const [index, message] of listAt(body, 'messages').entries()) {
      for (const call of listAt(message, 'tool_calls')) {
        const expected = this.#signatures.get(textAt(call, 'id'));
        if (expected === undefined || expected === signatureOf(call)) continue;
        const name = textAt(at(call, 'function'), 'name');
        return bad(
          `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call \`default_api:${name}\`, position ${index}.`,
        );
      }
    }
    return null;
  }
}

function signatureOf(call: unknown): string {
  return textAt(call, 'extra_content', 'google', 'thought_signature');
}
