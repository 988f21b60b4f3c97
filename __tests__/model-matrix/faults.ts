import { broken, call, calls, fault, say, submit } from '../fakes/model-server/script.ts';
import { cutSubmission, error, fenced, finding, sameIds } from './bad-answers.ts';
import type { Fault, Position } from './reviewed.ts';

export type Outcomes = readonly ('findings' | 'partial' | 'failed' | 'clean')[];

export type Row = {
  /** Of FAILURES. */
  readonly row: string;
  readonly what: string;
  readonly fault: Fault;
  /** What a true outcome is, by where it happens. */
  readonly outcomes: (position: Position) => Outcomes;
  /** Words of the reason that people are told when the review is not whole. */
  readonly words?: RegExp;
};

const found: Outcomes = ['findings'];
const passes = () => found;
const fails = (): Outcomes => ['failed'];

/** FAILURES M1–M19: what is answered instead at one call, and what may come of it. Never a clean review: the defect is there. */
export const rows: readonly Row[] = [
  refusing('M1', 'max_completion_tokens is unknown', 'max_completion_tokens'),
  refusing('M2', 'the temperature is refused', 'temperature'),
  {
    row: 'M3',
    what: 'the output limit is too large',
    fault: { answers: [], server: { maxOutput: 1_500 } },
    outcomes: passes,
  },
  { row: 'M5', what: 'fenced JSON with a trailing comma', fault: { answers: [say(fenced)] }, outcomes: passes },
  {
    row: 'M6',
    what: 'the prompt is too long once',
    fault: {
      answers: [
        fault(400, error("This model's maximum context length is 9 tokens.", { code: 'context_length_exceeded' })),
      ],
    },
    // With nothing to take out and one small file the bundle cannot shrink any more.
    outcomes: () => ['findings', 'failed', 'partial'],
  },
  {
    row: 'M6',
    what: 'the prompt is always too long',
    fault: { lasts: true, answers: [fault(413, error('Prompt is too long'))] },
    outcomes: fails,
    words: /does not fit the model's context/,
  },
  {
    row: 'M8',
    what: 'a rate limit passes',
    fault: { answers: [fault(429, error('Slow down.'), { 'retry-after': '20' })] },
    outcomes: passes,
  },
  {
    row: 'M8',
    what: 'the quota is used up',
    fault: { lasts: true, answers: [fault(429, error('Quota.', { code: 'insufficient_quota' }))] },
    outcomes: fails,
    words: /no quota left/,
  },
  {
    row: 'M8',
    what: 'the key is wrong',
    fault: { lasts: true, answers: [fault(401, error('Wrong key.'))] },
    outcomes: fails,
    words: /refused the API key/,
  },
  {
    row: 'M9',
    what: 'a text is cut',
    fault: { answers: [{ ...say('I found that'), end: 'length' }] },
    outcomes: passes,
  },
  {
    row: 'M9',
    what: 'every text is cut',
    fault: { lasts: true, answers: [{ ...say('I found that'), end: 'length' }] },
    outcomes: () => ['partial'],
  },
  {
    row: 'M9b',
    what: 'a submission is cut in its second finding',
    fault: { answers: [{ ...calls({ name: 'submit_review', arguments: cutSubmission }), end: 'length' }] },
    outcomes: passes,
  },
  {
    row: 'M10',
    what: 'a promise to look is the last word',
    fault: { answers: [say('Let me check the file first…')] },
    outcomes: passes,
  },
  {
    row: 'M10',
    what: 'nothing but promises',
    fault: { lasts: true, answers: [say('Let me check the file first…')] },
    outcomes: () => ['partial', 'failed'],
  },
  {
    row: 'M11',
    what: 'reasoning eats the output once',
    fault: { answers: [{ ...say(''), end: 'length' }] },
    outcomes: passes,
  },
  {
    row: 'M11',
    what: 'reasoning always eats the output',
    fault: { lasts: true, answers: [{ ...say(''), end: 'length' }] },
    outcomes: () => ['failed', 'partial'],
    words: /cut off at the output limit/,
  },
  {
    row: 'M12',
    what: 'an unknown tool and malformed arguments',
    fault: { answers: [calls({ name: 'read_fil', arguments: {} }, { name: 'read_file', arguments: '{"path":' })] },
    outcomes: passes,
  },
  {
    row: 'M12',
    what: 'the same call again and again',
    fault: { lasts: true, answers: [call('read_file', { path: 'src/last.ts' })] },
    outcomes: () => ['failed', 'partial'],
  },
  {
    row: 'M15',
    what: 'empty choices',
    fault: { answers: [fault(200, { id: 'x', status: 'completed', choices: [], output: [] })] },
    outcomes: passes,
  },
  {
    row: 'M15',
    what: 'null content',
    fault: { answers: [{ kind: 'message', text: null, calls: [] }] },
    outcomes: passes,
  },
  {
    row: 'M15',
    what: 'an error inside a 200',
    fault: { answers: [fault(200, error('Overloaded.', { type: 'server_error' }))] },
    outcomes: passes,
  },
  {
    row: 'M15',
    what: 'a page of a proxy',
    fault: { answers: [fault(502, '<html><title>Bad gateway</title></html>')] },
    outcomes: passes,
  },
  { row: 'M15', what: 'a connection that breaks', fault: { answers: [broken('reset')] }, outcomes: passes },
  {
    row: 'M15',
    what: 'a stream that is cut',
    fault: { answers: [{ ...say('I see'), streamFault: { how: 'cut', after: 2 } }, submit([finding])] },
    outcomes: passes,
  },
  {
    row: 'M15',
    what: 'an error in the middle of a stream',
    fault: { answers: [{ ...say('I see'), streamFault: { how: 'error', after: 2 } }, submit([finding])] },
    outcomes: passes,
  },
  {
    row: 'M15',
    what: 'a refusal',
    fault: { lasts: true, answers: [{ ...say('I cannot help with that.'), end: 'refusal' }] },
    outcomes: fails,
    words: /refused to answer/,
  },
  {
    row: 'M15',
    what: 'a content filter',
    fault: { lasts: true, answers: [{ ...say(''), end: 'content-filter' }] },
    outcomes: fails,
    words: /content filter/,
  },
  {
    row: 'M16',
    what: 'an invented file, line and quote',
    fault: { answers: [submit([{ path: 'src/none.ts', quote: 'nothing();', title: 'Invented' }])] },
    outcomes: passes,
  },
  { row: 'M17', what: 'two calls with one id', fault: { answers: [sameIds()] }, outcomes: passes },
  { row: 'M19', what: 'a hang', fault: { answers: [broken('hang')] }, outcomes: passes },
];

function refusing(row: string, what: string, parameter: 'max_completion_tokens' | 'temperature'): Row {
  return { row, what, fault: { answers: [], server: { rejects: [parameter] } }, outcomes: passes };
}
