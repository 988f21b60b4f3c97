import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { chatRequest } from '../../../src/adapters/openai/chat.ts';
import { type Dialect, initialDialect, speak } from '../../../src/adapters/openai/dialect.ts';
import { nextStep } from '../../../src/adapters/openai/ladder.ts';
import { readServerWords } from '../../../src/adapters/openai/refusals.ts';
import { responsesRequest } from '../../../src/adapters/openai/responses.ts';
import type { ModelRequest } from '../../../src/core/agent/model.ts';
import { imagePart } from '../../fakes/images.ts';
import {
  type Answer,
  afterOneCall,
  apiKey,
  chatCall,
  completion,
  continued,
  done,
  json,
  opening,
  plainOptions,
  refusal,
  scripted,
  sentAt,
} from './streams.ts';

const unsupported =
  "Unsupported parameter: 'max_completion_tokens' is not supported with this model. Use 'max_tokens' instead.";
const lessOutput = 'asking for no more output tokens than the server allows';
const tooLarge =
  'max_tokens is too large: 4096. This model supports at most 2048 completion tokens, whereas you provided 4096.';
const tooLong =
  "This model's maximum context length is 8192 tokens and your request has 5192 input tokens (4096 > 8192 - 5192).";
const tooMuch =
  "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 2048, but got 4096 instead.";
const noEffort = "To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
const noChoice = 'Thinking mode does not support this tool_choice';
const noReasoning = 'Encrypted content is not supported with this model.';
const [noParallelCalls, noCacheKey] = ['not sending parallel_tool_calls', 'not sending prompt_cache_key'] as const;
const noTemperature = "'temperature' does not support 0.2 with this model.";

const stepOf: Readonly<Record<string, string>> = {
  [lessOutput]: 'fewer-output-tokens',
  [noParallelCalls]: 'no-parallel-calls',
  [noCacheKey]: 'no-cache-key',
  'sending max_tokens instead of max_completion_tokens': 'max-tokens',
  'not sending the temperature': 'no-temperature',
  'leaving the choice of the tool to the model': 'free-choice',
  "sending reasoning effort 'none'": 'reasoning-none',
  'not asking for encrypted reasoning': 'no-encrypted-reasoning',
  'not sending store': 'no-store',
};

describe('a server that refuses a parameter', () => {
  it.each<['chat' | 'responses', says: string, parameter: string, after: unknown, change: string]>([
    ['chat', unsupported, 'max_tokens', 4096, 'sending max_tokens instead of max_completion_tokens'],
    ['chat', noTemperature, 'temperature', undefined, 'not sending the temperature'],
    ['chat', 'parallel_tool_calls is not supported', 'parallel_tool_calls', undefined, noParallelCalls],
    ['chat', tooLarge, 'max_completion_tokens', 2048, lessOutput],
    ['chat', tooLong, 'max_completion_tokens', 2048, lessOutput],
    ['chat', noChoice, 'tool_choice', undefined, 'leaving the choice of the tool to the model'],
    ['chat', noEffort, 'reasoning_effort', 'none', "sending reasoning effort 'none'"],
    ['responses', noReasoning, 'include', undefined, 'not asking for encrypted reasoning'],
    ['responses', "Unknown parameter: 'store'.", 'store', undefined, 'not sending store'],
    ['responses', "Unknown parameter: 'prompt_cache_key'.", 'prompt_cache_key', undefined, noCacheKey],
    ['responses', "Unsupported parameter: 'temperature'", 'temperature', undefined, 'not sending the temperature'],
    ['responses', tooMuch, 'max_output_tokens', 2048, lessOutput],
  ])('over %s is asked otherwise: %s', async (api, says, parameter, after, change) => {
    const server = await scripted([refusal(says), done[api], done[api]], { temperature: 0.2, api });
    const request = { ...opening, toolChoice: { tool: 'submit_review' } };
    await server.answer(request);
    await server.answer(request);
    const [before, ...later] = sentAt(server, parameter);
    expect([isDeepStrictEqual(before, after), later]).toEqual([false, [after, after]]);
    expect(server.adjustments).toEqual([{ step: stepOf[change], change, because: says }]);
  });

  it('may refuse its own fields in the history: then answers are rebuilt', async () => {
    const message = { role: 'assistant', content: 'I look.', reasoning: 'hm', tool_calls: [{ id: 'call_1' }] };
    const loc = ['body', 'messages', 2, 'assistant', 'reasoning'];
    const detail = [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted' }];
    const server = await scripted([json({ detail }, 422), done.chat]);
    await server.answer(afterOneCall({ api: 'chat', message }));
    expect(sentAt(server, 'messages', 2, 'reasoning')).toEqual(['hm', undefined]);
  });

  it('is asked each thing once: a refusal that stays is an error', async () => {
    const says = refusal("Unsupported value: 'temperature' does not support 0.2 with this model.");
    const server = await scripted([says, says], { temperature: 0.2 });
    await expect(server.answer(opening)).rejects.toMatchObject({ kind: 'refused-request' });
    expect(server.sent).toHaveLength(2);
  });

  it('may refuse several things one after the other, and echo the key: what is reported of it has none', async () => {
    const temperature = refusal(`'temperature' is refused for ${apiKey}`);
    const server = await scripted([refusal("Unsupported parameter: 'max_completion_tokens'"), temperature, done.chat], {
      temperature: 0.2,
    });
    await server.answer(opening);
    expect([sentAt(server, 'max_tokens')[2], sentAt(server, 'temperature')[2]]).toEqual([4096, undefined]);
    expect(server.adjustments.map(({ because }) => because)).toEqual([
      "Unsupported parameter: 'max_completion_tokens'",
      "'temperature' is refused for [redacted]",
    ]);
  });

  it('is climbed once by calls that run at the same time', async () => {
    const refuseTemperature = ({ body }: { body: unknown }) =>
      JSON.stringify(body).includes('"temperature"') ? refusal("'temperature' does not support 0.2") : done.chat;
    const script = Array.from({ length: 8 }, () => refuseTemperature);
    const server = await scripted(script, { temperature: 0.2 });
    await Promise.all([1, 2, 3, 4].map(() => server.answer(opening)));
    expect(server.adjustments).toHaveLength(1);
    expect(server.sent.length).toBeLessThanOrEqual(8);
  });
});

it.each([
  ['chat', 'Invalid JSON payload received. Unknown name "strict" at \'tools[0].function\'.', '"strict"'],
  ['responses', "Unknown parameter: 'tools[0].strict'.", '"strict"'],
  ['responses', "Invalid schema for function 'read_file': 'default' is not permitted.", '"strict":true'],
] as const)('a server of %s gets tools without what it refuses: %s', async (api, says, part) => {
  const server = await scripted([refusal(says), done[api]], { api });
  await server.answer(opening);
  expect(server.sent.map(({ body }) => JSON.stringify(body).includes(part))).toEqual([true, false]);
});

const logo = imagePart('logo');
const url = `data:image/jpeg;base64,${logo.base64}`;
const shown: ModelRequest = {
  ...opening,
  messages: [...opening.messages, { role: 'user', text: 'The logo.', images: [logo, { ...logo, detail: 'high' }] }],
};
const chatImages = ['low', 'high'].map((detail) => ({ type: 'image_url', image_url: { url, detail } }));
const responsesImages = ['low', 'high'].map((detail) => ({ type: 'input_image', image_url: url, detail }));

describe('images', () => {
  it.each([
    ['chat', 'messages', [{ type: 'text', text: 'The logo.' }, ...chatImages]],
    ['responses', 'input', [{ type: 'input_text', text: 'The logo.' }, ...responsesImages]],
  ] as const)('over %s are parts of a user message, behind the answers to calls too', async (api, list, content) => {
    const server = await scripted([done[api], done[api]], { api });
    expect('withoutImages' in (await server.answer(shown))).toBe(false);
    await server.answer({ ...shown, messages: [...afterOneCall(null).messages, ...shown.messages.slice(-1)] });
    expect(sentAt(server, list, 2)[0]).toEqual({ role: 'user', content });
    expect(sentAt(server, list).map((sent) => Array.isArray(sent) && sent.at(-1))[1]).toEqual({
      role: 'user',
      content,
    });
  });

  it('are parts as well where tools are called in text', async () => {
    const server = await scripted([refusal('llama3 does not support tools'), done.chat], { api: 'chat' });
    await server.answer(shown);
    const text = { type: 'text', text: 'The diff.\n\nThe logo.' };
    expect(sentAt(server, 'messages', 1, 'content')[1]).toEqual([text, ...chatImages]);
  });
});

describe('a model that takes no images', () => {
  const serverError = (message: string) => json({ error: { code: 500, message, type: 'server_error' } }, 500);
  const noString = {
    type: 'string_type',
    loc: ['body', 'messages', 2, 'content'],
    msg: 'Input should be a valid string',
  };
  const noVariant =
    'Failed to deserialize the JSON body into the target type: messages[2]: unknown variant `image_url`, expected `text` at line 1 column 900';
  const noField =
    "Validation error: This model doesn't support the image field for user messages. Remove image and try again.";

  it.each<[string, Answer]>([
    ['OpenAI', refusal('Invalid content type. image_url is only supported by certain models.')],
    ['Ollama', refusal('this model does not support image input (ref: b8bd630e)')],
    ['OpenRouter', json({ error: { message: 'No endpoints found that support image input', code: 404 } }, 404)],
    [
      'llama.cpp',
      serverError('image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'),
    ],
    ['an older llama.cpp', serverError('Failed to parse messages: Unsupported content part type: "image_url"')],
    ['vLLM', refusal('At most 0 image(s) may be provided in one request.')],
    ['vLLM with a text model', refusal('some/model is not a multimodal model')],
    ['DeepSeek', refusal(noVariant)],
    ['Bedrock', refusal(noField)],
    ['Groq', refusal('messages[2].content must be a string')],
    ['FastAPI', json({ detail: [noString] }, 422)],
  ])('in the words of %s is asked once with them, then without', async (_who, says) => {
    const server = await scripted([says, done.chat, done.chat], { api: 'chat' });
    const answers = [await server.answer(shown), await server.answer(shown)];
    const without = 'The logo.\n\n[The 2 images are not shown: the model takes no images.]';
    expect(sentAt(server, 'messages', 2, 'content')).toEqual([expect.any(Array), without, without]);
    const changes = server.adjustments.map(({ change }) => change);
    expect(changes).toEqual(['sending no images, because the model takes text alone']);
    expect(answers.map(({ withoutImages }) => withoutImages)).toEqual([true, true]);
  });

  it('is not suspected where a request has none: its words mean something else then', async () => {
    const server = await scripted([refusal('this model does not support image input')], { api: 'chat' });
    await expect(server.answer(opening)).rejects.toMatchObject({ kind: 'refused-request' });
    expect(server.adjustments).toEqual([]);
  });
});

const useResponses = refusal(
  "Function tools with reasoning_effort are not supported for gpt-6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
);

describe('the automatic API', () => {
  it.each([
    ['https://api.openai.com/v1', 'responses'],
    ['https://eu.api.openai.com/v1', 'responses'],
    ['https://spoon.openai.azure.com/openai/v1/', 'responses'],
    ['https://spoon.openai.azure.com/openai/deployments/x?api-version=2024-10-21', 'chat'],
    ['https://api.openai.com.example.com/v1', 'chat'],
    ['http://localhost:11434/v1', 'chat'],
  ])('of %s starts as %s', (baseUrl, api) => {
    expect(initialDialect({ ...plainOptions, baseUrl }).api).toBe(api);
  });

  it('goes to Responses when the server says so, in the middle of a conversation, and stays there', async () => {
    const looked = completion({ content: 'I look.', tool_calls: [chatCall('call_7', 'a.ts')] });
    const server = await scripted([looked, useResponses, done.responses, done.responses]);
    const request = continued(await server.answer(opening));
    await server.answer(request);
    await server.answer(request);
    const [chat, responses] = ['/v1/chat/completions', '/v1/responses'];
    expect(server.sent.map(({ path }) => path)).toEqual([chat, chat, responses, responses]);
    const { id: call_id, function: called } = chatCall('call_7', 'a.ts');
    expect(sentAt(server, 'input')[2]).toEqual([
      { role: 'system', content: 'You review.' },
      { role: 'user', content: 'The diff.' },
      { role: 'assistant', content: 'I look.' },
      { type: 'function_call', call_id, ...called },
      { type: 'function_call_output', call_id, output: 'result of call_7' },
    ]);
    const changes = server.adjustments.map(({ change }) => change);
    expect(changes).toEqual(['using the Responses API instead of Chat Completions']);
  });

  it.each([
    [404, '404 page not found', 'chat'],
    [404, '{"error":{"message":"Invalid URL (POST /v1/responses)","type":"invalid_request_error"}}', 'chat'],
    [405, '<html><title>Method not allowed</title></html>', 'chat'],
    [400, '{"error":{"message":"The Responses API is not enabled for this resource."}}', 'chat'],
    [404, '{"error":{"message":"The model `x` does not exist.","code":"model_not_found"}}', undefined],
  ])('after %i %s goes to %s', (status, body, api) => {
    const dialect = initialDialect({ ...plainOptions, baseUrl: 'https://api.openai.com/v1' });
    const step = nextStep({ words: readServerWords(body, status), dialect, request: opening }, new Set());
    expect(step?.dialect.api).toBe(api);
  });
});

it('a named API stays, and the error says what the server wants', async () => {
  const server = await scripted([refusal('Unknown request URL: POST /v1/responses.', { status: 404 })], {
    api: 'responses',
  });
  await expect(server.answer(opening)).rejects.toMatchObject({
    kind: 'unknown-model',
    message: expect.stringContaining('Unknown request URL: POST /v1/responses.'),
    hint: expect.stringContaining('`base-url`'),
  });
  expect(server.sent).toHaveLength(1);
});

describe('what conversations share', () => {
  const message = { role: 'user', text: 'The whole diff. Your part.', shared: 'The whole diff. '.length } as const;
  const request = { ...opening, messages: [message] };
  const contentOf = (dialect: Dialect) => {
    const spoken = speak(request, { model: 'x', cacheKey: 'y', dialect });
    const body: unknown = dialect.api === 'chat' ? chatRequest(spoken).messages : responsesRequest(spoken).input;
    return body;
  };

  it.each([
    ['chat', 'text'],
    ['responses', 'input_text'],
  ] as const)(
    'is a block with a breakpoint over %s, and the text is whole once the server refused that',
    (api, type) => {
      const dialect = initialDialect({ ...plainOptions, baseUrl: 'https://api.openai.com/v1', api });
      const end = { prompt_cache_breakpoint: { mode: 'explicit' } };
      const blocks = [
        { type, text: 'The whole diff. ', ...end },
        { type, text: 'Your part.' },
      ];
      expect(contentOf(dialect)).toEqual([{ role: 'user', content: blocks }]);
      const says = "Unknown parameter: 'input[0].content[0].prompt_cache_breakpoint'.";
      const step = nextStep(
        { words: readServerWords(JSON.stringify({ error: { message: says } }), 400), dialect, request },
        new Set(),
      );
      expect(step?.change).toBe('not sending prompt_cache_breakpoint');
      expect(contentOf(step?.dialect ?? dialect)).toEqual([{ role: 'user', content: message.text }]);
    },
  );

  it('is no block of its own for other servers', () => {
    const dialect = initialDialect({ ...plainOptions, baseUrl: 'http://localhost:11434/v1' });
    expect(contentOf(dialect)).toEqual([{ role: 'user', content: message.text }]);
  });
});
