import { describe, expect, it } from 'vitest';
import { at, listAt } from '../../fakes/every-pair.ts';
import { afterOneCall, chatCall, completion, continued, json, opening, refusal, scripted } from './streams.ts';

describe('a chat request', () => {
  it('has strict tools, the output limit and every earlier answer', async () => {
    const server = await scripted([completion({ content: 'Done.' })], { temperature: 0.2 });
    await server.answer(afterOneCall(null));
    expect(server.sent[0]?.path).toBe('/v1/chat/completions');
    expect(server.sent[0]?.body).toMatchSnapshot();
  });

  it('names the tool that is asked for', async () => {
    const server = await scripted([completion({ content: 'Done.' })]);
    await server.answer({ ...opening, toolChoice: { tool: 'submit_review' } });
    expect(at(server.sent[0]?.body, 'tool_choice')).toEqual({ type: 'function', function: { name: 'submit_review' } });
  });

  it('carries the key in its header only', async () => {
    const server = await scripted([completion({ content: 'Done.' })]);
    await server.answer(opening);
    expect(server.sent[0]?.headers['authorization']).toBe('Bearer sk-proj-Zq81nWxT4vBdLr0aPyEu7cHm');
    expect(JSON.stringify(server.sent[0]?.body)).not.toContain('sk-proj');
  });
});

describe('a chat answer', () => {
  it('has text, calls and usage', async () => {
    const message = { content: 'I look.', tool_calls: [chatCall('call_7', 'a.ts')] };
    const server = await scripted([completion(message, 'tool_calls')]);
    const answer = await server.answer(opening);
    expect({ ...answer, message: { ...answer.message, raw: undefined } }).toEqual({
      end: 'tool-calls',
      message: {
        role: 'assistant',
        text: 'I look.',
        toolCalls: [{ id: 'call_7', name: 'read_file', arguments: '{"path":"a.ts","limit":null}' }],
        raw: undefined,
      },
      usage: { input: 1200, cached: 1024, output: 80, thinking: 30, estimated: false },
    });
  });

  it('goes back verbatim, unknown fields included', async () => {
    const signed = { ...chatCall('call_7', 'a.ts'), extra_content: { google: { thought_signature: 'c2ln' } } };
    const message = { content: null, refusal: null, reasoning_details: [{ data: 'x' }], tool_calls: [signed] };
    const server = await scripted([completion(message, 'tool_calls'), completion({ content: 'Done.' })]);
    const first = await server.answer(opening);
    await server.answer(continued(first));
    expect(at(server.sent[1]?.body, 'messages', 2)).toEqual({ role: 'assistant', ...message });
  });

  it.each([
    ['missing', [null, null]],
    ['empty', ['', '']],
    ['repeated', ['call_1', 'call_1']],
  ])('gets fresh ids for %s ones, in the calls and in what is sent back', async (_what, ids) => {
    const calls = ids.map((id, index) => ({ ...chatCall(id, `${index}.ts`), signature: 'c2ln' }));
    const server = await scripted([completion({ content: null, tool_calls: calls }), completion({ content: 'Done.' })]);
    const answer = await server.answer(afterOneCall(null));
    const given = answer.message.toolCalls.map((call) => call.id);
    expect(given).toEqual(['call00002', 'call00003']);
    expect(await server.answer(continued(answer, afterOneCall(null)))).toMatchObject({ end: 'end' });
    expect(at(server.sent[1]?.body, 'messages', 4, 'tool_calls', 1)).toEqual({ ...calls[1], id: 'call00003' });
  });

  it.each([
    ['stop', { content: 'x' }, 'end'],
    ['stop', { content: null, tool_calls: [chatCall('c', 'a')] }, 'tool-calls'],
    ['length', { content: null, tool_calls: [chatCall('c', 'a')] }, 'length'],
    ['content_filter', { content: null }, 'content-filter'],
    ['stop', { content: null, refusal: 'I cannot.' }, 'refusal'],
  ])('that finished with %s and %j ends as %s', async (reason, message, end) => {
    const server = await scripted([completion(message, reason)]);
    expect((await server.answer(opening)).end).toBe(end);
  });

  it.each([
    ['empty choices', { choices: [] }],
    ['no choices', { id: 'x' }],
    ['no message', { choices: [{ finish_reason: 'stop' }] }],
  ])('with %s is an empty text without usage', async (_what, body) => {
    const server = await scripted([json(body), completion({ content: 'Now.' })]);
    const answer = await server.answer(opening);
    expect(answer).toMatchObject({ end: 'end', usage: null, message: { text: '', toolCalls: [] } });
    await server.answer(continued(answer));
    expect(at(server.sent[1]?.body, 'messages', 2)).toEqual({ role: 'assistant', content: '' });
  });

  it('may be JSON under a wrong content type, with parts and arguments as an object', async () => {
    const message = {
      content: [
        { type: 'thinking', thinking: [] },
        { type: 'text', text: 'I look.' },
      ],
      tool_calls: [{ id: 'a', function: { name: 'read_file', arguments: { path: 'a.ts' } } }],
    };
    const body = JSON.stringify({ choices: [{ finish_reason: 'tool_calls', message }] });
    const server = await scripted([{ status: 200, headers: { 'content-type': 'text/plain' }, body }]);
    expect((await server.answer(opening)).message).toMatchObject({
      text: 'I look.',
      toolCalls: [{ arguments: '{"path":"a.ts"}' }],
    });
  });
});

const call = '<tool_call>{"tool":"read_file","args":{"path":"a.ts","limit":null}}</tool_call>';

describe('a server without function calling', () => {
  it.each([
    [400, 'registry.ollama.ai/library/gemma:2b does not support tools'],
    [404, 'No endpoints found that support tool use. Try disabling "read_file".'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [400, '`tool calling` is not supported with this model'],
    [500, 'tools param requires --jinja flag'],
    [400, 'Function calling is not enabled for this model'],
  ])('that says %i "%s" gets its tools in text', async (status, says) => {
    const server = await scripted([
      json({ error: { message: says } }, status),
      completion({ content: `I look.\n${call}` }),
    ]);
    const answer = await server.answer(opening);
    expect(answer).toMatchObject({
      end: 'tool-calls',
      message: {
        text: 'I look.',
        toolCalls: [{ id: 'call00001', name: 'read_file', arguments: '{"path":"a.ts","limit":null}' }],
      },
    });
    expect(at(server.sent[1]?.body, 'tools')).toBeUndefined();
    expect(at(server.sent[1]?.body, 'messages', 0, 'content')).toContain('- read_file: Read a file.');
    expect(server.adjustments).toEqual([{ change: expect.stringContaining('calling tools in text'), because: says }]);
  });

  it('gets its own words back verbatim and the results as user text', async () => {
    const server = await scripted([
      refusal('this model does not support tools'),
      completion({ content: `I look.\n${call}`, reasoning: 'hm' }),
      completion({ content: 'Done.' }),
    ]);
    await server.answer(continued(await server.answer(opening)));
    expect(listAt(server.sent[2]?.body, 'messages').slice(2)).toEqual([
      { role: 'assistant', content: `I look.\n${call}`, reasoning: 'hm' },
      {
        role: 'user',
        content: '<tool_result id="call00001" tool="read_file">\nresult of call00001\n</tool_result>',
      },
    ]);
  });

  it('gets earlier native calls as text', async () => {
    const server = await scripted([refusal('this model does not support tools'), completion({ content: 'Done.' })]);
    const raw = { api: 'chat', message: { role: 'assistant', content: 'I look.', tool_calls: [{ id: 'call_1' }] } };
    await server.answer(afterOneCall(raw));
    expect(at(server.sent[1]?.body, 'messages', 2)).toEqual({ role: 'assistant', content: `I look.\n${call}` });
  });
});

describe('a server with function calling that leaves calls in the text', () => {
  it('is understood when the tool was offered, and answered with native calls', async () => {
    const content = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.ts"}}\n</tool_call>';
    const server = await scripted([completion({ content }), completion({ content: 'Done.' })]);
    const answer = await server.answer(opening);
    expect(answer.message).toMatchObject({ text: '', toolCalls: [{ id: 'call00001', arguments: '{"path":"a.ts"}' }] });
    await server.answer(continued(answer));
    expect(at(server.sent[1]?.body, 'messages', 2, 'tool_calls', 0, 'id')).toBe('call00001');
  });

  it('is taken at its word when it only writes about calls', async () => {
    const content = 'The parser drops `<tool_call>` at the end.';
    const server = await scripted([completion({ content })]);
    expect(await server.answer(opening)).toMatchObject({ end: 'end', message: { text: content, toolCalls: [] } });
  });
});
