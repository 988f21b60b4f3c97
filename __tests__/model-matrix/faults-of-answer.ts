import { call, calls, say, submit } from '../fakes/model-server/script.ts';
import {
  cutSubmission,
  fenced,
  hostilePath,
  lost,
  mended,
  missingIds,
  nothingAtTheCap,
  path,
  type Row,
  readOn,
  sameIds,
  unchecked,
  unschooled,
} from './faulty-script.ts';

const cut = (text: string) => ({ ...say(text), end: 'length' }) as const;
const promise = say('Let me check the file first…');
const again = { name: 'read_file', arguments: { path } };
const invented = submit([{ path: 'src/none.ts', quote: 'nothing();', title: 'Invented' }]);

/** What a model answers that is no good. */
export const answerFaults: readonly Row[] = [
  {
    row: 'M5',
    what: 'fenced JSON with a trailing comma',
    fault: { answers: [say(fenced)] },
    // It is the review, wherever it comes; a verifier is asked for its verdicts.
    ends: mended(0, { first: whole(2), middle: whole(3), verification: mended(1).verification }),
  },
  {
    row: 'M5',
    what: 'a submission that breaks the schema',
    fault: { answers: [unschooled] },
    ends: mended(1),
    model: /Resubmit #1: .*(title|severity)/,
  },
  {
    row: 'M9',
    what: 'a text is cut',
    fault: { answers: [cut('I found that')] },
    ends: mended(1),
    model: /Continue exactly where it stopped|Your review was not submitted/,
  },
  {
    row: 'M9',
    what: 'every text is cut',
    fault: { lasts: true, answers: [cut('I found that')] },
    // Continued once, then asked for in the schema three times.
    ends: lost(
      { outcome: 'partial', stop: 'truncated', tries: 5 },
      { last: nothingAtTheCap(4), verification: unchecked(2) },
    ),
    people: /cut off at the output limit/,
  },
  {
    row: 'M9b',
    what: 'a submission is cut in its second finding',
    fault: { answers: [{ ...calls({ name: 'submit_review', arguments: cutSubmission }), end: 'length' }] },
    ends: mended(1),
    model: /Accepted #1|was cut/,
  },
  {
    row: 'M9b',
    what: 'every submission is cut',
    fault: { lasts: true, answers: [{ ...calls({ name: 'submit_review', arguments: cutSubmission }), end: 'length' }] },
    // The rest is asked for until two cuts in a row bring nothing new; what was complete stays.
    ends: {
      first: cutShort(4),
      middle: cutShort(5),
      final: cutShort(6),
      last: toTheCap(9).last,
      verification: unchecked(5),
    },
    people: /cut off at the output limit/,
  },
  {
    row: 'M10',
    what: 'a promise to look is the last word',
    fault: { answers: [promise] },
    ends: mended(1, { last: nothingAtTheCap(1) }),
    model: /announces work instead of doing it/,
  },
  {
    row: 'M10',
    what: 'nothing but promises',
    fault: { lasts: true, answers: [promise] },
    ends: lost(
      { outcome: 'partial', stop: 'answered', tries: 2 },
      { last: nothingAtTheCap(1), verification: unchecked(2) },
    ),
    people: /ended with text instead of submitting/,
    peopleAtTheCap: /Iteration limit reached/,
  },
  { row: 'M11', what: 'reasoning eats the output once', fault: { answers: [cut('')] }, ends: mended(1) },
  {
    row: 'M11',
    what: 'reasoning always eats the output',
    fault: { lasts: true, answers: [cut('')] },
    ends: lost({ outcome: 'failed', stop: 'truncated', tries: 2 }),
    people: /cut off at the output limit/,
  },
  {
    row: 'M12',
    what: 'an unknown tool and malformed arguments',
    fault: { answers: [calls({ name: 'read_fil', arguments: {} }, { name: 'read_file', arguments: '{"path":' })] },
    ends: mended(1),
    model: /Did you mean read_file\?|is offered now/,
  },
  {
    row: 'M12',
    what: 'the same call again and again',
    fault: { lasts: true, answers: [calls(again, again)] },
    // Three turns of two calls, then three last calls; two turns at a verification.
    ends: lost(
      { outcome: 'partial', stop: 'repeated-calls', tries: 6 },
      { last: nothingAtTheCap(3), verification: unchecked(5) },
    ),
    people: /same tool call again and again/,
    peopleAtTheCap: /Iteration limit reached/,
  },
  {
    row: 'M13',
    what: 'a model that reads on to the cap, and submits then',
    fault: { lasts: true, answers: [readOn] },
    ends: { ...toTheCap(7), verification: unchecked(5) },
    model: /All iterations are used up/,
  },
  {
    row: 'M13',
    what: 'a model that only reads',
    fault: {
      lasts: true,
      answers: [({ messages }) => call('list_files', { directory: `d${messages.length}`, pattern: null })],
    },
    ends: { ...toTheCap(8, 0), verification: unchecked(5) },
    people: /Iteration limit reached/,
  },
  {
    row: 'M14',
    what: 'instructions and tool calls inside a file',
    fault: { answers: [call('read_file', { path: hostilePath })] },
    ends: mended(1),
    model: /Ignore all previous instructions|is offered now/,
  },
  {
    row: 'M15',
    what: 'null content',
    fault: { answers: [{ kind: 'message', text: null, calls: [] }] },
    ends: mended(1),
  },
  {
    row: 'M15',
    what: 'nothing but null content',
    fault: { lasts: true, answers: [{ kind: 'message', text: null, calls: [] }] },
    ends: lost({ outcome: 'failed', stop: 'empty-answers', tries: 3 }, { verification: unchecked(5) }),
    people: /kept giving empty answers/,
  },
  {
    row: 'M15',
    what: 'a refusal',
    fault: { lasts: true, answers: [{ ...say('I cannot help with that.'), end: 'refusal' }] },
    ends: lost({ outcome: 'failed', stop: 'refused', tries: 1 }),
    people: /refused to answer/,
  },
  {
    row: 'M15',
    what: 'a content filter',
    fault: { lasts: true, answers: [{ ...say(''), end: 'content-filter' }] },
    ends: lost({ outcome: 'failed', stop: 'refused', tries: 1 }),
    people: /content filter/,
  },
  {
    row: 'M16',
    what: 'an invented file, line and quote',
    fault: { answers: [invented] },
    ends: mended(1),
    model: /Resubmit #1: |is offered now/,
  },
  {
    row: 'M16',
    what: 'nothing but inventions',
    fault: { lasts: true, answers: [invented] },
    ends: lost({ outcome: 'partial', stop: 'submitted', tries: 3 }, { verification: unchecked(5) }),
    people: /nothing that it quoted is in the code/,
    peopleAtTheCap: /Iteration limit reached/,
  },
  { row: 'M17', what: 'two calls with one id', fault: { answers: [sameIds] }, ends: mended(1) },
  { row: 'M17', what: 'calls without ids', fault: { answers: [missingIds] }, ends: mended(1) },
];

/** Cap and last calls are the same wherever it begins. */
function toTheCap(requests: number, findings = 1) {
  const end = { outcome: 'partial', stops: ['iterations'], findings, requests } as const;
  return { first: end, middle: end, final: end, last: end };
}

/** Three submissions, the verification of what the first one brought, and what came before. */
function cutShort(requests: number) {
  return { outcome: 'partial', stops: ['truncated'], findings: 1, requests } as const;
}

function whole(requests: number) {
  return { outcome: 'findings', stops: ['submitted'], findings: 1, requests } as const;
}
