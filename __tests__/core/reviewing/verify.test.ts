import { describe, expect, it } from 'vitest';
import { Meter } from '../../../src/core/agent/meter.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { type Message, verbatim } from '../../../src/core/messages/message.ts';
import { imagePart } from '../../fakes/images.ts';
import { changedFile, FakeClock } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel, type ScriptedStep } from '../../fakes/scripted-model.ts';
import { budgetOf, readFile } from '../agent/agent-with.ts';
import { hunk } from '../findings/make.ts';
import { answer, claim, type Verdicts, verify, wrong } from './verifying.ts';

const idsOf = ({ findings }: { findings: readonly { id: string }[] }) => findings.map(({ id }) => id);

/** A message in English; null where there is none. */
function wordsOf(message: Message | null | undefined): string | null {
  return message ? inEnglish(message) : null;
}

describe('a verification', () => {
  it('dismisses a false finding by a line that proves it wrong', async () => {
    const model = new ScriptedModel(answer({ verdicts: [wrong] }));
    const disproved = [{ suppressed: { reason: verbatim('Guarded.') } }];
    expect(await verify([claim()], model)).toMatchObject({ findings: [], disproved, note: null });
  });

  it.each([
    ['is not in the source', { quote: 'if (items.length < 1) return 0;' }],
    ['is in a file that may not be read', { path: '.env', quote: 'TOKEN=1' }],
    ['is in no file', { path: 'src/none.ts' }],
    ['is empty', { quote: ' \n' }],
    ['is a bracket', { quote: '}' }],
    ['is a comment', { quote: '// The last price, or nothing.' }],
    ['is the wrong line itself', { quote: 'return items[items.length - 1].price;' }],
    ['is prose', { path: 'README.md', quote: 'The cart is never empty.' }],
    ['comes without a reason', { result: ' ' }],
  ])('refuses a dismissal whose quote %s, asks once more, and keeps the finding', async (_what, change) => {
    const refused = answer({ verdicts: [{ ...wrong, ...change }] });
    const model = new ScriptedModel(refused, refused);
    const verified = await verify([claim()], model);
    expect([idsOf(verified), verified.disproved, model.requests.length]).toEqual([['f1'], [], 2]);
    expect(model.requests[1]?.messages.at(-1)?.text).toMatch(/^Not dismissed: #1: /);
  });

  it('lets a true finding survive: confirmed, or not mentioned at all', async () => {
    const findings = [claim(), claim({ id: 'f2' })];
    const verified = await verify(findings, new ScriptedModel(answer({ confirmed: [1] })));
    const kept = [claim({ verification: 'confirmed' }), claim({ id: 'f2' })];
    expect([verified.findings, verified.confirmed, verified.disproved]).toEqual([kept, 1, []]);
    expect(wordsOf(verified.note)).toBe('Not all findings were verified: no verdict on 1 finding.');
  });

  it('sees the images that the findings are about, each once', async () => {
    const about = (id: string) => claim({ id, path: 'logo.png', anchor: { kind: 'file' } });
    const model = new ScriptedModel(answer({ confirmed: [1, 2] }));
    const logo = [imagePart('logo.png before'), imagePart('logo.png after')];
    await verify([about('f1'), about('f2'), claim({ id: 'f3' })], model, { images: { 'logo.png': logo } });
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({
      text: expect.stringMatching(/images>\n1\. logo\.png before\n2\. logo\.png after\n<\/untrusted/),
      images: logo,
    });
  });

  const unknown = [
    { ...wrong, finding: 7 },
    { ...wrong, finding: 0 },
    { ...wrong, finding: { toString: null } },
  ];
  it.each<[string, Verdicts]>([
    ['what is confirmed too', { confirmed: [1], verdicts: [wrong] }],
    ['what does not exist', { verdicts: unknown, confirmed: ['x', -1, { toString: null }] }],
    ['what is called wrong in a word of its own', { verdicts: [{ ...wrong, verdict: 'incorrect' }] }],
  ])('does not dismiss %s', async (_what, given) => {
    expect(idsOf(await verify([claim()], new ScriptedModel(answer(given))))).toEqual(['f1']);
  });

  it('takes out what a line proves wrong, and what was there before', async () => {
    const old = { verdict: 'old', result: 'Empty carts throw, as before.' };
    const model = new ScriptedModel(answer({ verdicts: [wrong, old] }));
    const { disproved } = await verify([claim(), claim({ id: 'f2' })], model);
    expect(disproved.map(({ id, suppressed }) => [id, wordsOf(suppressed?.reason), suppressed?.by])).toEqual([
      ['f1', 'Guarded.', 'verification'],
      ['f2', 'Empty carts throw, as before.', 'already-there'],
    ]);
  });

  it.each<[string, Partial<Finding>]>([
    ['a new file as a whole', { anchor: { kind: 'file' } }],
    [
      'a place that was not found',
      { path: 'src/none.ts', anchor: { kind: 'file' }, unplaced: { reason: verbatim('Lost.'), quote: 'a' } },
    ],
  ])('keeps what is said to have been there before on %s', async (_, where) => {
    const verified = await verify([claim(where)], new ScriptedModel(answer({ verdicts: [{ verdict: 'old' }] })), {
      files: [changedFile('src/cart.ts', { status: 'added' })],
    });
    expect(idsOf(verified)).toEqual(['f1']);
  });

  const onHead = { side: 'RIGHT', lines: '1', shows: 'it' } as const;
  const other = '  return items.at(-1)?.price ?? 0;';
  const { suggestion } = claim();
  const said = (entry: object): Verdicts => ({ verdicts: [entry] });
  it.each<[string, Verdicts, object]>([
    ['confirmed by its number', { confirmed: ['#1'] }, { verification: 'confirmed', severity: 'critical', suggestion }],
    [
      'confirmed, its suggestion withdrawn',
      { confirmed: [1], drop_suggestion: [1] },
      { verification: 'confirmed', suggestion: null },
    ],
    [
      'not decided, its suggestion withdrawn',
      { drop_suggestion: [1] },
      { verification: 'undecided', suggestion: null },
    ],
    [
      'true, with another suggestion',
      said({ verdict: 'critical', suggestion: other }),
      { verification: 'confirmed', suggestion: other },
    ],
    [
      'true in other words',
      said({ verdict: 'critical', review: 'For empty carts.' }),
      { verification: 'confirmed', severity: 'critical', review: 'For empty carts.', title: claim().title },
    ],
    ['not worth fixing', said({ verdict: 'nitpick' }), { severity: 'nitpick', suggestion }],
    ['less severe', said({ verdict: 'Minor' }), { severity: 'info', verification: 'confirmed' }],
    ['old, on a line of the change', said({ verdict: 'old' }), { verification: 'confirmed' }],
    ['undecided', said({ verdict: 'undecided' }), { verification: 'undecided', severity: 'critical' }],
    [
      'wrong, by the quote alone',
      said({ ...wrong, path: null }),
      { suppressed: { by: 'verification', reason: verbatim('Guarded.') } },
    ],
    ['wrong, without a quote', said({ ...wrong, quote: null }), { verification: 'undecided' }],
  ])('takes an answer: %s', async (_what, given, expected) => {
    const model = new ScriptedModel(answer(given), answer(given));
    const files = [changedFile('src/cart.ts', { hunks: [hunk({ old: 4, new: 4 }, '+  return 1;')] })];
    const { findings, disproved } = await verify([claim()], model, { files });
    expect([...findings, ...disproved]).toMatchObject([expected]);
  });

  it('adds no suggestion where none was made', async () => {
    const model = new ScriptedModel(answer(said({ verdict: 'critical', suggestion: other })));
    const { findings } = await verify([claim({ suggestion: null })], model);
    expect(findings).toMatchObject([{ suggestion: null, verification: 'confirmed' }]);
  });

  it.each<[string, readonly object[]]>([
    ['real in other words, then wrong', [{ verdict: 'critical', review: 'For empty carts.' }, wrong]],
    ['wrong, then real and less severe', [wrong, { verdict: 'warning' }]],
    ['undecided, then wrong', [{ verdict: 'undecided' }, wrong]],
    ['wrong, then undecided', [wrong, { verdict: 'perhaps' }]],
  ])('keeps what is said to be %s', async (_, given) => {
    const verdicts = given.map((one) => ({ ...one, finding: 1 }));
    expect(idsOf(await verify([claim()], new ScriptedModel(answer({ verdicts }))))).toEqual(['f1']);
  });

  it('does not ask about what a rule found, and costs nothing then', async () => {
    const model = new ScriptedModel();
    const meter = new Meter();
    const verified = await verify([claim({ source: 'rule', ruleId: 'x' })], model, { agent: { meter } });
    expect([idsOf(verified), meter.metrics.modelCalls, model.requests]).toEqual([['f1'], 0, []]);
  });

  it('shows the claim with the source around it and what its evidence names, and nothing else', async () => {
    const model = new ScriptedModel(answer({}));
    const citations = ['src/checkout.ts', '.env', 'src/none.ts'].map((path) => ({ ...onHead, path }));
    await verify([claim({ citations })], model);
    const { messages = [], tools } = model.requests[0] ?? {};
    const user = messages[1];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(tools?.map(({ name }) => name)).toEqual(['submit_verification']);
    expect(user?.text).toMatch(
      /<untrusted-[0-9a-f]{16} finding #1>[\s\S]*3 \| {3}if \(items\.length === 0\) return 0;[\s\S]*src\/checkout\.ts \(not changed\):\n {3}1 \| total\(last\(cart\)\);/,
    );
    expect(user?.text).not.toMatch(/TOKEN=1|none\.ts/);
    expect(user?.text).toContain(`Suggested for these lines:\n${claim().suggestion}`);
  });

  it('asks for many findings in several calls of the same beginning', async () => {
    const findings = Array.from({ length: 60 }, (_, index) => claim({ id: `f${index}` }));
    const model = new ScriptedModel(answer({}), answer({}), answer({ verdicts: [{ ...wrong, finding: 10 }] }));
    const verified = await verify(findings, model);
    expect([model.requests.length, verified.disproved.map(({ id }) => id)]).toEqual([3, ['f59']]);
  });
});

describe('a verifier that reads on', () => {
  const reads = { toolCalls: [call('read_file_lines', { path: 'a.ts', side: null })] };
  const tools = [
    { ...readFile(async () => 'what decides'), name: 'read_file_lines', verifies: true },
    { ...readFile(), name: 'list_files' },
  ];
  const names = ({ requests }: ScriptedModel) => requests.map((request) => request.tools.map(({ name }) => name));
  const both = ['read_file_lines', 'submit_verification'];

  it('may do so twice, with few tools, and then has to answer', async () => {
    const model = new ScriptedModel(reads, reads, answer({ confirmed: [1] }));
    const meter = new Meter();
    const verified = await verify([claim()], model, { agent: { tools, meter } });
    const { iterations, toolCalls, phases } = meter.metrics;
    expect([names(model), verified.confirmed, verified.note]).toEqual([[both, both, ['submit_verification']], 1, null]);
    expect([iterations, toolCalls, phases['verification']?.modelCalls]).toEqual([0, 3, 3]);
    expect(model.requests[1]?.messages.at(-1)?.text).toMatch(/^what decides\n\n\[budget: 1 of 2 iterations left/);
  });

  const ends = ['submit_verification'];
  const saying = { text: 'It is true.' };

  it.each<[string, readonly ScriptedStep[], Parameters<typeof budgetOf>[1], readonly (readonly string[])[]]>([
    ['answers at once where it needs nothing more', [], {}, [both]],
    ['is asked for its answer when it says something else', [saying], {}, [both, ends]],
    ['reads nothing without time for it, and verifies at once', [], { softDeadline: 0 }, [ends]],
  ])('%s', async (_what, before, within, offered) => {
    const model = new ScriptedModel(...before, answer({ confirmed: [1] }));
    const agent = { tools, budget: budgetOf(new FakeClock(), within) };
    expect([(await verify([claim()], model, { agent })).confirmed, names(model)]).toEqual([1, offered]);
  });
});

describe('a verification that cannot be made', () => {
  it.each([
    ['the server refuses', new ModelError('quota', 'No quota left.'), /No quota left/],
    ['the model refuses', { text: 'No.', end: 'refusal' } as const, /refused to answer/],
  ])('leaves everything as it is, and says so: %s', async (_what, step, words) => {
    const verified = await verify([claim()], new ScriptedModel(step), { mustConfirm: new Set(['f1']) });
    expect([verified.findings, verified.disproved]).toEqual([[claim()], []]);
    expect(wordsOf(verified.note)).toMatch(words);
  });
});

it('a finding that one of several passes made is kept only when it is confirmed', async () => {
  const findings = [claim(), claim({ id: 'f2' }), claim({ id: 'f3' })];
  const model = new ScriptedModel(answer({ confirmed: [3] }));
  const { findings: kept, disproved } = await verify(findings, model, { mustConfirm: new Set(['f1', 'f3']) });
  const reason = { code: 'suppressed.one-pass' };
  expect([kept, disproved]).toMatchObject([[{ id: 'f2' }, { id: 'f3' }], [{ suppressed: { reason } }]]);
});
