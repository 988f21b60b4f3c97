import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/adapters/replay/virtual-clock.ts';
import type { UserMessage } from '../../../src/core/agent/message.ts';
import { ModelError, type ModelRequest } from '../../../src/core/agent/model.ts';
import { withSignatures } from '../../../src/core/history/signed-marks.ts';
import { type ReviewParts, reviewPullRequest } from '../../../src/core/review-pull-request.ts';
import { recordedContent, recordedFiles } from '../../../src/core/transcript/calls.ts';
import { compareRuns, endLineOf, recordParts } from '../../../src/core/transcript/record.ts';
import { replayParts } from '../../../src/core/transcript/replay.ts';
import { callDetails, parseTranscript, requestKey } from '../../../src/core/transcript/transcript.ts';
import { past } from '../../fakes/earlier-rounds.ts';
import { imagePart } from '../../fakes/images.ts';
import { addedFile, FakeClock, MemoryRepository } from '../../fakes/memory-repository.ts';
import { keys, marked, ownRemark, pullRequest, reviewer, signedComment, thread } from '../../fakes/review-record.ts';
import { reviewParts } from '../../fakes/rich-record.ts';
import { call, ScriptedModel, type ScriptedStep, usage } from '../../fakes/scripted-model.ts';
import { submitted as submittedWith } from '../findings/make.ts';

const same = (text: string) => text;
const lines = ['one();', 'two();', 'three();'];
const files = { 'a.ts': lines.join('\n'), 'b.ts': 'b();' };

const finding = (quote: string) => submittedWith({ path: 'a.ts', quote, title: `Wrong: ${quote}`, confidence: 1 });
const approval = { approved: false, rationale: 'x', action: 'COMMENT' };
const submitted = (quotes: readonly string[]) => ({
  toolCalls: [call('submit_review', { files_review: quotes.map(finding), non_specific_review: null, approval })],
  usage: usage(500, 50),
});

const step: fc.Arbitrary<ScriptedStep> = fc.oneof(
  fc
    .constantFrom('a.ts', 'b.ts', 'none.ts')
    .map((path) => ({ toolCalls: [call('read_file', { path })], usage: usage(100, 5) })),
  fc.subarray([...lines, 'invented();']).map(submitted),
  fc.constant({ text: 'Let me check the file…' }),
  fc.constant({}),
  fc
    .constantFrom('transient', 'quota', 'context-overflow')
    .map((kind) => new ModelError(kind, 'broken', { retryAfter: 5_000 })),
  fc.constant({ toolCalls: [call('submit_verification', { confirmed: [1], drop_suggestion: [], verdicts: [] })] }),
);

/** What a run writes that is recorded, and the run. */
async function recorded(parts: ReviewParts, clock: FakeClock, written = (line: object) => JSON.stringify(line)) {
  const lines: string[] = [];
  const recording = recordParts(parts, {
    write: (line) => lines.push(written(line)),
    finish: async () => null,
    path: 'x.jsonl',
    redact: same,
    version: '0',
  });
  const { review } = await clock.drive(reviewPullRequest(recording));
  return { lines, review };
}

async function replayed(lines: readonly string[]) {
  const transcript = parseTranscript(`${lines.join('\n')}\n`);
  if (!transcript.ok) throw new Error(transcript.problems.join());
  const virtual = new VirtualClock(transcript.value.start.recorded_at);
  const { parts, divergences } = replayParts(transcript.value, {
    clock: virtual,
    redact: same,
    report: () => undefined,
    destinations: [],
    signal: new AbortController().signal,
    languageOf: () => null,
  });
  const record = await virtual.drive(reviewPullRequest(parts));
  return {
    review: record.review,
    divergences: divergences(),
    changes: compareRuns(transcript.value.end, endLineOf(record)),
  };
}

it('a replay comes to what was recorded, whatever the model and its server did', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const clock = new FakeClock();
      const script = [...steps, ...Array.from({ length: 30 }, () => submitted(['one();']))];
      const first = await recorded(partsWith(script, clock), clock);
      const { review, divergences, changes } = await replayed(first.lines);
      expect([...divergences, ...changes]).toEqual([]);
      expect(review.metrics.usage).toEqual(first.review.metrics.usage);
      expect(review.headline).toEqual(first.review.headline);
    }),
    { numRuns: 60 },
  );
});

it('a recorded run knows what earlier ones said, and so does its replay', async () => {
  const clock = new FakeClock();
  const mark = marked(undefined, { path: 'a.ts', commit: 'd'.repeat(40) });
  const comment = ownRemark(signedComment('Wrong.', mark));
  const before = withSignatures({ ...pullRequest, threads: [thread({ path: 'a.ts', comments: [comment] })] }, keys);
  const said = { pullRequest: before, identity: reviewer, past };
  const first = await recorded({ ...partsWith([submitted([])], clock), ...said }, clock);
  const { review, divergences } = await replayed(first.lines);
  const held = { place: 'standing', anchor: { startLine: 12 } };
  expect([first.review.findings, review.findings, divergences]).toMatchObject([[held], [held], []]);
});

it('a recording that knows less of the repository than is asked today is replayed without it, and says so', async () => {
  const clock = new FakeClock();
  const { lines } = await recorded(partsWith([submitted(['one();'])], clock, { verify: 'false' }), clock);
  const isReading = (line: string) => /"call":"(?:repository\.readFile|search\.search|syntax\.parse)"/.test(line);
  const { review, divergences } = await replayed(lines.filter((line) => !isReading(line)));
  expect([review.outcome, lines.some(isReading)]).toEqual(['partial', true]);
  expect(divergences[0]).toContain('which the recording did not: no answer is left for it.');
});

it('a transcript says for which batch each call was, when, and what it was asked and answered', async () => {
  const clock = new FakeClock();
  const script = [{ toolCalls: [call('read_file', { path: 'b.ts' })] }, submitted(['one();'])];
  const { lines } = await recorded(partsWith(script, clock, { verify: 'false' }), clock);
  const read = callDetails(`${lines.join('\n')}\n`);
  if (!read.ok) throw new Error(read.problems.join());
  const { head, details } = read.value;
  expect(head).toBe(pullRequest.head.sha);
  expect(details.map((one) => [one.kind, one.batch, one.asked.slice(0, 8), one.answered.slice(0, 15)])).toEqual([
    ['model', 'a.ts', '[system]', 'read_file {"pat'],
    ['tool', 'a.ts', '{"path":', 'b.ts (1 line)\n '],
    ['model', 'a.ts', '', 'submit_review {'],
    ['tool', 'a.ts', '{"files_', 'The review is s'],
  ]);
  const calls = lines.filter((line) => /"type":"(?:call|tool)"/.test(line));
  expect(calls.filter((line) => !/"at":\d/.test(line))).toEqual([]);
});

it("a stranger's line holds no details", () => {
  const others = [
    '{"type":"tool"',
    '{"type":"tool","__proto__":1}',
    '{"type":"call","call":"model.answer","result":5}',
  ];
  expect(callDetails([JSON.stringify(start), ...others, ''].join('\n'))).toEqual({
    ok: true,
    value: { head: 'b', details: [] },
  });
});

function partsWith(
  script: readonly ScriptedStep[],
  clock: FakeClock,
  values: Record<string, string> = {},
): ReviewParts {
  const changes = async () => ({ files: [addedFile('a.ts', lines)], missing: [] });
  const model = new ScriptedModel(...script);
  const parts = { changes, repository: new MemoryRepository(files), model, clock };
  return reviewParts(parts, { 'max-iterations': '4', ...values });
}

function keyOf(message: Partial<UserMessage>, more: Partial<ModelRequest> = {}, redact = same): string {
  const messages = [{ role: 'user', text: 'See:', ...message }] as const;
  return requestKey({ messages, tools: [], toolChoice: 'auto', maxOutputTokens: 100, ...more }, redact);
}

it('the key of a request tells images apart by their digests, so that a replay needs none of their bytes', () => {
  const logo = imagePart('logo');
  const shown = [[logo], [{ ...logo, digest: 'another' }], [logo, logo]];
  expect(new Set([keyOf({}), ...shown.map((images) => keyOf({ images }))]).size).toBe(4);
  expect(keyOf({ images: [{ ...logo, base64: '' }] })).toBe(keyOf({ images: [logo] }));
});

const commits = { mergeBase: 'a', head: { sha: 'b' } };
const begun = { settings: { model: 'm' }, pull_request: commits, ports: ['model'], notes: [] };
const start = { type: 'start', schema_version: 2, postil: '0', ...begun };
const ofVersion = (version: number) => JSON.stringify({ ...start, schema_version: version });

describe('a transcript', () => {
  it.each([
    ['that is empty', '', 'line 1 does not begin a transcript'],
    ['that is something else', '{"a":1}\n', 'line 1 does not begin a transcript'],
    ['of an earlier version', ofVersion(1), 'it is of version 1, and this Postil reads version 2'],
    ['of a later version', ofVersion(3), 'it is of version 3, and this Postil reads version 2'],
    ['with a broken line in the middle', `${JSON.stringify(start)}\n{"type"\n{}\n`, 'line 2 is not JSON'],
  ])('%s is refused with what is wrong', (_what, text, problem) => {
    expect(parseTranscript(text)).toEqual({ ok: false, problems: [problem] });
  });

  const answer = { message: { role: 'assistant', text: '', toolCalls: [] }, end: 'end', usage: null };
  const model = { type: 'call', call: 'model.answer', key: 'k', milliseconds: 1 };
  const nested = JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`);
  const call = (usage: unknown) => ({ ...model, result: { ...answer, usage } });
  const read = (...lines: readonly unknown[]) =>
    parseTranscript([...lines, {}].map((line) => JSON.stringify(line)).join('\n'));

  it('is taken when every answer has the form of its port', () => {
    expect(read(start, call(null))).toMatchObject({ ok: true, value: { calls: [{ result: answer }] } });
  });

  it.each([
    ['that names no model', { ...start, settings: {} }, [], /^line 1 does not begin a transcript: settings/],
    ['with an answer that is none', start, [{ ...model, result: null }], /^line 2 is no answer of a port/],
    ['with neither answer nor error', start, [model], /^line 2 is no answer of a port/],
    ['with usage that is no number', start, [call({ input: 'a' })], /^line 2 is no answer of a port: usage/],
    ['with vectors of a model', start, [{ ...model, call: 'embedder.answer', result: answer }], /^line 2 .* 'vectors'/],
    ['nested too deeply', start, [nested], /^line 2 is not JSON/],
  ])('of a stranger %s is refused', (_what, first, others, problem) => {
    const transcript = read(first, ...others);
    expect(transcript.ok ? '' : transcript.problems[0]).toMatch(problem);
  });

  it('never makes the reader throw', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), fc.string(), fc.constant(JSON.stringify(start)))), (lines) => {
        expect(typeof parseTranscript(lines.join('\n')).ok).toBe('boolean');
      }),
    );
  });
});

it('source that is recorded has as many lines as the file, and no credential', () => {
  const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  const pem = ['-----BEGIN RSA PRIVATE KEY-----', 'MIIEowIBAAKCAQEA', '-----END RSA PRIVATE KEY-----'];
  const text = fc.array(fc.constantFrom('const a = 1;', `token = "${token}"`, '', '\tx', ...pem));
  fc.assert(
    fc.property(text, (source) => {
      const content = recordedContent({ kind: 'text', text: source.join('\n'), bytes: 1 }, same);
      const kept = content.kind === 'text' ? content.text.split('\n') : [];
      expect([kept.length, kept.join('\n').includes(token)]).toEqual([Math.max(1, source.length), false]);
      const [file] = recordedFiles([addedFile('a.ts', source)], same);
      expect(file?.hunks[0]?.lines.map((line) => line.slice(0, 1))).toEqual(source.map(() => '+'));
    }),
  );
});

it('the key of a request does not depend on what is taken out, nor on what is not sent', () => {
  const redact = (text: string) => text.replaceAll('hunter2', '[redacted]');
  const taken = keyOf({ text: 'token hunter2' }, { onProgress: () => {} }, redact);
  expect(taken).toBe(keyOf({ text: 'token [redacted]' }));
  expect(keyOf({}, { maxOutputTokens: 6 })).not.toBe(keyOf({}));
});

it('two ends differ by what only one of them has', () => {
  const end = { type: 'end', outcome: 'findings', headline: '', reflection: null } as const;
  const one = { title: 'One', where: 'a.ts:1', place: 'inline' };
  const two = { title: 'Two', where: 'b.ts:2', place: 'summary' };
  expect(compareRuns({ ...end, findings: [one] }, { ...end, outcome: 'partial', findings: [two] })).toEqual([
    'The outcome is partial; it was findings.',
    'No longer found: One (a.ts:1, inline).',
    'Not found before: Two (b.ts:2, summary).',
  ]);
  expect(compareRuns({ ...end, findings: [one, two] }, { ...end, findings: [two, one] })).toEqual([]);
});
