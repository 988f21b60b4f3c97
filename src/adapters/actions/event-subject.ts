import { UserError } from '../../core/errors.ts';
import { type Parsed, parserFor } from '../../core/schema.ts';

/** What an event is about. */
export type EventSubject =
  | {
      readonly kind: 'pull-request';
      readonly number: number;
      /** Full hash. */
      readonly headSha: string;
      /** `owner/name`; null when the fork was deleted. */
      readonly headRepository: string | null;
    }
  | {
      readonly kind: 'workflow-run';
      readonly headSha: string;
      readonly headBranch: string | null;
      readonly headRepository: string | null;
    }
  /** An event that workflows share with others: there is nothing to review, and nothing wrong. */
  | { readonly kind: 'skip'; readonly reason: string }
  /** The `pull-request` input has to tell. */
  | { readonly kind: 'other' };

/** @throws UserError when the payload is not what GitHub sends for this event. */
export function subjectOf(name: string, payload: unknown): EventSubject {
  switch (name) {
    case 'pull_request':
    case 'pull_request_target':
      return pullRequest(name, payload);
    case 'workflow_run':
      return workflowRun(name, payload);
    case 'push':
      return { kind: 'skip', reason: 'The event is a push, not a pull request.' };
    case 'merge_group':
      return { kind: 'skip', reason: 'The event is a merge group: its pull requests were reviewed before.' };
    default:
      return { kind: 'other' };
  }
}

const repositorySchema = {
  type: ['object', 'null'],
  required: ['full_name'],
  properties: { full_name: { type: 'string' } },
} as const;

const parsePullRequestEvent = parserFor({
  type: 'object',
  required: ['pull_request'],
  properties: {
    pull_request: {
      type: 'object',
      required: ['number', 'head'],
      properties: {
        number: { type: 'integer', minimum: 1 },
        head: {
          type: 'object',
          required: ['sha', 'repo'],
          properties: { sha: { type: 'string' }, repo: repositorySchema },
        },
      },
    },
  },
});

function pullRequest(name: string, payload: unknown): EventSubject {
  const { number, head } = checked(parsePullRequestEvent(payload), name).pull_request;
  return { kind: 'pull-request', number, headSha: head.sha, headRepository: head.repo?.full_name ?? null };
}

const parseWorkflowRunEvent = parserFor({
  type: 'object',
  required: ['workflow_run'],
  properties: {
    workflow_run: {
      type: 'object',
      required: ['head_sha', 'head_branch', 'head_repository'],
      properties: {
        head_sha: { type: 'string' },
        head_branch: { type: ['string', 'null'] },
        head_repository: repositorySchema,
      },
    },
  },
});

function workflowRun(name: string, payload: unknown): EventSubject {
  const run = checked(parseWorkflowRunEvent(payload), name).workflow_run;
  return {
    kind: 'workflow-run',
    headSha: run.head_sha,
    headBranch: run.head_branch,
    headRepository: run.head_repository?.full_name ?? null,
  };
}

function checked<T>(parsed: Parsed<T>, name: string): T {
  if (parsed.ok) return parsed.value;
  throw new UserError(`The payload of the event '${name}' is not what GitHub sends: ${parsed.problems.join('; ')}.`, {
    hint: "Run the workflow on pull_request, or set the input 'pull-request' and another event.",
  });
}
