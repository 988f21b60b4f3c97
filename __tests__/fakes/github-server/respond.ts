import type { Reply } from '../loopback.ts';

const documentation = 'https://docs.github.com/rest';

export function json(status: number, body: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
}

export function problem(status: number, message: string): Reply {
  return json(status, { message, documentation_url: documentation, status: String(status) });
}

export function notFound(): Reply {
  return problem(404, 'Not Found');
}

/** FAILURES P5. The header names what would have been enough, as GitHub does. */
export function forbidden(accepted: string): Reply {
  const reply = problem(403, 'Resource not accessible by integration');
  return { ...reply, headers: { ...reply.headers, 'x-accepted-github-permissions': accepted } };
}

/** FAILURES P6. */
export function secondaryLimit(): Reply {
  const reply = problem(
    403,
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.',
  );
  return { ...reply, headers: { ...reply.headers, 'retry-after': '1' } };
}

/** How the reviews API refuses: plain sentences, without a hint which of the comments is at fault. */
export function unprocessable(...errors: readonly string[]): Reply {
  return json(422, {
    message: 'Unprocessable Entity',
    errors,
    documentation_url: `${documentation}/pulls/reviews#create-a-review-for-a-pull-request`,
    status: '422',
  });
}

export type FieldError = {
  readonly resource: string;
  readonly code: string;
  readonly field?: string;
  readonly message?: string;
};

/** How the other endpoints refuse: one entry a field. */
export function validationFailed(...errors: readonly FieldError[]): Reply {
  return json(422, { message: 'Validation Failed', errors, documentation_url: documentation, status: '422' });
}

export function invalidRequest(message: string): Reply {
  return json(422, { message: `Invalid request.\n\n${message}`, documentation_url: documentation, status: '422' });
}
