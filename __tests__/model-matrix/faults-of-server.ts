import { broken, fault, say } from '../fakes/model-server/script.ts';
import { error, lost, mended, nothingAtTheCap, type Row, unchecked } from './faulty-script.ts';

const tooLong = error("This model's maximum context length is 9 tokens.", { code: 'context_length_exceeded' });
const native = ({ rejects }: { readonly rejects: readonly string[] }) => !rejects.includes('tools');
const streaming = ({ stream }: { readonly stream: boolean }) => stream;

/** What a server does wrong, or refuses from that call on. */
export const serverFaults: readonly Row[] = [
  {
    row: 'M1',
    what: 'max_completion_tokens is unknown',
    when: ({ api }) => api === 'chat',
    fault: { answers: [], server: { rejects: ['max_completion_tokens'] } },
    refusals: 1,
    ends: mended(0),
    people: /sending max_tokens instead of max_completion_tokens/,
  },
  {
    row: 'M2',
    what: 'the temperature is refused',
    fault: { answers: [], server: { rejects: ['temperature'] } },
    refusals: 1,
    ends: mended(0),
    people: /not sending the temperature/,
  },
  {
    row: 'M3',
    what: 'the output limit is too large',
    fault: { answers: [], server: { maxOutput: 1_500 } },
    refusals: 1,
    ends: mended(0),
    people: /no more output tokens than the server allows/,
  },
  {
    row: 'M6',
    what: 'the prompt is too long once',
    fault: { answers: [fault(400, tooLong)] },
    // Older results become stubs; where there is none, the file is reviewed in two halves.
    ends: mended(1, {
      first: { outcome: 'findings', stops: ['submitted', 'submitted'], findings: 1, requests: 6 },
      middle: { outcome: 'findings', stops: ['submitted', 'submitted'], findings: 1, requests: 6 },
      verification: unchecked(1),
    }),
  },
  {
    row: 'M6',
    what: 'the prompt is always too long',
    fault: { lasts: true, answers: [fault(413, error('Prompt is too long'))] },
    ends: {
      first: inEighths(0),
      middle: inEighths(1),
      // Once more, because there was something to leave out.
      final: inEighths(3),
      last: nothingAtTheCap(2),
      verification: unchecked(1),
    },
    people: /does not fit the model's context/,
  },
  {
    row: 'M7',
    what: 'the prompt is silently cut',
    fault: { answers: [], server: { countsAtMost: 900 } },
    ends: mended(0),
    people: /the server seems to cut long prompts/,
  },
  {
    row: 'M8',
    what: 'a rate limit passes',
    fault: { answers: [fault(429, error('Slow down.'), { 'retry-after': '20' })] },
    minutes: [20 / 60, 0.5],
    ends: mended(1),
  },
  {
    row: 'M8',
    what: 'a rate limit outlasts the run',
    fault: { answers: [fault(429, error('Slow down.'), { 'retry-after': '1200' })] },
    ends: lost({ outcome: 'failed', stop: 'model-failed', tries: 1 }),
    people: /Another attempt, in 1200 seconds, would be after the deadline/,
  },
  {
    row: 'M8',
    what: 'the quota is used up',
    fault: { lasts: true, answers: [fault(429, error('Quota.', { code: 'insufficient_quota' }))] },
    ends: lost({ outcome: 'failed', stop: 'model-failed', tries: 1 }),
    people: /no quota left.*Add credit/,
  },
  {
    row: 'M8',
    what: 'the key is wrong',
    fault: { lasts: true, answers: [fault(401, error('Wrong key.'))] },
    ends: lost({ outcome: 'failed', stop: 'model-failed', tries: 1 }),
    people: /rejected the API key \(401\).*Check the `api-key` input/,
  },
  {
    row: 'M15',
    what: 'empty choices',
    fault: { answers: [fault(200, { id: 'x', status: 'completed', choices: [], output: [] })] },
    ends: mended(1),
  },
  {
    row: 'M15',
    what: 'an error inside a 200',
    fault: { answers: [fault(200, error('Overloaded.', { type: 'server_error' }))] },
    ends: mended(1),
  },
  { row: 'M15', what: 'nothing at all', fault: { answers: [fault(200, '')] }, ends: mended(1) },
  {
    row: 'M15',
    what: 'a page of a proxy',
    fault: { answers: [fault(502, '<html><title>Bad gateway</title></html>')] },
    ends: mended(1),
  },
  {
    row: 'M15',
    what: 'nothing but pages of a proxy',
    fault: { lasts: true, answers: [fault(502, '<html><title>Bad gateway</title></html>')] },
    ends: lost({ outcome: 'failed', stop: 'model-failed', tries: 5 }),
    people: /Bad gateway.*Tried 5 times/,
  },
  {
    row: 'M15',
    what: 'the page of a web site',
    fault: { lasts: true, answers: [fault(200, '<html><title>Welcome</title></html>')] },
    // A server that answered before has a proxy that hiccups: it is asked again.
    ends: {
      ...lost({ outcome: 'failed', stop: 'model-failed', tries: 5 }),
      first: lost({ outcome: 'failed', stop: 'model-failed', tries: 1 }).first,
    },
    people: /did not answer with the API's JSON.*Welcome.*(?:Check `model`, `api` and `base-url`|Tried 5 times)/,
  },
  {
    row: 'M15',
    what: 'the page of a proxy as a 200',
    fault: { answers: [fault(200, '<html><title>One moment</title></html>')] },
    ends: mended(1, { first: lost({ outcome: 'failed', stop: 'model-failed', tries: 1 }).first }),
  },
  { row: 'M15', what: 'a connection that breaks', fault: { answers: [broken('reset')] }, ends: mended(1) },
  {
    row: 'M15',
    what: 'a connection that always breaks',
    fault: { lasts: true, answers: [broken('reset')] },
    ends: lost({ outcome: 'failed', stop: 'model-failed', tries: 5 }),
    people: /No complete answer came.*Tried 5 times/,
  },
  {
    row: 'M15',
    what: 'a stream that is cut',
    when: streaming,
    fault: { answers: [{ ...say('I see'), streamFault: { how: 'cut', after: 2 } }] },
    ends: mended(1),
  },
  {
    row: 'M15',
    what: 'an error in the middle of a stream',
    when: streaming,
    fault: { answers: [{ ...say('I see'), streamFault: { how: 'error', after: 2 } }] },
    ends: mended(1),
  },
  {
    row: 'M18',
    what: 'tools are refused',
    when: native,
    fault: { answers: [], server: { rejects: ['tools'] } },
    refusals: 1,
    ends: mended(0),
    people: /calling tools in text/,
  },
  { row: 'M19', what: 'a hang', fault: { answers: [broken('hang')] }, minutes: [5, 5.3], ends: mended(1) },
  {
    row: 'M19',
    what: 'a server that always hangs',
    minutes: [10, 14.25],
    fault: { lasts: true, answers: [broken('hang')] },
    // Two attempts of five minutes, one to the soft deadline, and a last call to the hard one.
    ends: lost(
      { outcome: 'partial', stop: 'time', tries: 4 },
      { last: nothingAtTheCap(3), verification: unchecked(4) },
    ),
    people: /Time limit reached/,
  },
  {
    row: 'M19',
    what: 'a stream that stalls',
    // Two minutes of silence, not the five of a call.
    minutes: [2, 4.5],
    when: streaming,
    fault: { answers: [{ ...say('I see '.repeat(10)), streamFault: { how: 'stall', after: 7 } }] },
    ends: mended(1),
  },
];

/** A batch is halved three times, and each part is tried once. */
function inEighths(before: number) {
  const stops = Array.from({ length: 8 }, () => 'context-overflow');
  return { outcome: 'failed', stops, findings: 0, requests: before + 15 } as const;
}
