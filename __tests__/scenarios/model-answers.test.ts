import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import {
  type Answer,
  type Answers,
  broken,
  call,
  calls,
  fault,
  type MessageAnswer,
  say,
  submit,
} from '../fakes/model-server/script.ts';
import { review, totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './review.ts';

const good = submit([wrongLineFinding]);
const submission = JSON.stringify(good.calls[0]?.arguments);
const cut = (answer: MessageAnswer): MessageAnswer => ({ ...answer, end: 'length' });
const read = { name: 'read_file', arguments: { path: 'src/total.ts' } };

/** What a model may do wrong and mend when it is told: the next answer follows only when it was told so. */
const fixed: readonly (readonly [string, Answer, string, RegExp])[] = [
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
  it.each(fixed)('that %s gets an answer, and goes on', async (_, first, tool, words) => {
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

describe('model faults', () => {
  const good = submit([wrongLineFinding]);

  function refused(message: string, rest: Readonly<Record<string, string>> = {}) {
    return { error: { message, type: 'invalid_request_error', param: null, code: null, ...rest } };
  }

  const passing: readonly (readonly [string, Answer])[] = [
    ['a page of a proxy', fault(502, '<html><head><title>Bad gateway</title></head></html>')],
    ['an error inside a 200', fault(200, refused('Overloaded.', { type: 'server_error' }))],
    ['empty choices', fault(200, { id: 'x', status: 'completed', choices: [], output: [] })],
    ['no content', { kind: 'message', text: null, calls: [] }],
    ['a connection that breaks', broken('reset')],
    ['an answer that is cut', fault(200, '{"id": "x", "choices": [{"mess', { 'content-type': 'application/json' })],
    ['a rate limit', fault(429, refused('Slow down.', { type: 'requests' }), { 'retry-after': '1' })],
  ];

  const lasting: readonly (readonly [string, Answer, string])[] = [
    [
      'the quota is used up',
      fault(429, refused('You exceeded your current quota.', { code: 'insufficient_quota' })),
      'Add credit',
    ],
    [
      'the key is wrong',
      fault(401, refused('Incorrect API key provided: scripted************7890.', { code: 'invalid_api_key' })),
      '`api-key`',
    ],
    ['the key may not', fault(403, refused('Your project has no access.')), '`api-key`'],
    ['the address is a web site', fault(200, '<html><head><title>Welcome</title></head></html>'), '`base-url`'],
    ['the model refuses', { ...say('I cannot help with that.'), end: 'refusal' }, 'refused to answer'],
    ['a content filter stops it', { ...say(''), end: 'content-filter' }, 'content filter'],
  ];

  describe.each(['chat', 'responses'])('over %s,', (api) => {
    it.each(passing)('%s passes, and the review is held', async (_, first) => {
      const { github, model, run } = await review({
        world: totalWorld,
        model: (_request, turn) => (turn === 0 ? first : good),
        inputs: { api },
      });
      expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
      // The one that passes, the review, its verification.
      expect([run.outputs['outcome'], model.attempts.length, model.complaints]).toEqual(['findings', 3, []]);
    });

    it.each(lasting)('when %s, the run fails at the first attempt and says why', async (_, answer, words) => {
      const { github, model, run } = await review({ world: totalWorld, model: () => answer, inputs: { api } });
      expect([run.outputs['outcome'], run.code, model.attempts.length, github.writes()]).toEqual(['failed', 1, 1, []]);
      expect(run.annotations.map(({ message }) => message).join()).toContain(words);
      expect([run.log.includes('<html'), run.log.includes('7890.')]).toEqual([false, false]);
    });
  });
});

const names = Array.from({ length: 4 }, (_, index) => `part${index}`);
const files = (value: number) =>
  Object.fromEntries(names.map((name) => [`src/${name}.ts`, `export const ${name} = ${value};\n`]));
const world = { base: files(1), head: files(2) };

/** How many requests had come when the first answer went out, and how many came in all. */
async function beforeFirstAnswer(batches: number): Promise<readonly [number, number]> {
  let asked = 0;
  let early = 0;
  const answers = async () => {
    asked += 1;
    if (asked > 1) return submit([]);
    // Of two, the second comes for certain; of more, none does, however long one waits.
    for (let waits = 0; waits < 10 || (batches === 2 && asked < 2); waits += 1) await sleep(20);
    early = asked;
    return submit([]);
  };
  await review({ world, model: answers, inputs: { 'files-per-batch': `${names.length / batches}` } });
  return [early, asked];
}

describe('the first batch', () => {
  it('of more than two has its prompt at the server before the others start', async () => {
    expect(await beforeFirstAnswer(4)).toEqual([1, 4]);
  });

  it('of two does not make the other wait', async () => {
    expect(await beforeFirstAnswer(2)).toEqual([2, 2]);
  });

  it('begins like the others, byte for byte, up to its own diff', async () => {
    const { model } = await review({ world, model: () => submit([]), inputs: { 'files-per-batch': '1' } });
    const beginnings = model.requests.map(
      (request: NormalisedRequest) => request.prompt.split('# Review these files')[0],
    );
    expect([model.requests.length, new Set(beginnings).size]).toEqual([4, 1]);
  });
});
