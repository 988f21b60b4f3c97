import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstToken } from '../../../src/core/agent/first-token.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../../src/core/agent/model.ts';

const request: ModelRequest = { messages: [], tools: [], toolChoice: 'auto', maxOutputTokens: 1 };
const answer: ModelAnswer = {
  message: { role: 'assistant', text: 'x', toolCalls: [], raw: null },
  end: 'end',
  usage: null,
};

it('opens with the first token, and not before', async () => {
  let finish = () => {};
  const model: Model = {
    answer: async ({ onProgress }) => {
      onProgress?.(1);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return answer;
    },
  };
  const watched = firstToken(model);
  let opened = false;
  void watched.first.then(() => {
    opened = true;
  });
  await Promise.resolve();
  expect(opened).toBe(false);
  const answering = watched.model.answer(request, new AbortController().signal);
  await watched.first;
  finish();
  expect(await answering).toBe(answer);
});

it('opens whatever becomes of the call', async () => {
  const ends = fc.constantFrom('answers', 'fails', 'is never made');
  await fc.assert(
    fc.asyncProperty(ends, async (end) => {
      const watched = firstToken({
        answer: async () => {
          if (end === 'fails') throw new Error('broken');
          return answer;
        },
      });
      if (end === 'is never made') watched.open();
      else await watched.model.answer(request, new AbortController().signal).catch(() => undefined);
      await watched.first;
    }),
  );
});
