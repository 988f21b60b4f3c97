import { describe, expect, it } from 'vitest';
import type { AgentEvent, Phase } from '../../../src/core/agent/event.ts';
import type { ReviewEvent } from '../../../src/core/events.ts';
import { agentLine } from '../../../src/core/report/agent-line.ts';
import { logLines, renderEvent } from '../../../src/core/report/log-line.ts';

describe('render event', () => {
  const usage = { input: 2_340, cached: 1_200, output: 310, thinking: 0, estimated: false };
  const call = { id: 'c1', name: 'read_file_lines', arguments: '{"path":"src/a.ts","start_line":1,"end_line":40}' };

  function line(event: ReviewEvent): string {
    const rendered = renderEvent(event);
    return rendered === null ? '' : `${rendered.level} ${rendered.batch ?? '-'} ${rendered.text}`;
  }

  function agentLine(event: AgentEvent): string {
    return line({ type: 'agent-event', batch: '1 src', event });
  }

  describe('an event as a line', () => {
    it('tells a model call with its size and time', () => {
      const event = {
        type: 'step-end',
        phase: 'review',
        step: 2,
        milliseconds: 1_240,
        usage,
        cost: null,
        end: 'tool-calls',
        toolCalls: 2,
        text: 'hm',
      } as const;
      expect(agentLine(event)).toBe('info 1 src iteration 2 · 2,340 in (1,200 cached), 310 out · 2 tool calls · 1 s');
    });

    it('tells a tool call with the values of its arguments', () => {
      const event = {
        type: 'tool-end',
        step: 1,
        call,
        outcome: 'ok',
        milliseconds: 12,
        characters: 1_204,
        cut: false,
        text: 'x',
      } as const;
      expect(agentLine(event)).toBe('info 1 src ↳ read_file_lines src/a.ts 1 40 · 1,204 characters · 12 ms');
    });

    it('tells that a tool call failed, and nothing that is meant for the model', () => {
      const result = { milliseconds: 0, characters: 9, cut: false, text: 'Not JSON.\nTry again.' };
      const broken = { ...call, arguments: '{broken' };
      const event = { type: 'tool-end', step: 1, call: broken, outcome: 'bad-arguments', ...result } as const;
      expect(agentLine(event)).toBe(
        'info 1 src ↳ read_file_lines {broken · returned: the arguments are not valid · 0 ms',
      );
    });

    it.each([
      [
        { type: 'call-retry', attempt: 2, waitMilliseconds: 4_000, reason: '503' },
        'info 1 src attempt 2 failed, the next follows in 4 s: 503',
      ],
      [{ type: 'answer-empty', attempt: 1, maxAttempts: 3 }, 'info 1 src the answer was empty, attempt 1 of 3'],
      [{ type: 'limit-reach', stop: { reason: 'limit', limit: 'tokens' } }, 'info 1 src Token limit reached.'],
      [{ type: 'tool-start', step: 1, call }, 'debug 1 src ↳ read_file_lines src/a.ts 1 40 starts'],
    ] as const)('tells %j', (event, text) => {
      expect(agentLine(event)).toBe(text);
    });

    it.each([
      [
        { type: 'review-start', version: '1.0.0', model: null, profile: 'offline', subject: 'HEAD~1..HEAD' },
        'info - Postil 1.0.0 reviews HEAD~1..HEAD by rules only, profile offline.',
      ],
      [
        { type: 'files-select', kept: ['a'], skipped: [{ path: 'b', reason: 'binary' }], unread: [], changedLines: 12 },
        'info - 1 file to review with 12 changed lines, 1 skipped.',
      ],
      [
        { type: 'finding-refuse', batch: '1 src', title: 'A race', path: 'a.ts', reason: 'quote not found' },
        'info 1 src - unplaced: A race (a.ts): quote not found',
      ],
      [
        {
          type: 'delivery-end',
          delivery: {
            sink: 'review',
            status: 'refused',
            reason: 'Grant pull-requests: write.',
            delivered: [],
            url: null,
          },
        },
        'warning - review: not permitted. Grant pull-requests: write.',
      ],
      [
        { type: 'review-end', outcome: 'partial', headline: 'Partial.', milliseconds: 61_000 },
        'warning - Partial. 1 min 1 s.',
      ],
    ] as const)('tells %j', (event, text) => {
      expect(line(event)).toBe(text);
    });

    it('is one line of visible characters, whatever is in it', () => {
      expect(line({ type: 'note', text: 'one\n::error::two\u001B[2J\r\u202E' })).toBe(
        'info - one ::error::two\\u{1B}[2J \\u{202E}',
      );
    });

    it.each([
      [
        { sure: 5, likely: 18, limit: 'tokens' },
        '`max-total-tokens` is enough for the first 5 of 2,727 batches, likely for 18',
      ],
      [{ sure: 6, likely: 6, limit: 'cost' }, '`max-cost` is enough for the first 6 of 2,727 batches'],
      [
        { sure: 0, likely: 1, limit: 'tokens' },
        '`max-total-tokens` may not be enough for one of 2,727 batches, likely for 1',
      ],
    ] as const)('shows before the start for how many batches the limits are enough', (shares, words) => {
      expect(line({ type: 'shares-plan', batches: 2_727, ...shares })).toBe(
        `info - ${words}; the others start only if these leave enough.`,
      );
    });

    it('tells in one line what did not start', () => {
      const event = {
        type: 'batches-skip',
        count: 2_697,
        of: 2_727,
        sentence: 'Token limit reached.',
      } as const;
      expect(line(event)).toBe('info - 2,697 batches of 2,727 did not start: Token limit reached.');
    });
  });
});

describe('a line about an answer under way', () => {
  it.each([
    ['waits', 40_000, null, 'still waiting for the model, 40 s'],
    ['tells what was written', 40_000, 12_300, 'the model is writing, 40 s, 12,300 characters so far'],
  ])('%s', (_what, milliseconds, characters, text) => {
    const line = agentLine({ type: 'call-wait', phase: 'review', milliseconds, characters });
    expect(line).toEqual({ level: 'info', text, detail: null });
  });
});

it.each<[Phase, string]>([
  ['review', 'iteration 2 of 15 starts, about 1,200 tokens in'],
  ['final', 'last call starts, about 1,200 tokens in'],
  ['extraction', 'extraction starts, about 1,200 tokens in'],
  ['second-look', 'second look starts, about 1,200 tokens in'],
  ['verification', 'verification starts, about 1,200 tokens in'],
  ['reflection', 'reflection starts, about 1,200 tokens in'],
])('a line about a call of the phase %s names it', (phase, text) => {
  expect(agentLine({ type: 'step-start', phase, step: 2, maxSteps: 15, inputEstimate: 1_200 })?.text).toBe(text);
});

it.each([
  [{ hunks: 1, found: 0, note: null }, 'second look at 1 hunk: nothing more.'],
  [{ hunks: 1_204, found: 2, note: null }, 'second look at 1,204 hunks: 2 findings more.'],
  [
    { hunks: 2, found: 0, note: 'not made. Cost limit reached.' },
    'second look at 2 hunks: not made. Cost limit reached.',
  ],
])('a line about a second look says what came of it', (came, text) => {
  expect(renderEvent({ type: 'second-look-end', batch: '1 src', ...came })?.text).toBe(text);
});

it('a line about money that ran out is its one sentence', () => {
  expect(agentLine({ type: 'limit-reach', stop: { reason: 'limit', limit: 'cost' } })?.text).toBe(
    'Cost limit reached.',
  );
});

const wait = { type: 'call-wait', phase: 'review', milliseconds: 10_000, characters: null } as const;

function runOf(count: number): readonly ReviewEvent[] {
  const names = Array.from({ length: count }, (_, index) => `${index + 1} src`);
  const paths = Array.from({ length: 1_000 }, (_, index) => `src/${index}.ts`);
  return [
    {
      type: 'files-select',
      kept: paths,
      skipped: paths.map((path) => ({ path, reason: 'x' })),
      unread: [],
      changedLines: 1,
    },
    { type: 'batches-plan', batches: names.map((name) => ({ name, paths, estimatedTokens: 1 })) },
    ...names.flatMap((batch): readonly ReviewEvent[] => [
      { type: 'batch-start', batch },
      { type: 'agent-event', batch, event: wait },
      { type: 'warning', text: `Something about ${batch}.` },
      { type: 'batch-end', batch, sentence: 'Reviewed.', findings: 0 },
    ]),
    { type: 'review-end', outcome: 'partial', headline: 'Done.', milliseconds: 1_000 },
  ];
}

function linesOf(events: readonly ReviewEvent[], debugging = false): readonly string[] {
  const lines = logLines({ debugging });
  return events
    .flatMap(lines)
    .flatMap(({ text, detail }) => [text, ...(detail ?? '').split('\n')])
    .filter((line) => line !== '');
}

describe('the lines of a run', () => {
  it('tell every call of a few batches', () => {
    expect(linesOf(runOf(20)).filter((line) => line.includes('still waiting'))).toHaveLength(20);
  });

  it('are at most 150, however many batches, files and warnings there are', () => {
    const lines = linesOf(runOf(10_000));
    expect(lines.length).toBeLessThanOrEqual(150);
    expect(lines.filter((line) => line.startsWith('… and') || line.startsWith('More '))).toEqual([
      '… and 985 more',
      '… and 9,985 more',
      'More notes and warnings appear with debug logging only.',
      'More results of batches appear with debug logging only.',
    ]);
    expect(lines.at(-1)).toBe('Done. 1 s.');
    expect(linesOf(runOf(10_000), true).length).toBeGreaterThan(40_000);
    expect(lines.find((line) => line.startsWith('1 src: '))).toMatch(/src\/14\.ts and 985 more$/);
  });
});
