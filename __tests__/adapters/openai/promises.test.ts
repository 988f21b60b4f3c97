import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adjustableDialect } from '../../../src/adapters/openai/adjustable-dialect.ts';
import { initialDialect } from '../../../src/adapters/openai/dialect.ts';
import { redactKey } from '../../../src/adapters/openai/redact-key.ts';
import { readServerWords } from '../../../src/adapters/openai/server-words.ts';
import { afterOneCall } from './conversations.ts';

const refusals = [
  "use /v1/responses or set reasoning_effort to 'none'",
  'Unknown request URL: POST /v1/responses',
  "Unsupported parameter: 'max_completion_tokens'",
  'max_tokens is too large: 4096. This model supports at most 2048',
  'max_tokens is too large: 4096. This model supports at most 1024',
  "'temperature' does not support 0.2",
  'parallel_tool_calls is not supported',
  'prompt_cache_key is not supported',
  'Encrypted content is not supported with this model.',
  "Unknown parameter: 'store'",
  "Unknown parameter: 'messages[2].reasoning'",
  'Invalid schema for function',
  'tool_choice is not supported',
  'this model does not support tools',
];

describe('the ladder', () => {
  it('ends, whatever a server refuses, and tells each step once', () => {
    const request = { ...afterOneCall(null), toolChoice: { tool: 'submit_review' } };
    const refused = fc.array(fc.record({ says: fc.constantFrom(...refusals), status: fc.constantFrom(400, 404) }));
    fc.assert(
      fc.property(refused, fc.constantFrom('auto', 'chat', 'responses'), (sequence, api) => {
        const told: string[] = [];
        const initial = initialDialect({
          baseUrl: 'https://api.openai.com/v1',
          api,
          temperature: 0.2,
          reasoningEffort: '',
          stream: false,
        });
        const dialect = adjustableDialect(initial, (step) => told.push(step.name));
        for (const { says, status } of sequence) {
          const before = dialect.current();
          const again = dialect.adjust({ words: readServerWords(says, status), dialect: before, request });
          expect(again).toBe(dialect.current() !== before);
        }
        expect(new Set(told).size).toBe(told.length);
        if (api !== 'auto') expect(dialect.current().api).toBe(api);
      }),
    );
  });
});

describe('a redacted text', () => {
  it('holds no eight characters of the key in a row', () => {
    const key = fc.stringMatching(/^[A-Za-z0-9_-]{8,60}$/);
    const cut = fc.record({ from: fc.nat(59), to: fc.nat(60) });
    fc.assert(
      fc.property(key, cut, fc.string(), fc.string(), (apiKey, { from, to }, before, after) => {
        const pieces = redactKey(`${before}${apiKey.slice(from, to)}${after}`, apiKey).split('[redacted]');
        const parts = Array.from({ length: apiKey.length - 7 }, (_, start) => apiKey.slice(start, start + 8));
        expect(parts.filter((part) => pieces.some((piece) => piece.includes(part)))).toEqual([]);
      }),
    );
  });

  it.each([
    ['a short key', 'the key abcd is wrong', 'abcd', 'the key [redacted] is wrong'],
    ['no key', 'nothing is wrong', '', 'nothing is wrong'],
    ['a key said twice', 'sk-12345678sk-12345678!', 'sk-12345678', '[redacted][redacted]!'],
    ['a key of two letters, which is a placeholder', 'no models', 'no', 'no models'],
  ])('of %s', (_what, text, key, redacted) => {
    expect(redactKey(text, key)).toBe(redacted);
  });
});
