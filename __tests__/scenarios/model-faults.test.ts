import { describe, expect, it } from 'vitest';
import { type Answer, broken, fault, say, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { totalWorld, wrongLineFinding, wrongLineNumber } from './total-world.ts';

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
