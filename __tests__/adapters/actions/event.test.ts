import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEvent, targetOf } from '../../../src/adapters/actions/event.ts';
import { explain } from '../../../src/core/errors.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';

const folder = temporaryFolder();

function environmentOf(name: string, payload: unknown): NodeJS.ProcessEnv {
  const path = join(folder, 'event.json');
  writeFileSync(path, typeof payload === 'string' ? payload : JSON.stringify(payload));
  return { GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: path, GITHUB_REPOSITORY: 'acme/shop' };
}

function subject(name: string, payload: unknown) {
  return readEvent(environmentOf(name, payload)).subject;
}

function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return explain(error);
  }
  return 'no failure';
}

const pullRequest = {
  pull_request: { number: 7, draft: false, head: { sha: 'abc', repo: { full_name: 'eve/shop' } } },
};
const run = { head_sha: 'abc', head_branch: 'fix', head_repository: { full_name: 'eve/shop' }, pull_requests: [] };

describe('the event of a job', () => {
  it.each(['pull_request', 'pull_request_target'])('is a pull request for %s', (name) => {
    expect(readEvent(environmentOf(name, pullRequest))).toEqual({
      name,
      repository: { owner: 'acme', repository: 'shop' },
      subject: { kind: 'pull-request', number: 7, headSha: 'abc', headRepository: 'eve/shop' },
    });
  });

  it('is a pull request whose fork was deleted', () => {
    const payload = { pull_request: { number: 7, head: { sha: 'abc', repo: null } } };
    expect(subject('pull_request', payload)).toEqual({
      kind: 'pull-request',
      number: 7,
      headSha: 'abc',
      headRepository: null,
    });
  });

  it('is a workflow run, whose pull request has to be found', () => {
    expect(subject('workflow_run', { workflow_run: run })).toEqual({
      kind: 'workflow-run',
      headSha: 'abc',
      headBranch: 'fix',
      headRepository: 'eve/shop',
    });
  });

  it.each(['push', 'merge_group'])('is nothing to review for %s', (name) => {
    expect(targetOf(readEvent(environmentOf(name, {})), null).kind).toBe('skip');
  });

  it('gives way to the input that names the pull request', () => {
    const events = ['push', 'workflow_dispatch', 'issue_comment', 'schedule'].map((name) =>
      readEvent(environmentOf(name, {})),
    );
    expect(events.map((event) => targetOf(event, 12))).toEqual(events.map(() => ({ kind: 'number', number: 12 })));
  });

  it('names itself when it tells no pull request', () => {
    const event = readEvent(environmentOf('workflow_dispatch', {}));
    expect(failure(() => targetOf(event, null))).toBe(
      "The event 'workflow_dispatch' does not tell which pull request to review. " +
        "Set the input 'pull-request' to its number, or run the workflow on pull_request.",
    );
  });

  it.each([
    ['no JSON', '{', /The file of the event, .*event\.json, could not be read\./],
    ['more than GitHub sends', ' '.repeat(33_000_000), /it is larger than 32 MB\./],
    ['no pull request', {}, /must have required property 'pull_request'/],
    [
      'a number of the wrong kind',
      { pull_request: { ...pullRequest.pull_request, number: '7' } },
      /number must be integer/,
    ],
  ])('is refused with a reason when its file holds %s', (_name, payload, reason) => {
    expect(failure(() => subject('pull_request', payload))).toMatch(reason);
  });

  it.each([
    ['a device that never ends', () => '/dev/zero'],
    [
      'a pipe that nobody writes to',
      () => {
        const pipe = join(temporaryFolder(), 'pipe');
        execFileSync('mkfifo', [pipe]);
        return pipe;
      },
    ],
  ])('is refused at once when its file is %s', (_name, make) => {
    const environment = { ...environmentOf('pull_request', pullRequest), GITHUB_EVENT_PATH: make() };
    expect(failure(() => readEvent(environment))).toMatch(/could not be read\. it is not a regular file\./i);
  });

  it('says outside of a job what to use instead', () => {
    expect(failure(() => readEvent({}))).toBe(
      'GITHUB_EVENT_NAME is not set. Postil runs as a step of a GitHub Actions job; on a laptop use the command line: postil review.',
    );
  });
});
