import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import { lacks } from '../fakes/platform.ts';
import { eventOf } from '../fakes/world/event.ts';
import { createBareRepository } from '../fakes/world/git.ts';
import { placesOf, push, type Stage, totalWorld, wrongLineFinding } from '../scenarios/review.ts';
import { appLogin } from './actions.ts';
import { type ExampleOptions, endsOf, logOf, openStage, runExample, secrets, textOfExample } from './run-example.ts';

const authorsOf = (stage: Stage) => stage.github.conversation().map(({ author }) => author);
const headlinesOf = (stage: Stage) => stage.github.conversation().map(({ body }) => body.split('\n')[0]);

/** The repository that all of a company share, and the language that it sets. */
function worldOfCompany() {
  const files = { '.postil/config.yml': 'language: Dutch\n' };
  const { directory } = createBareRepository([
    { changes: [{ files }], message: 'One', minute: 1, refs: ['refs/tags/v1'] },
  ]);
  return { ...totalWorld, github: { others: [{ name: 'acme/review-settings', gitDirectory: directory }] } };
}

const languagesOf = ({ model }: Stage) =>
  model.requests.map(({ messages }) => /Write in (\w+)/.exec(messages[0]?.text ?? '')?.[1]);

it('reusable.yml runs for five lines of another repository, with the secrets that these name, no more rights than they grant, and the configuration of all', async () => {
  const stage = await openStage({ world: worldOfCompany() });
  const uses = 'acme/review-settings/.github/workflows/review.yml@v1';
  const text = textOfExample('reusable.yml');
  const instead = { 'pull-requests: write': 'pull-requests: read' };
  const narrow = await runExample('reusable-caller.yml', stage, {
    start: 'source',
    instead,
    workflows: { [uses]: text },
  });
  expect([endsOf(narrow), stage.github.comments()]).toEqual([['review / postil: success, findings'], []]);
  const jobs = await runExample('reusable-caller.yml', stage, { workflows: { [uses]: text } });
  expect([endsOf(jobs), jobs[0]?.group, placesOf(stage.github)]).toEqual([
    ['review / postil: success, findings'],
    'postil-reusable-7 cancels',
    ['src/total.ts:4'],
  ]);
  expect(new Set(languagesOf(stage))).toEqual(new Set(['Dutch']));
});

describe('monorepo.yml', () => {
  it('reviews each part by a reviewer of its own, and a part without changes asks no model and posts nothing', async () => {
    const world = { base: { 'README.md': '# Spoon\n' }, head: { 'web/total.ts': totalWorld.head['src/total.ts'] } };
    const stage = await openStage({ world, model: () => submit([{ ...wrongLineFinding, path: 'web/total.ts' }]) });
    const jobs = await runExample('monorepo.yml', stage);
    expect([endsOf(jobs), jobs.map(({ group }) => group)]).toEqual([
      ['postil: success, findings', 'postil: success, skipped'],
      ['postil-monorepo-Postil web-7 cancels', 'postil-monorepo-Postil api-7 cancels'],
    ]);
    expect(headlinesOf(stage)).toEqual(['### Postil · Postil web · 1 finding: 1 critical · 1 file reviewed']);
    expect(stage.model.requests).toHaveLength(1);
  });

  it('keeps the summaries of two parts apart, and finds again what each said', async () => {
    const lock = { 'web/package-lock.json': '{ "lockfileVersion": 3 }\n' };
    const head = { 'web/a.ts': 'export const a = 1;\n', 'lib/b.ts': 'export const b = 2;\n', ...lock };
    const stage = await openStage({ world: { base: { 'README.md': '# Spoon\n' }, head }, model: () => submit([]) });
    await runExample('monorepo.yml', stage, { start: 'source' });
    const next = await push(stage, { files: { 'lib/b.ts': 'export const b = 3;\n' } });
    const asked = stage.model.requests.length;
    await runExample('monorepo.yml', next, { start: 'source' });
    expect(headlinesOf(stage)).toEqual([
      '### Postil · Postil web · No findings · 1 file reviewed',
      '### Postil · Postil api · No findings · 1 file reviewed',
    ]);
    expect([asked, stage.model.requests.length]).toEqual([2, 3]);
  });
});

describe('several-reviewers.yml', () => {
  const secondOnly = ({ prompt }: { readonly prompt: string }) =>
    submit(/Look for injection/.test(prompt) ? [wrongLineFinding] : []);
  const world = { ...totalWorld, base: { ...totalWorld.base, 'SECURITY-REVIEW.md': 'Look for injection.\n' } };

  it('runs the second whatever the first found, each with its own summary, and fails for either', async () => {
    const first = await openStage({
      world,
      model: ({ prompt }) => submit(/Look for injection/.test(prompt) ? [] : [wrongLineFinding]),
    });
    const second = await openStage({ world, model: secondOnly });
    const ends = [
      await runExample('several-reviewers.yml', first),
      await runExample('several-reviewers.yml', second, { start: 'source' }),
    ];
    expect(ends.map(endsOf)).toEqual([['postil: failure, findings, clean'], ['postil: failure, clean, findings']]);
    expect([first, second].map((stage) => headlinesOf(stage).map((line) => line?.includes('Postil security')))).toEqual(
      [
        [false, true],
        [false, true],
      ],
    );
  });
});

describe('app-token.yml', () => {
  const options: ExampleOptions = {
    vars: { POSTIL_APP_CLIENT_ID: 'Iv23abc' },
    secrets: { ...secrets, POSTIL_APP_PRIVATE_KEY: 'PRIVATE KEY' },
    // What the job itself has is refused.
    token: 'ghs_of_the_job',
  };

  it('comments as the app, knows its own comments after a push, and reads the shared configuration with the same token', async () => {
    const stage = await openStage({ world: worldOfCompany() });
    const first = await runExample('app-token.yml', stage, options);
    const next = await push(stage, { files: { 'src/more.ts': 'export {};\n' } });
    const second = await runExample('app-token.yml', next, { ...options, start: 'source' });
    expect([first, second].map(endsOf)).toEqual([['postil: success, findings'], ['postil: success, findings']]);
    expect([authorsOf(stage), stage.github.comments().map(({ author }) => author)]).toEqual([[appLogin], [appLogin]]);
    expect(new Set(languagesOf(stage))).toEqual(new Set(['Dutch']));
  });

  it('starts anew where github-actions[bot] commented before, with the same `state-key`: its comments stay as they are', async () => {
    const stage = await openStage({ world: worldOfCompany() });
    await runExample('same-repository.yml', stage, { start: 'source' });
    await runExample('app-token.yml', stage, { ...options, start: 'source' });
    const both = ['github-actions[bot]', appLogin];
    expect([authorsOf(stage), stage.github.comments().map(({ author }) => author)]).toEqual([both, both]);
  });
});

describe('label.yml', () => {
  const labeled = (stage: Stage, label: string, labels: readonly string[]) => {
    const event = eventOf(stage.world);
    const pull = { ...Object(event.payload).pull_request, labels: labels.map((name) => ({ name })) };
    return {
      ...event,
      payload: {
        ...event.payload,
        action: label === '' ? 'synchronize' : 'labeled',
        label: { name: label },
        pull_request: pull,
      },
    };
  };

  it.each([
    ['the label', 'review', ['review'], true],
    ['a push with the label', '', ['review', 'bug'], true],
    ['a push without it', '', ['bug'], false],
    ['another label', 'bug', ['bug'], false],
    ['another label while it stands, which ends no review', 'bug', ['review', 'bug'], false],
  ])('%s: %s', async (_, label, labels, runs) => {
    const stage = await openStage();
    const jobs = await runExample('label.yml', stage, {
      event: labeled(stage, label, labels),
      start: label === 'review' ? 'bundle' : 'source',
    });
    expect([endsOf(jobs), jobs[0]?.group]).toEqual(
      runs ? [['postil: success, findings'], 'postil-label-7 cancels'] : [['postil: skipped'], ''],
    );
  });
});

describe('gate.yml and the pull requests of Dependabot', () => {
  const author = 'dependabot[bot]';
  const world = {
    base: { 'package.json': '{ "dependencies": { "left": "1.0.0" } }\n', 'package-lock.json': '{ "left": "1.0.0" }\n' },
    head: { 'package.json': '{ "dependencies": { "left": "1.0.1" } }\n', 'package-lock.json': '{ "left": "1.0.1" }\n' },
    authors: [`${author} <49699333+${author}@users.noreply.github.com>`],
    pullRequest: { author },
  };
  const byDependabot: ExampleOptions = { actor: author, dependabotSecrets: secrets, start: 'source' };

  it('passes one that was reviewed, and no commit of somebody else on it unread, whoever caused the run', async () => {
    const stage = await openStage({ world });
    const asked = () => stage.model.requests.length;
    const own = await runExample('gate.yml', stage, byDependabot);
    const before = asked();
    const next = await push(stage, { files: { 'src/total.ts': totalWorld.head['src/total.ts'] } });
    const foreign = await runExample('gate.yml', next, { start: 'source' });
    // `@dependabot rebase` makes it the actor again.
    const again = await runExample('gate.yml', next, byDependabot);
    expect([own, foreign, again].map(endsOf)).toEqual([
      ['postil: success, clean'],
      ['postil: failure, findings'],
      ['postil: failure, findings'],
    ]);
    expect([before, asked() > before]).toEqual([1, true]);
  });

  it('stays closed where Dependabot has no key', async () => {
    const stage = await openStage({ world });
    const jobs = await runExample('gate.yml', stage, { actor: author, start: 'source' });
    expect([endsOf(jobs), stage.model.requests]).toEqual([['postil: failure, skipped'], []]);
  });

  it('would stay closed for every one of them without the line', async () => {
    const stage = await openStage({ world });
    const instead = { 'skip-authors: none': 'skip-authors: ""' };
    const jobs = await runExample('gate.yml', stage, { ...byDependabot, instead });
    expect([endsOf(jobs), stage.model.requests]).toEqual([['postil: failure, skipped'], []]);
  });
});

describe.skipIf(lacks.shellScripts)('monthly-cap.yml', () => {
  const month = new Date().toISOString().slice(0, 7);
  const spent = (stage: Stage, name: string, from = 'octo/spoon') =>
    stage.github.artifacts().push({ id: 99, name, createdAt: '', run: 1, from });

  it('leaves the cost of each run under a name of its own, and reviews as long as something is left', async () => {
    const stage = await openStage();
    spent(stage, `postil-cost-${month}-1-47.5000`);
    const [job] = await runExample('monthly-cap.yml', stage);
    const cost = job?.steps[1]?.outputs['cost'];
    expect([job?.result, job?.steps[0]?.outputs, Number(cost) > 0]).toEqual([
      'success',
      { name: `postil-cost-${month}`, left: '2.0000' },
      true,
    ]);
    expect(stage.github.artifacts().at(-1)?.name).toBe(`postil-cost-${month}-1-${cost}`);
  });

  it('counts every page of what was spent this month, and nothing of a fork, another month or another form', async () => {
    const stage = await openStage();
    for (let index = 0; index < 150; index += 1) spent(stage, `postil-cost-${month}-1-0.3250`);
    spent(stage, `postil-cost-${month}-1-900.0000`, 'contributor/spoon');
    spent(stage, 'postil-cost-2020-01-1-900.0000');
    spent(stage, `postil-cost-${month}-1--900.0000`);
    spent(stage, `evaluation-${month}-1-900`);
    const [job] = await runExample('monthly-cap.yml', stage, { start: 'source' });
    expect(job?.steps[0]?.outputs['left']).toBe('1.2500');
  });

  it('asks no model when it is spent, says so, and fails', async () => {
    const stage = await openStage();
    spent(stage, `postil-cost-${month}-1-50.1000`);
    const jobs = await runExample('monthly-cap.yml', stage, { start: 'source' });
    const [sum] = jobs[0]?.steps ?? [];
    expect([endsOf(jobs), stage.model.requests]).toEqual([['postil: failure, partial'], []]);
    expect(sum?.run?.annotations.map(({ level, title }) => [level, title])).toEqual([['warning', 'Monthly cap']]);
    expect([sum?.run?.summary, logOf(jobs).includes('Stopped at $0.00 of $0.0010')]).toEqual([
      'US$ 50.1000 of 50 spent this month.\n',
      true,
    ]);
  });

  it('fails before anything is spent when GitHub does not say what was', async () => {
    const stage = await openStage();
    stage.github.breaks({ match: { method: 'GET', path: /artifacts/ }, times: 1, before: 'status 500' });
    const jobs = await runExample('monthly-cap.yml', stage);
    expect([endsOf(jobs), stage.model.requests]).toEqual([['postil: failure'], []]);
  });
});
