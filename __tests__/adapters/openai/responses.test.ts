import { describe, expect, it } from 'vitest';
import { at } from '../../fakes/every-pair.ts';
import { afterOneCall, continued, opening, outputText, response, scripted } from './streams.ts';

const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'Z0FBQUFB', status: null };
const call = (id: string | undefined, path: string) => ({
  type: 'function_call',
  id: `fc_${path}`,
  call_id: id,
  name: 'read_file',
  arguments: JSON.stringify({ path, limit: null }),
  status: 'completed',
});

describe('a Responses request', () => {
  it('has flat strict tools, stores nothing and asks for encrypted reasoning', async () => {
    const server = await scripted([response([outputText('Done.')])], { api: 'responses', temperature: 0.2 });
    await server.answer(afterOneCall(null));
    expect(server.sent[0]?.path).toBe('/v1/responses');
    expect(server.sent[0]?.body).toMatchSnapshot();
  });

  it('names the tool that is asked for', async () => {
    const server = await scripted([response([outputText('Done.')])], { api: 'responses' });
    await server.answer({ ...opening, toolChoice: { tool: 'submit_review' } });
    expect(at(server.sent[0]?.body, 'tool_choice')).toEqual({ type: 'function', name: 'submit_review' });
  });
});

describe('a Responses answer', () => {
  it('has text, calls and usage', async () => {
    const server = await scripted([response([reasoning, outputText('I look.'), call('call_7', 'a.ts')])], {
      api: 'responses',
    });
    expect(await server.answer(opening)).toMatchObject({
      end: 'tool-calls',
      message: { text: 'I look.', toolCalls: [{ id: 'call_7', name: 'read_file' }] },
      usage: { input: 1200, cached: 1024, output: 80, thinking: 30, estimated: false },
    });
  });

  it('goes back verbatim, item by item, unknown fields included', async () => {
    const output = [reasoning, { ...outputText('I look.'), phase: 'commentary' }, call('call_7', 'a.ts')];
    const server = await scripted([response(output), response([outputText('Done.')])], { api: 'responses' });
    await server.answer(continued(await server.answer(opening)));
    expect(at(server.sent[1]?.body, 'input')).toEqual([
      { role: 'system', content: 'You review.' },
      { role: 'user', content: 'The diff.' },
      ...output,
      { type: 'function_call_output', call_id: 'call_7', output: 'result of call_7' },
    ]);
  });

  it('gets fresh ids for missing and repeated ones, in the calls and in what is sent back', async () => {
    const output = [call(undefined, 'a.ts'), call('call_7', 'b.ts'), call('call_7', 'c.ts')];
    const server = await scripted([response(output), response([outputText('Done.')])], { api: 'responses' });
    const answer = await server.answer(opening);
    expect(answer.message.toolCalls.map(({ id }) => id)).toEqual(['call00001', 'call_7', 'call00003']);
    expect(await server.answer(continued(answer))).toMatchObject({ end: 'end' });
    expect(at(server.sent[1]?.body, 'input', 4)).toEqual({ ...output[2], call_id: 'call00003' });
  });

  it('that is only unfinished reasoning is not sent back', async () => {
    const cut = response([reasoning], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    const server = await scripted([cut, response([outputText('Done.')])], { api: 'responses' });
    const answer = await server.answer(opening);
    await server.answer(continued(answer));
    expect(answer.end).toBe('length');
    expect(at(server.sent[1]?.body, 'input', 2)).toBeUndefined();
  });

  it.each([
    ['max_output_tokens', [outputText('x')], 'length'],
    ['content_filter', [], 'content-filter'],
  ])('that is incomplete for %s ends so', async (reason, output, end) => {
    const body = response(output, { status: 'incomplete', incomplete_details: { reason } });
    const server = await scripted([body], { api: 'responses' });
    expect((await server.answer(opening)).end).toBe(end);
  });

  it('that refuses ends as a refusal with its words', async () => {
    const refused = { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot.' }] };
    const server = await scripted([response([refused])], { api: 'responses' });
    expect(await server.answer(opening)).toMatchObject({ end: 'refusal', message: { text: 'I cannot.' } });
  });

  it.each([
    ['server_error', 'transient'],
    ['rate_limit_exceeded', 'transient'],
    ['invalid_prompt', 'refused-request'],
  ])('that failed with %s is an error of kind %s', async (code, kind) => {
    const server = await scripted([response([], { status: 'failed', error: { code, message: 'Sorry.' } })], {
      api: 'responses',
    });
    await expect(server.answer(opening)).rejects.toMatchObject({ kind, message: expect.stringContaining('Sorry.') });
  });
});
