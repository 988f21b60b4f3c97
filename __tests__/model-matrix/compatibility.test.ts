import { describe, expect, it } from 'vitest';
import { type Answer, fault, type ModelOptions, type Refusable } from '../fakes/model-server/script.ts';
import { FaultyScript, path, source } from './faulty-script.ts';
import { review } from './reviewed.ts';

type Server = ModelOptions & {
  readonly api: 'auto' | 'chat' | 'responses';
  /** What Postil changes, in this order, and nothing else. */
  readonly changes: readonly string[];
  /** True where the server does not say what was used. */
  readonly estimated?: true;
};

const badGateway = fault(502, '<html><title>Bad gateway</title></html>');

const poorest: readonly Refusable[] = [
  'stream',
  'tools',
  'tool_choice',
  'strict',
  'parallel_tool_calls',
  'temperature',
  'max_completion_tokens',
  'responses',
];

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
      rejects: ['stream', 'strict', 'parallel_tool_calls', 'temperature', 'tool_choice'],
      maxOutput: 2_000,
      changes: [
        'not streaming',
        'not sending strict',
        'not sending parallel_tool_calls',
        'not sending the temperature',
        'asking for no more output tokens than the server allows',
        'leaving the choice of the tool to the model',
      ],
    },
  ],
  [
    'the poorest server: no tools, no streaming, no usage, max_tokens alone, errors as pages',
    {
      api: 'chat',
      rejects: poorest,
      usage: false,
      estimated: true,
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
  [
    'a server that streams without its usage',
    {
      api: 'chat',
      rejects: ['stream_options', 'strict', 'parallel_tool_calls', 'tool_choice'],
      estimated: true,
      changes: [
        'not asking for the usage at the end of a stream',
        'not sending strict',
        'not sending parallel_tool_calls',
        'leaving the choice of the tool to the model',
      ],
    },
  ],
  ['a server that answers whole when it is asked for a stream', { api: 'chat', ignoresStream: true, changes: [] }],
  ['a server that wants its thought signatures back', { api: 'chat', thoughtSignatures: true, changes: [] }],
  ['a server whose model does not reason', { api: 'responses', reasoning: false, changes: [] }],
];

describe('a whole review', () => {
  it.each(servers)('ends well on %s', async (_name, { api, changes, estimated = false, ...options }) => {
    const script = new FaultyScript({ answers: [badGateway] }, 'first');
    const { review: done, server, adjustments } = await reviewOn({ api, script, options });
    expect([done.outcome, done.placements.length, server.complaints]).toEqual(['findings', 1, []]);
    expect(adjustments).toEqual(changes);
    // A page of a proxy, three calls and a check; and each refusal once: what was refused is never sent again.
    expect([server.requests.length, server.verifications.length]).toEqual([4, 1]);
    expect(server.attempts.length - 5).toBe(changes.length);
    expect(done.metrics.usage.estimated).toBe(estimated);
  });

  it.each(['chat', 'responses'] as const)('fails at once where every answer over %s is a web page', async (api) => {
    const script = new FaultyScript({ lasts: true, answers: [webSite] }, 'first');
    const { review: done, server } = await reviewOn({ api, script, options: {} });
    expect([done.outcome, server.attempts.length]).toEqual(['failed', 1]);
    expect(done.headline).toMatch(/HTML page \(status 404\): "Not here"\. Check `model`, `api` and `base-url`/);
  });
});

const webSite: Answer = fault(404, '<!doctype html><title>Not here</title>');

function reviewOn({ api, script, options }: { api: Server['api']; script: FaultyScript; options: ModelOptions }) {
  return review({
    adapter: { api, stream: true },
    server: { ...options, answers: script.answer, verification: script.verify },
    files: { [path]: source },
  });
}
