import { describe, expect, it } from 'vitest';
import type { JobLog } from '../../../src/adapters/actions/job-log.ts';
import { jobLogReporter } from '../../../src/adapters/actions/job-log-reporter.ts';
import type { AgentEvent } from '../../../src/core/agent/event.ts';
import type { ReviewEvent } from '../../../src/core/reporter.ts';

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
    type: 'bundles-plan',
    bundles: names.map((name) => ({ name, paths: ['src/a.ts'], estimatedTokens: 1_200 })),
  };
}

function agent(bundle: string, event: AgentEvent): ReviewEvent {
  return { type: 'agent-event', bundle, event };
}

const call = { id: 'c1', name: 'read_file', arguments: '{"path":"src/a.ts"}' };
const toolEnd: AgentEvent = {
  ...{ type: 'tool-end', step: 1, call, outcome: 'ok', milliseconds: 3 },
  ...{ characters: 20, cut: false, text: 'key = hunter2hunter2\n::error::x' },
};

describe('the job log', () => {
  it('tells a single bundle in a group of its own', () => {
    const events: readonly ReviewEvent[] = [
      {
        type: 'files-select',
        kept: ['src/a.ts'],
        skipped: [{ path: 'b.png', reason: 'binary' }],
        unread: [],
        changedLines: 4,
      },
      plan('1 src'),
      { type: 'bundle-start', bundle: '1 src' },
      agent('1 src', toolEnd),
      { type: 'finding-accept', bundle: '1 src', title: 'A race', place: 'src/a.ts:4', severity: 'warning' },
      { type: 'bundle-end', bundle: '1 src', sentence: 'The model submitted its answer.', findings: 1 },
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

  it('prefixes the lines of bundles that run at once, and groups none of them', () => {
    const events = [
      plan('1 src', '2 docs'),
      { type: 'bundle-start', bundle: '1 src' },
      { type: 'bundle-start', bundle: '2 docs' },
      agent('2 docs', toolEnd),
      agent('1 src', { type: 'answer-truncated', step: 1 }),
      { type: 'bundle-end', bundle: '1 src', sentence: 'Done.', findings: 0 },
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
