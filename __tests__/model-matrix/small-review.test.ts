import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { at, listAt } from '../fakes/every-pair.ts';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { byText, review } from './adapters.ts';
import { faultMatrix } from './matrix.ts';

const path = 'src/basket.ts';
const defect = '  if (total > limit) return total;';
const filler = (index: number) => `  const price${index} = prices[${index}] ?? defaultPrice(currency, ${index});`;
/** 40 lines, as a usual file of a small pull request adds them. */
const source = [...Array.from({ length: 39 }, (_, index) => filler(index)), defect, ''].join('\n');
const apis = ['chat', 'responses'] as const;

describe.each(apis)('over %s', (api) => {
  it('a pull request of one file, one reading and one finding takes at most 12,000 tokens of input, the check included', async () => {
    const { review: done, server } = await review({
      adapter: { api, stream: true },
      server: {
        answers: [call('read_file', { path }), submit([{ path, quote: defect, title: 'The limit is passed on' }])],
      },
      files: { [path]: source },
    });
    expect([done.outcome, server.requests.length, server.verifications.length]).toEqual(['findings', 2, 1]);
    const sent = [...server.requests, ...server.verifications].reduce((sum, request) => sum + tokensOf(request), 0);
    // As we estimate, and as the server bills.
    expect(sent).toBeLessThanOrEqual(12_000);
    expect(done.metrics.usage.input).toBeLessThanOrEqual(12_000);
  });

  it('instructions, tools and schema take at most 3,000 tokens of each call, with every tool offered', async () => {
    const { server } = await review({
      adapter: { api, stream: true },
      server: { answers: () => submit([]) },
      files: { [path]: source, 'web/page.ts': 'one\n' },
      inputs: { 'files-per-batch': '1' },
    });
    expect(server.requests.map(({ tools }) => tools.includes('read_diff'))).toEqual([true, true]);
    for (const request of server.requests) expect(overheadOf(request)).toBeLessThanOrEqual(3_000);
  });
});

function overheadOf({ body, messages }: NormalisedRequest): number {
  const instructions = messages.flatMap(({ role, text }) => (role === 'system' ? [text] : []));
  return estimateTokenCount([JSON.stringify(listAt(body, 'tools')), ...instructions].join('\n'));
}

/** Everything of a request but what steers it: more than a provider bills, as the JSON around the messages is counted. */
function tokensOf({ body }: NormalisedRequest): number {
  return estimateTokenCount(JSON.stringify([at(body, 'tools'), at(body, 'messages') ?? at(body, 'input')]));
}

for (const adapter of byText) faultMatrix(adapter);
