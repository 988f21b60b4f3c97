import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, fault, type ModelScript, type ScriptedFinding, say, submit } from '../fakes/model-server/script.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';
import { outputFiles, placesOf, review, unseenLines } from './review.ts';

const world = {
  base: { 'src/alpha.ts': 'export const alpha = 1;\n', 'web/beta.ts': 'export const beta = 1;\n' },
  head: { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' },
};
const alphaFinding = { path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' };
const inputs = { 'files-per-batch': '1' };

it('two batches of which one is not answered do not lose the other, and the run says partial', async () => {
  const failure = fault(400, { error: { message: 'No.', code: 'bad_mood' } });
  const script: ModelScript = {
    batches: [{ when: ({ prompt }) => prompt.includes('beta = 333'), answers: () => failure }],
    answers: [submit([alphaFinding])],
  };
  const files = outputFiles('report-file');
  const { github, run } = await review({ world, inputs: { ...inputs, ...files.inputs }, model: script });
  expect(placesOf(github)).toEqual(['src/alpha.ts:1']);
  expect([run.outputs, run.code]).toMatchObject([{ outcome: 'partial', approved: 'false' }, 0]);
  expect(files.json('report-file').coverage).toMatchObject({
    reviewed: ['src/alpha.ts'],
    unreviewed: [{ path: 'web/beta.ts' }],
  });
  expect(run.summary).toContain('web/beta.ts');
});

it.each([
  ['0', true],
  ['1000', false],
])(
  'with `batch-tokens: %s` a server that cuts prompts of more than 3,000 tokens without a word cuts one: %s',
  async (tokens, isCut) => {
    const lines = (name: string) =>
      Array.from({ length: 60 }, (_, line) => `export const ${name}${line} = compute(${line});\n`);
    const names = Array.from({ length: 24 }, (_, index) => `part${index}x`);
    const head = Object.fromEntries(names.map((name) => [`src/${name}.ts`, lines(name).join('')]));
    const { run } = await review({
      world: { base: { 'README.md': '# Spoon\n' }, head },
      model: { answers: () => submit([]), countsAtMost: 3_000 },
      inputs: { 'batch-tokens': tokens },
    });
    expect([run.outputs['outcome'], run.log.includes('or lower `batch-tokens`')]).toEqual(['clean', isCut]);
  },
);

describe('many batches', () => {
  const names = Array.from({ length: 24 }, (_, index) => `part${String(index).padStart(2, '0')}`);
  const files = (value: number) =>
    Object.fromEntries(names.map((name) => [`src/${name}.ts`, `export const ${name} = ${value};\n`]));
  const world = { base: files(1), head: files(2) };
  const tens = { 'files-per-batch': '10' };

  /** A finding in the first file of its batch. */
  function firstOf(request: NormalisedRequest) {
    const name = names.find((candidate) => request.prompt.includes(`## src/${candidate}.ts`)) ?? '';
    return submit([{ path: `src/${name}.ts`, quote: `export const ${name} = 2;`, title: `Wrong value of ${name}` }]);
  }

  it('of more than ten files are reviewed in batches of at most ten, side by side, each line shown and each finding posted', async () => {
    const { world: made, github, model, run } = await review({ world, model: firstOf, inputs: tens });
    const sizes = model.requests.map(({ prompt }) => prompt.split(/^## src\//m).length - 1);
    expect([Math.max(...sizes), sizes.reduce((sum, size) => sum + size, 0)]).toEqual([10, 24]);
    expect([github.comments().length, unseenLines(made, model), run.outputs['outcome']]).toEqual([3, [], 'findings']);
    expect([github.reviews().length, model.complaints]).toEqual([1, []]);
  });

  it('keep to the limit of tokens when it ends in the middle: what was found is posted, the rest is named', async () => {
    const answers = (request: NormalisedRequest, turn: number) => {
      if (!request.tools.includes('read_file')) return firstOf(request);
      return call('search_text', { pattern: `part${turn}`, path: null, file_pattern: null, regex: false });
    };
    const { run, model } = await review({
      world,
      model: answers,
      inputs: { ...tens, 'max-total-tokens': '30000', 'max-tokens': '1000', concurrency: '2' },
    });
    expect(Number(run.outputs['input-tokens']) + Number(run.outputs['output-tokens'])).toBeLessThanOrEqual(30_000);
    expect([run.outputs['outcome'], run.outputs['approved'], model.complaints]).toEqual(['partial', 'false', []]);
    expect(Number(run.outputs['findings'])).toBeGreaterThan(0);
  });
});

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `export const ${name}${index} = 'a value of ${name}, number ${index}';`);
const file = (name: string, count: number) => `${numbered(name, count).join('\n')}\n`;

describe('a context that is too small', () => {
  it('has the batch reviewed in halves: every line is shown, and findings stand where they belong', async () => {
    const head = { 'src/alpha.ts': file('alpha', 100), 'src/beta.ts': file('beta', 100) };
    const finding = { path: 'src/beta.ts', quote: numbered('beta', 100)[41] ?? '' };
    const { world, github, model, run } = await review({
      world: { base: { 'a.txt': 'a\n' }, head },
      model: {
        contextWindow: 4600,
        answers: (request) => submit(request.prompt.includes(finding.quote) ? [finding] : []),
      },
    });
    expect(unseenLines(world, model)).toEqual([]);
    expect(placesOf(github)).toEqual(['src/beta.ts:42']);
    expect([run.outputs['outcome'], model.complaints]).toEqual(['findings', []]);
  });

  it('for anything fails the run, and is never a review that found nothing', async () => {
    const { github, run } = await review({
      world: { base: { 'a.txt': 'a\n' }, head: { 'src/alpha.ts': file('alpha', 100) } },
      model: { contextWindow: 1000, answers: () => submit([]) },
      inputs: { api: 'responses' },
    });
    expect([run.outputs['outcome'], run.code, github.writes()]).toEqual(['failed', 1, []]);
    expect(run.annotations[0]?.message).toContain('context');
  });
});

it('a change of translations alone is reviewed in one call without reading tools', async () => {
  const { model, run } = await review({
    world: { base: { 'locales/de.json': '{ "a": "A" }\n' }, head: { 'locales/de.json': '{ "a": "B" }\n' } },
    model: [submit([])],
  });
  expect([model.requests.map(({ tools }) => tools), run.outputs['outcome']]).toEqual([[['submit_review']], 'clean']);
});

it('a limit of tokens too low for a single call makes no call, and never looks like a clean review', async () => {
  const { model, run } = await review({ world, model: () => submit([]), inputs: { 'max-total-tokens': '1000' } });
  expect([model.attempts, run.outputs['findings'], run.outputs['outcome']]).toEqual([[], '0', 'partial']);
});

/** Longer than what the code around a change shows of a body. */
const guards = Array.from({ length: 40 }, (_, index) => `  if (items.length === ${index + 100}) return ${index};`);
const cart = [
  'export function lastPrice(items: readonly number[]): number {',
  ...guards,
  '  if (items.length === 0) return 0;',
  '  return items[items.length - 1] ?? 0;',
  '}',
  '',
].join('\n');
const checkout = `import { lastPrice } from './cart.ts';

export function tip(items: readonly number[]): number {
  return 0;
}
`;

/** A change whose danger is decided by a line that the code around it does not show. */
const shop = {
  base: { 'src/cart.ts': cart, 'src/checkout.ts': checkout },
  head: { 'src/checkout.ts': checkout.replace('return 0;', 'return 10 / lastPrice(items);') },
} as const satisfies WorldOptions;

const suspicion = {
  path: 'src/checkout.ts',
  quote: '  return 10 / lastPrice(items);',
  title: 'An empty cart throws',
  review: '`lastPrice` may read from an empty list.',
  severity: 'critical',
} as const;
const division = { ...suspicion, title: 'A free item divides by zero', review: 'A price of 0 gives `Infinity`.' };

const why = 'Does lastPrice guard against an empty cart?';
const lines = { file: 'src/cart.ts', line_start: 40, line_end: 44, reason: why };

const asking = submitWith({ findings: [suspicion], context_request: lines, confirmed: null, dismissed: null });

type Fields = { readonly findings?: readonly ScriptedFinding[]; readonly [field: string]: unknown };

function submitWith({ findings = [], ...fields }: Fields) {
  return call('submit_review', { ...JSON.parse(JSON.stringify(submit(findings).calls[0]?.arguments)), ...fields });
}

describe('profile: follow-up', () => {
  it('shows the lines that were asked for once, and takes out what they refute, with the reason in the delivery', async () => {
    const files = outputFiles('report-file', 'progress-file');
    const dismissed = [{ finding: 1, reason: 'Line 42 returns 0 for an empty cart.' }];
    const { model, run, github } = await review({
      world: shop,
      model: [asking, submitWith({ dismissed, findings: [division], confirmed: [], context_request: null })],
      inputs: { profile: 'follow-up', ...files.inputs },
    });
    expect([model.requests.length, model.complaints]).toEqual([2, []]);
    const [one, two] = model.requests;
    expect(two?.prompt).toContain('  42 |   if (items.length === 0) return 0;');
    expect(two?.prompt).not.toContain('  39 |   if (items.length');
    expect(one?.prompt).toContain('src/cart.ts: defines lastPrice');
    // The second prompt begins with the first, tools included, so that a provider has it cached.
    expect(two?.messages.slice(0, one?.messages.length)).toEqual(one?.messages);
    expect([one?.tools, two?.tools]).toEqual([['submit_review'], ['submit_review']]);
    expect(github.comments().map(({ body }) => /free item|empty cart/.exec(body)?.[0])).toEqual(['free item']);
    expect(run.summary).toContain('An empty cart throws');
    expect(run.log).toMatch(/src\/cart\.ts:40-44: Does lastPrice guard/);
    expect(files.events('progress-file').filter(({ type }) => type.startsWith('follow_up_'))).toMatchObject([
      { type: 'follow_up_requested', file: 'src/cart.ts', lines: '40-44' },
      { type: 'follow_up_complete', issues_confirmed: 0, issues_removed: 1, issues_added: 1 },
    ]);
    const [batch] = files.json('report-file').batches;
    const granted = { file: 'src/cart.ts', lines: '40-44', refused: null };
    expect(batch.follow_up).toMatchObject({ ...granted, removed: 1, added: 1 });
    expect(batch.metrics.phases).toMatchObject({ single: { model_calls: 1 }, 'follow-up': { model_calls: 1 } });
  });

  it("takes Cora's words from a model without tools, in both answers", async () => {
    const said = { severity: 'high', title: 'An empty cart throws', body: 'It may.', issue_type: 'bug' };
    const issue = { file: 'src/checkout.ts', line: 4, ...said };
    const { model, github, run } = await review({
      world: shop,
      model: {
        rejects: ['tools'],
        answers: [
          say(JSON.stringify({ issues: [issue], context_request: lines })),
          say(JSON.stringify({ confirmed: [1], dismissed: [], added: [] })),
        ],
      },
      inputs: { profile: 'follow-up', api: 'chat' },
    });
    expect([model.requests.length, github.comments().length, run.outputs['outcome']]).toEqual([2, 1, 'findings']);
    expect(run.log).toMatch(/1 confirmed, 0 removed, 0 added/);
  });
});

it('a large change is reviewed in two parts that begin with the same whole diff, and what both say is one comment', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `part${at}`);
  const lines = (name: string, value: number) =>
    Array.from({ length: 60 }, (_, at) => `export const ${name}${at} = ${value} + ${at};\n`).join('');
  const files = (value: number) => Object.fromEntries(names.map((name) => [`src/${name}.ts`, lines(name, value)]));
  const found = { path: 'src/part7.ts', quote: 'export const part75 = 2 + 5;', title: 'Part 75 is wrong' };
  const world = { base: files(1), head: files(2) };
  const { github, model, run } = await review({ world, model: () => submit([found]), inputs: { verify: 'false' } });
  const [one = '', other = ''] = model.requests.map(({ prompt }) => prompt);
  const shared = (prompt: string) => prompt.slice(0, prompt.indexOf('# Your part'));
  expect([model.requests.length, shared(one) === shared(other)]).toEqual([2, true]);
  expect(names.every((name) => shared(one).includes(`## src/${name}.ts`))).toBe(true);
  expect([placesOf(github), run.outputs['findings']]).toEqual([['src/part7.ts:6'], '1']);
});
