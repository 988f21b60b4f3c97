import { expect, it } from 'vitest';
import { play, push, setStage } from './review.ts';

const collaborators = { octo: 'admin', grace: 'write' } as const;

/** Ten hits, and so many lines that whatever comes below them is none of what they stand in. */
const ten = `${'many(1);\n'.repeat(10)}${'x;\n'.repeat(21)}`;

/** What somebody declines of a rule, and what a push brings that the rule would have folded into it. */
const folds = {
  once: ['once-per-file: true', { 'a.ts': 'once(1);\nx;\n' }, { 'a.ts': 'once(2);\ny;\nonce(1);\nx;\n' }, 'a.ts:1'],
  least: ['max-findings: 1', { 'b.ts': 'least(1);\n' }, { 'z.ts': 'least(2);\n' }, 'z.ts:1'],
  many: ['multi-line: false', { 'c.ts': ten }, { 'c.ts': `${ten}many(1);\n` }, 'c.ts:32'],
  moved: [
    'multi-line: false',
    { 'examples/d.yml': 'a: b\nrun: moved(1)\nc: d\n' },
    { 'examples/d.yml': null, '.github/workflows/d.yml': 'a: b\nrun: moved(1)\nc: d\n' },
    '.github/workflows/d.yml:2',
  ],
} as const satisfies Record<string, readonly [string, object, object, string]>;
const foldedRules = Object.fromEntries(
  Object.entries(folds).map(([word, [limit]]) => [
    `.postil/rules/${word}.md`,
    `---\nid: ${word}\ntitle: Calls ${word}\nseverity: critical\ncategory: security\n${limit}\npattern: '\\b${word}\\('\n---\nThink twice.\n`,
  ]),
);

it('a decline covers no hit of a rule that a push brings, though the rule would name it in what was declined, and none that moved to where it runs', async () => {
  const all = Object.values(folds);
  const world = {
    base: foldedRules,
    head: Object.assign({}, ...all.map(([, head]) => head)),
    github: { collaborators },
  };
  const inputs = { 'state-key': 'a-key-of-both-runs-0123456789', 'fail-on': 'critical', 'max-comments': '50' };
  const scenario = { world, model: null, inputs };
  const stage = await setStage(scenario);
  await play(stage, scenario);
  for (const thread of stage.github.threads()) Object.assign(thread, { resolved: true, resolvedBy: 'grace' });
  const before = stage.github.comments().length;
  const declined = await play(stage, scenario);
  const pushed = await push(stage, { files: Object.assign({}, ...all.map(([, , files]) => files)) });
  const runs = [
    declined,
    await play(pushed, scenario),
    await play(pushed, { ...scenario, inputs: { ...inputs, incremental: 'false' } }),
  ];
  const raised = stage.github.comments().slice(before);
  expect([runs.map(({ code }) => code), raised.map(({ path, line }) => `${path}:${line}`).toSorted()]).toEqual([
    [0, 1, 1],
    all.map(([, , , place]) => place).toSorted(),
  ]);
  expect(raised.find(({ path }) => path.startsWith('.github'))?.body).toMatch(/Declined by .{0,3}@?grace/);
});

it('a finding of a rule stays open when a push removes an equal line elsewhere, which alone would have been a move', async () => {
  const rule =
    "---\nid: danger\ntitle: Danger\nseverity: critical\ncategory: security\npattern: '\\bdanger\\('\n---\nThink twice.\n";
  const base = { '.postil/rules/danger.md': rule, 'a.js': 'one();\ndanger(1);\n' };
  const copied = { 'b.js': 'two();\n  danger(1);\n' };
  const inputs = { 'state-key': 'a-key-of-both-runs-0123456789', 'fail-on': 'critical' };
  type Files = { readonly [path: string]: string };
  const codesOf = async (head: Files, pushed: Files) => {
    const scenario = { world: { base, head }, model: null, inputs };
    const stage = await setStage(scenario);
    const first = await play(stage, scenario);
    const after = await push(stage, { files: pushed });
    const full = { ...scenario, inputs: { ...inputs, incremental: 'false' } };
    return [first.code, (await play(after, scenario)).code, (await play(after, full)).code];
  };
  const removed = { 'a.js': 'one();\n' };
  expect([await codesOf(copied, removed), await codesOf({ ...copied, ...removed }, { 'c.js': 'three();\n' })]).toEqual([
    [1, 1, 1],
    [0, 0, 0],
  ]);
});
