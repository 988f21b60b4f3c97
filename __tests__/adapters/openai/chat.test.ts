import { describe, expect, it } from 'vitest';
import { at } from '../../fakes/json.ts';
import { afterOneCall, chatCall, completion, continued, opening } from './conversations.ts';
import { json, scripted } from './scripted-server.ts';

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
