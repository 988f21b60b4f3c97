import { describe, expect, it } from 'vitest';
import { call, submit } from '../fakes/model-server/script.ts';
import { mergeOf } from '../fakes/world/create-world.ts';
import { importCommits, type WorldFiles } from '../fakes/world/git.ts';
import type { ActionRun } from './harness.ts';
import { openShop, play, push, reviewOf, type Scenario, type Stage, setStage, shopFile, shopText } from './review.ts';

const tax = 'export const tax = (cents: number) => cents * 7;\n';
const shop = (more: string) =>
  `export const price = (cents: number) => cents + 1;\n${'// A line.\n'.repeat(20)}${more}`;
const files = {
  'src/cart.ts': 'export function total(cents: number) {\n  return cents + 1;\n}\n',
  'src/shop.ts': shop(''),
};
const change = {
  'src/cart.ts': 'export function total(cents: number) {\n  return cents + 2;\n}\n',
  'src/shop.ts': shop('export const sum = price(1);\n'),
};

/** Two batches; the one about the cart reads how much the tax is. */
const scenario: Scenario = {
  // A token of its own may approve.
  world: {
    base: { ...files, 'src/tax.ts': tax, 'docs/far.md': 'Far.\n' },
    head: change,
    github: { viewer: 'postil-app[bot]' },
  },
  model: (request, turn) => {
    const isCart = JSON.stringify(request.messages[1]).includes('## src/cart.ts');
    const hasRead = request.messages.length > 2;
    return isCart && !hasRead && turn >= 0 ? call('read_file', { path: 'src/tax.ts' }) : submit([]);
  },
  inputs: { 'files-per-batch': '1', verify: 'false', 'review-event': 'approve' },
};

type Moved = {
  /** What is pushed to main before the branch is put on top of it. */
  readonly main?: WorldFiles;
  /** The branch as one commit each, from where main is now. */
  readonly branch: readonly WorldFiles[];
};

/** Puts a branch of these commits on top of main, by force. */
async function rebase(stage: Stage, { main, branch }: Moved): Promise<Stage> {
  const { commits, pull, remote } = stage.world;
  const changes = branch.map((one) => ({ files: one }));
  const minute = 1_000 + stage.world.branch.length * 10;
  const onMain =
    main === undefined
      ? []
      : [{ parent: commits.base, changes: [{ files: main }], message: 'Main', minute, refs: ['refs/heads/main'] }];
  const refs = ['refs/heads/feature', `refs/pull/${pull.number}/head`];
  const last = onMain.length + branch.length - 1;
  const hashes = importCommits(remote.directory, [
    ...onMain,
    ...changes.map((one, index) => ({
      parent: index > 0 || onMain.length > 0 ? onMain.length + index - 1 : commits.base,
      ...{ changes: [one], message: `Again ${index}`, minute: minute + 1 + index },
      ...(index === branch.length - 1 ? { refs } : {}),
    })),
    mergeOf({
      base: onMain.length > 0 ? 0 : commits.base,
      head: last,
      branch: changes,
      number: pull.number,
      minute: minute + 9,
    }),
  ]);
  const [base, head, merge] = [
    onMain.length > 0 ? (hashes[0] ?? '') : commits.base,
    hashes[last] ?? '',
    hashes[last + 1] ?? '',
  ];
  await stage.github.moveHead(head, base);
  const moved = { ...pull, base: { ...pull.base, sha: base }, head: { ...pull.head, sha: head } };
  const { github, author } = stage.world;
  return {
    ...stage,
    world: { github, remote, branch: changes, author, commits: { base, mergeBase: base, head, merge }, pull: moved },
  };
}

/** A reviewed pull request, and what a further run asked the model about. */
async function reviewed() {
  const stage = await setStage(scenario);
  await play(stage, scenario);
  const run = async (at: Stage, inputs: Scenario['inputs'] = {}) => {
    const before = stage.model.requests.length;
    const done = await play(at, { ...scenario, inputs: { ...scenario.inputs, ...inputs } });
    const prompts = stage.model.requests.slice(before).map(({ messages }) => JSON.stringify(messages));
    const asked = Object.keys(change).filter((path) => prompts.some((prompt) => prompt.includes(`## ${path}`)));
    return { ...done, asked, prompts };
  };
  return { stage, run };
}

const said = ({ code, outputs }: ActionRun) => [code, outputs['outcome'], outputs['approved']];
const approvals = ({ github }: Stage) =>
  github.reviews().flatMap(({ state, commit }) => (state === 'APPROVED' ? [commit] : []));

describe('a rebase', () => {
  it.each<[string, (stage: Stage) => Promise<Stage>]>([
    [
      'on a base that moved elsewhere',
      (stage) => rebase(stage, { main: { 'docs/far.md': 'Farther.\n' }, branch: [change] }),
    ],
    [
      'that squashes',
      async (stage) =>
        rebase(await push(stage, { files: { 'src/cart.ts': change['src/cart.ts'] } }), { branch: [change] }),
    ],
    ['that amends, without another line', (stage) => push(stage, { files: change, force: true })],
    [
      'back, after a push that nobody reviewed',
      async (stage) =>
        push(await push(stage, { files: { 'src/cart.ts': 'export {};\n' } }), { files: change, force: true }),
    ],
  ])('%s costs no model call: the verdict is computed, and the approval is given at that head', async (_, move) => {
    const { stage, run } = await reviewed();
    const moved = await move(stage);
    const done = await run(moved);
    expect([said(done), done.prompts.length, approvals(stage)]).toEqual([
      [0, 'clean', 'true'],
      0,
      [stage.world.commits.head, moved.world.commits.head],
    ]);
    expect([(await run(moved)).prompts.length, approvals(stage).length]).toEqual([0, 2]);
  });

  it('on a base that moved under a file that was read has that batch read again alone, and the prompt says so', async () => {
    const { stage, run } = await reviewed();
    const done = await run(await rebase(stage, { main: { 'src/tax.ts': `${tax}// Half up.\n` }, branch: [change] }));
    expect([done.asked, said(done)]).toEqual([['src/cart.ts'], [0, 'clean', 'true']]);
    expect(done.prompts[0]).toMatch(
      /Read again, because these files changed under it:.{0,80}src\/cart\.ts: src\/tax\.ts/,
    );
    expect(done.log).toContain('src/cart.ts is reviewed again, because what its review rested on changed: src/tax.ts.');
  });

  it('on a base that begins to use a name that the change touches has the batch of that name read again', async () => {
    const { stage, run } = await reviewed();
    const caller = 'import { total } from "./cart.ts";\nexport const all = total(3);\n';
    const done = await run(await rebase(stage, { main: { 'src/caller.ts': caller }, branch: [change] }));
    expect([done.asked, said(done)]).toEqual([['src/cart.ts'], [0, 'clean', 'true']]);
  });

  it('on a base with other rules is reviewed in full', async () => {
    const { stage, run } = await reviewed();
    const rules = {
      '.postil/rules/run.md': '---\nid: run\ntitle: Calls run\nseverity: warning\ncategory: security\n---\nAsk.\n',
    };
    const done = await run(await rebase(stage, { main: rules, branch: [change] }));
    expect([done.asked, done.summary.includes('settings, rules or guidance changed')]).toEqual([
      Object.keys(change),
      true,
    ]);
  });
});

describe('after a push', () => {
  it('only the file that it touched is read', async () => {
    const { stage, run } = await reviewed();
    const pushed = { 'src/shop.ts': shop('export const sum = price(2);\n') };
    const done = await run(await push(stage, { files: pushed }));
    expect([done.asked, said(done)]).toEqual([['src/shop.ts'], [0, 'clean', 'true']]);
  });

  it('all is read with other settings', async () => {
    const { stage, run } = await reviewed();
    const done = await run(await push(stage, { files: { 'src/shop.ts': shop('export const sum = price(2);\n') } }), {
      language: 'Dutch',
    });
    expect([done.asked, done.summary.includes('settings, rules or guidance changed')]).toEqual([
      Object.keys(change),
      true,
    ]);
  });
});

it('a decline is no approval: what the model objected to is approved once it has looked at a further push', async () => {
  const github = { viewer: 'postil-app[bot]', collaborators: { ada: 'write', grace: 'write' } } as const;
  const { stage, say, runJob } = await openShop(1, { github });
  const run = async (at: Stage) => {
    const { outputs } = await runJob({ 'review-event': 'approve' }, at);
    return [outputs['outcome'], outputs['approved'], stage.model.requests.length];
  };
  say(reviewOf([0]));
  const found = await run(stage);
  stage.github.people.resolve('price0 reads', 'grace');
  say(reviewOf([]));
  const declined = await run(stage);
  const other = { 'src/other.ts': 'export const other = 1;\n' };
  const pushed = await push(stage, { files: other });
  const approved = await run(pushed);
  const squashed = await push(pushed, { files: { [shopFile(0)]: shopText(0, 1), ...other }, force: true });
  expect([found, declined, approved, await run(squashed)]).toEqual([
    ['findings', 'false', 1],
    ['clean', 'false', 1],
    ['clean', 'true', 2],
    ['clean', 'true', 2],
  ]);
});
