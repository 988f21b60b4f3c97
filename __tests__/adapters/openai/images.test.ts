import { describe, expect, it } from 'vitest';
import { initialDialect } from '../../../src/adapters/openai/dialect.ts';
import { nextStep } from '../../../src/adapters/openai/ladder.ts';
import { readServerWords } from '../../../src/adapters/openai/refusals.ts';
import type { ModelRequest } from '../../../src/core/agent/model.ts';
import { at, textAt } from '../../fakes/every-pair.ts';
import { imagePart } from '../../fakes/images.ts';
import {
  afterOneCall,
  chatCall,
  completion,
  continued,
  json,
  opening,
  outputText,
  refusal,
  response,
  scripted,
} from './streams.ts';

const logo = imagePart('logo');
const url = `data:image/jpeg;base64,${logo.base64}`;
const shown: ModelRequest = {
  ...opening,
  messages: [...opening.messages, { role: 'user', text: 'The logo.', images: [logo, { ...logo, detail: 'high' }] }],
};
const done = completion({ content: 'Done.' });
const answered = response([outputText('Done.')]);

describe('images', () => {
  it('are parts of a user message over Chat Completions', async () => {
    const server = await scripted([done], { api: 'chat' });
    const answer = await server.answer(shown);
    expect(at(server.sent[0]?.body, 'messages')).toEqual([
      { role: 'system', content: 'You review.' },
      { role: 'user', content: 'The diff.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'The logo.' },
          { type: 'image_url', image_url: { url, detail: 'low' } },
          { type: 'image_url', image_url: { url, detail: 'high' } },
        ],
      },
    ]);
    expect('withoutImages' in answer).toBe(false);
  });

  it('are parts of an input message over Responses', async () => {
    const server = await scripted([answered], { api: 'responses' });
    await server.answer(shown);
    expect(at(server.sent[0]?.body, 'input')).toEqual([
      { role: 'system', content: 'You review.' },
      { role: 'user', content: 'The diff.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'The logo.' },
          { type: 'input_image', image_url: url, detail: 'low' },
          { type: 'input_image', image_url: url, detail: 'high' },
        ],
      },
    ]);
  });

  it.each(['chat', 'responses'] as const)(
    'stand behind the answer to the call that asked for them, over %s',
    async (api) => {
      const server = await scripted([api === 'chat' ? done : answered], { api });
      const asked = afterOneCall(null);
      const message = { role: 'user', text: 'The image.', images: [logo] } as const;
      await server.answer({ ...asked, messages: [...asked.messages, message] });
      const sent = at(server.sent[0]?.body, api === 'chat' ? 'messages' : 'input');
      expect(Array.isArray(sent) ? sent.slice(-2) : sent).toEqual([
        api === 'chat'
          ? { role: 'tool', tool_call_id: 'call_1', content: 'result of call_1' }
          : { type: 'function_call_output', call_id: 'call_1', output: 'result of call_1' },
        {
          role: 'user',
          content:
            api === 'chat'
              ? [
                  { type: 'text', text: 'The image.' },
                  { type: 'image_url', image_url: { url, detail: 'low' } },
                ]
              : [
                  { type: 'input_text', text: 'The image.' },
                  { type: 'input_image', image_url: url, detail: 'low' },
                ],
        },
      ]);
    },
  );

  it('are parts as well where tools are called in text', async () => {
    const server = await scripted([refusal('llama3 does not support tools'), done], { api: 'chat' });
    await server.answer(shown);
    expect(at(server.sent[1]?.body, 'messages', 1, 'content')).toEqual([
      { type: 'text', text: 'The diff.\n\nThe logo.' },
      { type: 'image_url', image_url: { url, detail: 'low' } },
      { type: 'image_url', image_url: { url, detail: 'high' } },
    ]);
  });
});

describe('a model that takes no images', () => {
  it.each([
    ['OpenAI', refusal('Invalid content type. image_url is only supported by certain models.')],
    ['Ollama', refusal('this model does not support image input (ref: b8bd630e)')],
    ['OpenRouter', json({ error: { message: 'No endpoints found that support image input', code: 404 } }, 404)],
    [
      'llama.cpp',
      json(
        {
          error: {
            code: 500,
            message: 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
            type: 'server_error',
          },
        },
        500,
      ),
    ],
    [
      'an older llama.cpp',
      json(
        {
          error: {
            code: 500,
            message: 'Failed to parse messages: Unsupported content part type: "image_url"',
            type: 'server_error',
          },
        },
        500,
      ),
    ],
    ['vLLM', refusal('At most 0 image(s) may be provided in one request.')],
    ['vLLM with a text model', refusal('some/model is not a multimodal model')],
    [
      'DeepSeek',
      refusal(
        'Failed to deserialize the JSON body into the target type: messages[2]: unknown variant `image_url`, expected `text` at line 1 column 900',
      ),
    ],
    [
      'Bedrock',
      refusal(
        "Validation error: This model doesn't support the image field for user messages. Remove image and try again.",
      ),
    ],
    ['Groq', refusal('messages[2].content must be a string')],
    [
      'FastAPI',
      json(
        {
          detail: [
            { type: 'string_type', loc: ['body', 'messages', 2, 'content'], msg: 'Input should be a valid string' },
          ],
        },
        422,
      ),
    ],
  ])('in the words of %s is asked once with them, then without', async (_who, says) => {
    const server = await scripted([says, done, done], { api: 'chat' });
    const first = await server.answer(shown);
    const second = await server.answer(shown);
    const contents = server.sent.map(({ body }) => at(body, 'messages', 2, 'content'));
    const without = 'The logo.\n\n[The 2 images are not shown: the model takes no images.]';
    expect([Array.isArray(contents[0]), ...contents.slice(1)]).toEqual([true, without, without]);
    expect(server.adjustments.map(({ change }) => change)).toEqual([
      'sending no images, because the model takes text alone',
    ]);
    expect([first.withoutImages, second.withoutImages]).toEqual([true, true]);
  });

  it('is asked without them over Responses as well', async () => {
    const server = await scripted([refusal('this model does not support image input'), answered], { api: 'responses' });
    await server.answer(shown);
    expect(textAt(server.sent[1]?.body, 'input', 2, 'content')).toMatch(/^The logo\.\n\n\[The 2 images are not shown/);
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
    expect(initialDialect({ baseUrl, api: 'auto', temperature: null, reasoningEffort: '', stream: false }).api).toBe(
      api,
    );
  });

  it('goes to Responses when the server says so, in the middle of a conversation, and stays there', async () => {
    const looked = completion({ content: 'I look.', tool_calls: [chatCall('call_7', 'a.ts')] });
    const done = response([outputText('Done.')]);
    const server = await scripted([looked, useResponses, done, done]);
    const request = continued(await server.answer(opening));
    await server.answer(request);
    await server.answer(request);
    expect(server.sent.map((sent) => sent.path.slice(4))).toEqual([
      'chat/completions',
      'chat/completions',
      'responses',
      'responses',
    ]);
    expect(at(server.sent[2]?.body, 'input')).toMatchInlineSnapshot(`
      [
        {
          "content": "You review.",
          "role": "system",
        },
        {
          "content": "The diff.",
          "role": "user",
        },
        {
          "content": "I look.",
          "role": "assistant",
        },
        {
          "arguments": "{"path":"a.ts","limit":null}",
          "call_id": "call_7",
          "name": "read_file",
          "type": "function_call",
        },
        {
          "call_id": "call_7",
          "output": "result of call_7",
          "type": "function_call_output",
        },
      ]
    `);
    expect(server.adjustments.map(({ change }) => change)).toEqual([
      'using the Responses API instead of Chat Completions',
    ]);
  });

  it.each([
    [404, '404 page not found'],
    [404, '{"error":{"message":"Invalid URL (POST /v1/responses)","type":"invalid_request_error"}}'],
    [405, '<html><title>Method not allowed</title></html>'],
    [400, '{"error":{"message":"The Responses API is not enabled for this resource."}}'],
  ])('goes to Chat Completions on %i %s', (status, body) => {
    const dialect = initialDialect({
      baseUrl: 'https://api.openai.com/v1',
      api: 'auto',
      temperature: null,
      reasoningEffort: '',
      stream: false,
    });
    const step = nextStep({ words: readServerWords(body, status), dialect, request: opening }, new Set());
    expect(step?.dialect.api).toBe('chat');
  });

  it('stays when it is the model that is not found', () => {
    const dialect = initialDialect({
      baseUrl: 'https://api.openai.com/v1',
      api: 'auto',
      temperature: null,
      reasoningEffort: '',
      stream: false,
    });
    const body = '{"error":{"message":"The model `x` does not exist.","code":"model_not_found"}}';
    expect(nextStep({ words: readServerWords(body, 404), dialect, request: opening }, new Set())).toBeNull();
  });
});

describe('a named API', () => {
  it('stays, and the error says what the server wants', async () => {
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
});
