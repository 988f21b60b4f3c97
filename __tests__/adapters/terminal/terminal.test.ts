import { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { paintFor, terminalRecorder, terminalReporter } from '../../../src/adapters/terminal/terminal.ts';
import type { ReviewEvent } from '../../../src/core/events.ts';
import { context, finding, recordOf } from '../../fakes/review-record.ts';
import { fakeTerminal } from './fake-terminal.ts';

const events: readonly ReviewEvent[] = [
  { type: 'review-start', version: '1.0.0', model: 'gpt-test', profile: 'thorough', subject: 'HEAD~1..HEAD' },
  { type: 'batch-start', batch: '1 src' },
  { type: 'warning', text: 'no git hunter2hunter2\u001B[2J' },
  { type: 'review-end', outcome: 'clean', headline: 'No findings in 3 files.', milliseconds: 2_000 },
  { type: 'delivery-end', delivery: { sink: 'terminal', status: 'delivered', reason: null, delivered: [], url: null } },
];

describe('a run on a terminal', () => {
  it('is reported in plain lines where there is no terminal', () => {
    const { stream, written } = fakeTerminal({ isTTY: false });
    const { report } = terminalReporter({ redact: context.redact, stream, environment: {} });
    for (const event of events) report(event);
    expect(written()).toBe(
      [
        'Postil 1.0.0 reviews HEAD~1..HEAD with gpt-test, profile thorough.',
        '[1 src] The review starts.',
        'Warning: no git [redacted: secret]\\u{1B}[2J',
        'No findings in 3 files. 2 s.',
        '',
      ].join('\n'),
    );
  });

  it('shows what passes in a live line and leaves what is to be read', () => {
    // The spinner looks at the process's own environment, wherever the tests run.
    vi.stubEnv('CI', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { stream, written } = fakeTerminal({ isTTY: true });
    const { report, stop } = terminalReporter({ redact: context.redact, stream, environment: {} });
    for (const event of events) report(event);
    stop();
    const lines = stripVTControlCharacters(written()).split('\n');
    expect([lines[0], lines.at(-2), lines.at(-1)]).toEqual([
      'Postil 1.0.0 reviews HEAD~1..HEAD with gpt-test, profile thorough.',
      expect.stringMatching(/Warning: no git \[redacted: secret\]/),
      expect.stringMatching(/No findings in 3 files\. 2 s\.$/),
    ]);
  });

  it.each([
    ['in CI', { CI: 'true' }],
    ['on a dumb terminal', { TERM: 'dumb' }],
  ])('has no live line %s', (_name, environment) => {
    const { stream, written } = fakeTerminal({ isTTY: true });
    const { report } = terminalReporter({ redact: context.redact, stream, environment });
    report({ type: 'batch-start', batch: '1 src' });
    expect(written().endsWith('\n')).toBe(true);
  });
});

describe('colours', () => {
  const hasColors = WriteStream.prototype.hasColors;

  it.each([
    ['a file', { isTTY: false, hasColors: () => true }],
    ['a terminal without colours', { isTTY: true, hasColors: () => false }],
    ['a stream that does not know', { isTTY: true }],
    [
      'a terminal where NO_COLOR is set',
      { isTTY: true, hasColors: () => hasColors({ NO_COLOR: '1', TERM: 'xterm-256color' }) },
    ],
  ])('are left out of %s', (_name, stream) => {
    expect(paintFor(stream).red('text')).toBe('text');
  });
});

describe('the report of a run', () => {
  it('goes to the stream as text', async () => {
    const { stream, written } = fakeTerminal({ isTTY: false });
    const record = recordOf({ outcome: 'findings', placements: [{ finding: finding(), place: 'inline' }] });
    const delivery = await terminalRecorder({ redact: context.redact, stream }).record(record);
    expect([delivery.status, written().split('\n')[0]]).toEqual([
      'delivered',
      'src/cart.ts:12  critical  The last price is read past the end',
    ]);
  });
});
