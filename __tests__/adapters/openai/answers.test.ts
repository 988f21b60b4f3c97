import { describe, expect, it } from 'vitest';
import {
  afterOneCall,
  apiKey,
  chatCall,
  completion,
  continued,
  done,
  json,
  opening,
  outputText,
  readArguments,
  refusal,
  response,
  scripted,
  sentAt,
} from './streams.ts';

const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'Z0FBQUFB', status: null };
const responsesCall = (id: string | undefined, path: string) => ({
  type: 'function_call',
  id: `fc_${path}`,
  call_id: id,
  name: 'read_file',
  arguments: readArguments(path),
  status: 'completed',
});

describe('a request', () => {
  const common = { model: 'scripted-1', temperature: 0.2, parallel_tool_calls: true };
  const beginning = [
    { role: 'system', content: 'You review.' },
    { role: 'user', content: 'The diff.' },
  ];
  // Bounds such as `minimum` are not sent.
  const tools = [
    ['read_file', 'Read a file.', { path: { type: 'string' }, limit: { type: ['integer', 'null'] } }] as const,
    ['submit_review', 'Submit the review.', { text: { type: 'string' } }] as const,
  ].map(([name, description, properties]) => {
    const required = Object.keys(properties);
    return { name, description, parameters: { type: 'object', additionalProperties: false, required, properties } };
  });
  const chat = {
    ...{ ...common, max_completion_tokens: 4096 },
    messages: [
      ...beginning,
      { role: 'assistant', content: 'I look.', tool_calls: [chatCall('call_1', 'a.ts')] },
      { role: 'tool', tool_call_id: 'call_1', content: 'result of call_1' },
    ],
    tools: tools.map((tool) => ({ type: 'function', function: { ...tool, strict: true } })),
  };
  const responses = {
    ...{ ...common, max_output_tokens: 4096, store: false, prompt_cache_key: 'octo/spoon#7' },
    include: ['reasoning.encrypted_content'],
    input: [
      ...beginning,
      { role: 'assistant', content: 'I look.' },
      { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: readArguments('a.ts') },
      { type: 'function_call_output', call_id: 'call_1', output: 'result of call_1' },
    ],
    tools: tools.map((tool) => ({ type: 'function', ...tool, strict: true })),
  };

  it.each([
    ['chat', '/v1/chat/completions', chat],
    ['responses', '/v1/responses', responses],
  ] as const)('over %s has tools, limit and every earlier answer, and the key in its header alone', async (...row) => {
    const [api, path, body] = row;
    const server = await scripted([done[api]], { api, temperature: 0.2 });
    await server.answer(afterOneCall(null));
    const [sent] = server.sent;
    expect([sent?.path, sent?.headers['authorization'], sent?.body]).toEqual([path, `Bearer ${apiKey}`, body]);
  });

  it.each([
    ['chat', { type: 'function', function: { name: 'submit_review' } }],
    ['responses', { type: 'function', name: 'submit_review' }],
  ] as const)('over %s names the tool that is asked for', async (api, choice) => {
    const server = await scripted([done[api]], { api });
    await server.answer({ ...opening, toolChoice: { tool: 'submit_review' } });
    expect(sentAt(server, 'tool_choice')).toEqual([choice]);
  });
});

describe('an answer', () => {
  it.each([
    ['chat', completion({ content: 'I look.', tool_calls: [chatCall('call_7', 'a.ts')] }, 'tool-calls')],
    ['responses', response([reasoning, outputText('I look.'), responsesCall('call_7', 'a.ts')])],
  ] as const)('over %s has text, calls and usage', async (api, answer) => {
    const server = await scripted([answer], { api });
    expect(await server.answer(opening)).toMatchObject({
      end: 'tool-calls',
      message: {
        role: 'assistant',
        text: 'I look.',
        toolCalls: [{ id: 'call_7', name: 'read_file', arguments: readArguments('a.ts') }],
      },
      usage: { input: 1200, cached: 1024, output: 80, thinking: 30, estimated: false },
    });
  });

  it('of chat goes back verbatim, unknown fields included', async () => {
    const signed = { ...chatCall('call_7', 'a.ts'), extra_content: { google: { thought_signature: 'c2ln' } } };
    const message = { content: null, refusal: null, reasoning_details: [{ data: 'x' }], tool_calls: [signed] };
    const server = await scripted([completion(message, 'tool_calls'), done.chat]);
    await server.answer(continued(await server.answer(opening)));
    expect(sentAt(server, 'messages', 2)[1]).toEqual({ role: 'assistant', ...message });
  });

  it('of Responses goes back verbatim, item by item, unknown fields included', async () => {
    const output = [reasoning, { ...outputText('I look.'), phase: 'commentary' }, responsesCall('call_7', 'a.ts')];
    const server = await scripted([response(output), done.responses], { api: 'responses' });
    await server.answer(continued(await server.answer(opening)));
    expect(sentAt(server, 'input')[1]).toEqual([
      { role: 'system', content: 'You review.' },
      { role: 'user', content: 'The diff.' },
      ...output,
      { type: 'function_call_output', call_id: 'call_7', output: 'result of call_7' },
    ]);
  });

  it.each([
    ['read file', 'read_file'],
    ['functions.read_file<|channel|>', 'functions_read_file__channel__'],
    ['', 'unnamed'],
    ['x'.repeat(100), 'x'.repeat(64)],
  ])('that calls %j is sent back as a call of %s, with all else of it', async (name, sent) => {
    const called = { ...chatCall('call_7', 'a.ts'), signature: 'c2ln' };
    const ofChat = { ...called, function: { ...called.function, name } };
    const ofResponses = { ...responsesCall('call_7', 'a.ts'), name };
    const chat = await scripted([completion({ content: null, tool_calls: [ofChat] }), done.chat]);
    const responses = await scripted([response([reasoning, ofResponses]), done.responses], { api: 'responses' });
    const names: string[] = [];
    for (const server of [chat, responses]) {
      const answer = await server.answer(opening);
      names.push(...answer.message.toolCalls.map((one) => one.name));
      await server.answer(continued(answer));
    }
    expect(names).toEqual([name, name]);
    expect(sentAt(chat, 'messages', 2)[1]).toMatchObject({
      tool_calls: [{ ...called, function: { ...called.function, name: sent } }],
    });
    expect(sentAt(responses, 'input')[1]).toMatchObject([{}, {}, reasoning, { ...ofResponses, name: sent }, {}]);
  });

  it.each([
    ['missing', [null, null]],
    ['repeated', ['call_1', 'call_1']],
  ])('of chat gets fresh ids for %s ones, in the calls and in what is sent back', async (_what, ids) => {
    const calls = ids.map((id, index) => ({ ...chatCall(id, `${index}.ts`), signature: 'c2ln' }));
    const server = await scripted([completion({ content: null, tool_calls: calls }), done.chat]);
    const answer = await server.answer(afterOneCall(null));
    expect(answer.message.toolCalls.map(({ id }) => id)).toEqual(['call00002', 'call00003']);
    await server.answer(continued(answer, afterOneCall(null)));
    expect(sentAt(server, 'messages', 4, 'tool_calls', 1)[1]).toEqual({ ...calls[1], id: 'call00003' });
  });

  it.each([
    ['stop', { content: 'x' }, 'end'],
    ['stop', { content: null, tool_calls: [chatCall('c', 'a')] }, 'tool-calls'],
    ['length', { content: null, tool_calls: [chatCall('c', 'a')] }, 'length'],
    ['content_filter', { content: null }, 'content-filter'],
    ['stop', { content: null, refusal: 'I cannot.' }, 'refusal'],
  ])('of chat that finished with %s and %j ends as %s', async (reason, message, end) => {
    const server = await scripted([completion(message, reason)]);
    expect((await server.answer(opening)).end).toBe(end);
  });

  it.each([
    ['max_output_tokens', [outputText('x')], 'length'],
    ['content_filter', [], 'content-filter'],
    [undefined, [{ type: 'message', content: [{ type: 'refusal', refusal: 'x' }] }], 'refusal'],
  ])('of Responses that is incomplete for %s or refuses ends so', async (reason, output, end) => {
    const incomplete = reason === undefined ? {} : { status: 'incomplete', incomplete_details: { reason } };
    const server = await scripted([response(output, incomplete)], { api: 'responses' });
    const answer = await server.answer(opening);
    expect([answer.end, answer.message.text]).toEqual([end, output.length === 0 ? '' : 'x']);
  });

  it('of Responses that is only unfinished reasoning is not sent back', async () => {
    const cut = response([reasoning], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    const server = await scripted([cut, done.responses], { api: 'responses' });
    const answer = await server.answer(opening);
    await server.answer(continued(answer));
    expect([answer.end, sentAt(server, 'input', 2)[1]]).toEqual(['length', undefined]);
  });

  it.each([
    ['server_error', 'transient'],
    ['rate_limit_exceeded', 'transient'],
    ['invalid_prompt', 'refused-request'],
  ])('of Responses that failed with %s is an error of kind %s', async (code, kind) => {
    const failed = response([], { status: 'failed', error: { code, message: 'Sorry.' } });
    const server = await scripted([failed], { api: 'responses' });
    await expect(server.answer(opening)).rejects.toMatchObject({ kind, message: expect.stringContaining('Sorry.') });
  });

  it.each([
    ['empty choices', { choices: [] }],
    ['no message', { choices: [{ finish_reason: 'stop' }] }],
  ])('with %s is an empty text without usage', async (_what, body) => {
    const server = await scripted([json(body), done.chat]);
    const answer = await server.answer(opening);
    expect(answer).toMatchObject({ end: 'end', usage: null, message: { text: '', toolCalls: [] } });
    await server.answer(continued(answer));
    expect(sentAt(server, 'messages', 2)[1]).toEqual({ role: 'assistant', content: '' });
  });

  it('may be JSON under a wrong content type, with parts and arguments as an object', async () => {
    const content = [
      { type: 'thinking', thinking: [] },
      { type: 'text', text: 'I look.' },
    ];
    const tool_calls = [{ id: 'a', function: { name: 'read_file', arguments: { path: 'a.ts' } } }];
    const body = JSON.stringify({ choices: [{ finish_reason: 'tool_calls', message: { content, tool_calls } }] });
    const server = await scripted([{ status: 200, headers: { 'content-type': 'text/plain' }, body }]);
    const { message } = await server.answer(opening);
    expect([message.text, message.toolCalls[0]?.arguments]).toEqual(['I look.', '{"path":"a.ts"}']);
  });

  const some = { prompt_tokens: 10, completion_tokens: 5 };
  const none = { input: 10, cached: 0, output: 5, thinking: 0, estimated: false };
  it.each([
    ['missing', undefined, null],
    ['zeros', { prompt_tokens: 0, completion_tokens: 0 }, null],
    ['more than any call takes', { prompt_tokens: 1.7e308, completion_tokens: 1.7e308 }, null],
    ['less than none', { prompt_tokens: 10, completion_tokens: -5 }, null],
    ['a total beyond belief', { ...some, total_tokens: 1e308 }, none],
    ['thinking outside of the completion', { ...some, total_tokens: 115 }, { ...none, output: 105, thinking: 100 }],
    ['DeepSeek’s cache', { ...some, prompt_cache_hit_tokens: 8 }, { ...none, cached: 8 }],
  ])('has its usage read where it is %s', async (_what, usage, expected) => {
    const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content: 'x' } }];
    const server = await scripted([json({ choices, usage })]);
    expect((await server.answer(opening)).usage).toEqual(expected);
  });
});

it('a server without function calling gets earlier native calls as text', async () => {
  const server = await scripted([refusal('this model does not support tools'), done.chat]);
  const message = { role: 'assistant', content: 'I look.', tool_calls: [{ id: 'call_1' }] };
  await server.answer(afterOneCall({ api: 'chat', message }));
  const call = `<tool_call>{"tool":"read_file","args":${readArguments('a.ts')}}</tool_call>`;
  expect(sentAt(server, 'messages', 2)[1]).toEqual({ role: 'assistant', content: `I look.\n${call}` });
});

describe('a server with function calling that leaves calls in the text', () => {
  it('is understood when the tool was offered, and answered with native calls', async () => {
    const content = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.ts"}}\n</tool_call>';
    const server = await scripted([completion({ content }), done.chat]);
    const answer = await server.answer(opening);
    expect(answer.message).toMatchObject({ text: '', toolCalls: [{ id: 'call00001', arguments: '{"path":"a.ts"}' }] });
    await server.answer(continued(answer));
    expect(sentAt(server, 'messages', 2, 'tool_calls', 0, 'id')[1]).toBe('call00001');
  });

  it('is taken at its word when it only writes about calls', async () => {
    const content = 'The parser drops `<tool_call>` at the end.';
    const server = await scripted([completion({ content })]);
    expect(await server.answer(opening)).toMatchObject({ end: 'end', message: { text: content, toolCalls: [] } });
  });
});
