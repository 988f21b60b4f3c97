import type { Reply } from '../loopback.ts';

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
