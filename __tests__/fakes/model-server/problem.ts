import type { IncomingRequest, Reply } from '../loopback.ts';

/** Why a request is refused, in the shape and the words of the real servers. */
export type Problem = {
  readonly status: number;
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
};

export function bad(message: string, where: { readonly param?: string; readonly code?: string } = {}): Problem {
  return { status: 400, message, param: where.param ?? null, code: where.code ?? null };
}

export function problemReply({ status, message, param, code }: Problem): Reply {
  return jsonReply(status, { error: { message, type: 'invalid_request_error', param, code } });
}

export function jsonReply(status: number, body: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The real server echoes a part of the key. */
export function wrongKey(http: IncomingRequest): Problem {
  const key = String(http.headers.authorization ?? '').replace(/^Bearer /, '');
  const echoed = `${key.slice(0, 8)}${'*'.repeat(12)}${key.slice(-4)}`;
  const words = `Incorrect API key provided: ${echoed}. You can find your API key at https://platform.openai.com/account/api-keys.`;
  return { ...bad(words, { code: 'invalid_api_key' }), status: 401 };
}
