import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Message } from '../../../src/core/agent/message.ts';
import { shrinkHistory } from '../../../src/core/agent/shrink.ts';
import { unansweredCalls } from '../../fakes/protocol.ts';
import { opening } from './agent-with.ts';

const stub = '[result of read_file removed to fit the context; call it again if needed]';
const size = (message: Message) => message.text.length;
const total = (messages: readonly Message[]) => messages.reduce((sum, message) => sum + size(message), 0);

const turn = fc.record({
  said: fc.string({ maxLength: 200 }),
  results: fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 4 }),
  nudge: fc.boolean(),
});

/** Opening and turns, as the loop leaves them: ids repeat from turn to turn. */
const history = fc.array(turn, { maxLength: 8 }).map((turns) => [
  ...opening,
  ...turns.flatMap(({ said, results, nudge }): readonly Message[] => {
    const ids = results.map((_, index) => `call_${index}`);
    const toolCalls = ids.map((id) => ({ id, name: 'read_file', arguments: '{}' }));
    return [
      { role: 'assistant', text: said, toolCalls, raw: null },
      ...results.map((length, index) => ({
        role: 'tool' as const,
        callId: `call_${index}`,
        name: 'read_file',
        text: 'x'.repeat(length),
      })),
      ...(nudge ? [{ role: 'user' as const, text: 'Go on.' }] : []),
    ];
  }),
]);

it('a history loses old results until it is half as large, the oldest first, and nothing else', () => {
  fc.assert(
    fc.property(history, (messages) => {
      const shrunk = shrinkHistory(messages, size);
      const lastTurn = messages.findLastIndex((message) => message.role === 'assistant');
      const removable = messages.map(
        (message, index) => message.role === 'tool' && index < lastTurn && message.text.length > stub.length,
      );
      if (shrunk === null) {
        expect(removable).not.toContain(true);
        return;
      }
      const removed = shrunk.map((message, index) => message !== messages[index]);
      // Only what may go, and nothing is skipped before the last that went.
      const upTo = removed.lastIndexOf(true) + 1;
      expect(removed.slice(0, upTo)).toEqual(removable.slice(0, upTo));
      expect(shrunk.filter((_, index) => removed[index]).every((message) => message.text === stub)).toBe(true);
      expect(unansweredCalls(shrunk)).toEqual([]);
      const half = total(shrunk) <= total(messages) / 2;
      expect(half || !removable.slice(upTo).includes(true)).toBe(true);
      // No more than it takes: with the last one back, it would be too large.
      const last = removed.lastIndexOf(true);
      const back = shrunk.map((message, index) => (index === last ? (messages[index] ?? message) : message));
      expect(total(back)).toBeGreaterThan(total(messages) / 2);
    }),
  );
});
