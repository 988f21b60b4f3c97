import { afterEach, describe, expect, it } from 'vitest';
import { say } from './model-server/script.ts';
import { type FakeModel, startModel } from './model-server/start-model.ts';

let model: FakeModel | undefined;

afterEach(() => model?.close());

async function post(path: string, body: object): Promise<string> {
  model ??= await startModel([]);
  const response = await fetch(`${model.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${model.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', ...body }),
  });
  return response.text();
}

const chat = (...messages: readonly object[]) => post('/chat/completions', { messages });
const responses = (...input: readonly object[]) => post('/responses', { store: false, input });

const jpeg = `data:image/jpeg;base64,${Buffer.from([0xff, 0xd8, 0xff]).toString('base64')}`;
const picture = (url: string, detail = 'low') => ({ type: 'image_url', image_url: { url, detail } });
const inputImage = (url: string) => ({ type: 'input_image', image_url: url, detail: 'low' });
const calling = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: '1', type: 'function', function: { name: 'view_image', arguments: '{}' } }],
};

describe('images in requests to the fake model', () => {
  it('are told to the script, whichever API they come by', async () => {
    model = await startModel([say('Seen.'), say('Seen.')]);
    await chat({ role: 'user', content: [{ type: 'text', text: 'See:' }, picture(jpeg)] });
    await responses({ role: 'user', content: [{ type: 'input_text', text: 'See:' }, inputImage(jpeg)] });
    const sent = { mediaType: 'image/jpeg', detail: 'low', bytes: Buffer.from([0xff, 0xd8, 0xff]) };
    expect(model.requests.map(({ images }) => images)).toEqual([[sent], [sent]]);
  });

  it.each([
    ['of a system', [{ role: 'system', content: [picture(jpeg)] }], "allowed for messages with role 'user'"],
    [
      'in the answer to a call',
      [{ role: 'user', content: 'Hi' }, calling, { role: 'tool', tool_call_id: '1', content: [picture(jpeg)] }],
      "allowed for messages with role 'user'",
    ],
    [
      'to fetch from somewhere',
      [{ role: 'user', content: [picture('https://x.test/a.png')] }],
      'Expected a base64-encoded data URL',
    ],
    [
      'of a kind that is not taken',
      [{ role: 'user', content: [picture('data:image/svg+xml;base64,AAAA')] }],
      'Expected a base64-encoded data URL',
    ],
    [
      'that are not what they say',
      [{ role: 'user', content: [picture('data:image/png;base64,AAAA')] }],
      'unsupported image',
    ],
    ['with a detail of their own', [{ role: 'user', content: [picture(jpeg, 'lowest')] }], "'low' and 'high'"],
  ])('%s are refused over Chat Completions', async (_what, messages, words) => {
    model = await startModel([say('Seen.')]);
    expect(await chat(...messages)).toContain(words);
    expect(model.complaints).toHaveLength(1);
  });

  it.each([
    ['of a system', { role: 'system', content: [inputImage(jpeg)] }, "Supported values are: 'input_text'"],
    [
      'to fetch from somewhere',
      { role: 'user', content: [inputImage('https://x.test/a.png')] },
      'Expected a base64-encoded data URL',
    ],
  ])('%s are refused over Responses', async (_what, item, words) => {
    model = await startModel([say('Seen.')]);
    expect(await responses(item)).toContain(words);
  });
});
