import { describe, expect, it } from 'vitest';
import { at } from '../fakes/json.ts';
import { submit } from '../fakes/model-server/script.ts';
import { type Adapter, reviewWith } from './reviewed.ts';

const nothing = { answers: [] };

describe('a whole review', () => {
  it.each<[string, Adapter, Parameters<typeof reviewWith>[0]]>([
    [
      'the strictest: Responses, reasoning that must come back, everything checked',
      { name: 'strict', api: 'responses', stream: true, rejects: [] },
      nothing,
    ],
    [
      'the poorest: no tools, no streaming, no usage, old names, nothing optional',
      {
        name: 'poor',
        api: 'chat',
        stream: true,
        rejects: [
          'stream',
          'stream_options',
          'tools',
          'temperature',
          'max_completion_tokens',
          'parallel_tool_calls',
          'strict',
          'tool_choice',
        ],
      },
      { answers: [], server: { usage: false, maxOutput: 2_000 } },
    ],
    [
      'one that wants its thought signatures back',
      { name: 'signed', api: 'chat', stream: true, rejects: [] },
      { answers: [], server: { thoughtSignatures: true } },
    ],
  ])('ends well on a server that is %s', async (_name, adapter, fault) => {
    const { review, server } = await reviewWith(fault, { adapter, position: 'first' });
    expect([review.outcome, review.placements.length, server.complaints]).toEqual(['findings', 1, []]);
    expect(review.metrics.usage.estimated).toBe(fault.server?.usage === false);
  });

  it('climbs the ladder once: what was refused is never sent again', async () => {
    const adapter: Adapter = {
      name: 'poor',
      api: 'chat',
      stream: true,
      rejects: ['stream_options', 'temperature', 'parallel_tool_calls'],
    };
    const { server } = await reviewWith(nothing, { adapter, position: 'first' });
    const statuses = server.attempts.map(({ status }) => status);
    expect(statuses).toEqual([
      ...Array.from({ length: statuses.filter((status) => status === 400).length }, () => 400),
      200,
      200,
      200,
      200,
    ]);
    expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(3);
  });
});

describe('every round', () => {
  it.each(['chat', 'responses'] as const)(
    'repeats at least 95 %% of the one before, byte for byte, over %s',
    async (api) => {
      const { server } = await reviewWith(tenRounds(), {
        adapter: { name: api, api, stream: true, rejects: [] },
        position: 'first',
      });
      const prompts = server.attempts
        .slice(0, 6)
        .map(({ body }) => JSON.stringify(at(body, api === 'chat' ? 'messages' : 'input')));
      const shares = prompts
        .slice(1)
        .map((prompt, index) => commonPrefix(prompts[index] ?? '', prompt) / (prompts[index]?.length ?? 1));
      expect(prompts.length).toBeGreaterThan(4);
      // The last character closes the list.
      expect(Math.min(...shares)).toBeGreaterThan(0.95);
      expect(new Set(server.attempts.slice(0, 5).map(({ body }) => JSON.stringify(at(body, 'tools')))).size).toBe(1);
    },
  );
});

describe('a small review', () => {
  it('of one file, one reading and one finding takes at most 12,000 tokens of input, its verification included', async () => {
    const { review } = await reviewWith(nothing, {
      adapter: { name: 'chat', api: 'chat', stream: true, rejects: [] },
      position: 'first',
    });
    expect(review.metrics.modelCalls).toBe(4);
    expect(review.metrics.usage.input).toBeLessThan(12_000);
  });

  it('begins with at most 3,000 tokens that are the same for every review', async () => {
    const { server, review } = await reviewWith(
      { answers: [submit([])] },
      { adapter: { name: 'chat', api: 'chat', stream: true, rejects: [] }, position: 'first' },
    );
    expect([server.requests.length, review.metrics.usage.input < 3_000 + 300]).toEqual([1, true]);
  });
});

/** Reads something else each round, as long as it may. */
function tenRounds(): Parameters<typeof reviewWith>[0] {
  const round = (number: number) =>
    ({
      kind: 'message',
      text: `Round ${number}.`,
      calls: [
        { name: 'read_file_lines', arguments: { path: 'src/last.ts', start_line: 1, end_line: 1 + (number % 3) } },
        { name: 'list_files', arguments: { directory: `d${number}`, pattern: null } },
      ],
    }) as const;
  return { answers: Array.from({ length: 10 }, (_, index) => round(index)) };
}

function commonPrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
