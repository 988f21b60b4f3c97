import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/core/agent/event.ts';
import type { ReviewEvent } from '../../../src/core/events.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { logLines, renderEvent } from '../../../src/core/report/log-line.ts';
import { deliveryOf } from '../../fakes/review-record.ts';

const usage = { input: 2_340, cached: 1_200, output: 310, thinking: 0, estimated: false };
const call = { id: 'c1', name: 'read_file_lines', arguments: '{"path":"src/a.ts","start_line":1,"end_line":40}' };
const result = { milliseconds: 12, characters: 1_204, cut: false, text: 'Not JSON.\nTry again.' };
const toolEnd = { type: 'tool-end', step: 1, ...result } as const;
const stepEnd = {
  type: 'step-end',
  phase: 'review',
  step: 2,
  milliseconds: 1_240,
  usage,
  cost: null,
  toolCalls: 2,
  end: 'tool-calls',
  text: 'hm',
} as const;
const wait = { type: 'call-wait', phase: 'review', milliseconds: 40_000 } as const;
const skip = { type: 'batches-skip', of: 2_727 } as const;
const end = { type: 'review-end', outcome: 'partial' } as const;
const delivery = deliveryOf('pull request review', { status: 'refused', reason: [verbatim('Grant it.')] });

describe('an event as a line', () => {
  it.each<[string, AgentEvent]>([
    ['iteration 2 · 2,340 in (1,200 cached), 310 out · 2 tool calls · 1 s', stepEnd],
    [
      '↳ read_file_lines {broken · returned: the arguments are not valid · 12 ms',
      { ...toolEnd, call: { ...call, arguments: '{broken' }, outcome: 'bad-arguments' },
    ],
    ['Token limit reached.', { type: 'limit-reach', stop: { reason: 'limit', limit: 'tokens' } }],
    ['the model is writing, 40 s, 12,300 characters so far', { ...wait, characters: 12_300 }],
  ])('of a batch is %j', (text, event) => {
    expect(lineOf({ type: 'agent-event', batch: '1 src', event })).toBe(`info 1 src ${text}`);
  });

  it.each<[string, ReviewEvent]>([
    [
      'info - Postil 1.0.0 reviews HEAD~1..HEAD by rules only.',
      { type: 'review-start', version: '1.0.0', model: null, profile: 'offline', subject: 'HEAD~1..HEAD' },
    ],
    [
      'info 1 src - unplaced: A race (a.ts): quote not found',
      { type: 'finding-refuse', batch: '1 src', title: 'A race', path: 'a.ts', reason: 'quote not found' },
    ],
    ['warning - pull request review: not permitted. Grant it.', { type: 'delivery-end', delivery }],
    ['warning - Partial. 1 min 1 s.', { ...end, headline: 'Partial.', milliseconds: 61_000 }],
    ['info - 2,697 batches of 2,727 did not start: Time is up.', { ...skip, count: 2_697, sentence: 'Time is up.' }],
    // One line of visible characters, whatever is in it.
    ['info - one ::error::two\\u{1B}[2J \\u{202E}', { type: 'note', text: 'one\n::error::two\u001B[2J\r\u202E' }],
  ])('is %j', (text, event) => {
    expect(lineOf(event)).toBe(text);
  });
});

function lineOf(event: ReviewEvent): string {
  const { level, batch, text } = renderEvent(event) ?? {};
  return `${level} ${batch ?? '-'} ${text}`;
}

function runOf(count: number): readonly ReviewEvent[] {
  const names = Array.from({ length: count }, (_, index) => `${index + 1} src`);
  const paths = Array.from({ length: 1_000 }, (_, index) => `src/${index}.ts`);
  const skipped = paths.map((path) => ({ path, reason: verbatim('x') }));
  return [
    { type: 'files-select', kept: paths, skipped, unread: [], changedLines: 1 },
    { type: 'batches-plan', batches: names.map((name) => ({ name, paths, estimatedTokens: 1 })) },
    ...names.flatMap((batch): readonly ReviewEvent[] => [
      { type: 'batch-start', batch },
      { type: 'agent-event', batch, event: { ...wait, characters: null } },
      { type: 'warning', text: `Something about ${batch}.` },
      {
        type: 'batch-end',
        batch,
        sentence: 'Reviewed.',
        result: { code: 'sentence', what: { code: 'batch.reviewed' } },
        findings: 0,
      },
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
