import { describe, expect, it } from 'vitest';
import { call, type ScriptedStep } from '../../fakes/scripted-model.ts';
import { eventsOf, reads, runOf, submit, submits } from './agent-with.ts';

const outputs = ({ requests }: Awaited<ReturnType<typeof runOf>>) =>
  requests.map(({ maxOutputTokens }) => maxOutputTokens);
const isUnfinished = (text: string) => text.startsWith('Let me');
const promise = { text: 'Let me check a.ts…' };

it.each<[string, ScriptedStep[]]>([
  ['an empty answer', [{}, {}, submits()]],
  ['a text that is cut', [{ text: 'One and', end: 'length' }, submits()]],
  ['an announcement of work', [promise, submits()]],
])('%s leads to the last call when the iterations are used up', async (_what, script) => {
  const { result } = await runOf(script, { isUnfinished, limits: { maxSteps: script.length - 1 } });
  expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'iterations' }, submitted: true });
});

describe('an empty answer', () => {
  it('is asked for again', async () => {
    const { metrics, agent, requests, submitted } = await runOf([{}, { text: ' \n' }, submits()]);
    expect([submitted, metrics.iterations]).toEqual([true, 3]);
    expect(eventsOf(agent, 'answer-empty').map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(requests[2]).toEqual(requests[0]);
  });

  it('ends the run at the third in a row', async () => {
    const { result, requests } = await runOf([{}, reads('a.ts'), {}, {}, {}], { limits: { maxSteps: 6 } });
    expect(requests).toHaveLength(5);
    expect(result).toMatchObject({ stop: { reason: 'empty-answers' }, text: null });
  });
});

describe('an answer that reached the output limit', () => {
  it('is continued once, and its parts are joined', async () => {
    const { result, requests, agent } = await runOf([{ text: 'One and', end: 'length' }, { text: ' two.' }]);
    expect(result).toMatchObject({ stop: { reason: 'answered' }, text: 'One and two.' });
    expect(requests[1]?.messages.at(-1)?.text).toMatch(/Continue exactly where it stopped/);
    expect(eventsOf(agent, 'answer-truncated')).toHaveLength(1);
  });

  it('is not continued twice', async () => {
    const cut = { text: 'and so on ', end: 'length' } as const;
    const { result } = await runOf([cut, cut]);
    expect(result).toMatchObject({ stop: { reason: 'truncated' }, text: 'and so on and so on ' });
  });

  it('stays as text, with one request to submit, when the iterations are used up', async () => {
    const { text, requests } = await runOf([{ text: 'One and', end: 'length' }, submits()], {
      limits: { maxSteps: 1 },
    });
    const roles = requests[1]?.messages.map(({ role }) => role);
    expect([text, roles]).toEqual(['One and', ['system', 'user', 'assistant', 'user']]);
  });

  it('has its whole calls run, and the cut one named', async () => {
    const half = { name: 'read_file', arguments: '{"path": "b.' };
    const { texts } = await runOf([{ toolCalls: [...reads('a.ts').toolCalls, half], end: 'length' }, submits()]);
    expect(texts[0]).toBe('one\ntwo');
    expect(texts[1]).toMatch(/^your call was cut: read_file reached the output limit\. Call it again, shorter\./);
    expect(texts[2]).toBe('Thank you.');
  });
});

it.each([
  ['refusal', { reason: 'refused', by: 'model' }],
  ['content-filter', { reason: 'refused', by: 'content-filter' }],
] as const)('a %s ends the run, and no call of it is kept', async (end, stop) => {
  const { result } = await runOf([reads('a.ts', { text: 'No.', end })]);
  expect(result).toMatchObject({ stop, text: null, submitted: false });
  expect(result.messages).toHaveLength(2);
});

describe('an announcement of work', () => {
  it('is answered once with the request to do it', async () => {
    const { submitted, requests } = await runOf([promise, reads('a.ts'), submits()], { isUnfinished });
    expect(requests[1]?.messages.at(-1)?.text).toMatch(/^That announces work/);
    expect(submitted).toBe(true);
  });

  it('ends the run the second time', async () => {
    const { stop } = await runOf([promise, { text: 'Let me see…' }], { isUnfinished });
    expect(stop).toEqual({ reason: 'answered' });
  });
});

describe('reasoning that eats the whole output', () => {
  const eaten = { end: 'length' } as const;

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

describe('thoughts that a server leaves in the text', () => {
  const quoted = 'The tag <think>x</think> is open.';
  it.each([
    ['go', '\n<think>Is it one?</think>\nIt is one.', '\nIt is one.'],
    ['stay when they never end: the answer may be in them', '<think>It is one.', '<think>It is one.'],
    ['stay in the middle, where they are quoted', quoted, quoted],
  ])('%s', async (_what, text, expected) => {
    const { result } = await runOf([{ text }]);
    expect(result).toMatchObject({ stop: { reason: 'answered' }, text: expected });
  });

  it('do not hide that nothing was said', async () => {
    const { submitted, agent } = await runOf([{ text: '<think>Well…</think>\n' }, submits()]);
    expect([submitted, eventsOf(agent, 'answer-empty').length]).toEqual([true, 1]);
  });
});

describe('the finishing tool', () => {
  const beside = (...answers: readonly object[]) => ({ toolCalls: answers.map((given) => call('submit', given)) });

  it('is asked to come alone when other calls are beside it', async () => {
    const early = { toolCalls: [...submits('early').toolCalls, ...reads('b.ts').toolCalls] };
    const finish = submit();
    const { texts } = await runOf([early, submits('three')], { finish });
    expect(finish.accepted).toEqual(['three']);
    expect(texts.map((text) => text.split('\n')[0])).toEqual([
      'not run: call submit alone, after you have read the other results.',
      'three',
      'Thank you.',
    ]);
  });

  it('counts once a turn', async () => {
    const finish = submit();
    const { texts } = await runOf([beside({ answer: 'a' }, { answer: 'b' })], { finish });
    expect(finish.accepted).toEqual(['a']);
    expect(texts).toEqual(['Thank you.', 'not run: submit counts once a turn, and the first call was taken.']);
  });

  it('takes the second call of a turn when the first is malformed', async () => {
    const finish = submit();
    await runOf([beside({ reply: 'a' }, { answer: 'b' })], { finish });
    expect(finish.accepted).toEqual(['b']);
  });

  it('hands its text back when it does not accept, and the loop goes on', async () => {
    const finish = submit(['bad']);
    const { stop, texts } = await runOf([submits('bad'), submits('good')], { finish });
    expect([finish.accepted, stop]).toEqual([['good'], { reason: 'submitted' }]);
    expect(texts[0]).toContain('"bad" is no answer.');
  });
});

describe('a submission that was cut at the output limit', () => {
  const half = { toolCalls: [{ name: 'submit', arguments: '{"answer": "on' }], end: 'length' } as const;
  const rest = submits('two');

  /** A finishing tool that takes what is there with `take`. */
  function taking(take: () => Promise<string | null>) {
    const taken: string[] = [];
    const takeCut = (text: string) => {
      taken.push(text);
      return take();
    };
    return { finish: { ...submit(), takeCut }, taken };
  }

  it('may come again in the last call', async () => {
    const { submitted, texts } = await runOf([reads('a.ts'), half, rest], { limits: { maxSteps: 1 } });
    expect(texts[1]).toMatch(/^your call was cut: submit/);
    expect(submitted).toBe(true);
  });

  it('is taken as far as it goes, and the rest is asked for', async () => {
    const { finish, taken } = taking(async () => 'Taken: one. Send the rest.');
    const { result, texts } = await runOf([half, rest], { finish });
    expect(taken).toEqual(['{"answer": "on']);
    expect(result).toMatchObject({ stop: { reason: 'submitted' }, metrics: { tools: { submit: { calls: 1 } } } });
    expect(texts[0]).toMatch(/^Taken: one\. Send the rest\.\n\n\[budget: /);
  });

  it('is taken in the last call too, which then follows once more', async () => {
    const { finish } = taking(async () => 'Taken: one. Send the rest.');
    const { result, texts } = await runOf([half, rest], { finish, limits: { maxSteps: 0 } });
    expect(result).toMatchObject({ submitted: true, metrics: { modelCalls: 2, iterations: 0 } });
    expect(texts).toEqual(['Taken: one. Send the rest.', 'Thank you.']);
  });

  it.each<[what: string, take: () => Promise<string | null>, expected: RegExp]>([
    ['nothing in it is complete', async () => null, /^your call was cut: submit reached the output limit\./],
    ['it cannot be taken', () => Promise.reject(new Error('no source')), /^submit failed: no source\./],
  ])('is asked for again when %s', async (_what, take, expected) => {
    const { texts, metrics } = await runOf([half, rest], { finish: taking(take).finish });
    expect(texts[0]).toMatch(expected);
    expect(metrics).toMatchObject({ toolCalls: 1, tools: { submit: { calls: 1 } } });
  });

  it('is finished as usual when only what follows it was cut', async () => {
    const { finish, taken } = taking(async () => 'never');
    const { submitted } = await runOf([{ ...rest, end: 'length' }], { finish });
    expect([submitted, taken]).toEqual([true, []]);
  });
});
