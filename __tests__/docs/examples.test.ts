import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
type Step = { readonly uses: string; readonly inputs: Readonly<Record<string, string>> };

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

  it('grants reading the code, writing to pull requests where it posts, and what a model reads beside it', () => {
    for (const { permissions, steps } of jobs) {
      const withModel = steps.some((step) => isOurs(step) && 'api-key' in step.inputs);
      const posts = steps.every((step) => step.inputs['mode'] !== 'review');
      const read = { contents: 'read', ...(withModel ? { issues: 'read', checks: 'read', statuses: 'read' } : {}) };
      expect(permissions).toEqual({ ...read, 'pull-requests': posts ? 'write' : 'read' });
    }
  });

  it('runs once a pull request, the newest run winning', () => {
    expect(at(workflow, 'concurrency', 'cancel-in-progress')).toBe(true);
    const ofPull = /\$\{\{ (?:github\.event\.pull_request\.number|inputs\.pull-request)\b/;
    expect(at(workflow, 'concurrency', 'group')).toMatch(ofPull);
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
      'eval forks gate ghes html-report manual own-endpoint rules-only same-repository',
    );
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
