import { afterEach } from 'vitest';
import { type OpenAiOptions, openAiModel } from '../../../src/adapters/openai/open-ai-model.ts';
import type { Model, ModelRequest } from '../../../src/core/agent/model.ts';
import { at, parseJson } from '../../fakes/json.ts';
import { type Outcome, startLoopback } from '../../fakes/loopback.ts';
import { problemsOf } from './strictness.ts';

/** A key of the length and form of real ones. */
export const apiKey = 'sk-proj-Zq81nWxT4vBdLr0aPyEu7cHm';

export type Sent = {
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
};
export type Answer = Outcome | ((sent: Sent) => Outcome | Promise<Outcome>);

export type Scripted = {
  readonly model: Model;
  readonly url: string;
  readonly sent: readonly Sent[];
  readonly adjustments: readonly { change: string; because: string }[];
  /** Sends one request with a signal that is never aborted. */
  answer(request: ModelRequest): ReturnType<Model['answer']>;
};

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/**
 * A server that answers in the order of the script, and a model that talks to it. Like the real ones it refuses (400)
 * unanswered and repeated tool call ids, and schemas that are not strict; out of script it answers 418.
 */
export async function scripted(
  script: readonly Answer[],
  options: Partial<Omit<OpenAiOptions, 'onAdjust'>> = {},
): Promise<Scripted> {
  const remaining = [...script];
  const sent: Sent[] = [];
  const adjustments: { change: string; because: string }[] = [];
  const server = await startLoopback(async (request) => {
    const received: Sent = {
      path: request.path,
      body: parseJson(request.body.toString('utf8')),
      headers: request.headers,
    };
    sent.push(received);
    const problem = problemsOf(received.body)[0];
    if (problem !== undefined) return refusal(problem);
    const next = remaining.shift() ?? json({ error: { message: 'the script is at its end' } }, 418);
    return typeof next === 'function' ? next(received) : next;
  });
  closing.push(() => server.close());
  const model = openAiModel({
    apiKey,
    baseUrl: `${server.url}/v1`,
    model: 'scripted-1',
    api: 'auto',
    temperature: null,
    reasoningEffort: '',
    stream: false,
    extraHeaders: {},
    extraQuery: {},
    extraBody: {},
    cacheKey: 'octo/spoon#7',
    onAdjust: (adjustment) => adjustments.push(adjustment),
    ...options,
  });
  const answer = (request: ModelRequest) => model.answer(request, new AbortController().signal);
  return { model, url: server.url, sent, adjustments, answer };
}

export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Outcome {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** A 400 in OpenAI's form. */
export function refusal(message: string, more: { param?: string; code?: string; status?: number } = {}): Outcome {
  const { param = null, code = null, status = 400 } = more;
  return json({ error: { message, type: 'invalid_request_error', param, code } }, status);
}

export function page(status: number, title: string): Outcome {
  const body = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>secret page</h1></body></html>`;
  return { status, headers: { 'content-type': 'text/html' }, body };
}

/** What a request's body held under these names, for comparisons. */
export function bodyParts(sent: Sent | undefined, ...names: readonly string[]): readonly unknown[] {
  return names.map((name) => at(sent?.body, name));
}
