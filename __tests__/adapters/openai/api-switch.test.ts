import { describe, expect, it } from 'vitest';
import { initialDialect } from '../../../src/adapters/openai/dialect.ts';
import { nextStep } from '../../../src/adapters/openai/ladder.ts';
import { readServerWords } from '../../../src/adapters/openai/server-words.ts';
import { at } from '../../fakes/json.ts';
import { chatCall, completion, continued, opening, outputText, response } from './conversations.ts';
import { refusal, scripted } from './scripted-server.ts';

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
