import { broken, fault, say } from '../fakes/model-server/script.ts';
import {
  always,
  error,
  lost,
  mended,
  nothingAtTheCap,
  once,
  type Row,
  refusing,
  row,
  unchecked,
} from './faulty-script.ts';

const tooLong = error("This model's maximum context length is 9 tokens.", { code: 'context_length_exceeded' });
const native = ({ rejects }: { readonly rejects: readonly string[] }) => !rejects.includes('tools');
const streaming = ({ stream }: { readonly stream: boolean }) => stream;
const failedAtOnce = lost('failed', 'model-failed', { tries: 1 });
const failedAfterAll = lost('failed', 'model-failed', { tries: 5 });
const inHalves = { outcome: 'findings', stops: ['submitted', 'submitted'], findings: 1, requests: 6 } as const;
const cutsPrompts = { answers: [], server: { countsAtMost: 900 } };
const page = (title: string) => `<html><title>${title}</title></html>`;

/** What a server does wrong, or refuses from that call on. */
export const serverFaults: readonly Row[] = [
  row('M1: max_completion_tokens is unknown', refusing({ rejects: ['max_completion_tokens'] }), {
    when: ({ api }) => api === 'chat',
    people: /sending max_tokens instead of max_completion_tokens/,
  }),
  row('M2: the temperature is refused', refusing({ rejects: ['temperature'] }), {
    people: /not sending the temperature/,
  }),
  row('M3: the output limit is too large', refusing({ maxOutput: 1_500 }), {
    people: /no more output tokens than the server allows/,
  }),
  // Older results become stubs; where there is none, the file is reviewed in two halves.
  row('M6: the prompt is too long once', once(fault(400, tooLong)), {
    ends: mended(1, { first: inHalves, middle: inHalves, verification: unchecked(1) }),
  }),
  // At the third call once more, because there was something to leave out.
  row('M6: the prompt is always too long', always(fault(413, error('Prompt is too long'))), {
    ends: {
      ...{ first: inEighths(0), middle: inEighths(1), final: inEighths(3) },
      ...{ last: nothingAtTheCap(2), verification: unchecked(1) },
    },
    people: /does not fit the model's context/,
  }),
  row('M7: the prompt is silently cut', cutsPrompts, { people: /the server seems to cut long prompts/ }),
  row('M8: a rate limit passes', once(fault(429, error('Slow down.'), { 'retry-after': '20' })), {
    minutes: [20 / 60, 0.5],
  }),
  row('M8: a rate limit outlasts the run', once(fault(429, error('Slow down.'), { 'retry-after': '1200' })), {
    ends: failedAtOnce,
    people: /Another attempt, in 1200 seconds, would be after the deadline/,
  }),
  row('M8: the quota is used up', always(fault(429, error('Quota.', { code: 'insufficient_quota' }))), {
    ends: failedAtOnce,
    people: /no quota left.*Add credit/,
  }),
  row('M8: the key is wrong', always(fault(401, error('Wrong key.'))), {
    ends: failedAtOnce,
    people: /rejected the API key \(401\).*Check the `api-key` input/,
  }),
  row('M15: empty choices', once(fault(200, { id: 'x', status: 'completed', choices: [], output: [] }))),
  row('M15: an error inside a 200', once(fault(200, error('Overloaded.', { type: 'server_error' })))),
  row('M15: nothing at all', once(fault(200, ''))),
  row('M15: a page of a proxy', once(fault(502, page('Bad gateway')))),
  row('M15: nothing but pages of a proxy', always(fault(502, page('Bad gateway'))), {
    ends: failedAfterAll,
    people: /Bad gateway.*Tried 5 times/,
  }),
  row('M15: an address where nothing is', always(fault(404, page('Not here'))), {
    ends: failedAtOnce,
    people: /\(404\): an HTML page came back, "Not here"\. Check `model`, `api` and `base-url`/,
  }),
  // A server that answered before has a proxy that hiccups: it is asked again.
  row('M15: the page of a web site', always(fault(200, page('Welcome'))), {
    ends: { ...failedAfterAll, first: failedAtOnce.first },
    people: /did not answer with the API's JSON.*Welcome.*(?:Check `model`, `api` and `base-url`|Tried 5 times)/,
  }),
  row('M15: the page of a proxy as a 200', once(fault(200, page('One moment'))), {
    ends: mended(1, { first: failedAtOnce.first }),
  }),
  row('M15: a connection that breaks', once(broken('reset'))),
  row('M15: a connection that always breaks', always(broken('reset')), {
    ends: failedAfterAll,
    people: /No complete answer came.*Tried 5 times/,
  }),
  row('M15: a stream that is cut', once({ ...say('I see'), streamFault: { how: 'cut', after: 2 } }), {
    when: streaming,
  }),
  row('M15: an error in the middle of a stream', once({ ...say('I see'), streamFault: { how: 'error', after: 2 } }), {
    when: streaming,
  }),
  row('M18: tools are refused', refusing({ rejects: ['tools'] }), { when: native, people: /calling tools in text/ }),
  row('M19: a hang', once(broken('hang')), { minutes: [5, 5.3] }),
  // Two attempts of five minutes, one to the soft deadline, and a last call to the hard one.
  row('M19: a server that always hangs', always(broken('hang')), {
    minutes: [10, 14.25],
    ends: lost('partial', 'time', { tries: 4, last: 3 }),
    people: /Time limit reached/,
  }),
  // Two minutes of silence, not the five of a call.
  row('M19: a stream that stalls', once({ ...say('I see '.repeat(10)), streamFault: { how: 'stall', after: 7 } }), {
    minutes: [2, 4.5],
    when: streaming,
  }),
];

/** A batch is halved three times, and each part is tried once. */
function inEighths(before: number) {
  const stops = Array.from({ length: 8 }, () => 'context-overflow');
  return { outcome: 'failed', stops, findings: 0, requests: before + 15 } as const;
}
