import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { changeOf, readEvent, targetOf } from '../../../src/adapters/actions/event.ts';
import { mask, readInputs } from '../../../src/adapters/actions/inputs.ts';
import { explain } from '../../../src/core/errors.ts';
import { secretValues } from '../../../src/core/settings/formats.ts';
import { previewSettings } from '../../../src/core/settings/parse-settings.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { lacks, unless } from '../../fakes/platform.ts';

const folder = temporaryFolder();

function environmentOf(name: string, payload: unknown): NodeJS.ProcessEnv {
  const path = join(folder, 'event.json');
  writeFileSync(path, typeof payload === 'string' ? payload : JSON.stringify(payload));
  return { GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: path, GITHUB_REPOSITORY: 'acme/shop' };
}

function subject(name: string, payload: unknown) {
  return readEvent(environmentOf(name, payload)).subject;
}

function pipe(): string {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

function inputs(pullRequest: number | null, command = '') {
  return { ...previewSettings([]), pullRequest, command };
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
const run = {
  head_sha: 'abc',
  head_branch: 'fix',
  head_repository: { full_name: 'eve/shop' },
  pull_requests: [{ number: 7 }],
};

describe('the event of a job', () => {
  it.each([
    ['labeled', { of: 'label', name: 'x' }],
    ['unlabeled', { of: 'label', name: 'x' }],
    ['edited', { of: 'text' }],
    ['synchronize', undefined],
    ['closed', undefined],
  ])('tells of %s what else than a push it is', (action, change) => {
    const event = readEvent(environmentOf('pull_request', { ...pullRequest, action, label: { name: 'x' } }));
    expect(changeOf(event)).toEqual(change);
  });

  it.each(['pull_request', 'pull_request_target'])('is a pull request for %s', (name) => {
    expect(readEvent(environmentOf(name, pullRequest))).toEqual({
      name,
      repository: { owner: 'acme', repository: 'shop' },
      subject: { kind: 'pull-request', number: 7, headSha: 'abc', headRepository: 'eve/shop' },
    });
  });

  it('is a pull request whose fork was deleted', () => {
    const payload = { pull_request: { number: 7, head: { sha: 'abc', repo: null } } };
    expect(subject('pull_request', payload)).toMatchObject({ kind: 'pull-request', headRepository: null });
  });

  it('is a workflow run, whose pull request has to be found', () => {
    const head = { headSha: 'abc', headBranch: 'fix', headRepository: 'eve/shop' };
    const found = { kind: 'workflow-run', ...head, numbers: [7], isPush: false };
    expect(subject('workflow_run', { workflow_run: run })).toEqual(found);
    const pushed = { workflow_run: { ...run, event: 'push', pull_requests: null } };
    expect(subject('workflow_run', pushed)).toEqual({ ...found, numbers: [], isPush: true });
  });

  it.each(['push', 'merge_group'])('is nothing to review for %s', (name) => {
    expect(targetOf(readEvent(environmentOf(name, {})), inputs(null)).kind).toBe('skip');
  });

  it('gives way to the input that names the pull request', () => {
    const target = (name: string) => targetOf(readEvent(environmentOf(name, {})), inputs(12));
    const named = { kind: 'number', number: 12 };
    expect(['push', 'workflow_dispatch', 'issue_comment'].map(target)).toEqual([named, named, named]);
  });

  it('names itself when it tells no pull request', () => {
    const event = readEvent(environmentOf('workflow_dispatch', {}));
    expect(failure(() => targetOf(event, inputs(null)))).toBe(
      "The event 'workflow_dispatch' does not tell which pull request to review. " +
        "Set the input 'pull-request' to its number, or run the workflow on pull_request.",
    );
  });

  it.each([
    ['no JSON', '{', /The file of the event, .*event\.json, could not be read\./],
    ['more than GitHub sends', ' '.repeat(33_000_000), /it is larger than 32 MB\./],
    ['no pull request', {}, /must have required property 'pull_request'/],
    ['a number that is text', { pull_request: { number: '7', head: { sha: 'abc' } } }, /number must be integer/],
  ])('is refused with a reason when its file holds %s', (_name, payload, reason) => {
    expect(failure(() => subject('pull_request', payload))).toMatch(reason);
  });

  it.each([
    ...unless(lacks.devices, [['a device that never ends', () => '/dev/zero'] as const]),
    ...unless(lacks.namedPipes, [['a pipe that nobody writes to', pipe] as const]),
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

  const written = () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text).trim()) > 0);
    return lines;
  };

  it('hold secrets that are masked first, each of several by itself, and gone from the environment afterwards', () => {
    const lines = written();
    const keys = 'new-key\n\n old-key';
    const environment = { 'INPUT_API-KEY': 'key-1', 'INPUT_STATE-KEY': `${keys}\n`, INPUT_MODEL: 'gpt-test' };
    expect(readInputs(environment)).toEqual({ 'api-key': 'key-1', 'state-key': keys, model: 'gpt-test' });
    expect(environment).toEqual({ INPUT_MODEL: 'gpt-test' });
    expect(lines).toEqual(['::add-mask::key-1', '::add-mask::new-key', '::add-mask::old-key']);
  });

  it('are followed by the values of extra headers, which are as secret', () => {
    const lines = written();
    const headers = { extraHeaders: { Authorization: 'Bearer abcdefghijkl' }, extraQuery: { tenant: 'acme' } };
    mask([...secretValues(headers), '']);
    expect(lines).toEqual(['::add-mask::Bearer abcdefghijkl', '::add-mask::abcdefghijkl']);
  });

  it('mask nothing where a fork has no secret', () => {
    const lines = written();
    expect([readInputs({ 'INPUT_API-KEY': '' }), lines]).toEqual([{ 'api-key': '' }, []]);
  });
});
