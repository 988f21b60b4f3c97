import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageLink } from '../../src/core/addresses.ts';
import { parseReport } from '../../src/core/review/record.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, fault, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { modelKey } from '../fakes/model-server/start-model.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';
import { type ActionRun, builtFile, runCli } from './harness.ts';
import { outputFiles, reader, review, type Scenario, totalWorld, wrongLineFinding, wrongLineNumber } from './review.ts';

it('a whole run reads like this', async () => {
  const { github, model, run } = await review({ world: totalWorld, start: 'bundle', model: reader });
  const [comment] = github.comments();
  expect(comment).toMatchObject({ path: 'src/total.ts', side: 'RIGHT', line: wrongLineNumber, startLine: null });
  expect(run.annotations).toMatchObject([{ level: 'error', file: 'src/total.ts', line: wrongLineNumber }]);
  const outputs = { outcome: 'findings', action: 'REQUEST_CHANGES', critical: '1', warning: '0', posted: '1' };
  expect([run.code, run.outputs, model.complaints]).toMatchObject([0, outputs, []]);
  const keys = [model.apiKey, github.world.token];
  const everything = JSON.stringify([readableLog(run), run.summary, run.outputs, github.writes()]);
  expect(run.masks).toEqual(expect.arrayContaining(keys));
  expect(keys.filter((key) => everything.includes(key))).toEqual([]);
  const asked = github.requests.map(({ status, method, path }) => readableText(`${status} ${method} ${path}`));
  // The first requests are made side by side.
  expect(asked.toSorted()).toMatchSnapshot('requests to GitHub');
  expect(github.writes().map(({ body }) => readableText(JSON.stringify(body, null, 2)))).toMatchSnapshot(
    'what is posted',
  );
  expect(model.requests.map(({ api, tools, toolChoice }) => ({ api, tools, toolChoice }))).toMatchSnapshot(
    'model calls',
  );
  expect(readableLog(run)).toMatchSnapshot('log');
  expect(readableText(run.summary)).toMatchSnapshot('summary');
  expect(run.outputs).toMatchSnapshot('outputs');
});

const world = {
  base: { 'src/alpha.ts': 'export const alpha = 1;\n', 'web/beta.ts': 'export const beta = 1;\n' },
  head: { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' },
};
const alpha = { path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' };
const beta = { path: 'web/beta.ts', quote: 'export const beta = 333;', title: 'Beta is too large' };
const lost = { path: 'web/beta.ts', quote: 'const gamma = compute(everything);', title: 'Gamma is never read' };

function isOfBeta({ prompt }: NormalisedRequest): boolean {
  return prompt.includes('beta = 333');
}

/** The second batch reads on while the first one ends. */
function besideEachOther(): ModelScript {
  let tellVerified = () => {};
  const alphaIsVerified = new Promise<void>((resolve) => {
    tellVerified = resolve;
  });
  const answersOfBeta = async (_: NormalisedRequest, turn: number) => {
    if (turn === 0) return call('read_file', { path: 'web/beta.ts' });
    await alphaIsVerified;
    return submit([{ ...beta, severity: 'critical' }, ...(turn === 1 ? [lost] : [])]);
  };
  const verification = (request: NormalisedRequest) => {
    if (!isOfBeta(request)) tellVerified();
    return call('submit_verification', { confirmed: [1], drop_suggestion: [], verdicts: [] });
  };
  return { batches: [{ when: isOfBeta, answers: answersOfBeta }], answers: [submit([alpha])], verification };
}

/** Never has enough: reads on until it is offered nothing but the end. */
function hungry(request: NormalisedRequest, turn: number) {
  if (!request.tools.includes('search_text')) return submit(isOfBeta(request) ? [beta] : [alpha]);
  return call('search_text', { pattern: `value${turn}`, path: null, file_pattern: null, regex: false });
}

const one = { 'files-per-batch': '1' };
const wrongKey = { message: 'Incorrect API key provided.', code: 'invalid_api_key' };
const limited = { ...one, 'max-total-tokens': '22000', 'max-tokens': '1000', concurrency: '1' };

it.each<[string, ModelScript | null, Readonly<Record<string, string>>]>([
  ['two batches at once', besideEachOther(), one],
  ['a limit of tokens', hungry, limited],
  ['a key that the server does not take', () => fault(401, { error: wrongKey }), { ...one, concurrency: '1' }],
  ['no key', null, {}],
])('the log of a run with %s reads like this', async (_, model, inputs) => {
  const { run } = await review({ world, model, inputs });
  const lines = readableLog(run)
    .split('\n')
    .filter((line) => !line.startsWith('::debug::'));
  // Which of two requests at once finds the other one's prompt is chance.
  expect(lines.join('\n').replace(/ \([\d,]+ cached\)/g, '')).toMatchSnapshot();
});

/** A log without what changes from run to run, for snapshots. */
function readableLog(run: Pick<ActionRun, 'log'>): string {
  const lines = run.log.split('\n').filter((line) => !line.startsWith('::add-mask::'));
  return readableText(lines.join('\n'));
}

/** Any text without its hashes, times, ports and temporary folders. */
function readableText(text: string): string {
  return (
    text
      .replaceAll(pageLink('reviews.md#declining-a-finding'), '<page>')
      .replace(/\b[0-9a-f]{40}\b/g, '<sha>')
      .replace(/\b[0-9a-f]{64}\b/g, '<signature>')
      // Deflated: what it holds is read in other tests.
      .replace(/(data\\?":\\?")[\w+/=]+/g, '$1<state>')
      .replace(/`[0-9a-f]{7}`/g, '`<sha>`')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '<time>')
      .replace(/\b\d+(?:[.,]\d+)?\s?(?:ms|s|min|seconds?|minutes?)\b/g, '<time>')
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
      .replace(/\/[^\s'"]*postil-[\w-]+/g, '<folder>')
  );
}

const reading = [call('read_file', { path: 'src/total.ts' }), submit([wrongLineFinding])];

it('the files of a run hold the whole review, each in its form, in folders made for them, and no secret', async () => {
  const { inputs, text, json, events } = outputFiles('report-file', 'progress-file', 'sarif-file');
  const { github, model, run } = await review({ world: totalWorld, model: reading, inputs, start: 'bundle' });
  expect(parseReport(json('report-file'))).toMatchObject({
    ok: true,
    value: {
      outcome: 'findings',
      filesReview: [{ path: 'src/total.ts', lines: '4', side: 'RIGHT', title: wrongLineFinding.title }],
      approval: { approved: false, action: 'REQUEST_CHANGES' },
      rawFreeText: null,
      metrics: { iterations: 2, toolCalls: 3 },
    },
  });
  const told = events('progress-file');
  expect(told.filter(({ time }) => Number.isNaN(Date.parse(time)))).toEqual([]);
  const types = ['review-start', 'batches-plan', 'agent-event', 'finding-accept', 'review-end', 'delivery-end'];
  expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(types));
  expect(json('sarif-file')).toMatchObject({
    version: '2.1.0',
    runs: [{ results: [{ locations: [{ physicalLocation: { region: { startLine: 4 } } }] }] }],
  });
  const { 'progress-file': _, ...named } = inputs;
  expect(run.outputs).toMatchObject(named);
  const all = `${text('report-file')}${text('progress-file')}${text('sarif-file')}`;
  expect([all.includes(model.apiKey), all.includes(github.world.token)]).toEqual([false, false]);
});

describe('a file that cannot be written', () => {
  it('costs a warning, and the review is posted anyway', async () => {
    const report = join(temporaryFolder(), 'report.json');
    const inputs = { 'report-file': report, 'progress-file': temporaryFolder() };
    // A folder takes no text, not even of root: the progress has none from the start, the report from the first call on.
    const model: ModelScript = (_, turn) => {
      mkdirSync(report, { recursive: true });
      return reading[turn] ?? submit([]);
    };
    const { github, run } = await review({ world: totalWorld, model, inputs });
    expect(run).toMatchObject({ code: 0, outputs: { outcome: 'findings', 'report-file': '' } });
    expect(github.comments()).toHaveLength(1);
    expect(run.log).toMatch(/The progress could not be written.*The report could not be written/s);
  });

  it('of the runner does not stop the review either', async () => {
    const environment = { GITHUB_STEP_SUMMARY: '', GITHUB_OUTPUT: '' };
    const { github, run } = await review({ world: totalWorld, model: reading, environment, start: 'bundle' });
    expect([run.code, github.comments().length]).toEqual([0, 1]);
  });
});

const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const withSecret = {
  base: totalWorld.base,
  head: { ...totalWorld.head, 'src/key.ts': `const token = '${secret}';\nexport const n = 1;\n` },
};
const read = call('read_file_lines', { path: 'src/total.ts', start_line: 1, end_line: 9 });

async function recorded(world: WorldOptions = totalWorld, how: Pick<Scenario, 'start'> = {}) {
  const path = join(temporaryFolder(), 'deep', 'review.jsonl');
  const { run } = await review({
    ...how,
    world,
    model: {
      answers: [fault(503, 'busy', { 'retry-after': '1' }), read, submit([wrongLineFinding])],
      verification: [call('submit_verification', { confirmed: [1], drop_suggestion: [], verdicts: [] })],
    },
    inputs: { 'transcript-file': path, 'extra-headers': 'X-Secret: very-secret-value', exclude: 'none' },
  });
  return { path, run, text: readFileSync(path, 'utf8') };
}

describe('a run that is recorded', () => {
  it('can be replayed without a model, git or network, and says where it differs when it was changed or cut', async () => {
    const { path, run, text } = await recorded(totalWorld, { start: 'bundle' });
    const replayed = await runCli({ args: ['replay', path], cwd: temporaryFolder(), start: 'bundle' });
    expect([run.outputs['transcript-file'], replayed.code]).toEqual([path, 0]);
    expect(replayed.stdout).toMatch(/The loop reads one past the end\n {2}src\/total\.ts:4/);
    expect(replayed.stderr).toMatch(/attempt 1 failed/);
    const changed = text.replaceAll('reads one past the end', 'reads too far');
    const ended = changed.replace(/"end","outcome":"\w+"/, '"end","outcome":"clean"');
    const cut = `${text.split('\n').slice(0, -3).join('\n')}\n{"type":"call","cal`;
    for (const [other, words] of [
      [ended, /^Differs: The outcome is findings/m],
      [cut, /Differs: The recorded run did not come to its end/],
    ] as const) {
      writeFileSync(path, other);
      const { code, stderr } = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
      expect([code, words.test(stderr)]).toEqual([3, true]);
    }
  });

  it('holds no secret, neither of ours nor of the source: a rule that found one does not find it again', async () => {
    const { path, text, run } = await recorded(withSecret);
    expect(run.masks).toContain('very-secret-value');
    const { stderr } = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
    expect(stderr.match(/^Differs: .*/gm)).toEqual([
      expect.stringMatching(
        /^Differs: The recording hides what was a credential at src\/key\.ts:1, so no rule finds it/,
      ),
    ]);
    expect([modelKey, secret, 'very-secret-value'].filter((one) => text.includes(one))).toEqual([]);
  });
});

it('the demonstration is recorded again from its own answers, when a prompt or the tools have changed', async () => {
  const path = join(temporaryFolder(), 'demo.jsonl');
  copyFileSync(builtFile('demo/transcript.jsonl'), path);
  const asOfOtherPrompts = readFileSync(path, 'utf8').replaceAll(/(?<="model\.answer","key":")\w+/g, 'x');
  writeFileSync(path, asOfOtherPrompts);
  const replayed = async () => (await runCli({ args: ['replay', path], cwd: temporaryFolder() })).code;
  const before = await replayed();
  const said = execFileSync(process.execPath, [builtFile('scripts/renew-demo.ts'), path], { encoding: 'utf8' });
  expect([before, said.includes('asks another prompt'), await replayed()]).toEqual([3, true, 0]);
});

it.each([
  ['a file that does not exist', ['/nowhere/x.jsonl'], "There is no file '/nowhere/x.jsonl'."],
  ['a file that is something else', [builtFile('package.json')], 'is not a transcript'],
  ['a setting', ['--model', 'x'], "replay does not take '--model'"],
])('a replay of %s says what is wrong', async (_what, args, words) => {
  const { code, stderr } = await runCli({ args: ['replay', ...args], cwd: temporaryFolder() });
  expect([code, stderr.includes(words)]).toEqual([2, true]);
});
