import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type JobLog, jobLog, jobLogReporter } from '../../../src/adapters/actions/job-log.ts';
import type { AgentEvent } from '../../../src/core/agent/event.ts';
import type { ReviewEvent } from '../../../src/core/events.ts';
import { neutralise } from '../../../src/core/report/text.ts';
import { commandsIn } from './runner-commands.ts';

function logged(events: readonly ReviewEvent[], debugging = false): readonly string[] {
  const lines: string[] = [];
  const log: JobLog = {
    line: (text) => lines.push(text),
    debug: (text) => lines.push(`debug: ${text}`),
    debugging,
    group: (title) => {
      lines.push(`group: ${title}`);
      return { end: () => lines.push('end') };
    },
  };
  const report = jobLogReporter({ redact: (text) => text.replaceAll('hunter2hunter2', '***'), log });
  for (const event of events) report(event);
  return lines;
}

function plan(...names: readonly string[]): ReviewEvent {
  return {
    type: 'batches-plan',
    batches: names.map((name) => ({ name, paths: ['src/a.ts'], estimatedTokens: 1_200 })),
  };
}

function agent(batch: string, event: AgentEvent): ReviewEvent {
  return { type: 'agent-event', batch, event };
}

const call = { id: 'c1', name: 'read_file', arguments: '{"path":"src/a.ts"}' };
const toolEnd: AgentEvent = {
  ...{ type: 'tool-end', step: 1, call, outcome: 'ok', milliseconds: 3 },
  ...{ characters: 20, cut: false, text: 'key = hunter2hunter2\n::error::x' },
};

describe('the job log', () => {
  it('tells a single batch in a group of its own', () => {
    const events: readonly ReviewEvent[] = [
      {
        type: 'files-select',
        kept: ['src/a.ts'],
        skipped: [{ path: 'b.png', reason: 'binary' }],
        unread: [],
        changedLines: 4,
      },
      plan('1 src'),
      { type: 'batch-start', batch: '1 src' },
      agent('1 src', toolEnd),
      { type: 'finding-accept', batch: '1 src', title: 'A race', place: 'src/a.ts:4', severity: 'warning' },
      { type: 'batch-end', batch: '1 src', sentence: 'The model submitted its answer.', findings: 1 },
    ];
    expect(logged(events)).toEqual([
      '1 file to review with 4 changed lines, 1 skipped.',
      'group: Skipped files',
      'b.png (binary)',
      'end',
      '1 batch to review.',
      'group: Batches',
      '1 src: 1 file, about 1,200 tokens: src/a.ts',
      'end',
      'group: Review of 1 src',
      '↳ read_file src/a.ts · 20 characters · 3 ms',
      '+ warning: A race (src/a.ts:4)',
      'The model submitted its answer. 1 finding.',
      'end',
    ]);
  });

  it('prefixes the lines of batches that run at once, and groups none of them', () => {
    const events = [
      plan('1 src', '2 docs'),
      { type: 'batch-start', batch: '1 src' },
      { type: 'batch-start', batch: '2 docs' },
      agent('2 docs', toolEnd),
      agent('1 src', { type: 'answer-truncated', step: 1 }),
      { type: 'batch-end', batch: '1 src', sentence: 'Done.', findings: 0 },
    ] satisfies readonly ReviewEvent[];
    expect(logged(events).slice(4)).toEqual([
      '[1 src] The review starts.',
      '[2 docs] The review starts.',
      '[2 docs] ↳ read_file src/a.ts · 20 characters · 3 ms',
      '[1 src] the answer was cut at the output limit',
      '[1 src] Done. 0 findings.',
    ]);
  });

  it('shows whole results only at debug level, without secrets', () => {
    const events = [plan('1 src'), agent('1 src', toolEnd)];
    expect([logged(events).slice(4), logged(events, true).slice(4)]).toEqual([
      ['↳ read_file src/a.ts · 20 characters · 3 ms'],
      ['↳ read_file src/a.ts · 20 characters · 3 ms', 'debug: key = ***\n::error::x'],
    ]);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the log of a job', () => {
  it('gives the runner its own commands and no others', () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const hostile = 'x\n::set-output name=a::b\n  ##[error]c\r::add-mask::d';
    jobLog.line(hostile);
    jobLog.debug(hostile);
    jobLog.group(hostile).end();
    expect(commandsIn(written.join(''))).toEqual(['debug', 'group', 'endgroup']);
  });
});

describe('text in the job log', () => {
  it.each([
    ['a command', '::set-output name=a::b', ': :set-output name=a::b'],
    ['a command behind spaces', '  \t::error::x', '  \t: :error::x'],
    ['a command of the old form', 'x ##[error]y', 'x ## [error]y'],
    ['a command behind a carriage return', 'x\r::add-mask::a', 'x\n: :add-mask::a'],
    ['a command behind a zero-width character', '\u200B::error::x', '\\u{200B}::error::x'],
    ['a sequence for the terminal', '\u001B[31mred', '\\u{1B}[31mred'],
    ['C++', 'std::vector<int> a; a::b', 'std::vector<int> a; a::b'],
  ])('does not act when it is %s', (_name, text, printed) => {
    expect([neutralise(text), commandsIn(neutralise(text))]).toEqual([printed, []]);
  });

  it('is known to act without it, by the same reading of the runner', () => {
    const acting = [
      '::error::x',
      ' \u00A0::stop-commands::a',
      'a##[debug]b',
      'x\r::warning file=a::b',
      '\u200B::notice::c',
    ];
    expect(acting.flatMap(commandsIn)).toEqual(['error', 'stop-commands', 'debug', 'warning', 'notice']);
  });

  it('never holds a command, whatever it is made of', () => {
    const pieces = [
      '::',
      ':',
      '##[',
      '#',
      '[',
      ']',
      'error',
      'add-mask',
      ' ',
      '\t',
      '\n',
      '\r',
      '\u200B',
      '\u0000',
      '\u0085',
      '\u2028',
    ];
    const more = [
      '\u00A0',
      '\u3000',
      '\uFEFF',
      '\u00AD',
      '\u{E0041}',
      '\u200D',
      '\uFE0F',
      '👩',
      'é',
      '\v',
      '\f',
      '\u001B',
    ];
    const text = fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (hostile) => {
        expect(commandsIn(neutralise(hostile))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  it('stays the same when it is neutralised twice', () => {
    const text = fc.string({ unit: fc.constantFrom(':', '#', '[', ' ', '\n', 'a') });
    fc.assert(
      fc.property(text, (hostile) => {
        expect(neutralise(neutralise(hostile))).toBe(neutralise(hostile));
      }),
      { numRuns: 300 },
    );
  });
});
