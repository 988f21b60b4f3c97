import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { evaluate } from '../../src/cli/eval.ts';
import { call, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { startModel } from '../fakes/model-server/start-model.ts';
import { totalWorld } from './review.ts';
import { evaluated, folderOf, golden, reviewer, three, trees } from './runner/evaluating.ts';

describe('a limit of the whole evaluation', () => {
  const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
  const six = Object.fromEntries(letters.map((name) => [`${name}.yml`, three['a-hit.yml']]));
  const pricing = ['--pricing', 'input=1,cached=0.1,output=10'];
  /** Reads on as long as it may. */
  const spender: ModelScript = ({ tools }, turn) => {
    const lines = { path: 'src/big.ts', start_line: 1 + 100 * (turn % 14), end_line: 100 + 100 * (turn % 14) };
    return tools.includes('read_file_lines') ? call('read_file_lines', lines) : submit([]);
  };
  const big = Array.from({ length: 1_500 }, (_, line) => `export const value${line} = ${line};`).join('\n');

  it('ends before a case that might not fit, names what was not run, and says what the numbers are of', async () => {
    const { run, model } = await evaluated(folderOf(six), ['--max-total-tokens', '34000', '--jobs', '1']);
    const stop = run.stdout.split('\n').find((line) => line.startsWith('Stopped'));
    const ran = model.requests.length;
    expect(ran).toBeOneOf([2, 3, 4]);
    expect([run.code, stop]).toEqual([
      1,
      expect.stringMatching(
        `^Stopped at [\\d,]+ of 34,000 tokens: the next case might not fit\\. ${6 - ran} cases not run: ${letters.slice(ran, 6).join(', ')}\\. All numbers are of those that ran\\.$`,
      ),
    ]);
    expect(run.stdout).toContain(`default: ${ran} of 6 cases measured: ${ran} known defects`);
  });

  it('holds for money too, over both configurations, which come equally far', async () => {
    const cwd = folderOf({ ...six, 'c/one.yml': 'walkthrough: false\n', 'c/two.yml': 'walkthrough: true\n' });
    const args = ['--config', 'c/one.yml', '--against', 'c/two.yml', '--max-cost', '0.195', ...pricing, '--jobs', '1'];
    const { run } = await evaluated(cwd, [...args, '--format', 'json', '--report-html', 'page.html']);
    const { stopped, used, limits, difference, configurations } = JSON.parse(run.stdout);
    const [one, two] = configurations.map((each: { not_run: readonly string[] }) => each.not_run.length);
    expect([run.code, stopped, limits.cost, used.cost <= 0.195]).toEqual([1, 'cost', 0.195, true]);
    expect([one > 0, difference.cases > 0, Math.abs(one - two) <= 1]).toEqual([true, true, true]);
    expect(readFileSync(join(cwd, 'page.html'), 'utf8')).toContain('not run with both');
  });

  it.each([
    [5_000, 0],
    [30_000, 1],
  ])(
    'is never exceeded: %i tokens, and a model that takes far more than usual (%i cases are cut short)',
    async (most, cut) => {
      const base = { ...totalWorld.base, 'src/big.ts': big };
      const files = Object.fromEntries(
        letters.map((name) => [`${name}.yml`, trees('', undefined, base) + golden('4')]),
      );
      const { run } = await evaluated(
        folderOf(files),
        ['--max-total-tokens', String(most), '--format', 'json', '--jobs', '1'],
        spender,
      );
      const { used, stopped, configurations } = JSON.parse(run.stdout);
      const [{ cases, not_run }] = configurations;
      const reached = 'The limit of the evaluation was reached on the way.';
      const short = cases.filter((one: { not_measured: string }) => one.not_measured === reached);
      expect([run.code, stopped, cases.length + not_run.length]).toEqual([1, 'tokens', 6]);
      expect([used.tokens <= most, short.length]).toEqual([true, cut]);
    },
  );

  it('waits for the reviews that go on rather than end when what is kept for them is too much for the next', async () => {
    const { run } = await evaluated(folderOf(six), ['--max-total-tokens', '60000', '--jobs', '6', '--format', 'json']);
    expect([run.code, JSON.parse(run.stdout).configurations[0].measured]).toEqual([0, 6]);
  });

  it('is refused before anything is reviewed when nobody said what the model or the judge costs', async () => {
    const cwd = folderOf(six);
    const one = await evaluated(cwd, ['--max-cost', '1']);
    const own = ['--pricing', 'gpt-6.1-terra: input=1,output=10', '--judge-model', 'other'];
    const other = await evaluated(cwd, ['--max-cost', '1', ...own]);
    expect([one.run.code, one.run.stderr, other.run.code, other.run.stderr, one.model.attempts.length]).toEqual([
      2,
      expect.stringContaining("'pricing' does not say what gpt-6.1-terra costs"),
      2,
      expect.stringContaining('does not say what other costs'),
      0,
    ]);
  });
});

it('what was measured before Ctrl-C is printed and recorded', async () => {
  const cwd = folderOf({ ...three, 'd.yml': three['a-hit.yml'] });
  const stop = new AbortController();
  const model = await startModel((request) => {
    if (request.prompt.includes('Same.')) stop.abort();
    return reviewer(request);
  });
  onTestFinished(() => model.close());
  const command = readArguments(['eval', cwd, '--record', '--jobs', '1']);
  const printed: string[] = [];
  const code = await evaluate(command.kind === 'eval' ? command : never(), {
    ...{ apiKey: model.apiKey, environment: process.env, signal: stop.signal, say: () => undefined },
    layer: { where: 'test', trusted: true, values: { 'base-url': model.url, verify: 'false', reflect: 'false' } },
    print: (text) => printed.push(text),
  });
  const [line = ''] = printed
    .join('')
    .split('\n')
    .filter((text) => text.startsWith('Interrupted'));
  const recorded = readdirSync(cwd).filter((name) => name.endsWith('.jsonl'));
  expect([code, line, recorded]).toEqual([
    1,
    'Interrupted. 2 cases not run: c-clean, d. All numbers are of those that ran.',
    ['a-hit.cassette.jsonl', 'b-miss.cassette.jsonl'],
  ]);
});

function never(): never {
  throw new Error('The arguments are not those of an evaluation.');
}
