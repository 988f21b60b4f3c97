import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { at, listAt } from '../fakes/every-pair.ts';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { type Answer, call, fault, type ModelOptions, submit } from '../fakes/model-server/script.ts';
import type { FakeModel } from '../fakes/model-server/start-model.ts';
import { review } from './adapters.ts';
import { FaultyScript, path, source } from './faulty-script.ts';

const rounds = 10;
const linesARead = 15;
const [large, small] = ['src/large.ts', 'src/small.ts'] as const;
/** A diff of 400 lines: beside it, what a round reads is little. */
const code = Array.from({ length: 400 }, (_, index) => `  total += prices[${index}] * amounts[${index}];`).join('\n');
const apis = ['chat', 'responses'] as const;

describe.each(apis)('over %s', (api) => {
  it('a round repeats at least 95 % of the bytes of the one before, and the bill shows that they were cached', async () => {
    const last = rounds - 1;
    const answers = Array.from({ length: rounds }, (_, index) => (index === last ? submit([]) : read(index)));
    const { review: done, server } = await reviewOf({ api, answers });
    expect([done.outcome, server.complaints]).toEqual(['clean', []]);
    const prompts = server.requests.map(({ body }) => promptOf(body));
    const shares = prompts.slice(1).map((prompt, index) => {
      const earlier = prompts[index] ?? '';
      // What was sent stays as it was, to the last byte: a history only grows.
      expect(prompt.startsWith(earlier)).toBe(true);
      return earlier.length / prompt.length;
    });
    expect(shares.length).toBe(last);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.95);
    const { input, cached } = done.metrics.usage;
    // All but the first request and what each round adds, in steps of 128 tokens.
    expect(cached / input).toBeGreaterThan(0.8);
    // Servers of Chat Completions other than OpenAI's mostly refuse the key.
    const key = api === 'responses' ? 'matrix' : undefined;
    expect(new Set(server.requests.map(({ body }) => at(body, 'prompt_cache_key')))).toEqual(new Set([key]));
  });

  it('two batches share tools, instructions and the pull request, byte for byte', async () => {
    const { server } = await reviewOf({ api, answers: () => submit([]), inputs: { 'files-per-batch': '1' } });
    expect(server.requests.length).toBe(2);
    const [one = '', other = ''] = server.requests.map(({ body }) => promptOf(body));
    const shared = one.slice(0, commonPrefix(one, other));
    expect(shared).toContain('# The pull request');
    expect(shared).toContain(`added ${small}`);
    // They part at the first path of their diffs, not before.
    expect(shared).toMatch(/# Review these files.*<untrusted-[0-9a-f]+ diff>\\n## src\/$/);
    expect(estimateTokenCount(shared)).toBeGreaterThan(1_024);
  });
});

type Asked = {
  readonly api: 'chat' | 'responses';
  readonly answers: readonly Answer[] | (() => Answer);
  readonly inputs?: Readonly<Record<string, string>>;
};

function reviewOf({ api, answers, inputs = {} }: Asked): ReturnType<typeof review> {
  const files = { [large]: code, [small]: 'one\n' };
  // Two files raise the cap of iterations to ten.
  return review({ adapter: { api, stream: true }, server: { answers }, files, inputs });
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

type Server = ModelOptions & {
  readonly api: 'auto' | 'chat' | 'responses';
  /** What Postil changes, in this order, and nothing else. */
  readonly changes: readonly string[];
};

const badGateway = fault(502, '<html><title>Bad gateway</title></html>');

const noTools = ['tools', 'tool_choice', 'strict', 'parallel_tool_calls'] as const;

const servers: readonly (readonly [string, Server])[] = [
  ['the strictest server: Responses, reasoning that must come back whole', { api: 'responses', changes: [] }],
  [
    'a server whose reasoning models want no tools over Chat Completions',
    {
      api: 'auto',
      rejects: ['chat-tools-with-reasoning', 'temperature'],
      changes: ['using the Responses API instead of Chat Completions', 'not sending the temperature'],
    },
  ],
  [
    'a server that refuses every form that Responses lets it refuse',
    {
      api: 'responses',
      rejects: ['stream', 'strict', 'parallel_tool_calls', 'temperature'],
      maxOutput: 2_000,
      changes: [
        'not streaming',
        'not sending strict',
        'not sending parallel_tool_calls',
        'not sending the temperature',
        'asking for no more output tokens than the server allows',
      ],
    },
  ],
  [
    'the poorest server: no tools, no streaming, no usage, max_tokens alone, errors as pages',
    {
      api: 'chat',
      rejects: ['stream', ...noTools, 'temperature', 'max_completion_tokens', 'responses'],
      usage: false,
      maxOutput: 2_000,
      changes: [
        'not streaming',
        'calling tools in text, because the server does not offer function calling',
        'not sending the temperature',
        'sending max_tokens instead of max_completion_tokens',
        'asking for no more output tokens than the server allows',
      ],
    },
  ],
  ['a server that wants its thought signatures back', { api: 'chat', thoughtSignatures: true, changes: [] }],
  ['a server whose model does not reason', { api: 'responses', reasoning: false, changes: [] }],
];

describe('a whole review', () => {
  it.each(servers)('ends well on %s', async (_name, { api, changes, ...options }) => {
    const script = new FaultyScript({ answers: [badGateway] }, 'first');
    const {
      review: done,
      server,
      adjustments,
    } = await review({
      adapter: { api, stream: true },
      server: { ...options, answers: script.answer, verification: script.verify },
      files: { [path]: source },
    });
    expect([done.outcome, done.findings.length, server.complaints]).toEqual(['findings', 1, []]);
    expect(adjustments).toEqual(changes);
    // A page of a proxy, three calls and a check; and each refusal once: what was refused is never sent again.
    expect([server.requests.length, server.verifications.length]).toEqual([4, 1]);
    expect(server.attempts.length - 5).toBe(changes.length);
    expect(done.metrics.usage.estimated).toBe(options.usage === false);
  });
});

const basket = 'src/basket.ts';
const defect = '  if (total > limit) return total;';
const filler = (index: number) => `  const price${index} = prices[${index}] ?? defaultPrice(currency, ${index});`;
/** 40 lines, as a usual file of a small pull request adds them. */
const basketSource = [...Array.from({ length: 39 }, (_, index) => filler(index)), defect, ''].join('\n');

describe.each(apis)('over %s', (api) => {
  it('a pull request of one file of 25 lines, one reading and one finding takes at most 6,000 tokens of input, the check included', async () => {
    const { review: done, server } = await review({
      adapter: { api, stream: true },
      server: { answers: [call('read_file', { path: basket }), submit([{ path: basket, quote: defect }])] },
      files: { [basket]: basketSource.split('\n').slice(-26).join('\n') },
    });
    expect([done.outcome, server.requests.length, server.verifications.length]).toEqual(['findings', 2, 1]);
    const sent = [...server.requests, ...server.verifications].reduce((sum, request) => sum + tokensOf(request), 0);
    // As we estimate, and as the server bills.
    expect(sent).toBeLessThanOrEqual(6_000);
    expect(done.metrics.usage.input).toBeLessThanOrEqual(6_000);
  });

  it('instructions, tools and schema take at most 1,700 tokens of each call, with read_diff offered', async () => {
    const { server } = await review({
      adapter: { api, stream: true },
      server: { answers: () => submit([]) },
      files: { [basket]: basketSource, 'web/page.ts': 'one\n' },
      inputs: { 'files-per-batch': '1' },
    });
    expect(server.requests.map(({ tools }) => tools.includes('read_diff'))).toEqual([true, true]);
    for (const request of server.requests) expect(overheadOf(request)).toBeLessThanOrEqual(1_700);
  });
});

function overheadOf({ body, messages }: NormalisedRequest): number {
  const instructions = messages.flatMap(({ role, text }) => (role === 'system' ? [text] : []));
  return estimateTokenCount([JSON.stringify(listAt(body, 'tools')), ...instructions].join('\n'));
}

/** Everything of a request but what steers it: more than a provider bills, as the JSON around the messages is counted. */
function tokensOf({ body }: NormalisedRequest): number {
  return estimateTokenCount(JSON.stringify([at(body, 'tools'), at(body, 'messages') ?? at(body, 'input')]));
}
