import { describe, expect, it } from 'vitest';
import { call, type ScriptedStep } from '../../fakes/scripted-model.ts';
import { eventsOf, opening, reads, runOf, submit, submits } from './agent-with.ts';

const outputs = ({ requests }: Awaited<ReturnType<typeof runOf>>) =>
  requests.map(({ maxOutputTokens }) => maxOutputTokens);
const isUnfinished = (text: string) => text.startsWith('Let me');
const partly = { text: 'One and', end: 'length' } as const;
const eaten = { end: 'length' } as const;
const answered = { reason: 'answered' };
const quoted = 'The tag <think>x</think> is open.';
const endless = '<think>It is one.';

const no = { text: 'No.', toolCalls: reads('a.ts').toolCalls };
const refused = (by: string) => ({ stop: { reason: 'refused', by }, submitted: false, text: null, messages: opening });

it.each<[string, ScriptedStep[], object]>([
  ['a text', [{ text: 'One and two.' }], { stop: answered, submitted: false, text: 'One and two.' }],
  ['the rest of a text that was cut', [partly, { text: ' two.' }], { stop: answered, text: 'One and two.' }],
  ['a refusal, of which no call is kept', [{ ...no, end: 'refusal' }], refused('model')],
  ['what is said behind thoughts', [{ text: '\n<think>Is it?</think>\nIt is.' }], { stop: answered, text: '\nIt is.' }],
  ['thoughts without an end, as the answer may be in them', [{ text: endless }], { stop: answered, text: endless }],
  ['thoughts that are quoted in the middle', [{ text: quoted }], { stop: answered, text: quoted }],
])('a run ends with %s', async (_what, script, expected) => {
  const { result } = await runOf(script, { isUnfinished, limits: { maxSteps: 6 } });
  expect(result).toMatchObject({ ...expected, metrics: { modelCalls: script.length } });
});

it.each<[string, ScriptedStep]>([
  ['an empty answer', {}],
  ['white space', { text: ' \n' }],
  ['thoughts alone', { text: '<think>Well…</think>\n' }],
])('%s is asked for again with the same request', async (_what, nothing) => {
  const { agent, requests, submitted, metrics } = await runOf([nothing, nothing, submits()]);
  expect([submitted, metrics.iterations, requests[2]]).toEqual([true, 3, requests[0]]);
  expect(eventsOf(agent, 'answer-empty').map(({ attempt }) => attempt)).toEqual([1, 2]);
});

describe('an answer that reached the output limit', () => {
  it('has its whole calls run, and the cut one named', async () => {
    const half = { name: 'read_file', arguments: '{"path": "b.' };
    const { texts } = await runOf([{ toolCalls: [...reads('a.ts').toolCalls, half], end: 'length' }, submits()]);
    const cut = /^your call was cut: read_file reached the output limit\. Call it again, shorter\./;
    expect(texts).toEqual(['one\ntwo', expect.stringMatching(cut), 'Thank you.']);
  });
});

describe('reasoning that eats the whole output', () => {
  it.each([
    ['an iteration', 5, [1_000, 2_000]],
    ['the last call', 0, [2_000, 4_000]],
  ])('gets twice the room once in %s, and is the reason when it does so again', async (_where, maxSteps, expected) => {
    const ran = await runOf([eaten, submits()], { limits: { maxSteps } });
    expect([ran.submitted, ran.text, outputs(ran)]).toEqual([true, null, expected]);
    expect(eventsOf(ran.agent, 'answer-truncated')).toHaveLength(1);
    const { stop } = await runOf([eaten, eaten], { limits: { maxSteps } });
    expect(stop).toEqual({ reason: 'truncated', by: 'reasoning' });
  });

  it('is asked again with the same room when more of it cannot be paid', async () => {
    const given = { within: { maxTokens: 4_000 }, limits: { maxSteps: 0 } };
    const ran = await runOf([eaten, eaten, submits()], given);
    expect([outputs(ran), ran.submitted]).toEqual([[2_000, 2_000, 2_000], true]);
    expect(ran.agent.budget.spent).toBeLessThanOrEqual(4_000);
  });

  it('is known by thoughts that were cut in the text', async () => {
    const ran = await runOf([{ text: '<think>Let me see', ...eaten }, submits()]);
    expect([outputs(ran), ran.submitted, ran.text]).toEqual([[1_000, 2_000], true, null]);
  });
});

describe('the finishing tool', () => {
  const beside = (...answers: readonly object[]) => ({ toolCalls: answers.map((given) => call('submit', given)) });
  const early = { toolCalls: [...submits('early').toolCalls, ...reads('b.ts').toolCalls] };
  const notAlone = 'not run: call submit alone, after you have read the other results.';
  const together = 'taken with the first call.';
  const invalid = "The arguments of submit are not valid: the value must have required property 'answer'.";
  const no = '"bad" is no answer.';
  const yes = 'Thank you.';

  it.each<[string, ScriptedStep[], accepted: string, texts: string[]]>([
    ['is asked to come alone', [early, submits('three')], 'three', [notAlone, 'three', yes]],
    ['takes all calls of a turn as one', [beside({ answer: 'a' }, { answer: 'b' })], 'a, b', [yes, together]],
    [
      'does not end while one of its calls cannot be read',
      [beside({}, { answer: 'b' }), submits('c')],
      'b; c',
      [invalid, yes, yes],
    ],
    ['hands its text back until it accepts', [submits('bad'), submits('good')], 'good', [no, yes]],
  ])('%s', async (_what, script, accepted, expected) => {
    const finish = submit(['bad']);
    const { texts, stop } = await runOf(script, { finish });
    expect([finish.accepted.join('; '), stop]).toEqual([accepted, { reason: 'submitted' }]);
    expect(texts.map((text) => text.split('\n')[0])).toEqual(expected);
  });
});

describe('a submission that was cut at the output limit', () => {
  const half = { toolCalls: [{ name: 'submit', arguments: '{"answer": "on' }], end: 'length' } as const;
  const fails = () => Promise.reject(new Error('no source'));
  const again = /^your call was cut: submit reached the output limit\. Call it again, shorter\./;

  it.each<[string, ((text: string) => Promise<string | null>) | null, maxSteps: number, told: RegExp]>([
    ['may come again in the last call', null, 0, again],
    ['is asked for again when nothing in it is complete', async () => null, 5, again],
    ['is asked for again when it cannot be taken', fails, 5, /^submit failed: no source\./],
  ])('%s', async (_what, takeCut, maxSteps, told) => {
    const finish = { ...submit(), ...(takeCut && { takeCut }) };
    const { submitted, texts, metrics } = await runOf([half, submits('two')], { finish, limits: { maxSteps } });
    expect(texts).toEqual([expect.stringMatching(told), 'Thank you.']);
    expect([submitted, metrics.modelCalls, metrics.toolCalls]).toEqual([true, 2, 1]);
  });

  it('is finished as usual when only what follows it was cut', async () => {
    const finish = { ...submit(), takeCut: fails };
    const { submitted, texts } = await runOf([{ ...submits('two'), end: 'length' }], { finish });
    expect([submitted, texts]).toEqual([true, ['Thank you.']]);
  });
});
