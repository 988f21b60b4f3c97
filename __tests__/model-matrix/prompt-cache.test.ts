import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { at, listAt } from '../fakes/json.ts';
import type { Answer } from '../fakes/model-server/script.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import type { FakeModel } from '../fakes/model-server/start-model.ts';
import { review } from './reviewed.ts';

const rounds = 10;
const linesARead = 15;
const [large, small] = ['src/large.ts', 'src/small.ts'] as const;
/** A diff of 400 lines: beside it, what a round reads is little. */
const code = Array.from({ length: 400 }, (_, index) => `  total += prices[${index}] * amounts[${index}];`).join('\n');
const apis = ['chat', 'responses'] as const;

describe.each(apis)('over %s', (api) => {
  it('a round repeats at least 95 % of the bytes of its request from the round before', async () => {
    const prompts = (await tenRounds(api)).requests.map(({ body }) => promptOf(body));
    const shares = prompts.slice(1).map((prompt, index) => {
      const earlier = prompts[index] ?? '';
      // What was sent stays as it was, to the last byte: a history only grows.
      expect(prompt.startsWith(earlier)).toBe(true);
      return earlier.length / prompt.length;
    });
    expect(shares.length).toBe(rounds - 1);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.95);
  });

  it('the server finds it in its cache, and the bill says so', async () => {
    const { requests, metrics } = await tenRounds(api);
    const { input, cached } = metrics.usage;
    // All but the first request and what each round adds, in steps of 128 tokens.
    expect(cached / input).toBeGreaterThan(0.8);
    // Servers of Chat Completions other than OpenAI's mostly refuse the key.
    const key = api === 'responses' ? 'matrix' : undefined;
    expect(new Set(requests.map(({ body }) => at(body, 'prompt_cache_key')))).toEqual(new Set([key]));
  });

  it('two bundles share tools, instructions and the pull request, byte for byte', async () => {
    const [one = '', other = ''] = await twoBundles(api);
    const shared = one.slice(0, commonPrefix(one, other));
    expect(shared).toContain('# The pull request');
    expect(shared).toContain(`added ${small}`);
    // They part at the first path of their diffs, not before.
    expect(shared).toMatch(/# Review these files.*<untrusted-[0-9a-f]+ diff>\\n## src\/$/);
    expect(estimateTokenCount(shared)).toBeGreaterThan(1_024);
  });
});

async function tenRounds(api: 'chat' | 'responses') {
  const answers = Array.from(
    { length: rounds },
    (_, index): Answer => (index === rounds - 1 ? submit([]) : read(index)),
  );
  const { review: done, server } = await reviewOf({ api, answers });
  expect([done.outcome, server.complaints]).toEqual(['clean', []]);
  return { requests: server.requests, metrics: done.metrics };
}

async function twoBundles(api: 'chat' | 'responses'): Promise<readonly string[]> {
  const { server } = await reviewOf({ api, answers: () => submit([]), inputs: { 'files-per-batch': '1' } });
  expect(server.requests.length).toBe(2);
  return server.requests.map(({ body }) => promptOf(body));
}

function reviewOf(given: {
  readonly api: 'chat' | 'responses';
  readonly answers: readonly Answer[] | (() => Answer);
  readonly inputs?: Readonly<Record<string, string>>;
}): ReturnType<typeof review> {
  const { api, answers, inputs = {} } = given;
  // Two files raise the cap of iterations to ten.
  return review({
    adapter: { api, stream: true },
    server: { answers },
    files: { [large]: code, [small]: 'one\n' },
    inputs,
  });
}

function read(round: number): Answer {
  const start = round * linesARead + 1;
  return call('read_file_lines', { path: large, start_line: start, end_line: start + linesARead - 1 });
}

/** What a provider reads of a request, in its order, without the bracket that closes the conversation. */
function promptOf(body: FakeModel['requests'][number]['body']): string {
  const conversation = at(body, 'messages') ?? at(body, 'input');
  return `${JSON.stringify(listAt(body, 'tools'))}\n${JSON.stringify(conversation).replace(/]$/, '')}`;
}

function commonPrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
