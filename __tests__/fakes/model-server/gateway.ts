import { at, isObject, parseJson } from '../every-pair.ts';
import { type IncomingRequest, type Loopback, type Outcome, startLoopback } from '../loopback.ts';

/**
 * A gateway in front of a model server that answers 500 to every request for a stream which the server behind it took. It answers, to the byte of
 * the bodies, as `@portkey-ai/gateway` 1.15.2 did on Node.js 20.20 and 24.19: that one adds its headers to those of the answer it fetched, which
 * Node.js does not permit.
 */
export function startGateway(): Promise<Loopback> {
  return startLoopback(async (request) => {
    const [provider, host] = ['provider', 'custom-host'].map((name) => request.headers[`x-portkey-${name}`]);
    if (provider !== 'openai') return failure(400, 'Either x-portkey-config or x-portkey-provider header is required');
    const body = parseJson(request.body.toString('utf8'));
    const answer = await forward(request, { to: `${host}${request.path.slice('/v1'.length)}`, body });
    if (answer.ok && at(body, 'stream') === true)
      return failure(500, 'Something went wrong', { 'x-portkey-gateway-exception': 'true' });
    return { status: answer.status, headers: addedHeaders, body: rewritten(await answer.text()) };
  });
}

const contentType = { 'content-type': 'application/json' };
const addedHeaders = {
  ...contentType,
  'x-portkey-cache-status': 'DISABLED',
  'x-portkey-last-used-option-index': 'config',
  'x-portkey-provider': 'openai',
  'x-portkey-retry-attempt-count': '0',
  'x-portkey-trace-id': '',
};

function forward({ method, headers }: IncomingRequest, { to, body }: { to: string; body: unknown }): Promise<Response> {
  const { authorization = '' } = headers;
  return fetch(to, { method, headers: { ...contentType, authorization }, body: JSON.stringify(body) });
}

function failure(status: number, message: string, more: Readonly<Record<string, string>> = {}): Outcome {
  return { status, headers: { ...contentType, ...more }, body: JSON.stringify({ status: 'failure', message }) };
}

/** An error names who said it. */
function rewritten(text: string): string {
  const answer = parseJson(text);
  const error = at(answer, 'error');
  if (!isObject(error)) return text;
  return JSON.stringify({ error: { ...error, message: `openai error: ${error['message']}` }, provider: 'openai' });
}
