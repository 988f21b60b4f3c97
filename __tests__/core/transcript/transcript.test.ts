import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/adapters/replay/virtual-clock.ts';
import type { ImagePart } from '../../../src/core/agent/message.ts';
import { ModelError, type ModelRequest } from '../../../src/core/agent/model.ts';
import { type ReviewParts, reviewPullRequest } from '../../../src/core/review-pull-request.ts';
import { recordedContent, recordedFiles } from '../../../src/core/transcript/calls.ts';
import { compareRuns, endLineOf, recordParts } from '../../../src/core/transcript/record.ts';
import { replayParts } from '../../../src/core/transcript/replay.ts';
import { callDetails, parseTranscript, requestKey } from '../../../src/core/transcript/transcript.ts';
import { imagePart } from '../../fakes/images.ts';
import { addedFile, FakeClock, MemoryRepository } from '../../fakes/memory-repository.ts';
import { pullRequest } from '../../fakes/review-record.ts';
import { reviewParts } from '../../fakes/rich-record.ts';
import { call, ScriptedModel, type ScriptedStep, usage } from '../../fakes/scripted-model.ts';

const lines = ['one();', 'two();', 'three();'];
const files = { 'a.ts': lines.join('\n'), 'b.ts': 'b();' };

const finding = (quote: string) => ({
  path: 'a.ts',
  quote,
  lines: null,
  side: 'RIGHT',
  evidence: 'Read.',
  title: `Wrong: ${quote}`,
  review: 'x',
  severity: 'warning',
  category: 'bug',
  suggestion: null,
  rule_id: null,
  confidence: 1,
});
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
  fc.constant({ toolCalls: [call('submit_verification', { confirmed: [1], dismissed: [], adjusted: [] })] }),
);

function replayOf(text: string) {
  const transcript = parseTranscript(text);
  if (!transcript.ok) throw new Error(transcript.problems.join());
  const virtual = new VirtualClock(transcript.value.start.recorded_at);
  const { parts, divergences } = replayParts(transcript.value, {
    clock: virtual,
    redact: (line) => line,
    report: () => undefined,
    recorders: [],
    signal: new AbortController().signal,
    languageOf: () => null,
  });
  return { transcript: transcript.value, again: () => virtual.drive(reviewPullRequest(parts)), divergences };
}

it('a replay comes to what was recorded, whatever the model and its server did', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const script = [...steps, ...Array.from({ length: 30 }, () => submitted([lines[0] ?? '']))];
      const written: string[] = [];
      const clock = new FakeClock();
      const parts = recordParts(partsWith(new ScriptedModel(...script), clock), {
        write: (line) => written.push(JSON.stringify(line)),
        finish: async () => null,
        path: 'x.jsonl',
        redact: (text) => text,
        version: '0',
      });
      const { review } = await clock.drive(reviewPullRequest(parts));
      const { transcript, again, divergences } = replayOf(`${written.join('\n')}\n`);
      const replayed = await again();
      expect([...divergences(), ...compareRuns(transcript.end, endLineOf(replayed))]).toEqual([]);
      expect(replayed.review.metrics.usage).toEqual(review.metrics.usage);
      expect(replayed.review.headline).toBe(review.headline);
    }),
    { numRuns: 60 },
  );
});

it('a recording of a Postil that did not look twice is replayed without a second look', async () => {
  const written: string[] = [];
  const clock = new FakeClock();
  const long = Array.from({ length: 40 }, (_, at) => `charge(${at});`);
  const script = [submitted([]), submitted([])];
  const given = reviewParts(
    {
      changes: async () => ({ files: [addedFile('a.ts', long)], missing: [] }),
      repository: new MemoryRepository({ 'a.ts': long.join('\n') }),
      model: new ScriptedModel(...script),
      clock,
    },
    { 'second-look': 'false' },
  );
  const write = (line: object) => written.push(JSON.stringify(line).replace('"secondLook":false,', ''));
  const parts = recordParts(given, {
    write,
    finish: async () => null,
    path: 'x',
    redact: (text) => text,
    version: '0',
  });
  const { review } = await clock.drive(reviewPullRequest(parts));
  const { again, divergences } = replayOf(`${written.join('\n')}\n`);
  const replayed = await again();
  expect([written[0]?.includes('secondLook'), divergences()]).toEqual([false, []]);
  expect(replayed.review.metrics.modelCalls).toBe(review.metrics.modelCalls);
});

it('a recording that knows less of the repository than is asked today is replayed without it, and says so', async () => {
  const written: string[] = [];
  const clock = new FakeClock();
  const parts = recordParts(partsWith(new ScriptedModel(submitted([lines[0] ?? '']), submitted([])), clock), {
    write: (line) => written.push(JSON.stringify(line)),
    finish: async () => null,
    path: 'x.jsonl',
    redact: (text) => text,
    version: '0',
  });
  await clock.drive(reviewPullRequest({ ...parts, settings: { ...parts.settings, verify: false } }));
  const reading = (line: string) => /"call":"(?:repository\.readFile|search\.search|syntax\.parse)"/.test(line);
  const { again, divergences } = replayOf(`${written.filter((line) => !reading(line)).join('\n')}\n`);
  const replayed = await again();
  expect([replayed.review.outcome, written.some(reading)]).toEqual(['partial', true]);
  expect(divergences()[0]).toContain('which the recording did not: no answer is left for it.');
});

it('a transcript says for which batch each call was, when, and what it was asked and answered', async () => {
  const script = [{ toolCalls: [call('read_file', { path: 'b.ts' })] }, submitted([lines[0] ?? ''])];
  const written: string[] = [];
  const clock = new FakeClock();
  const given = partsWith(new ScriptedModel(...script), clock);
  const parts = recordParts(
    { ...given, settings: { ...given.settings, verify: false } },
    {
      write: (line) => written.push(JSON.stringify(line)),
      finish: async () => null,
      path: 'x.jsonl',
      redact: (text) => text,
      version: '0',
    },
  );
  await clock.drive(reviewPullRequest(parts));
  const read = callDetails(`${written.join('\n')}\n`);
  if (!read.ok) throw new Error(read.problems.join());
  expect(read.value.head).toBe(pullRequest.head.sha);
  expect(
    read.value.details.map(({ kind, batch, asked, answered }) => [
      kind,
      batch,
      asked.slice(0, 8),
      answered.slice(0, 15),
    ]),
  ).toEqual([
    ['model', 'a.ts', '[system]', 'read_file {"pat'],
    ['tool', 'a.ts', '{"path":', 'b.ts (1 line)\n '],
    ['model', 'a.ts', '', 'submit_review {'],
    ['tool', 'a.ts', '{"files_', 'The review is s'],
  ]);
  const calls = written.filter((line) => /"type":"(?:call|tool)"/.test(line));
  expect(calls.filter((line) => !/"at":\d/.test(line))).toEqual([]);
});

it("an older transcript has no details, and a stranger's line is none", () => {
  const first = JSON.stringify({ ...start, schema_version: 1, pull_request: { head: { sha: 'a' } } });
  const others = [
    '{"type":"tool"',
    '{"type":"tool","__proto__":1}',
    '{"type":"call","call":"model.answer","result":5}',
  ];
  expect(callDetails([first, ...others, ''].join('\n'))).toEqual({ ok: true, value: { head: 'a', details: [] } });
});

function partsWith(model: ScriptedModel, clock: FakeClock): ReviewParts {
  const changes = async () => ({ files: [addedFile('a.ts', lines)], missing: [] });
  return reviewParts({ changes, repository: new MemoryRepository(files), model, clock }, { 'max-iterations': '4' });
}

const keyOf = (...images: readonly ImagePart[]) => {
  const message = { role: 'user', text: 'See:', ...(images.length === 0 ? {} : { images }) } as const;
  return requestKey({ messages: [message], tools: [], toolChoice: 'auto', maxOutputTokens: 100 }, (text) => text);
};

it('the key of a request tells images apart by their digests, so that a replay needs none of their bytes', () => {
  const logo = imagePart('logo');
  const keys = [keyOf(), keyOf(logo), keyOf({ ...logo, digest: 'another' }), keyOf(logo, logo)];
  expect(new Set(keys).size).toBe(4);
  expect(keyOf({ ...logo, base64: '' })).toBe(keyOf(logo));
});

const start = { type: 'start', schema_version: 1, postil: '0', settings: {}, pull_request: {}, ports: [], notes: [] };
const same = (text: string) => text;

describe('a transcript', () => {
  it.each([
    ['that is empty', '', 'line 1 does not begin a transcript'],
    ['that is something else', '{"a":1}\n', 'line 1 does not begin a transcript'],
    [
      'of a later version',
      JSON.stringify({ ...start, schema_version: 3 }),
      'it is of version 3, and this Postil reads versions 1 and 2',
    ],
    ['with a broken line in the middle', `${JSON.stringify(start)}\n{"type"\n{}\n`, 'line 2 is not JSON'],
  ])('%s is refused with what is wrong', (_what, text, problem) => {
    expect(parseTranscript(text)).toEqual({ ok: false, problems: [problem] });
  });

  it('never makes the reader throw', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), fc.string(), fc.constant(JSON.stringify(start)))), (lines) => {
        expect(typeof parseTranscript(lines.join('\n')).ok).toBe('boolean');
      }),
    );
  });
});

describe('source that is recorded', () => {
  const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

  it('has as many lines as the file, and no credential', () => {
    const pem = ['-----BEGIN RSA PRIVATE KEY-----', 'MIIEowIBAAKCAQEA', '-----END RSA PRIVATE KEY-----'];
    const lines = fc.array(fc.constantFrom('const a = 1;', `token = "${token}"`, '', '\tx', ...pem));
    fc.assert(
      fc.property(lines, (text) => {
        const content = recordedContent({ kind: 'text', text: text.join('\n'), bytes: 1 }, same);
        const kept = content.kind === 'text' ? content.text.split('\n') : [];
        expect([kept.length, kept.join('\n').includes(token)]).toEqual([Math.max(1, text.length), false]);
        const [file] = recordedFiles([addedFile('a.ts', text)], same);
        expect(file?.hunks[0]?.lines.map((line) => line.slice(0, 1))).toEqual(text.map(() => '+'));
      }),
    );
  });
});

it('the key of a request does not depend on what is taken out, nor on what is not sent', () => {
  const rest = { tools: [], toolChoice: 'auto', maxOutputTokens: 5 } as const;
  const saying = (text: string): ModelRequest => ({ messages: [{ role: 'user', text }], ...rest });
  const request = saying('token hunter2');
  const redact = (text: string) => text.replaceAll('hunter2', '[redacted]');
  expect(requestKey({ ...request, onProgress: () => {} }, redact)).toBe(requestKey(saying('token [redacted]'), same));
  expect(requestKey({ ...request, maxOutputTokens: 6 }, same)).not.toBe(requestKey(request, same));
});

describe('two ends', () => {
  const end = { type: 'end', outcome: 'findings', headline: '', reflection: null } as const;
  const one = { title: 'One', where: 'a.ts:1', place: 'inline' };
  const two = { title: 'Two', where: 'b.ts:2', place: 'summary' };

  it('differ by what only one of them has', () => {
    expect(compareRuns({ ...end, findings: [one] }, { ...end, outcome: 'partial', findings: [two] })).toEqual([
      'The outcome is partial; it was findings.',
      'No longer found: One (a.ts:1, inline).',
      'Not found before: Two (b.ts:2, summary).',
    ]);
    expect(compareRuns({ ...end, findings: [one, two] }, { ...end, findings: [two, one] })).toEqual([]);
  });
});
