import { describe, expect, it } from 'vitest';
import type { OpenAiOptions } from '../../../src/adapters/openai/open-ai-model.ts';
import { at } from '../../fakes/every-pair.ts';
import {
  afterOneCall,
  apiKey,
  bodyParts,
  completion,
  json,
  opening,
  outputText,
  refusal,
  response,
  scripted,
} from './streams.ts';

const done = completion({ content: 'Done.' });

type Case = {
  readonly says: string;
  readonly param?: string;
  readonly before: unknown;
  readonly parameter: string;
  readonly after: unknown;
  readonly change: string;
};

const cases: readonly Case[] = [
  {
    says: "Unsupported parameter: 'max_completion_tokens' is not supported with this model. Use 'max_tokens' instead.",
    parameter: 'max_tokens',
    before: undefined,
    after: 4096,
    change: 'sending max_tokens instead of max_completion_tokens',
  },
  {
    says: "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    parameter: 'temperature',
    before: 0.2,
    after: undefined,
    change: 'not sending the temperature',
  },
  {
    says: 'parallel_tool_calls is not supported with this model',
    parameter: 'parallel_tool_calls',
    before: true,
    after: undefined,
    change: 'not sending parallel_tool_calls',
  },
  {
    says: 'max_tokens is too large: 4096. This model supports at most 2048 completion tokens, whereas you provided 4096.',
    parameter: 'max_completion_tokens',
    before: 4096,
    after: 2048,
    change: 'asking for no more output tokens than the server allows',
  },
  {
    says: "This model's maximum context length is 8192 tokens and your request has 5192 input tokens (4096 > 8192 - 5192).",
    parameter: 'max_completion_tokens',
    before: 4096,
    after: 2048,
    change: 'asking for no more output tokens than the server allows',
  },
  {
    says: 'Thinking mode does not support this tool_choice',
    parameter: 'tool_choice',
    before: { type: 'function', function: { name: 'submit_review' } },
    after: undefined,
    change: 'leaving the choice of the tool to the model',
  },
  {
    says: "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    parameter: 'reasoning_effort',
    before: undefined,
    after: 'none',
    change: "sending reasoning effort 'none'",
  },
];

describe('a chat server that refuses a parameter', () => {
  it.each(cases)('$says → $change', async ({ says, parameter, before, after, change }) => {
    const options: Partial<OpenAiOptions> = { temperature: 0.2, api: 'chat' };
    const server = await scripted([refusal(says), done, done], options);
    const request = { ...opening, toolChoice: { tool: 'submit_review' } };
    await server.answer(request);
    await server.answer(request);
    expect(server.sent.map((sent) => bodyParts(sent, parameter)[0])).toEqual([before, after, after]);
    expect(server.adjustments).toEqual([{ change, because: says }]);
  });

  it('may refuse strict schemas: then they are not strict', async () => {
    const says = 'Invalid JSON payload received. Unknown name "strict" at \'tools[0].function\': Cannot find field.';
    const server = await scripted([
      json([{ error: { code: 400, message: says, status: 'INVALID_ARGUMENT' } }], 400),
      done,
    ]);
    await server.answer(opening);
    expect(server.sent.map((sent) => JSON.stringify(sent.body).includes('"strict"'))).toEqual([true, false]);
  });

  it('may refuse its own fields in the history: then answers are rebuilt', async () => {
    const raw = {
      api: 'chat',
      message: { role: 'assistant', content: 'I look.', reasoning: 'hm', tool_calls: [{ id: 'call_1' }] },
    };
    const detail = [
      {
        type: 'extra_forbidden',
        loc: ['body', 'messages', 2, 'assistant', 'reasoning'],
        msg: 'Extra inputs are not permitted',
      },
    ];
    const server = await scripted([json({ detail }, 422), done]);
    await server.answer(afterOneCall(raw));
    expect(server.sent.map((sent) => JSON.stringify(sent.body).includes('"reasoning":"hm"'))).toEqual([true, false]);
  });

  it('is asked each thing once: a refusal that stays is an error', async () => {
    const says = refusal("Unsupported value: 'temperature' does not support 0.2 with this model.");
    const server = await scripted([says, says], { temperature: 0.2 });
    await expect(server.answer(opening)).rejects.toMatchObject({ kind: 'refused-request' });
    expect(server.sent).toHaveLength(2);
  });

  it('may refuse several things one after the other', async () => {
    const server = await scripted(
      [refusal("Unsupported parameter: 'max_completion_tokens'"), refusal("'temperature' is not supported"), done],
      { temperature: 0.2 },
    );
    await server.answer(opening);
    expect(bodyParts(server.sent[2], 'max_tokens', 'temperature')).toEqual([4096, undefined]);
    expect(server.adjustments).toHaveLength(2);
  });

  it('may echo the key: what is reported of it has none', async () => {
    const server = await scripted([refusal(`'temperature' is refused for ${apiKey}`), done], { temperature: 0.2 });
    await server.answer(opening);
    expect(server.adjustments[0]?.because).toBe("'temperature' is refused for [redacted]");
  });

  it('is climbed once by calls that run at the same time', async () => {
    const refuseTemperature = ({ body }: { body: unknown }) =>
      JSON.stringify(body).includes('"temperature"') ? refusal("'temperature' does not support 0.2") : done;
    const server = await scripted(
      Array.from({ length: 8 }, () => refuseTemperature),
      { temperature: 0.2 },
    );
    await Promise.all([1, 2, 3, 4].map(() => server.answer(opening)));
    expect(server.adjustments).toHaveLength(1);
    expect(server.sent.length).toBeLessThanOrEqual(8);
  });
});

describe('a Responses server that refuses a parameter', () => {
  const answered = response([outputText('Done.')]);

  it.each([
    [refusal('Encrypted content is not supported with this model.', { param: 'include' }), 'include'],
    [refusal("Unknown parameter: 'store'.", { param: 'store' }), 'store'],
    [refusal("Unknown parameter: 'prompt_cache_key'."), 'prompt_cache_key'],
    [refusal("Unsupported parameter: 'temperature' is not supported with this model."), 'temperature'],
  ])('is asked without it', async (says, parameter) => {
    const server = await scripted([says, answered], { api: 'responses', temperature: 0.2 });
    await server.answer(opening);
    expect(bodyParts(server.sent[0], parameter)).not.toEqual([undefined]);
    expect(bodyParts(server.sent[1], parameter)).toEqual([undefined]);
  });

  it.each([
    ["Unknown parameter: 'tools[0].strict'.", '"strict"'],
    ["Invalid schema for function 'read_file': 'default' is not permitted.", '"strict":true'],
  ])('gets tools without what it refuses: %s', async (says, part) => {
    const server = await scripted([refusal(says), answered], { api: 'responses' });
    await server.answer(opening);
    expect(server.sent.map((sent) => JSON.stringify(sent.body).includes(part))).toEqual([true, false]);
  });

  it('gets the output tokens that it names', async () => {
    const says =
      "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 2048, but got 4096 instead.";
    const server = await scripted([refusal(says), answered], { api: 'responses' });
    await server.answer(opening);
    expect(bodyParts(server.sent[1], 'max_output_tokens')).toEqual([2048]);
  });
});

describe('extra fields', () => {
  const done = completion({ content: 'Done.' });

  describe('extra fields', () => {
    it('go with every request: headers, query and body', async () => {
      const server = await scripted([done], {
        extraHeaders: { 'X-Title': 'Postil' },
        extraQuery: { 'api-version': '2026-05-01' },
        extraBody: { provider: { sort: 'price' } },
      });
      await server.answer(opening);
      const [sent] = server.sent;
      expect([sent?.headers['x-title'], at(sent?.body, 'provider')]).toEqual(['Postil', { sort: 'price' }]);
    });

    it('are merged into what Postil sends itself', async () => {
      const extraBody = { stream_options: { include_obfuscation: false }, temperature: 0 };
      const server = await scripted([done], { stream: true, extraBody, temperature: 0.2 });
      await server.answer(opening);
      expect([at(server.sent[0]?.body, 'stream_options'), at(server.sent[0]?.body, 'temperature')]).toEqual([
        { include_usage: true, include_obfuscation: false },
        0,
      ]);
    });

    it('may replace the way in which the key is sent', async () => {
      const server = await scripted([done], { extraHeaders: { Authorization: 'Token abc' } });
      await server.answer(opening);
      expect(server.sent[0]?.headers['authorization']).toBe('Token abc');
    });

    it('keep the bytes of a request the same from call to call', async () => {
      const server = await scripted([done, done], { extraBody: { user: 'ci', metadata: { a: 1, b: 2 } } });
      await server.answer(opening);
      await server.answer(opening);
      expect(JSON.stringify(server.sent[1]?.body)).toBe(JSON.stringify(server.sent[0]?.body));
    });

    it('include the effort to think, in the words of each API', async () => {
      const chat = await scripted([done], { reasoningEffort: 'low', api: 'chat' });
      await chat.answer(opening);
      expect(at(chat.sent[0]?.body, 'reasoning_effort')).toBe('low');
    });
  });
});
