import { describe, expect, it } from 'vitest';
import { at, listAt } from '../../fakes/json.ts';
import { afterOneCall, completion, continued, opening } from './conversations.ts';
import { json, refusal, scripted } from './scripted-server.ts';

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
