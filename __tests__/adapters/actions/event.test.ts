import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readEvent, targetOf } from '../../../src/adapters/actions/event.ts';
import { mask, readInputs } from '../../../src/adapters/actions/inputs.ts';
import { explain } from '../../../src/core/errors.ts';
import { secretValues } from '../../../src/core/settings/formats.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';

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

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the inputs of the action', () => {
  it('have the names of action.yml and no space around them', () => {
    const environment = { 'INPUT_MAX-COMMENTS': ' 5 ', INPUT_MODEL: 'gpt-test', INPUT_EXCLUDE: 'a\nb\n', PATH: '/bin' };
    expect(readInputs(environment)).toEqual({ 'max-comments': '5', model: 'gpt-test', exclude: 'a\nb' });
  });

  it('hold secrets that are masked first and gone from the environment afterwards', () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const environment = { 'INPUT_API-KEY': 'key-1', 'INPUT_GITHUB-TOKEN': 'token-1', INPUT_MODEL: 'gpt-test' };
    const inputs = readInputs(environment);
    expect({ inputs, environment, written: written.map((line) => line.trim()) }).toEqual({
      inputs: { 'api-key': 'key-1', 'github-token': 'token-1', model: 'gpt-test' },
      environment: { INPUT_MODEL: 'gpt-test' },
      written: ['::add-mask::key-1', '::add-mask::token-1'],
    });
  });

  it('mask each of several keys by itself', () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const environment = { 'INPUT_STATE-KEY': 'new-key\n\n old-key\n' };
    expect(readInputs(environment)).toEqual({ 'state-key': 'new-key\n\n old-key' });
    expect([environment, written.map((line) => line.trim())]).toEqual([
      {},
      ['::add-mask::new-key', '::add-mask::old-key'],
    ]);
  });

  it('are followed by the values of extra headers, which are as secret', () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text).trim()) > 0);
    const headers = { extraHeaders: { Authorization: 'Bearer abcdefghijkl' }, extraQuery: { tenant: 'acme' } };
    mask([...secretValues(headers), '']);
    expect(written).toEqual(['::add-mask::Bearer abcdefghijkl', '::add-mask::abcdefghijkl']);
  });

  it('mask nothing where a fork has no secret', () => {
    const write = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    expect([readInputs({ 'INPUT_API-KEY': '' }), write.mock.calls]).toEqual([{ 'api-key': '' }, []]);
  });
});
