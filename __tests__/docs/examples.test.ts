import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { actionInputs } from '../../scripts/action-inputs.ts';
import { pageName } from '../../src/core/addresses.ts';
import { previewSettings } from '../../src/core/settings/parse-settings.ts';
import { modeProblems } from '../../src/core/settings/problems.ts';
import { at } from '../fakes/every-pair.ts';
import {
  concurrencyOf,
  examples,
  files,
  isOurs,
  isPinned,
  list,
  object,
  read,
  type Step,
  starter,
} from './workflows.ts';

/** An item of the matrix, where the workflow takes one. */
function first({ shard }: Step['inputs']): Step['inputs'] {
  return shard === undefined ? {} : { shard: '1/2' };
}

/** Pages of the documentation, such as `forks.md`. */
const pagesIn = (text: string) => [...text.matchAll(/\bdocs\/([\w-]+\.md)/g)].map(([, page = '']) => page);

const named = (expression: string) => `$\{{ ${expression} }}`;

/** What a step asks for an app's token. */
function rightsOf(inputs: Step['inputs']): Readonly<Record<string, string>> {
  const asked = Object.entries(inputs).filter(([name]) => name.startsWith('permission-'));
  return Object.fromEntries(asked.map(([name, level]) => [name.replace('permission-', ''), level]));
}

describe.each([...examples, ...starter])('the workflow $name', ({ text, workflow, jobs }) => {
  it('calls Postil with inputs that exist and go together', () => {
    const steps = jobs.flatMap((job) => job.steps).filter(isOurs);
    const problems = steps.flatMap(({ inputs }) => {
      const settings = previewSettings([{ where: 'input', trusted: true, values: { ...inputs, ...first(inputs) } }]);
      const unknown = Object.keys(inputs).filter((name) => !Object.hasOwn(actionInputs(), name));
      return [...unknown, ...modeProblems(settings, { withKey: 'api-key' in inputs })];
    });
    expect([steps.length > 0, problems]).toEqual([true, []]);
  });

  it('grants reading the code, writing to pull requests where it posts, what a model reads, and the gate where it answers', () => {
    for (const { permissions, steps } of jobs) {
      const withModel = steps.some((step) => isOurs(step) && 'api-key' in step.inputs);
      const posts = steps.every(({ inputs: { mode = '' } }) => mode !== 'review' && mode !== 'plan');
      const read = { contents: 'read', ...(withModel ? { issues: 'read', checks: 'read', statuses: 'read' } : {}) };
      const gate = at(workflow, 'on', 'issue_comment') === undefined ? {} : { actions: 'write' };
      const artifacts = text.includes('/actions/artifacts') ? { actions: 'read' } : {};
      const upload = steps.some(({ uses }) => uses.includes('upload-sarif'))
        ? { 'security-events': 'write', actions: 'read' }
        : {};
      const login = steps.some(({ uses }) => cloudLogin.test(uses)) ? { 'id-token': 'write' } : {};
      const needed = { ...read, ...gate, ...artifacts, ...upload, ...login, 'pull-requests': posts ? 'write' : 'read' };
      // An app has rights of its own, and the job needs none.
      const app = steps.find(({ uses }) => uses.includes('create-github-app-token'))?.inputs;
      const rights = app === undefined ? permissions : rightsOf(app);
      expect([rights, app === undefined ? {} : permissions]).toEqual([needed, {}]);
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
    const withoutPages = pagesIn(text).reduce((rest, page) => rest.replaceAll(pageName(page), ''), text);
    const others = withoutPages.replace(/acme\/review-settings\S* (?:as|# its) \.\S+/g, '');
    expect(others.match(/\bcheckout@|\bdocs\/|\b[\w-]+\.yml\b|README/g)).toBe(null);
  });

  it('names pages that exist, each by its address or in words', () => {
    const pages = pagesIn(text);
    expect(pages.filter((page) => !text.includes(pageName(page)))).toEqual([]);
    expect(pages.filter((page) => !existsSync(new URL(`../../docs/${page}`, import.meta.url)))).toEqual([]);
  });

  it('pins every action of others by its commit, and says how to pin ours', () => {
    const uses = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(uses.map((line) => line.replace(/^.*\buses: /, '')).filter((line) => !isPinned(line))).toEqual([]);
  });
});

it('the workflow that calls another one hands over two secrets by name, and has at most ten lines', () => {
  const { text, workflow } = read('reusable-caller.yml');
  const job = at(workflow, 'jobs', 'review');
  const taken = at(read('reusable.yml').workflow, 'on', 'workflow_call', 'secrets');
  expect([text.trimEnd().split('\n').length <= 10, at(job, 'secrets'), Object.keys(object(taken))]).toEqual([
    true,
    { 'api-key': named('secrets.OPENAI_API_KEY'), 'state-key': named('secrets.POSTIL_STATE_KEY') },
    ['api-key', 'state-key'],
  ]);
  const [, uses = ''] = / uses: (.*)/.exec(text) ?? [];
  expect([uses, isPinned(uses)]).toEqual([uses, true]);
});

/** What asks GitHub for a token of the job. */
const cloudLogin = /^(?:azure\/login|aws-actions\/configure-aws-credentials|google-github-actions\/auth)@/;

const isHarmless = (step: Step) => isOurs(step) || /^actions\/(?:up|down)load-artifact@/.test(step.uses);

describe('the workflows to copy', () => {
  it('are these', () => {
    expect(files.map((name) => name.replace('.yml', '')).join(' ')).toBe(
      'app-token azure-oidc bedrock code-scanning commands eval forks gate ghes html-report label manual monorepo monthly-cap ollama own-endpoint reusable-caller reusable rules-only same-repository several-reviewers sharded vertex',
    );
  });

  it('stand each in the table of recipes', () => {
    const page = readFileSync(new URL('../../docs/recipes.md', import.meta.url), 'utf8');
    expect(files.filter((name) => !page.includes(`](examples/${name})`))).toEqual([]);
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
    const others = steps.flatMap(({ name, inputs }) =>
      inputs['name'] === 'Postil' ? [] : [`${name}: ${inputs['name']}`],
    );
    expect(others).toEqual([
      `monorepo.yml: ${named('matrix.name')}`,
      // It sees less than the others, and would take their place in the summary comment.
      'rules-only.yml: Postil rules',
      'several-reviewers.yml: Postil security',
    ]);
    // Two more jobs of the sharded review, one of the forks', and the second reviewer.
    expect(steps).toHaveLength(examples.length + starter.length + 4);
    const keys = new Set(steps.map(({ stateKey }) => stateKey));
    // The caller names what the second one is.
    expect([...keys]).toEqual([named('secrets.POSTIL_STATE_KEY'), named('secrets.state-key')]);
  });

  it('start nothing of a stranger beside secrets, and keep secrets from what may write', () => {
    const forStrangers = examples.filter(({ workflow }) => at(workflow, 'on', 'pull_request_target') !== undefined);
    const jobs = forStrangers.flatMap((example) => example.jobs);
    const foreign = jobs.flatMap(({ steps }) => steps.filter((step) => !isHarmless(step)));
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
});
