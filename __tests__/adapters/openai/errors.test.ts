import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialDialect } from '../../../src/adapters/openai/dialect.ts';
import { redactKey } from '../../../src/adapters/openai/errors.ts';
import { adjustableDialect } from '../../../src/adapters/openai/open-ai-model.ts';
import { readServerWords } from '../../../src/adapters/openai/refusals.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { at } from '../../fakes/every-pair.ts';
import { type Answer, afterOneCall, apiKey, json, opening, page, plainOptions, refusal, scripted } from './streams.ts';

async function failure(answer: Answer): Promise<ModelError> {
  const server = await scripted([answer], { api: 'chat' });
  const error: unknown = await server.answer(opening).catch((thrown: unknown) => thrown);
  if (!(error instanceof ModelError)) throw new Error(`Expected a ModelError, got ${inspect(error)}`);
  return error;
}

const says = (status: number, message: string, code?: string) =>
  refusal(message, { status, ...(code === undefined ? {} : { code }) });
const type = { 'content-type': 'application/json' };
const cut = { status: 200, headers: type, body: '{"choices":[{"mess' };
const slow = { choices: [{ finish_reason: 'error', error: { code: 429, message: 'slow' } }] };
const overTheRate = 'Request too large for gpt-x on tokens per min (TPM): Limit 30000';

describe('an error of the server', () => {
  it.each<readonly [string, Answer, string]>([
    ['401', says(401, 'Incorrect API key provided.', 'invalid_api_key'), 'authentication'],
    ['403', says(403, 'Country not supported'), 'authentication'],
    ['insufficient_quota', says(429, 'You exceeded your current quota', 'insufficient_quota'), 'quota'],
    ['408', json({}, 408), 'transient'],
    ['a broken connection', 'reset', 'transient'],
    ['a cut answer', cut, 'transient'],
    ['model_not_found', says(404, 'The model does not exist', 'model_not_found'), 'unknown-model'],
    ['410', json({ message: 'retired' }, 410), 'unknown-model'],
    ['a page with 200', page(200, 'Welcome'), 'unknown-model'],
    ['context_length_exceeded', says(400, 'Too long', 'context_length_exceeded'), 'context-overflow'],
    ['413', page(413, 'Request Entity Too Large'), 'context-overflow'],
    ['a request beyond the rate', says(429, overTheRate), 'context-overflow'],
    ['a 200 with an error', json({ error: { code: 502, message: 'Provider returned error' } }), 'transient'],
    ['a choice with an error', json(slow), 'transient'],
    ['any other 400', json({ detail: 'Bad' }, 400), 'refused-request'],
  ])('such as %s is of its kind', async (_what, answer, kind) => {
    expect((await failure(answer)).kind).toBe(kind);
  });

  it('names host, model, status and the server’s words, and what to do', async () => {
    const { message, hint } = await failure(says(401, 'Bad key.'));
    expect([message.replace(/:\d+ /, ' '), hint]).toEqual([
      '127.0.0.1 rejected the API key (401): Bad key.',
      'Check the `api-key` input, and that the key may use this model at this `base-url`.',
    ]);
  });

  it.each([
    ['an array', [{ error: { message: 'the words' } }]],
    ['vLLM’s object', { object: 'error', message: 'the words' }],
    ['a text', { error: 'the words' }],
    ['a nested detail', { detail: [{ msg: 'the words' }] }],
    ['OpenRouter’s metadata', { error: { message: 'Provider returned error', metadata: { raw: 'the words' } } }],
  ])('is read from %s', async (_what, body) => {
    expect((await failure(json(body, 400))).message).toContain('the words');
  });

  it('never dumps a page', async () => {
    const error = await failure(page(502, 'Bad gateway'));
    expect(error.message).toContain('could not answer (502): an HTML page came back, "Bad gateway"');
    expect(error.message).not.toContain('secret page');
  });

  it.each<readonly [Readonly<Record<string, string>>, string, number | null]>([
    [{ 'retry-after': '7200' }, '', 7_200_000],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, '', 250],
    [{}, 'Please try again in 6m0s.', 360_000],
    [{}, 'Try again in a while.', null],
  ])('asks to wait by %j or "%s"', async (headers, message, milliseconds) => {
    expect((await failure(json({ error: { message } }, 429, headers))).retryAfter).toBe(milliseconds);
  });

  it('asks to wait until a date', async () => {
    const date = new Date(Date.now() + 90_000).toUTCString();
    const wait = (await failure(json({}, 503, { 'retry-after': date }))).retryAfter;
    expect(wait).toBeGreaterThan(60_000);
    expect(wait).toBeLessThanOrEqual(90_000);
  });

  it.each([
    ['a port that is refused by the client', 'http://127.0.0.1:9/v1', 'unknown-model', false],
    ['a server that is not there', 'http://127.0.0.1:2/v1', 'transient', false],
  ])('at %s is not billed, as nothing left, and not tried again where waiting cannot help', async (...given) => {
    const [, baseUrl, kind, maybeBilled] = given;
    const server = await scripted([], { baseUrl });
    const error: unknown = await server.answer(opening).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ModelError', kind, maybeBilled });
  });

  it('is an endless answer, which is not read on, be it content, one event or packed', async () => {
    let written = 0;
    const endless = function* (start: string) {
      yield Buffer.from(start);
      for (const end = written + 6_000; written < end; written += 1) yield Buffer.alloc(100_000, 'a');
    };
    const whole = { status: 200, headers: type, body: '', pieces: endless('{"choices":[{"message":{"content":"') };
    const stream = { 'content-type': 'text/event-stream' };
    const event = { ...whole, headers: stream, pieces: endless('data: {"choices":[{"delta":{"content":"') };
    const packed = { ...type, 'content-encoding': 'gzip' };
    const bomb = { status: 200, headers: packed, body: gzipSync(Buffer.alloc(40_000_000, ' ')) };
    const refused = { ...whole, status: 500, pieces: endless('{"error":"') };
    const errors = [await failure(whole), await failure(event), await failure(bomb), await failure(refused)];
    expect(errors.map(({ kind, message }) => [kind, /larger than 4 MB/.test(message)])).toEqual(
      errors.map(() => ['refused-request', true]),
    );
    expect(written).toBeLessThan(3 * 600);
  });

  it.each([true, false])('is an answer nested without end, an error too (streamed: %s)', async (stream) => {
    const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const bodies = [`{"error":{"message":"no","a":${nested}}}`, `{"choices":[{"message":{"content":${nested}}}]}`];
    const found: unknown[] = [];
    for (const body of bodies) {
      for (const status of [200, 400]) {
        const event = { status, headers: { 'content-type': 'text/event-stream' }, body: `data: ${body}\n\n` };
        const whole = { status, headers: type, body };
        const { answer } = await scripted([stream && status === 200 ? event : whole], { stream });
        found.push(await answer(opening).catch((error: unknown) => at(error, 'name')));
      }
    }
    expect(found).toEqual(['ModelError', 'ModelError', 'ModelError', 'ModelError']);
  });

  it('is no error of the server when the caller aborts', async () => {
    const server = await scripted(['hang']);
    const aborting = new AbortController();
    const answer = server.model.answer(opening, aborting.signal);
    setTimeout(() => aborting.abort(new Error('the deadline')), 50);
    await expect(answer).rejects.toMatchObject({ name: 'ModelError', kind: 'aborted' });
  });
});

describe('the key', () => {
  it.each<readonly [string, Answer]>([
    ['whole', says(401, `Incorrect API key provided: ${apiKey}.`)],
    ['cut', json({ error: { message: `Bearer ${apiKey.slice(0, 14)} is unknown`, echo: apiKey } }, 403)],
    ['without its first characters', json({ error: `key …${apiKey.slice(9)}` }, 500)],
    ['in stars', says(401, `Incorrect API key provided: ${apiKey.slice(0, 5)}****${apiKey.slice(-4)}.`)],
    ['in a page', { status: 502, headers: { 'content-type': 'text/html' }, body: `<html><title>${apiKey}</title>` }],
    ['in an answer that is no JSON', { status: 200, headers: {}, body: `hello ${apiKey}` }],
  ])('that is echoed %s is nowhere in the error', async (_what, answer) => {
    const printed = inspect(await failure(answer), { depth: Number.POSITIVE_INFINITY, showHidden: true });
    expect(printed).not.toContain(apiKey.slice(8, 16));
    expect(printed).not.toContain(apiKey.slice(-4));
  });

  it('is refused at once when no header can carry it, without being printed', async () => {
    const broken = `${apiKey}\nsecond line`;
    const error: unknown = await scripted([], { apiKey: broken }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'UserError', hint: expect.stringContaining('`api-key`') });
    expect(inspect(error)).not.toContain(apiKey);
  });
});

const refusals = [
  "use /v1/responses or set reasoning_effort to 'none'",
  'Unknown request URL: POST /v1/responses',
  "Unsupported parameter: 'max_completion_tokens'",
  'max_tokens is too large: 4096. This model supports at most 2048',
  'max_tokens is too large: 4096. This model supports at most 1024',
  "'temperature' does not support 0.2",
  'parallel_tool_calls is not supported',
  'prompt_cache_key is not supported',
  'Encrypted content is not supported with this model.',
  "Unknown parameter: 'store'",
  "Unknown parameter: 'messages[2].reasoning'",
  'Invalid schema for function',
  'tool_choice is not supported',
  'this model does not support tools',
];

describe('the ladder', () => {
  it('ends, whatever a server refuses, and tells each step once', () => {
    const request = { ...afterOneCall(null), toolChoice: { tool: 'submit_review' } };
    const refused = fc.array(fc.record({ says: fc.constantFrom(...refusals), status: fc.constantFrom(400, 404) }));
    fc.assert(
      fc.property(refused, fc.constantFrom('auto', 'chat', 'responses'), (sequence, api) => {
        const told: string[] = [];
        const baseUrl = 'https://api.openai.com/v1';
        const initial = initialDialect({ ...plainOptions, baseUrl, api, temperature: 0.2 });
        const dialect = adjustableDialect(initial, (step) => told.push(step.change));
        for (const { says, status } of sequence) {
          const before = dialect.current();
          const again = dialect.adjust({ words: readServerWords(says, status), dialect: before, request });
          expect(again).toBe(dialect.current() !== before);
        }
        expect(new Set(told).size).toBe(told.length);
        if (api !== 'auto') expect(dialect.current().api).toBe(api);
      }),
    );
  });
});

describe('a redacted text', () => {
  it('holds no eight characters of the key in a row', () => {
    const key = fc.stringMatching(/^[A-Za-z0-9_-]{8,60}$/);
    const cut = fc.record({ from: fc.nat(59), to: fc.nat(60) });
    fc.assert(
      fc.property(key, cut, fc.string(), fc.string(), (apiKey, { from, to }, before, after) => {
        const pieces = redactKey(`${before}${apiKey.slice(from, to)}${after}`, apiKey).split('[redacted]');
        const parts = Array.from({ length: apiKey.length - 7 }, (_, start) => apiKey.slice(start, start + 8));
        expect(parts.filter((part) => pieces.some((piece) => piece.includes(part)))).toEqual([]);
      }),
    );
  });

  it.each([
    ['a short key', 'the key abcd is wrong', 'abcd', 'the key [redacted] is wrong'],
    ['no key', 'nothing is wrong', '', 'nothing is wrong'],
    ['a key said twice', 'sk-12345678sk-12345678!', 'sk-12345678', '[redacted][redacted]!'],
    ['a key of two letters, which is a placeholder', 'no models', 'no', 'no models'],
  ])('of %s', (_what, text, key, redacted) => {
    expect(redactKey(text, key)).toBe(redacted);
  });
});
