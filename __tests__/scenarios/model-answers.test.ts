import { describe, expect, it } from 'vitest';
import {
  type Answer,
  type Answers,
  call,
  calls,
  type MessageAnswer,
  say,
  submit,
} from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

const good = submit([wrongLineFinding]);
const submission = JSON.stringify(good.calls[0]?.arguments);
const cut = (answer: MessageAnswer): MessageAnswer => ({ ...answer, end: 'length' });
const read = { name: 'read_file', arguments: { path: 'src/total.ts' } };

/** What a model may do wrong and mend when it is told: the next answer follows only when it was told so. */
const mended: readonly (readonly [string, Answer, string, RegExp])[] = [
  [
    'calls a tool that does not exist',
    call('read_files', { path: 'src/total.ts' }),
    'read_files',
    /Did you mean read_file\?/,
  ],
  ['writes arguments that are no JSON', call('read_file', '{"path": '), 'read_file', /not valid JSON/],
  ['leaves an argument out', call('read_file', {}), 'read_file', /path/],
  [
    'is cut in the middle of its submission',
    cut(call('submit_review', submission.slice(0, 200))),
    'submit_review',
    /was cut/,
  ],
  ['is cut behind a whole call', cut(calls(read, { ...read, arguments: '{"pa' })), 'read_file', /was cut/],
  [
    'nests its arguments 10,000 levels deep',
    call('read_file', `{"path":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
    'read_file',
    /nested more than 200 levels deep/,
  ],
  [
    'makes 40,000 calls at once',
    calls(...Array.from({ length: 40_000 }, (_, index) => ({ name: 'read_file', arguments: { path: `f${index}` } }))),
    'read_file',
    /you made 40,000 calls at once: only the first 128 were taken/,
  ],
  ['asks for a denied file', call('read_file', { path: '.env' }), 'read_file', /denied/],
  ['asks for a file outside', call('read_file', { path: '../../etc/passwd' }), 'read_file', /denied|outside|\.\./],
];

it('a model is not shown a denied file that the change renames', async () => {
  const secrets = Array.from({ length: 30 }, (_, index) => `NAME_${index}=word ${index}`);
  const { model, run } = await review({
    world: {
      base: { ...totalWorld.base, 'deploy/.env': `${secrets.join('\n')}\n` },
      head: { ...totalWorld.head, 'deploy/.env': null, 'docs/settings.txt': `${secrets.join('\n')}\nmore\n` },
    },
    model: (request, turn) => {
      if (turn === 0) return call('read_file', { path: 'docs/settings.txt' });
      return /it comes from deploy\/\.env, which may not be read/.test(request.lastResult('read_file'))
        ? good
        : submit([]);
    },
  });
  expect([
    [run.outputs['findings'], run.outputs['unread']],
    model.requests.some((request) => JSON.stringify(request).includes('NAME_7')),
  ]).toEqual([['1', '1'], false]);
});

describe.each(['chat', 'responses'])('over %s, a model', (api) => {
  it.each(mended)('that %s is told, and goes on', async (_, first, tool, words) => {
    const answers: Answers = (request, turn) => {
      if (turn === 0) return first;
      return words.test(request.lastResult(tool)) ? good : submit([]);
    };
    // In pieces so many calls are more than Postil reads of an answer.
    const inputs = { api, stream: String(!words.source.includes('40,000')) };
    const { github, model, run } = await review({ world: totalWorld, model: answers, inputs });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['outcome'], model.complaints]).toEqual(['findings', []]);
  });

  it.each<[string, (turn: number) => Answer]>([
    ['repeats the ids of its calls', () => calls({ ...read, id: 'x' }, { ...read, id: 'x' })],
    ['gives its calls no ids', () => calls({ ...read, id: '' })],
  ])('that %s gets every answer', async (_, first) => {
    const { github, model } = await review({
      world: totalWorld,
      model: (request, turn) => {
        if (turn < 2) return first(turn);
        return request.results('read_file').every((text) => text.includes(wrongLine.trim())) ? good : submit([]);
      },
      inputs: { api },
    });
    expect([github.comments().length, model.requests.length, model.complaints]).toEqual([1, 3, []]);
  });

  it('whose text is cut may continue it, once', async () => {
    const answers = (_: unknown, turn: number) =>
      turn === 0 ? cut(say(submission.slice(0, 100))) : say(submission.slice(100));
    const { github, run } = await review({ world: totalWorld, model: answers, inputs: { api } });
    expect([run.outputs['outcome'], github.comments().length]).toEqual(['findings', 1]);
  });

  it('whose text is cut twice has held a part of a review, whatever is extracted from it', async () => {
    const answers = (_: unknown, turn: number) => (turn < 2 ? cut(say('The loop reads one past the end, and')) : good);
    const { github, run } = await review({ world: totalWorld, model: answers, inputs: { api } });
    expect([run.outputs['outcome'], github.comments().length]).toEqual(['partial', 1]);
    expect(run.summary).toContain('cut off at the output limit');
  });

  it('whose thinking ate the whole answer may write more, once', async () => {
    const answers = (_: unknown, turn: number) => (turn === 0 ? cut(say('')) : good);
    const { model, run } = await review({ world: totalWorld, model: answers, inputs: { api } });
    const [first = 0, second] = model.requests.map(({ maxOutputTokens }) => maxOutputTokens ?? 0);
    expect([run.outputs['outcome'], second]).toEqual(['findings', 2 * first]);
  });

  it.each<[string, Answer, string, string]>([
    ['gives empty answers', say(''), 'failed', 'empty answers'],
    ['announces what it will do', say('Let me check the file.'), 'partial', 'were not reviewed'],
    ['says it without submitting it', say('The loop reads past the end.'), 'partial', 'The loop reads past the end.'],
  ])('that only ever %s has reviewed nothing, and the run says so', async (_, answer, outcome, words) => {
    const { github, run } = await review({ world: totalWorld, model: () => answer, inputs: { api } });
    expect([run.outputs['outcome'], run.outputs['approved'], github.comments()]).toEqual([outcome, 'false', []]);
    expect(run.summary).toContain(words);
  });
});

it('the same call again and again closes the tools, and what was found is delivered', async () => {
  const base = Object.fromEntries(['a', 'b', 'c'].map((name) => [`src/${name}.ts`, `export const ${name} = 1;\n`]));
  const head = { ...totalWorld.head, ...Object.fromEntries(Object.keys(base).map((path) => [path, 'export {};\n'])) };
  const { github, model, run } = await review({
    world: { base: { ...totalWorld.base, ...base }, head },
    model: (request) => (request.tools.includes('read_file') ? call(read.name, read.arguments) : good),
  });
  expect([model.requests.length, model.requests.at(-1)?.tools]).toEqual([7, ['submit_review']]);
  expect([run.outputs['outcome'], run.outputs['stop-reason'], github.comments().length]).toEqual([
    'partial',
    'repeated-calls',
    1,
  ]);
});
