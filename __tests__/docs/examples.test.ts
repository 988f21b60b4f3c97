import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { actionInputs } from '../../scripts/action-inputs.ts';
import { readArguments } from '../../src/cli/arguments.ts';
import { commands } from '../../src/cli.ts';
import { parseSettings, previewSettings } from '../../src/core/settings/parse-settings.ts';
import { modeProblems } from '../../src/core/settings/problems.ts';
import { starterFiles } from '../../src/core/team/starter.ts';
import { at, isObject } from '../fakes/every-pair.ts';

const folder = new URL('../../docs/examples/', import.meta.url);

type Job = {
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly text: string;
};
type Step = {
  readonly uses: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly stateKey: unknown;
};

const files = readdirSync(folder);
const examples = files.filter((name) => name !== 'eval.yml').map(read);
const starter = starterFiles
  .filter(({ path }) => path.endsWith('.yml') && path.startsWith('.github/'))
  .map(({ path, text }) => exampleOf(path, text));

function read(name: string) {
  return exampleOf(name, readFileSync(new URL(name, folder), 'utf8'));
}

function exampleOf(name: string, text: string) {
  const workflow: unknown = parse(text);
  return { name, text, workflow, jobs: jobsOf(workflow) };
}

function jobsOf(workflow: unknown): readonly Job[] {
  return Object.values(object(at(workflow, 'jobs'))).map((job) => ({
    permissions: strings(at(job, 'permissions') ?? at(workflow, 'permissions')),
    steps: list(at(job, 'steps')).map((step) => ({
      uses: String(at(step, 'uses')),
      inputs: strings(at(step, 'with')),
      stateKey: at(step, 'with', 'state-key') ?? at(step, 'env', 'POSTIL_STATE_KEY'),
    })),
    text: JSON.stringify(job),
  }));
}

function object(value: unknown): object {
  return isObject(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function strings(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(object(value)).map(([name, one]) => [name, String(one)]));
}

/** Of the workflow, or of its one job that has it. */
function concurrencyOf(workflow: unknown): { readonly group: string; readonly cancels: string } {
  const ofJobs = Object.values(object(at(workflow, 'jobs'))).map((job) => at(job, 'concurrency'));
  const found = [at(workflow, 'concurrency'), ...ofJobs].filter((one) => one !== undefined);
  const [concurrency] = found.length === 1 ? found : [];
  return { group: String(at(concurrency, 'group')), cancels: String(at(concurrency, 'cancel-in-progress')) };
}

const isOurs = ({ uses }: Step) => uses.startsWith('postil/postil@');

describe.each([...examples, ...starter])('the workflow $name', ({ text, workflow, jobs }) => {
  it('calls Postil with inputs that exist and go together', () => {
    const steps = jobs.flatMap((job) => job.steps).filter(isOurs);
    const problems = steps.flatMap(({ inputs }) => {
      const settings = previewSettings([{ where: 'input', trusted: true, values: inputs }]);
      const unknown = Object.keys(inputs).filter((name) => !Object.hasOwn(actionInputs(), name));
      return [...unknown, ...modeProblems(settings, { withKey: 'api-key' in inputs })];
    });
    expect([steps.length > 0, problems]).toEqual([true, []]);
  });

  it('grants reading the code, writing to pull requests where it posts, what a model reads, and the gate where it answers', () => {
    for (const { permissions, steps } of jobs) {
      const withModel = steps.some((step) => isOurs(step) && 'api-key' in step.inputs);
      const posts = steps.every((step) => step.inputs['mode'] !== 'review');
      const read = { contents: 'read', ...(withModel ? { issues: 'read', checks: 'read', statuses: 'read' } : {}) };
      const gate = at(workflow, 'on', 'issue_comment') === undefined ? {} : { actions: 'write' };
      expect(permissions).toEqual({ ...read, ...gate, 'pull-requests': posts ? 'write' : 'read' });
    }
  });

  it('runs once for each pull request, the newest run winning', () => {
    const { group, cancels } = concurrencyOf(workflow);
    expect(cancels).toMatch(/^(?:true|\$\{\{ github\.event_name == 'pull_request' \}\})$/);
    expect(group).toMatch(/\$\{\{.*\b(?:github\.event\.pull_request\.number|inputs\.pull-request)\b/);
  });

  it('runs when a draft becomes ready, checks nothing out, and names no file that its reader does not have', () => {
    const on = at(workflow, 'on', 'pull_request') ?? at(workflow, 'on', 'pull_request_target');
    expect(on === undefined || list(at(on, 'types')).includes('ready_for_review')).toBe(true);
    const withoutLinks = text.replace(/https:\/\/github\.com\/postil\/postil\/blob\/v0\/docs\/[\w.-]+/g, '');
    expect(withoutLinks.match(/\bcheckout@|\bdocs\/|\b[\w-]+\.yml\b|README/g)).toBe(null);
  });

  it('links to pages that exist', () => {
    const links = [...text.matchAll(/https:\/\/github\.com\/postil\/postil\/blob\/v0\/(\S+)/g)];
    expect(links.filter(([, path = '']) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
  });

  it('pins every action of others by its commit, and tells to pin ours', () => {
    const uses = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(uses.map((line) => line.replace(/^.*\buses: /, '')).filter((line) => !pinned.test(line))).toEqual([]);
  });
});

const pinned =
  /^(?:[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|postil\/postil@v0 # (?:better: |pin )the full commit hash)$/;
const harmless = /^(?:postil\/postil|actions\/upload-artifact|actions\/download-artifact)@/;

describe('the workflows to copy', () => {
  it('are these', () => {
    expect(files.map((name) => name.replace('.yml', '')).join(' ')).toBe(
      'commands eval forks gate ghes html-report manual own-endpoint rules-only same-repository',
    );
  });

  it('can stand beside each other in one repository: their runs do not cancel each other', () => {
    const groups = [...examples, ...starter, read('eval.yml')].map(({ name, workflow }) => {
      const { group } = concurrencyOf(workflow);
      return [name, group.slice(0, group.indexOf('${{'))];
    });
    const ofStarter = starter.map(({ name }) => [name, 'postil-review-']);
    expect(groups).toEqual([
      ...examples.map(({ name }) => [name, `postil-${name.replace('.yml', '')}-`]),
      ...ofStarter,
      ['eval.yml', 'postil-eval-'],
    ]);
  });

  it('are one reviewer wherever a model looks: each knows what the others wrote, by one name and one key', () => {
    const steps = [...examples, ...starter].flatMap(({ name, jobs }) =>
      jobs.flatMap((job) => job.steps.filter(isOurs).map((step) => ({ name, ...step }))),
    );
    // It sees less than the others, and would take their place in the summary comment.
    const nameIn = (file: string) => (file === 'rules-only.yml' ? 'Postil rules' : 'Postil');
    const astray = steps.filter(({ name, inputs }) => inputs['name'] !== nameIn(name));
    expect([steps.length, astray]).toEqual([examples.length + starter.length + 1, []]);
    const keys = new Set(steps.map(({ stateKey }) => stateKey));
    expect([...keys].join()).toMatch(/^\$\{\{ secrets\.POSTIL_STATE_KEY \}\}$/);
  });

  it('start nothing of a stranger beside secrets, and keep secrets from what may write', () => {
    const forStrangers = examples.filter(({ workflow }) => at(workflow, 'on', 'pull_request_target') !== undefined);
    const jobs = forStrangers.flatMap((example) => example.jobs);
    const foreign = jobs.flatMap(({ steps }) => steps.filter(({ uses }) => !harmless.test(uses)));
    // It signs what is remembered: who has it can neither ask a model nor write to GitHub.
    const writing = jobs.filter(({ permissions }) => Object.values(permissions).includes('write'));
    const mighty = writing.filter(({ text }) => /secrets\.(?!POSTIL_STATE_KEY\b)/.test(text));
    expect([forStrangers.map(({ name }) => name), foreign, mighty]).toEqual([['forks.yml'], [], []]);
  });

  it('begin with one of twelve lines, which the README shows', () => {
    const first = examples.find(({ name }) => name === 'same-repository.yml')?.text.trimEnd() ?? '';
    expect(first.split('\n').length).toBeLessThanOrEqual(12);
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    expect([readme.includes(`\`\`\`yaml\n${first}\n\`\`\``), readme.length < 10_000]).toEqual([true, true]);
  });

  it('hold a gate that nothing of a pull request opens: another base runs it again, and drafts and unread files close it', () => {
    const gate = examples.find(({ name }) => name === 'gate.yml');
    const types = expect.arrayContaining(['edited']);
    expect(at(gate?.workflow, 'on', 'pull_request')).toMatchObject({ branches: ['main'], types });
    expect(gate?.jobs[0]?.text).not.toContain('"if"');
    expect(gate?.jobs[0]?.steps.find(isOurs)?.inputs).toMatchObject({
      'fail-on': 'critical',
      'require-complete': 'true',
      'state-key': expect.stringContaining('secrets.'),
    });
  });

  it('hand the review file of a fork from the first job to the second', () => {
    const [review, post] = examples.find(({ name }) => name === 'forks.yml')?.jobs ?? [];
    const [written, uploaded] = review?.steps ?? [];
    const [downloaded, read] = post?.steps ?? [];
    expect(uploaded?.inputs['path']).toBe(written?.inputs['review-file']);
    expect(downloaded?.inputs['name']).toBe(uploaded?.inputs['name']);
    expect(read?.inputs['review-file']).toBe(`${downloaded?.inputs['path']}/review.json`);
    expect([written?.inputs['mode'], read?.inputs['mode']]).toEqual(['review', 'post']);
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
    expect(Boolean(evaluated(String(at(job, 'if')), { event_name, event }))).toBe(runs);
  });

  it('lets a push end the review of the one before, and keeps every command apart', () => {
    const { group, cancels } = concurrencyOf(workflow);
    const filled = (text: string, github: object) =>
      text.replace(/\$\{\{ (.+?) \}\}/g, (_, expression) => String(evaluated(expression, github)));
    const groups = [
      { event_name: 'pull_request', event: pullRequest },
      { event_name: 'issue_comment', event: { ...said('/postil help', 11), ...onPull } },
      { event_name: 'pull_request_review_comment', event: { ...said('/postil help', 11), ...pullRequest } },
      { event_name: 'pull_request_review', event: { ...pullRequest, review: { id: 12 } } },
      { event_name: 'workflow_dispatch', event: {}, run_id: 13 },
    ].map((github) => `${filled(group, github)} ${filled(cancels, github)}`);
    expect(groups).toEqual([
      'postil-commands-pull_request-7 true',
      'postil-commands-issue_comment-11 false',
      'postil-commands-pull_request_review_comment-11 false',
      'postil-commands-pull_request_review-12 false',
      'postil-commands-workflow_dispatch-13 false',
    ]);
  });

  /** As GitHub evaluates it: what is not there is null, text is compared and searched without regard to case. */
  function evaluated(expression: string, github: object): unknown {
    const looked = expression.replace(/\bgithub((?:\.\w+)+)/g, (_, path: string) => {
      return JSON.stringify(at(github, ...path.slice(1).split('.')) ?? null);
    });
    const contains = (where: unknown, what: string) => `${where ?? ''}`.toLowerCase().includes(what.toLowerCase());
    return runInNewContext(looked, { contains });
  }
});

describe('the workflow that evaluates the reviewer', () => {
  const { text, workflow, jobs } = read('eval.yml');

  it('pins what it uses, may read alone, and never runs for pull requests', () => {
    const uses = [...text.matchAll(/\buses: (.+)/g)].map(([, what = '']) => what);
    expect([uses.length > 0, uses.filter((what) => !pinned.test(what))]).toEqual([true, []]);
    expect(text).toMatch(/repository: postil\/postil\n +ref: v0 # better: the full commit hash\n/);
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
    const flags = at(command, 'flags');
    const values = isObject(flags) ? flags : {};
    const { settings } = parseSettings([{ where: 'flag', trusted: true, values }], null);
    expect([settings.maxCost, Object.keys(values)]).toEqual([5, ['max-cost', 'pricing']]);
  });
});
