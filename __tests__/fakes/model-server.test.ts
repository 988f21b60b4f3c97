import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';
import { afterEach, describe, expect, it } from 'vitest';
import { call, type ModelScript, say, submit } from './model-server/script.ts';
import { type FakeModel, startModel } from './model-server/start-model.ts';

let model: FakeModel | undefined;

afterEach(() => model?.close());

async function start(script: ModelScript): Promise<void> {
  model = await startModel(script);
}

async function post(path: string, body: unknown) {
  const response = await fetch(`${model?.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${model?.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const parameters = {
  type: 'object',
  additionalProperties: false,
  required: ['path'],
  properties: { path: { type: 'string' } },
};
const chatTool = { type: 'function', function: { name: 'read_file', parameters, strict: true } } as const;

const plain = {
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [chatTool],
} satisfies ChatCompletionCreateParamsNonStreaming;

const chat = (more: object = {}) => post('/chat/completions', { ...plain, ...more });

const responses = (input: ResponseCreateParamsNonStreaming['input'] | readonly unknown[], more: object = {}) =>
  post('/responses', {
    model: 'm',
    store: false,
    include: ['reasoning.encrypted_content'],
    tools: [{ type: 'function', name: 'read_file', parameters, strict: true }],
    input,
    ...more,
  });

const asked = (id: string) => ({
  role: 'assistant' as const,
  content: null,
  tool_calls: [{ id, type: 'function' as const, function: { name: 'read_file', arguments: '{}' } }],
});

const answered = { role: 'tool' as const, tool_call_id: 'call_1', content: 'const a = 1;' };
const withSchema = (changes: object) => ({
  tools: [{ ...chatTool, function: { ...chatTool.function, parameters: { ...parameters, ...changes } } }],
});

const jpeg = `data:image/jpeg;base64,${Buffer.from([0xff, 0xd8, 0xff]).toString('base64')}`;
const picture = (url: string, detail = 'low') => ({ type: 'image_url', image_url: { url, detail } });
const inputImage = (url: string) => ({ type: 'input_image', image_url: url, detail: 'low' });
const of = (...content: readonly object[]) => ({ role: 'user', content });
const shows = (...content: readonly object[]) => ({ messages: [of(...content)] });
const system = (...content: readonly object[]) => ({ role: 'system', content });
const noData = 'Expected a base64-encoded data URL';
const noUser = "allowed for messages with role 'user'";

const withMinLength = withSchema({ properties: { path: { type: 'string', minLength: 1 } } });
const forced = { type: 'function', function: { name: 'submit_review' } };

describe('Chat Completions of the fake model', () => {
  it('plays the script, and is loud at its end', async () => {
    await start([call('read_file', { path: 'a.ts' }), submit([])]);
    expect((await chat()).body.choices[0].message.tool_calls[0].function.name).toBe('read_file');
    expect((await chat()).body.choices[0].message.tool_calls[0].function.name).toBe('submit_review');
    expect((await chat()).status).toBe(500);
    expect(model?.complaints[0]).toMatch(/^OUT OF SCRIPT: request 3/);
  });

  it.each([
    ['an unanswered call', { messages: [asked('call_1')] }, 'call_ids did not have response messages: call_1'],
    ['an answer to no call', { messages: [answered] }, "role 'tool' must be a response to a preceeding message"],
    ['calls and no tools', { messages: [asked('call_1'), answered], tools: undefined }, 'must define tools'],
    ['a forced tool that is not offered', { tool_choice: forced }, "Tool choice 'submit_review' not found in 'tools'"],
    ['a parameter nobody knows', { colour: 'red' }, 'Unrecognized request argument supplied: colour'],
    [
      'an optional property in a strict schema',
      withSchema({ required: [] }),
      "every key in properties. Missing 'path'.",
    ],
    ['minLength in a strict schema', withMinLength, "In context=('properties', 'path'), 'minLength' is not permitted."],
    ['an image of a system', { messages: [system(picture(jpeg))] }, noUser],
    ['an image in an answer', { messages: [asked('call_1'), { ...answered, content: [picture(jpeg)] }] }, noUser],
    ['an image to fetch from somewhere', shows(picture('https://x.test/a.png')), noData],
    ['an image of another kind', shows(picture('data:image/svg+xml;base64,AAAA')), noData],
    ['an image that is not what it says', shows(picture('data:image/png;base64,AAAA')), 'unsupported image'],
    ['an image with a detail of its own', shows(picture(jpeg, 'lowest')), "'low', 'high'"],
  ])('refuses %s', async (_, more, words) => {
    await start([say('Never.')]);
    const refused = await chat(more);
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(words)]);
    expect(model?.complaints).toEqual([refused.body.error.message]);
  });

  it('counts a prefix that it has seen as cached', async () => {
    await start(() => say('Yes.'));
    const messages = [{ role: 'user' as const, content: 'x'.repeat(8000) }];
    await chat({ messages });
    const second = await chat({ messages: [...messages, { role: 'user', content: 'And?' }] });
    expect(second.body.usage.prompt_tokens_details.cached_tokens).toBe(2048);
  });
});

describe('Responses of the fake model', () => {
  const input = [{ role: 'user', content: 'Hi' }] as const;
  const called = { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{}' };
  const stray = { type: 'function_call_output', call_id: 'call_1', output: 'x' };

  it('insists on the reasoning that came with a call', async () => {
    await start(() => call('read_file', { path: 'a.ts' }));
    const { output } = (await responses(input)).body;
    const result = { type: 'function_call_output', call_id: output[1].call_id, output: 'x' };
    expect((await responses([...input, ...output, result])).status).toBe(200);
    const lost = await responses([...input, output[1], result]);
    expect(lost.body.error.message).toContain("without its required 'reasoning' item");
    const bare = { ...output[0], encrypted_content: undefined };
    expect((await responses([...input, bare, output[1], result])).status).toBe(404);
  });

  it.each([
    ['an unanswered call', [called], {}, 'No tool output found for function call call_1.'],
    ['an answer to no call', [stray], {}, 'No tool call found for function call output with call_id call_1.'],
    ['to store', input, { store: undefined }, 'Store must be set to false'],
    ['unknown items', [{ type: 'telepathy' }], {}, "Invalid value: 'telepathy'."],
    ['an image of a system', [system(inputImage(jpeg))], {}, "Supported values are: 'input_text'"],
    ['an image to fetch from somewhere', [of(inputImage('https://x.test/a.png'))], {}, noData],
  ])('refuses %s', async (_, items, more, words) => {
    await start([say('Never.')]);
    const refused = await responses(items, more);
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(words)]);
  });
});

describe('embeddings of the fake model', () => {
  it.each([
    ['no model', { input: ['a'] }, 'you must provide a model parameter'],
    ['no input', { model: 'm', input: [] }, "'$.input' is invalid"],
    ['an empty text', { model: 'm', input: ['a', ''] }, "'$.input' is invalid"],
    ['too many texts', { model: 'm', input: Array(2_049).fill('a') }, "'$.input' is too long. Maximum length is 2048."],
    ['an unknown format', { model: 'm', input: ['a'], encoding_format: 'hex' }, "'hex' is not one of"],
    ['a field of conversations', { model: 'm', input: ['a'], temperature: 1 }, 'Unrecognized request argument'],
  ])('are refused for %s', async (_, body, words) => {
    await start({ embeddings: () => [1] });
    const refused = await post('/embeddings', body);
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(words)]);
  });
});

it('images reach the script of the fake model, whichever API they come by', async () => {
  await start([say('Seen.'), say('Seen.')]);
  await chat({ messages: [{ role: 'user', content: [{ type: 'text', text: 'See:' }, picture(jpeg)] }] });
  await responses([{ role: 'user', content: [{ type: 'input_text', text: 'See:' }, inputImage(jpeg)] }]);
  const sent = { mediaType: 'image/jpeg', detail: 'low', bytes: Buffer.from([0xff, 0xd8, 0xff]) };
  expect(model?.requests.map(({ images }) => images)).toEqual([[sent], [sent]]);
});
