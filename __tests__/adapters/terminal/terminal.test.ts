import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { paintFor, type TerminalStream, terminalReporter, widthOf } from '../../../src/adapters/terminal/terminal.ts';
import type { AgentEvent } from '../../../src/core/agent/event.ts';
import type { ReviewEvent } from '../../../src/core/events.ts';
import { liveLine } from '../../../src/core/report/timeline.ts';
import { context } from '../../fakes/review-record.ts';

const started: ReviewEvent = {
  type: 'review-start',
  version: '1.0.0',
  model: 'gpt-test',
  profile: 'thorough',
  subject: 'a change whose title is long',
};
const events: readonly ReviewEvent[] = [
  started,
  { type: 'batch-start', batch: '1 src' },
  { type: 'warning', text: 'no git hunter2hunter2\u001B[2J' },
  { type: 'review-end', outcome: 'clean', headline: 'No findings in 3 files.', milliseconds: 2_000 },
  { type: 'delivery-end', delivery: { sink: 'terminal', status: 'delivered', reason: [], delivered: [], url: null } },
];

const start = (n: number): ReviewEvent => ({ type: 'batch-start', batch: `b${n}` });
const end = (n: number): ReviewEvent => ({
  type: 'batch-end',
  batch: `b${n}`,
  sentence: 'Reviewed.',
  result: { code: 'sentence', what: { code: 'batch.reviewed' } },
  findings: 0,
});
const of = (n: number, event: AgentEvent): ReviewEvent => ({ type: 'agent-event', batch: `b${n}`, event });
const step = (n: number) => of(n, { type: 'step-start', phase: 'review', step: 1, maxSteps: 15, inputEstimate: 1 });
const first = [start(1), step(1)];
const fourDone = [1, 2, 3, 4].flatMap((n) => [start(n), end(n)]);
const retry = of(1, { type: 'call-retry', attempt: 1, waitMilliseconds: 8_000, reason: 'rate limit' });
const finding = { id: 'f1', batch: 'b1', title: 'T', place: 'a.ts:1' };
const accept: ReviewEvent = { type: 'finding-accept', severity: 'info', ...finding };
const found: readonly ReviewEvent[] = [
  of(1, {
    ...{ type: 'step-end', phase: 'review', step: 1, milliseconds: 1, cost: null, end: 'tool-calls', toolCalls: 1 },
    ...{ usage: { input: 23_000, cached: 0, output: 1_200, thinking: 0, estimated: false }, text: '' },
  }),
  ...[accept, accept, accept],
  { type: 'finding-dismiss', by: 'verification', reason: 'not so', ...finding },
];

/** What a run tells on a terminal, step by step: the fake does not act on control sequences, so all of it is there. */
function watched(given: readonly ReviewEvent[]) {
  // The spinner looks at the process's own environment, wherever the tests run.
  vi.stubEnv('CI', undefined);
  vi.stubEnv('TERM', 'xterm');
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });
  const { stream, written } = fakeTerminal({ isTTY: true });
  const { report, stop } = terminalReporter({ redact: context.redact, stream, environment: {} });
  onTestFinished(stop);
  for (const event of given) report(event);
  const lines = () => stripVTControlCharacters(written()).split(/\p{Script=Braille} /u);
  return { report, stop, lastLine: () => lines().at(-1), written };
}

describe('a run on a terminal', () => {
  it('is reported in plain lines where there is no terminal', () => {
    const { stream, written } = fakeTerminal({ isTTY: false });
    const { report } = terminalReporter({ redact: context.redact, stream, environment: {} });
    for (const event of events) report(event);
    expect(written()).toBe(
      [
        'Postil 1.0.0 reviews a change whose title is long with gpt-test, profile thorough.',
        '[1 src] The review starts.',
        'Warning: no git [redacted: secret]\\u{1B}[2J',
        'No findings in 3 files. 2 s.',
        '',
      ].join('\n'),
    );
  });

  it('leaves what is to be read, wrapped, and takes the live line away at the end', () => {
    const { written } = watched(events);
    const text = stripVTControlCharacters(written());
    expect(text).toMatch(/^Postil 1.0.0 reviews a change whose title is long with gpt-test, profile\nthorough.\n/);
    expect(text).toContain('Warning: no git [redacted: secret]\\u{1B}[2J\n');
    expect(written().endsWith('\u001B[?25h')).toBe(true);
  });

  it('says in a live line what it waits for, second by second, and nothing once it is stopped', () => {
    const batches = ['b1', 'b2'].map((name) => ({ name, paths: [`${name}.ts`], estimatedTokens: 100 }));
    const { report, stop, lastLine, written } = watched([
      started,
      { type: 'batches-plan', batches },
      start(1),
      step(1),
    ]);
    vi.advanceTimersByTime(12_000);
    expect(lastLine()).toBe('batch 1/2 · iteration 1 of 15 · waiting 12 s');
    stop();
    const before = written();
    report(start(2));
    vi.advanceTimersByTime(5_000);
    expect(written()).toBe(before);
  });

  it.each<[string, number, readonly ReviewEvent[], number, string]>([
    ['what comes before the batches', 0, [], 80, 'reading the change'],
    ['how long a retry waits', 3, [...first, retry], 80, 'batch 1/3 · iteration 1 of 15 · retry in 8 s'],
    ['what was found', 3, [...first, ...found], 80, 'batch 1/3 · iteration 1 of 15 · 2 findings · 24k tokens'],
    ['on a narrow terminal what matters most', 3, [...first, ...found], 34, 'batch 1/3 · 2 findings'],
    ['which batches run side by side', 3, [start(1), start(2), end(1), start(3)], 80, 'batches 2, 3 of 3'],
    ['how far a long run is, by a bar', 12, [...fourDone, start(5)], 80, '████░░░░░░░░ 4/12 batches'],
    ['that only the end is missing', 1, [start(1), end(1)], 80, 'finishing the review'],
  ])('the live line says %s', (_, total, given, columns, text) => {
    const line = liveLine(() => 0);
    const batches = Array.from({ length: total }, (_, index) => ({ name: `b${index}`, paths: [], estimatedTokens: 1 }));
    for (const event of [started, { type: 'batches-plan', batches } as const, ...given]) line.report(event);
    expect(line.text(columns)).toBe(text);
  });

  it.each([
    ['in CI', { CI: 'true' }],
    ['on a dumb terminal', { TERM: 'dumb' }],
  ])('has no live line %s', (_name, environment) => {
    const { stream, written } = fakeTerminal({ isTTY: true });
    const { report } = terminalReporter({ redact: context.redact, stream, environment });
    report({ type: 'batch-start', batch: '1 src' });
    expect(written()).toBe('[1 src] The review starts.\n');
  });
});

describe('colours', () => {
  const terminal = { TERM: 'xterm-256color' };
  const plain = paintFor({ isTTY: false }, {}).red;

  it.each([
    ['shown on a terminal', true, {}, true],
    ['left out of a file', false, {}, false],
    ['left out where NO_COLOR is set', true, { NO_COLOR: '1' }, false],
    ['left out of a dumb terminal', true, { TERM: 'dumb' }, false],
    ['shown in a file with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['left out with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
  ])('are %s', (_name, isTTY, environment, shown) => {
    expect(paintFor({ isTTY }, { ...terminal, ...environment }).red !== plain).toBe(shown);
  });
});

describe('the width of a line', () => {
  it.each([
    ['the terminal', { isTTY: true, columns: 97 }, 97],
    ['what is easy to read on a very wide one', { isTTY: true, columns: 300 }, 120],
    ['80 where the terminal does not know', { isTTY: true, columns: 0 }, 80],
    ['nothing in a file', { isTTY: false }, Number.POSITIVE_INFINITY],
  ])('is that of %s', (_name, stream, width) => {
    expect(widthOf(stream)).toBe(width);
  });
});

/** A stream of 80 columns without colours that keeps what was written to it. */
function fakeTerminal({ isTTY }: { readonly isTTY: boolean }) {
  const chunks: string[] = [];
  const moves = { cursorTo: () => true, moveCursor: () => true, clearLine: () => true };
  const stream: TerminalStream = Object.assign(new PassThrough(), {
    ...{ isTTY, columns: 80, hasColors: () => false, ...moves },
  });
  stream.on('data', (chunk) => chunks.push(String(chunk)));
  return { stream, written: () => chunks.join('') };
}
