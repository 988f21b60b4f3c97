import { call, calls, say, submit } from '../fakes/model-server/script.ts';
import {
  always,
  cutSubmission,
  fenced,
  hostilePath,
  lost,
  mended,
  missingIds,
  nothingAtTheCap,
  once,
  path,
  type Row,
  readOn,
  row,
  sameIds,
  unchecked,
  unschooled,
} from './faulty-script.ts';

const cut = (text: string) => ({ ...say(text), end: 'length' }) as const;
const promise = say('Let me check the file first…');
const silence = { ...say(''), text: null };
const again = { name: 'read_file', arguments: { path } };
const invented = submit([{ path: 'src/none.ts', quote: 'nothing();', title: 'Invented' }]);
const cutInTheMiddle = { ...calls({ name: 'submit_review', arguments: cutSubmission }), end: 'length' } as const;

/** What a model answers that is no good. */
export const answerFaults: readonly Row[] = [
  // It is the review, wherever it comes; a verifier is asked for its verdicts.
  row('M5: fenced JSON with a trailing comma', once(say(fenced)), {
    ends: mended(0, { first: whole(2), middle: whole(3), verification: mended(1).verification }),
  }),
  row('M5: a submission that breaks the schema', once(unschooled), { model: /Resubmit #1: .*(title|severity)/ }),
  row('M9: a text is cut', once(cut('I found that')), {
    model: /Continue exactly where it stopped|Your review was not submitted/,
  }),
  // Continued once, then asked for in the schema three times.
  row('M9: every text is cut', always(cut('I found that')), {
    ends: lost('partial', 'truncated', { tries: 5, last: 4, check: 2 }),
    people: /cut off at the output limit/,
  }),
  row('M9b: a submission is cut in its second finding', once(cutInTheMiddle), { model: /Accepted #1|was cut/ }),
  // The rest is asked for until two cuts in a row bring nothing new; what was complete stays.
  row('M9b: every submission is cut', always(cutInTheMiddle), {
    ends: {
      first: cutShort(4),
      middle: cutShort(5),
      final: cutShort(6),
      last: toTheCap(9).last,
      verification: unchecked(5),
    },
    people: /cut off at the output limit/,
  }),
  row('M10: a promise to look is the last word', once(promise), {
    ends: mended(1, { last: nothingAtTheCap(1) }),
    model: /announces work instead of doing it/,
  }),
  row('M10: nothing but promises', always(promise), {
    ends: lost('partial', 'answered', { tries: 2, last: 1 }),
    people: /ended with text instead of submitting/,
    peopleAtTheCap: /Iteration limit reached/,
  }),
  row('M11: reasoning eats the output once', once(cut(''))),
  row('M11: reasoning always eats the output', always(cut('')), {
    ends: lost('failed', 'truncated', { tries: 2 }),
    people: /cut off at the output limit/,
  }),
  row(
    'M12: an unknown tool and malformed arguments',
    once(calls({ name: 'read_fil', arguments: {} }, { name: 'read_file', arguments: '{"path":' })),
    { model: /Did you mean read_file\?|is offered now/ },
  ),
  row(
    'M12: names of tools that no server takes back',
    once(calls(...['read file', 'functions.read_file', '', 'x'.repeat(200)].map((name) => ({ name, arguments: {} })))),
    { model: /Did you mean read_file\?|is offered now/ },
  ),
  // Three turns of two calls, then three last calls; two turns at a verification.
  row('M12: the same call again and again', always(calls(again, again)), {
    ends: lost('partial', 'repeated-calls', { tries: 6, last: 3, check: 5 }),
    people: /same tool call again and again/,
    peopleAtTheCap: /Iteration limit reached/,
  }),
  row('M13: a model that reads on to the cap, and submits then', always(readOn), {
    ends: { ...toTheCap(7), verification: unchecked(5) },
    model: /All iterations are used up/,
  }),
  row(
    'M13: a model that only reads',
    always(({ messages }) => call('list_files', { directory: `d${messages.length}`, pattern: null })),
    { ends: { ...toTheCap(8, 0), verification: unchecked(5) }, people: /Iteration limit reached/ },
  ),
  row('M14: instructions and tool calls inside a file', once(call('read_file', { path: hostilePath })), {
    model: /Ignore all previous instructions|is offered now/,
  }),
  row('M15: null content', once(silence)),
  row('M15: nothing but null content', always(silence), {
    ends: lost('failed', 'empty-answers', { tries: 3, check: 5 }),
    people: /kept giving empty answers/,
  }),
  row('M15: a refusal', always({ ...say('I cannot help with that.'), end: 'refusal' }), {
    ends: lost('failed', 'refused', { tries: 1 }),
    people: /refused to answer/,
  }),
  row('M15: a content filter', always({ ...say(''), end: 'content-filter' }), {
    ends: lost('failed', 'refused', { tries: 1 }),
    people: /content filter/,
  }),
  row('M16: an invented file, line and quote', once(invented), { model: /Resubmit #1: |is offered now/ }),
  row('M16: nothing but inventions', always(invented), {
    ends: lost('partial', 'submitted', { tries: 4, check: 5, findings: 1 }),
    people: /one finding quotes was not found/,
    peopleAtTheCap: /Iteration limit reached/,
  }),
  row('M17: two calls with one id', once(sameIds)),
  row('M17: calls without ids', once(missingIds)),
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
