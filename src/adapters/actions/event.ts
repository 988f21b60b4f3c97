import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { UserError } from '../../core/errors.ts';
import type { Heard } from '../../core/history/asked.ts';
import { commandsIn } from '../../core/history/commands.ts';
import type { ChangeAside } from '../../core/review/left-out.ts';
import { type Parsed, parserFor } from '../../core/schema.ts';
import type { Settings } from '../../core/settings/settings.ts';
import { type AskingSubject, askingSubject } from './comment-event.ts';

/** What started the job. */
export type JobEvent = {
  /** Such as `pull_request`. */
  readonly name: string;
  readonly repository: { readonly owner: string; readonly repository: string };
  readonly subject: EventSubject;
};

/** What a job is to review. */
export type Target =
  | {
      readonly kind: 'number';
      readonly number: number;
      /** By whom something may be asked; left out where nobody asks. */
      readonly heard?: Heard;
    }
  | Extract<EventSubject, { readonly kind: 'workflow-run' | 'skip' }>;

/** @throws UserError outside of a job, and when the event's file cannot be read or is not what GitHub writes. */
export function readEvent(environment: NodeJS.ProcessEnv): JobEvent {
  const name = required(environment, 'GITHUB_EVENT_NAME');
  const [owner, repository, ...rest] = required(environment, 'GITHUB_REPOSITORY').split('/');
  if (owner === undefined || owner === '' || repository === undefined || repository === '' || rest.length > 0) {
    throw new UserError(`GITHUB_REPOSITORY is '${environment['GITHUB_REPOSITORY']}', not 'owner/name'.`, {
      hint: inAJob,
    });
  }
  const payload = readPayload(required(environment, 'GITHUB_EVENT_PATH'));
  return { name, repository: { owner, repository }, subject: subjectOf(name, payload) };
}

/**
 * The `pull-request` input goes first. `command` is the input for runs by hand. A comment without a word for us that comes with a number is what it
 * always was: somebody's own way to ask for a review. @throws UserError naming the event when neither tells a pull request (P14).
 */
export function targetOf({ name, subject }: JobEvent, inputs: Settings): Target {
  const { pullRequest } = inputs;
  const heard = subject.kind === 'asking' ? heardIn(subject, inputs) : null;
  const number = pullRequest ?? (subject.kind === 'asking' ? subject.number : null);
  if (heard !== null && number !== null) return { kind: 'number', number, heard };
  if (pullRequest !== null) return { kind: 'number', number: pullRequest };
  if (subject.kind === 'pull-request') return { kind: 'number', number: subject.number };
  if (subject.kind !== 'other' && subject.kind !== 'asking') return subject;
  throw new UserError(`The event '${name}' does not tell which pull request to review.`, {
    hint: "Set the input 'pull-request' to its number, or run the workflow on pull_request.",
  });
}

function heardIn({ heard }: AskingSubject, { pullRequest, command, name }: Settings): Heard | null {
  if (heard.comment === null) return command === '' ? null : { ...heard, text: command };
  const text = heard.comment.body;
  return pullRequest === null || commandsIn(text, name).length > 0 ? { ...heard, text } : null;
}

const inAJob = 'Postil runs as a step of a GitHub Actions job; on a laptop use the command line: postil review.';

function required(environment: NodeJS.ProcessEnv, variable: string): string {
  const value = environment[variable];
  if (value === undefined || value === '') throw new UserError(`${variable} is not set.`, { hint: inAJob });
  return value;
}

// GitHub sends no more than 25 MB.
const largestPayload = 32_000_000;

function readPayload(path: string): unknown {
  try {
    return JSON.parse(readRegularFile(path, largestPayload));
  } catch (cause) {
    throw new UserError(`The file of the event, ${path}, could not be read.`, { hint: inAJob, cause });
  }
}

/** What an event is about. */
type EventSubject =
  | {
      readonly kind: 'pull-request';
      readonly number: number;
      /** Full hash. */
      readonly headSha: string;
      /** `owner/name`; null when the fork was deleted. */
      readonly headRepository: string | null;
      /** What else than a push started it; left out for pushes and the like. */
      readonly change?: ChangeAside;
    }
  | {
      readonly kind: 'workflow-run';
      readonly headSha: string;
      readonly headBranch: string | null;
      readonly headRepository: string | null;
      /** The pull requests that the event names: none for forks. */
      readonly numbers: readonly number[];
      /** True for a run on `push`, which may have none. */
      readonly isPush: boolean;
    }
  | AskingSubject
  /** An event that workflows share with others: there is nothing to review, and nothing wrong. */
  | { readonly kind: 'skip'; readonly reason: string }
  /** The `pull-request` input has to tell. */
  | { readonly kind: 'other' };

/** @throws UserError when the payload is not what GitHub sends for this event. */
function subjectOf(name: string, payload: unknown): EventSubject {
  switch (name) {
    case 'pull_request':
    case 'pull_request_target':
      return pullRequest(name, payload);
    case 'workflow_run':
      return workflowRun(name, payload);
    case 'issue_comment':
    case 'pull_request_review_comment':
    case 'pull_request_review':
    case 'workflow_dispatch':
      return askingSubject(name, payload);
    case 'push':
      return { kind: 'skip', reason: 'The event is a push, not a pull request.' };
    case 'merge_group':
      return { kind: 'skip', reason: 'The event is a merge group: its pull requests were reviewed before.' };
    default:
      return { kind: 'other' };
  }
}

// Null when the fork was deleted.
const repositorySchema = {
  type: ['object', 'null'],
  required: ['full_name'],
  properties: { full_name: { type: 'string' } },
} as const;

const parsePullRequestEvent = parserFor({
  type: 'object',
  required: ['pull_request'],
  properties: {
    action: { type: 'string' },
    label: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
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
  const { action = '', label, pull_request: pull } = checked(parsePullRequestEvent(payload), name);
  const { number, head } = pull;
  const target = { number, headSha: head.sha, headRepository: head.repo?.full_name ?? null };
  return { kind: 'pull-request', ...target, ...changeIn(action, label?.name ?? '') };
}

/** What else than a push started the run; undefined where one did, and for all other events. */
export function changeOf({ subject }: JobEvent): ChangeAside | undefined {
  return subject.kind === 'pull-request' ? subject.change : undefined;
}

function changeIn(action: string, label: string): { readonly change?: ChangeAside } {
  if (action === 'edited') return { change: { of: 'text' } };
  return action === 'labeled' || action === 'unlabeled' ? { change: { of: 'label', name: label } } : {};
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
        event: { type: ['string', 'null'] },
        pull_requests: {
          type: ['array', 'null'],
          items: { type: 'object', required: ['number'], properties: { number: { type: 'integer', minimum: 1 } } },
        },
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
    numbers: (run.pull_requests ?? []).map(({ number }) => number),
    isPush: run.event === 'push',
  };
}

function checked<T>(parsed: Parsed<T>, name: string): T {
  if (parsed.ok) return parsed.value;
  throw new UserError(`The payload of the event '${name}' is not what GitHub sends: ${parsed.problems.join('; ')}.`, {
    hint: "Run the workflow on pull_request, or set the input 'pull-request' and another event.",
  });
}

/**
 * The text of a regular file of at most `maxBytes`, however it grows meanwhile. A device never ends, and a pipe may never be written to:
 * neither is waited for. @throws Error with the reason.
 */
export function readRegularFile(path: string, maxBytes: number): string {
  // Windows does not know the flag.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1_000_000} MB`);
    const buffer = Buffer.allocUnsafe(stats.size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(file, buffer, length, buffer.length - length, null);
    }
    if (length > stats.size) throw new Error('it grew while it was read');
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
