import { at, listAt, parseJson, textAt } from '../every-pair.ts';
import { type Loopback, type Outcome, startLoopback } from '../loopback.ts';
import type { FakeModel } from './start-model.ts';

export type Cloud = {
  readonly host: string;
  /** The path of `base-url`. */
  readonly path: string;
  /** The token that the login's step gives. */
  readonly token: string;
  readonly model: string;
  /** How it refuses who has none. */
  readonly stranger: { readonly status: number; readonly body: unknown };
};

/** The compatible endpoints of three clouds, as they document them. */
export const clouds = {
  // https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle: a token of Entra ID is a JWT, and stands where a key does not.
  azure: {
    host: 'acme.openai.azure.com',
    path: '/openai/v1',
    token: `eyJ0eXAiOiJKV1QifQ.${'a'.repeat(900)}.c2lnbmF0dXJl`,
    model: 'my-deployment',
    stranger: {
      status: 401,
      body: {
        statusCode: 401,
        message:
          'Unauthorized. Access token is missing, invalid, audience is incorrect (https://cognitiveservices.azure.com), or have expired.',
      },
    },
  },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html and api-keys-use.html
  bedrock: {
    host: 'bedrock-runtime.us-west-2.amazonaws.com',
    path: '/openai/v1',
    token: `bedrock-api-key-${'YmVkcm9jay5hbWF6b25hd3MuY29t'.repeat(30)}`,
    model: 'openai.gpt-oss-120b-1:0',
    stranger: { status: 403, body: { Message: 'Bearer Token has expired' } },
  },
  // https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview
  vertex: {
    host: 'us-central1-aiplatform.googleapis.com',
    path: '/v1/projects/acme/locations/us-central1/endpoints/openapi',
    token: `ya29.c.${'b'.repeat(900)}`,
    model: 'google/gemini-3.8-flash',
    stranger: {
      status: 401,
      body: [
        {
          error: {
            code: 401,
            message: 'Request had invalid authentication credentials. Expected OAuth 2 access token.',
            status: 'UNAUTHENTICATED',
          },
        },
      ],
    },
  },
} as const satisfies Readonly<Record<string, Cloud>>;

/** A cloud's endpoint in front of a scripted model: it takes its own address, token and model, and no key beside them. */
export function startCloud(cloud: Cloud, behind: FakeModel): Promise<Loopback> {
  return startLoopback(async ({ method, path, headers, body: bytes }): Promise<Outcome> => {
    const body = parseJson(bytes.toString('utf8'));
    const isOwn = headers.authorization === `Bearer ${cloud.token}` && headers['api-key'] === undefined;
    if (!isOwn) return json(cloud.stranger.status, JSON.stringify(cloud.stranger.body));
    // A tool's answer with a name is what Bedrock refuses of what others take.
    const isNamed = listAt(body, 'messages').some(
      (message) => at(message, 'role') === 'tool' && at(message, 'name') !== undefined,
    );
    if (!path.startsWith(`${cloud.path}/`) || textAt(body, 'model') !== cloud.model || isNamed) return json(404, '{}');
    const answer = await fetch(`${behind.url}${path.slice(cloud.path.length)}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${behind.apiKey}` },
      body: bytes,
    });
    return { status: answer.status, headers: typeOf(answer), body: await answer.text() };
  });
}

function json(status: number, body: string): Outcome {
  return { status, headers: { 'content-type': 'application/json' }, body };
}

function typeOf({ headers }: Response) {
  return { 'content-type': headers.get('content-type') ?? '' };
}
