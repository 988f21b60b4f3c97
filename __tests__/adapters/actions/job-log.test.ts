import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type JobLog, jobLog, jobLogReporter } from '../../../src/adapters/actions/job-log.ts';
import type { AgentEvent } from '../../../src/core/agent/event.ts';
import type { ReviewEvent } from '../../../src/core/events.ts';
import { neutralise } from '../../../src/core/report/text.ts';
import { commandsIn } from './runner-commands.ts';

/** A log as it reads, and the reporter that writes it; a second passes between two events. */
function openLog(debugging = false) {
  const lines: string[] = [];
  const log: JobLog = {
    line: (text) => lines.push(text),
    debug: (text) => lines.push(`debug: ${text}`),
    isDebugging: () => debugging,
    group: (title) => {
      lines.push(`group: ${title}`);
      return { end: () => lines.push('end') };
    },
  };
  let seconds = 0;
  const now = () => seconds * 1_000;
  const reporter = jobLogReporter({ redact: (text) => text.replaceAll('hunter2hunter2', '***'), log, now });
  const tell = (...events: readonly ReviewEvent[]) => {
    for (const event of events) {
      seconds += 1;
      reporter.report(event);
    }
  };
  return { lines, tell, end: reporter.end };
}

const result = { code: 'sentence', what: { code: 'batch.reviewed' } } as const;

function plan(...names: readonly string[]): ReviewEvent {
  return {
    type: 'batches-plan',
    batches: names.map((name) => ({ name, paths: ['src/a.ts'], estimatedTokens: 1_200 })),
  };
}

function agent(batch: string, event: AgentEvent): ReviewEvent {
  return { type: 'agent-event', batch, event };
}

function found(batch: string, title: string): ReviewEvent {
  return { type: 'finding-accept', id: 'f1', batch, title, place: 'src/a.ts:4', severity: 'warning' };
}

const call = { id: 'c1', name: 'read_file', arguments: '{"path":"src/a.ts"}' };
const toolEnd: AgentEvent = {
  ...{ type: 'tool-end', step: 1, call, outcome: 'ok', milliseconds: 3 },
  ...{ characters: 20, cut: false, text: 'key = hunter2hunter2\n::error::x' },
};
const stepEnd: AgentEvent = {
  ...{ type: 'step-end', phase: 'review', step: 1, milliseconds: 900, cost: null, end: 'tool-calls', toolCalls: 1 },
  ...{ usage: { input: 2_000, cached: 0, output: 100, thinking: 0, estimated: false }, text: '' },
};
const wait: AgentEvent = { type: 'call-wait', phase: 'review', milliseconds: 40_000, characters: null };
const unread = { skipped: [{ path: 'b.png', reason: { code: 'file.binary' } as const }], unread: [], changedLines: 4 };

describe('the job log', () => {
  it('has one group for each batch, written when it ends, and outside of groups what people look for', () => {
    const { lines, tell } = openLog();
    tell(
      { type: 'files-select', kept: ['src/a.ts'], ...unread },
      plan('1 src', '2 docs'),
      { type: 'batch-start', batch: '1 src' },
      { type: 'batch-start', batch: '2 docs' },
      agent('1 src, pass 2', stepEnd),
      agent('2 docs', toolEnd),
      agent('1 src', wait),
      found('1 src', 'A key: hunter2hunter2'),
      { type: 'batch-end', batch: '2 docs', sentence: 'Reviewed: no findings.', result, findings: 0 },
      { type: 'batch-end', batch: '1 src', sentence: 'Cut short (token limit): 1 finding.', result, findings: 1 },
      {
        type: 'findings-list',
        findings: [
          { title: 'A key: hunter2hunter2', place: 'src/a.ts:4', severity: 'warning', standing: false },
          { title: 'Old', place: 'src/a.ts', severity: 'nitpick', standing: true },
        ],
      },
      {
        type: 'delivery-end',
        delivery: { sink: 'annotations', status: 'delivered', reason: [], delivered: [], url: null },
      },
      { type: 'findings-post', places: { inline: 6, file: 1, summary: 1 }, url: 'https://github.example/r1' },
      { type: 'review-end', outcome: 'findings', headline: 'Two.', milliseconds: 1_000 },
    );
    expect(lines.filter((line) => !line.startsWith('debug: '))).toEqual([
      '1 file to review with 4 changed lines, 1 skipped.',
      'group: Skipped files',
      'b.png (binary)',
      'end',
      '2 batches to review.',
      'group: Batches',
      '1 src: 1 file, about 1,200 tokens: src/a.ts\n2 docs: 1 file, about 1,200 tokens: src/a.ts',
      'end',
      '[1 src] still waiting for the model, 40 s',
      'group: Batch 2 docs · Reviewed: no findings · 5 s',
      '↳ read_file src/a.ts · 20 characters · 3 ms',
      'end',
      'group: Batch 1 src · Cut short (token limit): 1 finding · 1 iteration · 2,100 tokens · 7 s',
      '[pass 2] iteration 1 · 2,000 in, 100 out · 1 tool call · 900 ms',
      '+ warning: A key: *** (src/a.ts:4)',
      'end',
      '2 findings:',
      'Warning · src/a.ts:4 · A key: ***\nNitpick · src/a.ts · Old (still open from before)',
      'Posted: 6 inline, 1 on a file, 1 in the summary. https://github.example/r1',
    ]);
  });

  it('shows what batches did that never ended, once, however the run is ended', () => {
    const { lines, tell, end } = openLog();
    tell(plan('1 src', '2 docs'), { type: 'batch-start', batch: '1 src' }, { type: 'batch-start', batch: '2 docs' });
    tell(agent('1 src', stepEnd), found('1 src', 'A race'));
    end();
    end();
    expect(lines.slice(4)).toEqual([
      'group: Batch 1 src · Not finished: 1 finding so far · 1 iteration · 2,100 tokens · 3 s',
      'iteration 1 · 2,000 in, 100 out · 1 tool call · 900 ms',
      '+ warning: A race (src/a.ts:4)',
      'end',
      'Batch 2 docs · Not finished · 2 s',
    ]);
  });

  it('keeps so many lines of a batch that memory is bounded, and says how many it left out', () => {
    const { lines, tell, end } = openLog();
    tell(plan('src'), { type: 'batch-start', batch: 'src' });
    for (let count = 0; count < 300; count += 1) tell(found('src', 'x'.repeat(2_000)));
    end();
    expect(lines.join('').length).toBeLessThan(210_000);
    expect(lines.slice(-2)).toEqual(['… 202 more lines of this batch did not fit here.', 'end']);
  });

  it.each([
    [false, ['↳ read_file src/a.ts · 20 characters · 3 ms']],
    [true, ['↳ read_file src/a.ts · 20 characters · 3 ms', 'debug: key = ***\n::error::x']],
  ])('shows whole results when debugging is %s, without secrets', (debugging, expected) => {
    const { lines, tell, end } = openLog(debugging);
    tell(plan('src'), { type: 'batch-start', batch: 'src' }, agent('src', toolEnd));
    end();
    expect(lines.slice(2, -1)).toEqual(expected);
  });

  it('has a line and no group for each of very many batches', () => {
    const { lines, tell } = openLog();
    const names = Array.from({ length: 100 }, (_, index) => `${index + 1} src`);
    tell(plan(...names));
    for (const batch of names) {
      tell({ type: 'batch-start', batch }, agent(batch, stepEnd), found(batch, 'A race'));
      tell({ type: 'batch-end', batch, sentence: 'Reviewed: 1 finding.', result, findings: 1 });
    }
    const first = 'Batch 1 src · Reviewed: 1 finding · 1 iteration · 2,100 tokens · 3 s';
    const last = 'More results of batches appear with debug logging only.';
    expect([lines.length, lines[4], lines.at(-1)]).toEqual([85, first, last]);
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
    ['a command of the old form', 'x ##[error]y', 'x ## [error]y'],
    ['a command behind a carriage return', 'x\r::add-mask::a', 'x\n: :add-mask::a'],
    ['C++', 'std::vector<int> a; a::b', 'std::vector<int> a; a::b'],
  ])('does not act when it is %s', (_name, text, printed) => {
    expect([neutralise(text), commandsIn(neutralise(text))]).toEqual([printed, []]);
  });

  it('is known to act without it, by the same reading of the runner', () => {
    const acting = ['::error::x', ' \u00A0::echo::a', 'a##[debug]b', 'x\r::warning file=a::b', '\u200B::notice::c'];
    expect(acting.flatMap(commandsIn)).toEqual(['error', 'echo', 'debug', 'warning', 'notice']);
  });

  it('never holds a command, whatever it is made of', () => {
    const words = ['::', '##[', 'error', 'add-mask', 'é', '👩', '\u{E0041}'];
    const signs = [...':#[] \t\n\r\v\f\0\u001B\u0085\u00A0\u00AD\u200B\u200D\u2028\u3000\uFE0F\uFEFF'];
    const text = fc.array(fc.constantFrom(...words, ...signs), { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (hostile) => {
        expect(commandsIn(neutralise(hostile))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });
});
