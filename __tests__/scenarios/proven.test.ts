import { describe, expect, it } from 'vitest';
import { type Answer, call, type ScriptedFinding, say, submit } from '../fakes/model-server/script.ts';
import type { ActionRun } from './harness.ts';
import {
  askedIn,
  defectFinding,
  defectFindingReworded,
  defectLine,
  openShop,
  play,
  push,
  reviewOf,
  type Scenario,
  type Stage,
  setStage,
  shopFile,
  shopText,
} from './review.ts';

const author = 'ada <ada@users.noreply.github.com>';
const github = { viewer: 'postil-app[bot]', collaborators: { octo: 'admin', ada: 'write' } } as const;
const strict = { 'review-event': 'approve', 'require-complete': 'true', 'fail-on': 'critical', verify: 'false' };

const said = ({ code, outputs }: ActionRun) => [code, outputs['outcome'], outputs['approved']];
const requests = { approved: false, rationale: 'Not like this.', action: 'REQUEST_CHANGES' } as const;
const doubts = { approved: false, rationale: 'Not sure.', action: 'COMMENT' } as const;

/** One approver's pull request: `route.ts` opens what `app.ts` guards. */
async function openRoute(first: Answer) {
  let answer: Answer | ((prompt: string) => Answer) = first;
  const scenario: Scenario = {
    world: {
      base: { 'src/route.ts': 'export {};\n', 'src/app.ts': 'start();\n', 'README.md': 'x\n' },
      head: { 'src/route.ts': 'export const route = open();\n', 'src/app.ts': 'guard();\nstart();\n' },
      github,
      authors: [author, author, author],
    },
    model: { answers: ({ messages }) => (typeof answer === 'function' ? answer(JSON.stringify(messages)) : answer) },
    inputs: strict,
  };
  let at: Stage = await setStage(scenario);
  const run = () => play(at, scenario);
  const later = async (files: Parameters<typeof push>[1]['files'] | null, next: Answer) => {
    if (files !== null) at = await push(at, { files });
    answer = next;
    const before = at.model.requests.length;
    const done = await play(at, scenario);
    const prompts = at.model.requests.slice(before).map(({ messages }) => JSON.stringify(messages));
    return { done, shown: (text: string) => prompts.some((prompt) => prompt.includes(text)) };
  };
  return { first: await run(), later };
}

describe('what one run did not prove', () => {
  const unplaced: ScriptedFinding = { path: 'src/route.ts', quote: 'nowhere()', title: 'It is lost', severity: 'info' };
  const blank = call('submit_review', { files_review: [{}], approval: { approved: true, action: 'APPROVE' } });
  const cut: Answer = {
    ...say(`${JSON.stringify({ files_review: [], approval: doubts })}\nAnd then I`),
    end: 'length',
  };

  it.each<[string, Answer, string]>([
    ['an item that could not be read', blank, 'partial'],
    ['an answer that was cut', cut, 'partial'],
    ['changes asked for, and none named', submit([], { approval: requests }), 'partial'],
    ['no approval, and no finding', submit([], { approval: doubts }), 'clean'],
  ])(
    'is reviewed again by the next one, on the same commit and after a push to another file: %s',
    async (_, answer, outcome) => {
      const { first, later } = await openRoute(answer);
      const again = await later(null, answer);
      const pushed = await later({ 'README.md': 'y\n' }, answer);
      const code = outcome === 'clean' ? 0 : 1;
      expect([first, again.done, pushed.done].map(said)).toEqual(Array(3).fill([code, outcome, 'false']));
      expect([again.shown('route = open()'), pushed.shown('route = open()')]).toEqual([true, true]);
      const proven = await later({ 'README.md': 'z\n' }, submit([]));
      expect([said(proven.done), proven.shown('route = open()')]).toEqual([[0, 'clean', 'true'], true]);
    },
  );

  it('keeps a finding without a place without one, until it is placed', async () => {
    const { first, later } = await openRoute(submit([unplaced]));
    const runs = [first, (await later(null, submit([]))).done, (await later({ 'README.md': 'y\n' }, submit([]))).done];
    expect(runs.map(said)).toEqual(Array(3).fill([1, 'partial', 'false']));
    const placed = await later(
      { 'src/route.ts': 'export const route = open(1);\n' },
      submit([{ ...unplaced, quote: 'export const route = open(1);' }]),
    );
    expect([said(placed.done), placed.done.outputs['findings']]).toEqual([[0, 'findings', 'false'], '1']);
  });
});

describe('a push that takes back lines of the pull request', () => {
  it.each([
    ['beside another change', { 'src/app.ts': 'start();\n', 'README.md': 'y\n' }],
    ['alone', { 'src/app.ts': 'start();\n' }],
  ])('is reviewed in full, %s', async (_, files) => {
    const { first, later } = await openRoute(submit([]));
    const { done, shown } = await later(files, submit([], { approval: doubts }));
    expect([said(first), said(done), shown('route = open()')]).toEqual([
      [0, 'clean', 'true'],
      [0, 'clean', 'false'],
      true,
    ]);
    expect(done.summary).toContain('Full review: what the last one rested on changed');
  });
});

const file = shopFile(0);
const original = shopText(0, 1);
const neighbour = original.replace('export function price0', 'export const limit = 10;\nexport function price0');

/** A finding that was reported; what the model says after the next pushes. */
async function reported(inputs: Scenario['inputs'] = {}, finding: Partial<ScriptedFinding> = {}) {
  const shop = await openShop(1);
  const gate = { 'fail-on': 'warning', verify: 'false', ...inputs };
  shop.say(submit([{ ...defectFinding(0), ...finding }]));
  await shop.runJob(gate);
  let at: Stage = shop.stage;
  const pushed = async (files: Parameters<typeof push>[1]['files'], answer: Parameters<typeof shop.say>[0]) => {
    at = await push(at, { files });
    shop.say(answer);
    const { code, outputs } = await shop.runJob(gate, at);
    return [code, outputs['outcome'], outputs['findings'], outputs['posted']];
  };
  return { ...shop, pushed };
}

type Said = { readonly state: string; readonly path?: string; readonly quote?: string };

const answering =
  (said: Said | null, findings: readonly ScriptedFinding[] = []) =>
  (prompt: string): Answer => {
    const ids = said === null ? [] : askedIn(prompt);
    return submit(findings, {
      earlier_findings: ids.map((id) => ({ path: null, quote: null, ...said, state: said?.state ?? 'unsure', id })),
      ...(ids.length === 0 ? {} : { approval: requests }),
    });
  };

describe('an answer about an earlier finding', () => {
  it('explains that changes are asked for', async () => {
    const { pushed } = await reported({ 'fail-on': 'never', 'require-complete': 'true' });
    const run = await pushed({ [file]: neighbour }, answering({ state: 'still there', quote: defectLine(0) }));
    expect(run).toEqual([0, 'findings', '1', '0']);
  });

  it('moves it to no other file, with which it would end', async () => {
    const { pushed } = await reported();
    const scratch = { 'src/scratch.ts': 'export const scratch = 1;\n' };
    const quote = 'export const scratch = 1;';
    const moved = answering({ state: 'still there', path: 'src/scratch.ts', quote });
    const runs = [
      await pushed({ [file]: neighbour, ...scratch }, moved),
      await pushed({ 'src/scratch.ts': null }, answering(null)),
    ];
    expect(runs.map((run) => run.slice(0, 3))).toEqual(Array(2).fill([1, 'findings', '1']));
  });

  it('without a quote leaves it on its lines: said again there in other words, it is one', async () => {
    const { pushed, stage } = await reported();
    const again = { ...defectFindingReworded(0), quote: defectLine(0), category: 'bug' as const };
    const run = await pushed({ [file]: neighbour }, answering({ state: 'still there' }, [again]));
    expect([run, stage.github.comments().length]).toEqual([[1, 'findings', '1', '0'], 1]);
  });

  it('hides no other defect on a line that the push added', async () => {
    const { pushed } = await reported();
    const worse = 'export const wipe = () => deleteEverything();';
    const run = await pushed({ [file]: `${neighbour}${worse}\n` }, (prompt) =>
      submit([
        {
          path: file,
          quote: worse,
          title: 'Everything is deleted',
          severity: 'critical',
          same_as: askedIn(prompt)[0] ?? null,
        },
      ]),
    );
    expect(run).toEqual([1, 'findings', '2', '1']);
  });
});

it('a finding stays as severe as it was raised, though the model calls it trivial later', async () => {
  const { stage, say, runJob } = await openShop(1);
  const inputs = { 'fail-on': 'critical', verify: 'false' };
  say(submit([{ ...defectFinding(0), severity: 'critical' }]));
  const codes = [(await runJob(inputs)).code];
  say(submit([{ ...defectFinding(0), severity: 'nitpick' }]));
  codes.push((await runJob({ ...inputs, incremental: 'false' })).code);
  say(submit([]));
  codes.push((await runJob(inputs, await push(stage, { files: { 'src/b.ts': 'export {};\n' } }))).code);
  expect(codes).toEqual([1, 1, 1]);
});

const filler = Array.from({ length: 40 }, (_, line) => `export const filler${line} = ${line};`).join('\n');

it.each([
  ['a new file', { [file]: null, 'src/shop/index.ts': `${filler}\n${original}` }],
  ['a file that the change has', { [file]: null, 'src/b.ts': `export {};\n${filler}\n${original}` }],
])('a finding whose lines move to %s is not gone, and is asked about there', async (_, files) => {
  const { pushed, stage } = await reported();
  await pushed({ 'src/b.ts': `export {};\n${filler}\n` }, answering(null));
  const run = await pushed(files, answering({ state: 'unsure' }));
  const asked = JSON.stringify(stage.model.requests.at(-1)?.messages);
  expect([run.slice(0, 3), askedIn(asked).length]).toEqual([[1, 'findings', '1'], 1]);
});

describe('a finding that could not be posted', () => {
  const match = { method: 'POST', path: /\/(?:reviews|pulls\/7\/comments)$/ };

  it.each<[string, Scenario['inputs'], string]>([
    ['because GitHub did not accept it', {}, '1'],
    ['because comments are off', { comments: 'false' }, '0'],
  ])('is known to the next run, %s', async (_, inputs, posted) => {
    const faults = [{ match, times: 3, before: 'status 422' }] as const;
    const { stage, say, runJob } = await openShop(1, { github: { faults } });
    const gate = { 'fail-on': 'warning', ...inputs };
    say(reviewOf([0]));
    const first = await runJob(gate);
    say(reviewOf([]));
    const at = await push(stage, { files: { 'src/b.ts': 'export {};\n' } });
    const runs = [first, await runJob(gate, at), await runJob(gate, at)];
    expect(runs.map(({ code, outputs }) => [code, outputs['findings'], outputs['posted']])).toEqual([
      [1, '1', '0'],
      [1, '1', posted],
      [1, '1', '0'],
    ]);
  });
});

it('words on the whole block nothing: that takes an open finding', async () => {
  const scenario: Scenario = {
    world: { base: {}, head: { 'src/a.ts': 'export {};\n' }, github },
    model: { answers: () => submit([], { approval: requests, non_specific_review: 'All of it is wrong.' }) },
    inputs: { 'review-event': 'request-changes' },
  };
  const stage = await setStage(scenario);
  const run = await play(stage, scenario);
  expect([run.outputs['outcome'], stage.github.reviews().map(({ state }) => state)]).toEqual([
    'partial',
    ['COMMENTED'],
  ]);
});
