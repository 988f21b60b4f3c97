import { UserError } from '../../core/errors.ts';
import { type EventSubject, subjectOf } from './event-subject.ts';
import { readRegularFile } from './regular-file.ts';

/** What started the job. */
export type JobEvent = {
  /** Such as `pull_request`. */
  readonly name: string;
  readonly repository: { readonly owner: string; readonly repository: string };
  readonly subject: EventSubject;
};

/** What a job is to review. */
export type Target =
  | { readonly kind: 'number'; readonly number: number }
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

/** The `pull-request` input goes first. @throws UserError naming the event when neither tells a pull request (P14). */
export function targetOf({ name, subject }: JobEvent, pullRequest: number | null): Target {
  if (pullRequest !== null) return { kind: 'number', number: pullRequest };
  if (subject.kind === 'pull-request') return { kind: 'number', number: subject.number };
  if (subject.kind !== 'other') return subject;
  throw new UserError(`The event '${name}' does not tell which pull request to review.`, { hint: hintFor(name) });
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

function hintFor(name: string): string {
  if (name === 'issue_comment') {
    return `Set the input 'pull-request: \${{ github.event.issue.number }}', or run the workflow on pull_request.`;
  }
  return "Set the input 'pull-request' to its number, or run the workflow on pull_request.";
}
