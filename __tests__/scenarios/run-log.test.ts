import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, fault, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { readableLog } from './runner/readable-log.ts';

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
    return call('submit_verification', { confirmed: [1], dismissed: [], adjusted: [] });
  };
  return { batches: [{ when: isOfBeta, answers: answersOfBeta }], answers: [submit([alpha])], verification };
}

/** Never has enough: reads on until it is offered nothing but the end. */
function hungry(request: NormalisedRequest, turn: number) {
  if (!request.tools.includes('search_text')) return submit(isOfBeta(request) ? [beta] : [alpha]);
  return call('search_text', { pattern: `value${turn}`, path: null, file_pattern: null, regex: false });
}

function wrongKey() {
  const error = { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' };
  return fault(401, { error });
}

const one = { 'files-per-batch': '1' };
const limited = { ...one, 'max-total-tokens': '22000', 'max-tokens': '1000', concurrency: '1' };

describe('the log of a run', () => {
  it.each<[string, ModelScript | null, Readonly<Record<string, string>>]>([
    ['two batches at once', besideEachOther(), one],
    ['a limit of tokens', hungry, limited],
    ['a key that the server does not take', wrongKey, { ...one, concurrency: '1' }],
    ['no key', null, {}],
  ])('with %s reads like this', async (_, model, inputs) => {
    const { run } = await review({ world, model, inputs });
    const lines = readableLog(run)
      .split('\n')
      .filter((line) => !line.startsWith('::debug::'));
    // Which of two requests at once finds the other one's prompt is chance.
    expect(lines.join('\n').replace(/ \([\d,]+ cached\)/g, '')).toMatchSnapshot();
  });
});
