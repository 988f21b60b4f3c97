import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readJournal } from '../../src/adapters/files/journal.ts';
import { textAt } from '../fakes/every-pair.ts';
import type { Fault } from '../fakes/github-server/world.ts';
import { createWorld } from '../fakes/world/create-world.ts';
import { changeEvent } from '../fakes/world/event.ts';
import { createBareRepository } from '../fakes/world/git.ts';
import { openAsked } from './asking.ts';
import type { ActionRun } from './harness.ts';
import {
  openShop,
  play,
  push,
  reader,
  reviewOf,
  type Scenario,
  setStage,
  shopFile,
  shopText,
  totalWorld,
} from './review.ts';

type End = { readonly change?: Pick<Scenario, 'event' | 'inputs'>; readonly fault?: Fault };

type Moment =
  | 'before it knows its pull request'
  | 'before it knows its settings'
  | 'once it knows them'
  | 'while it reviews';

/** What breaks a run when. */
const ends: Readonly<Record<Moment, (head: string) => End>> = {
  'before it knows its pull request': () => ({ change: { event: 'issues' } }),
  'before it knows its settings': () => ({
    fault: { match: { method: 'GET', path: /\/pulls\/7$/ }, times: 9, before: 'status 404' },
  }),
  'once it knows them': () => ({ change: { inputs: { 'api-key': 'schlüssel' } } }),
  // GitHub says that nothing changed, and counts changed files.
  'while it reviews': (head) => {
    const body = JSON.stringify({ status: 'ahead', merge_base_commit: { sha: head }, files: [] });
    const before = { status: 200, headers: { 'content-type': 'application/json' }, body };
    return { fault: { match: { method: 'GET', path: /\/compare\// }, times: 99, before } };
  },
};

const inputs = { 'review-event': 'approve', 'check-run': 'true', 'state-key': 'a-key-of-the-tests-0123456789' };

/** A run that breaks, on a pull request that the run before approved. The config file sets German, and no input does. */
async function broken(moment: Moment) {
  const { scenario, stage, say, runJob } = await openShop(1, {
    base: { 'README.md': '# Shop\n', '.postil/config.yml': 'language: German\n' },
    github: { viewer: 'postil-app[bot]' },
    authors: ['ada <ada@users.noreply.github.com>'],
  });
  say(reviewOf([]));
  await runJob(inputs);
  const next = await push(stage, { files: { [shopFile(0)]: `// Pushed.\n${shopText(0, 1)}` } });
  const { change, fault } = ends[moment](next.world.commits.head);
  if (fault !== undefined) next.github.breaks(fault);
  const before = next.github.writes().length;
  const run = await play(next, { ...scenario, ...change, inputs: { ...inputs, ...change?.inputs } });
  const bodies = next.github.writes().slice(before);
  const first = (pattern: RegExp, ...way: readonly string[]) =>
    bodies.flatMap(({ body }) => pattern.exec(textAt(body, ...way))?.[1] ?? []).at(-1);
  return {
    run,
    words: {
      'job summary': /^## Postil · (.*?):/.exec(run.summary)?.[1],
      approval: first(/^(.+)$/, 'message'),
      'summary comment': first(/> \*\*(.*?) \[/, 'body'),
      'check run': first(/^(.*?):/, 'output', 'title'),
    },
  };
}

/** What the log says that a failure was delivered to, in order. */
function deliveredTo({ log }: ActionRun): readonly string[] {
  return [...log.matchAll(/^(?:::debug::)?([a-z ]+): delivered/gm)].map(([, name = '']) => name);
}

const english = { approval: 'A later run did not end in an approval.', 'summary comment': 'Not reviewed since' };
const german = {
  approval: 'Ein späterer Lauf endete nicht mit einer Freigabe.',
  'summary comment': 'Nicht geprüft seit',
};
const gone = { approval: undefined, 'summary comment': undefined, 'check run': undefined };
const [always, known] = [
  ['job summary', 'outputs'],
  ['approval', 'summary comment'],
];

it.each([
  ['before it knows its pull request', always, { ...gone, 'job summary': 'Review failed' }],
  ['before it knows its settings', [...known, ...always], { ...gone, ...english, 'job summary': 'Review failed' }],
  ['once it knows them', [...known, ...always], { ...gone, ...german, 'job summary': 'Review fehlgeschlagen' }],
  [
    'while it reviews',
    [...known, 'check run', ...always],
    { ...german, 'check run': 'Fehlgeschlagen', 'job summary': 'Review fehlgeschlagen' },
  ],
] as const)(
  'a run that breaks %s says so wherever it can, in the language that it knows by then',
  async (moment, to, words) => {
    const failure = await broken(moment);
    expect([failure.run.outputs['outcome'], deliveredTo(failure.run)]).toEqual(['failed', to]);
    expect(failure.words).toEqual(words);
  },
);

it.each(['before it knows its settings', 'while it reviews'] as const)(
  'a run for a comment that breaks %s leaves the review alone, and reacts to the comment',
  async (moment) => {
    const { stage, github, tell } = await openAsked({ inputs: { 'check-run': 'true' } });
    const { fault } = ends[moment](stage.world.commits.head);
    if (fault !== undefined) github.breaks(fault);
    const before = github.writes().length;
    const { id, run } = await tell('/postil review');
    expect([run.outputs['outcome'], deliveredTo(run), github.reactions(id)]).toEqual([
      'failed',
      always,
      ['EYES', 'CONFUSED'],
    ]);
    const written = github.writes().slice(before);
    expect(written.map(({ path }) => path)).toEqual(['/api/graphql', '/api/graphql']);
  },
);

const moments: readonly Moment[] = [
  'before it knows its pull request',
  'before it knows its settings',
  'once it knows them',
  'while it reviews',
];

it.each(moments)('a run that breaks %s leaves the post step nothing to deliver', async (moment) => {
  const { run } = await broken(moment);
  expect(journalOf(run)).toEqual(['failed', []]);
});

it('nor does a run that ends well', async () => {
  const { say, runJob } = await openShop(1);
  say(reviewOf([]));
  expect(journalOf(await runJob())).toEqual(['clean', []]);
});

/** What its journal says in the end of the review, and of what was not delivered. */
function journalOf({ temporary, masks: [token = ''] }: ActionRun) {
  const [file = ''] = readdirSync(temporary).filter((name) => name.startsWith('postil-journal-'));
  const journal = readJournal(join(temporary, file), token);
  return [journal?.report.outcome, journal?.left];
}

/** The notes that the log begins with. */
function notesOf({ log }: ActionRun): readonly string[] {
  const lines = log.split('\n').filter((line) => !line.startsWith('::'));
  return lines.slice(
    1,
    lines.findIndex((line) => / to review with /.test(line)),
  );
}

const environment = { POSTIL_MAX_COMENTS: '3' };

it('notes come in the order in which things are found out', async () => {
  const settings = createBareRepository([
    {
      changes: [{ files: { '.postil/config.yml': 'verify: false\n' } }],
      message: 'One',
      minute: 1,
      refs: ['refs/tags/v1'],
    },
  ]);
  const made = createWorld({
    ...totalWorld,
    fork: true,
    base: { ...totalWorld.base, '.postil/config.yml': 'max-total-tokens: 99000000\n' },
    github: { others: [{ name: 'acme/review-settings', gitDirectory: settings.directory }] },
  });
  const world = { ...made, github: { ...made.github, pullRequests: [made.pull, { ...made.pull, number: 8 }] } };
  const scenario = { world, model: reader, inputs: { config: 'acme/review-settings@v1' }, environment };
  const stage = await setStage(scenario);
  const withoutKey = {
    ...({ ...scenario, model: null, event: 'workflow_run' } as const),
    inputs: { ...scenario.inputs, 'review-event': 'approve' },
    environment: { ...environment, GITHUB_SERVER_URL: 'http://127.0.0.1:9' },
  };
  const found = [
    expect.stringContaining('POSTIL_MAX_COMENTS'),
    expect.stringContaining('also belongs to #8'),
    expect.stringContaining("'max-total-tokens' 99000000 is above the limit"),
    expect.stringContaining('Shared configuration: .postil/config.yml of acme/review-settings'),
  ];
  expect(notesOf(await play({ ...stage, workspace: null }, withoutKey))).toEqual([
    ...found,
    expect.stringContaining('Git could not be used'),
    expect.stringContaining('has no key to sign'),
  ]);
  await play(stage, scenario);
  const labeled = await play(stage, { ...scenario, event: changeEvent(world, 'labeled', 'other') });
  expect(notesOf(labeled)).toEqual([
    ...[found[0], ...found.slice(2)],
    expect.stringContaining('The label “other” started this run'),
    expect.stringContaining('was reviewed before'),
  ]);
});
