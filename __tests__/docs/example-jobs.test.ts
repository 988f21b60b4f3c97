import { describe, expect, it } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { commands } from '../../src/cli.ts';
import { referenceComment } from '../../src/core/addresses.ts';
import { parseSettings } from '../../src/core/settings/parse-settings.ts';
import { at } from '../fakes/every-pair.ts';
import { evaluateTexts, holds } from '../workflows/expressions.ts';
import { isPinned, object, ownRef, ownRepository, read } from './workflows.ts';

describe('the workflow of a review in shards', () => {
  const { text, workflow, jobs } = read('sharded.yml');
  const [plan, review, post] = jobs;
  const jobOf = (name: string) => at(workflow, 'jobs', name);

  it('has at most fifty lines and three jobs, of which only one has the key and only the last one may write', () => {
    expect([text.trimEnd().split('\n').length <= 50, Object.keys(object(at(workflow, 'jobs')))]).toEqual([
      true,
      ['plan', 'review', 'post'],
    ]);
    const mighty = jobs.map(({ text: job, permissions }) => [
      job.includes('secrets.OPENAI_API_KEY'),
      Object.values(permissions).includes('write'),
    ]);
    expect(mighty).toEqual([
      [false, false],
      [true, false],
      [false, true],
    ]);
  });

  it('hands the plan to every shard, and the plan and all shards to the job that posts, whatever became of them', () => {
    const paths = [plan?.steps[1], review?.steps[2]].map((step) => [step?.inputs['name'], step?.inputs['path']]);
    expect(paths).toEqual([
      ['postil-plan', plan?.steps[0]?.inputs['plan-file']],
      [expect.stringContaining('strategy.job-index'), post?.steps[1]?.inputs['review-file']],
    ]);
    expect([at(jobOf('review'), 'strategy', 'fail-fast'), at(jobOf('post'), 'if')]).toEqual([
      false,
      expect.stringContaining('!cancelled()'),
    ]);
    expect(at(jobOf('post'), 'needs')).toEqual(['plan', 'review']);
  });
});

describe('the workflow that answers comments', () => {
  const { text, workflow } = read('commands.yml');
  const job = Object.values(object(at(workflow, 'jobs')))[0];
  const person = { sender: { type: 'User' } };
  const said = (body: string, id = 11) => ({ ...person, action: 'created', comment: { id, body } });
  const onPull = { issue: { pull_request: {} } };
  const pullRequest = { pull_request: { number: 7 } };

  it('has at most thirty lines, one job, and a check that no gate is called by', () => {
    const names = Object.keys(object(at(workflow, 'jobs')));
    const gate = at(read('gate.yml').workflow, 'jobs', 'postil', 'name');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    expect([names, at(job, 'name'), gate]).toEqual([['review-and-answer'], undefined, 'Postil']);
  });

  it('starts for every comment that could be answered, before anything is edited', () => {
    expect(at(workflow, 'on')).toEqual({
      pull_request: { types: ['opened', 'synchronize', 'reopened', 'ready_for_review'] },
      issue_comment: { types: ['created'] },
      pull_request_review_comment: { types: ['created'] },
      pull_request_review: { types: ['submitted'] },
      workflow_dispatch: { inputs: expect.objectContaining({ 'pull-request': { required: true } }) },
    });
  });

  it.each([
    ['a push', 'pull_request', pullRequest, true],
    ['a push of a bot', 'pull_request', { ...pullRequest, sender: { type: 'Bot' } }, true],
    ['a run by hand', 'workflow_dispatch', person, true],
    ['a command in the conversation', 'issue_comment', { ...said('/postil help'), ...onPull }, true],
    ['a command on an issue', 'issue_comment', { ...said('/postil help'), issue: {} }, false],
    ['other words', 'issue_comment', { ...said('Thanks!'), ...onPull }, false],
    ['a command of a bot', 'issue_comment', { ...said('/postil help'), ...onPull, sender: { type: 'Bot' } }, false],
    ['a command on a line', 'pull_request_review_comment', { ...said('Why?\n/Postil explain'), ...pullRequest }, true],
    ['words on a line', 'pull_request_review_comment', { ...said('Why?'), ...pullRequest }, false],
    ['a command in a review', 'pull_request_review', { ...person, review: { id: 12, body: '/postil ask' } }, true],
    ['a review without words', 'pull_request_review', { ...person, review: { id: 12, body: null } }, false],
  ])('takes a runner or not, before it starts: %s', (_what, event_name, event, runs) => {
    expect(holds(at(job, 'if'), { github: { event_name, event } }, [])).toBe(runs);
  });

  it('lets a push end the review of the one before, and keeps every command apart', () => {
    const groups = [
      { event_name: 'pull_request', event: pullRequest },
      { event_name: 'issue_comment', event: { ...said('/postil help', 11), ...onPull } },
      { event_name: 'pull_request_review_comment', event: { ...said('/postil help', 11), ...pullRequest } },
      { event_name: 'pull_request_review', event: { ...pullRequest, review: { id: 12 } } },
      { event_name: 'workflow_dispatch', event: {}, run_id: 13 },
    ].map((github) => Object.values(evaluateTexts(at(job, 'concurrency'), { github })).join(' '));
    expect(groups).toEqual([
      'postil-commands-pull_request-7 true',
      'postil-commands-issue_comment-11 false',
      'postil-commands-pull_request_review_comment-11 false',
      'postil-commands-pull_request_review-12 false',
      'postil-commands-workflow_dispatch-13 false',
    ]);
  });
});

describe('the workflow that evaluates the reviewer', () => {
  const { text, workflow, jobs } = read('eval.yml');

  it('pins what it uses, may read alone, and never runs for pull requests', () => {
    const uses = [...text.matchAll(/\buses: (.+)/g)].map(([, what = '']) => what);
    expect([uses.length > 0, uses.filter((what) => !isPinned(what))]).toEqual([true, []]);
    expect(text).toContain(`repository: ${ownRepository}\n          ref: ${ownRef} # ${referenceComment()}\n`);
    expect([jobs[0]?.permissions, Object.keys(object(at(workflow, 'on')))]).toEqual([
      { contents: 'read' },
      ['workflow_dispatch', 'push'],
    ]);
  });

  it('calls the command line with flags that exist', () => {
    const [, line = ''] = /dist\/cli\/index\.js (eval .+)/.exec(text) ?? [];
    const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const request = readArguments(commands, args);
    const command = request.kind === 'command' ? request.asked : {};
    expect(command).toMatchObject({ config: '.postil/config.yml', reportHtml: 'eval.html' });
    const values = Object.fromEntries(['limits', 'flags'].flatMap((name) => Object.entries(object(at(command, name)))));
    const { settings } = parseSettings([{ where: 'flag', trusted: true, values }]);
    expect([settings.maxCost, Object.keys(values)]).toEqual([5, ['max-cost', 'pricing']]);
  });
});
