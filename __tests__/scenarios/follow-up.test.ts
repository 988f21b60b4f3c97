import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, type ScriptedFinding, say, submit } from '../fakes/model-server/script.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';
import { review } from './review.ts';

/** Longer than what the code around a change shows of a body. */
const guards = Array.from({ length: 40 }, (_, index) => `  if (items.length === ${index + 100}) return ${index};`);
const cart = [
  'export function lastPrice(items: readonly number[]): number {',
  ...guards,
  '  if (items.length === 0) return 0;',
  '  return items[items.length - 1] ?? 0;',
  '}',
  '',
].join('\n');
const checkout = `import { lastPrice } from './cart.ts';

export function tip(items: readonly number[]): number {
  return 0;
}
`;

/** A change whose danger is decided by a line that the code around it does not show. */
const world = {
  base: { 'src/cart.ts': cart, 'src/checkout.ts': checkout },
  head: { 'src/checkout.ts': checkout.replace('return 0;', 'return 10 / lastPrice(items);') },
} as const satisfies WorldOptions;

const suspicion = {
  path: 'src/checkout.ts',
  quote: '  return 10 / lastPrice(items);',
  title: 'An empty cart throws',
  review: '`lastPrice` may read from an empty list.',
  severity: 'critical',
} as const;
const division = {
  ...suspicion,
  title: 'A free item divides by zero',
  review: 'A price of 0 gives `Infinity`.',
};

const lines = {
  file: 'src/cart.ts',
  line_start: 40,
  line_end: 44,
  reason: 'Does lastPrice guard against an empty cart?',
};

const first = submitWith({ findings: [suspicion], context_request: lines, confirmed: null, dismissed: null });

function submitWith({
  findings = [],
  ...fields
}: {
  readonly findings?: readonly ScriptedFinding[];
  readonly [field: string]: unknown;
}) {
  return call('submit_review', { ...JSON.parse(JSON.stringify(submit(findings).calls[0]?.arguments)), ...fields });
}

describe('profile: follow-up', () => {
  it('shows the lines that were asked for once, and takes out what they refute, with the reason in the delivery', async () => {
    const folder = temporaryFolder();
    const [report, progress] = [join(folder, 'report.json'), join(folder, 'progress.ndjson')];
    const dismissed = [{ finding: 1, reason: 'Line 42 returns 0 for an empty cart.' }];
    const { model, run, github } = await review({
      world,
      model: [first, submitWith({ dismissed, findings: [division], confirmed: [], context_request: null })],
      inputs: { profile: 'follow-up', 'report-file': report, 'progress-file': progress },
    });
    expect([model.requests.length, model.complaints]).toEqual([2, []]);
    const [one, two] = model.requests;
    expect(two?.prompt).toContain('  42 |   if (items.length === 0) return 0;');
    expect(two?.prompt).not.toContain('  39 |   if (items.length');
    expect(one?.prompt).toContain('src/cart.ts: defines lastPrice');
    // The second prompt begins with the first, tools included, so that a provider has it cached.
    expect(two?.messages.slice(0, one?.messages.length)).toEqual(one?.messages);
    expect([one?.tools, two?.tools]).toEqual([['submit_review'], ['submit_review']]);
    expect(github.comments().map(({ body }) => /free item|empty cart/.exec(body)?.[0])).toEqual(['free item']);
    expect(run.summary).toContain('An empty cart throws');
    expect(run.log).toMatch(/src\/cart\.ts:40-44: Does lastPrice guard/);
    const events = readFileSync(progress, 'utf8').trim().split('\n');
    expect(events.map((line) => JSON.parse(line)).filter(({ type }) => type.startsWith('follow_up_'))).toMatchObject([
      { type: 'follow_up_requested', file: 'src/cart.ts', lines: '40-44' },
      { type: 'follow_up_complete', issues_confirmed: 0, issues_removed: 1, issues_added: 1 },
    ]);
    const [batch] = JSON.parse(readFileSync(report, 'utf8')).batches;
    const granted = { file: 'src/cart.ts', lines: '40-44', refused: null };
    expect(batch.follow_up).toMatchObject({ ...granted, removed: 1, added: 1 });
    expect(batch.metrics.phases).toMatchObject({ single: { model_calls: 1 }, 'follow-up': { model_calls: 1 } });
  });

  it("takes Cora's words from a model without tools, in both answers", async () => {
    const said = { severity: 'high', title: 'An empty cart throws', body: 'It may.', issue_type: 'bug' };
    const issue = { file: 'src/checkout.ts', line: 4, ...said };
    const { model, github, run } = await review({
      world,
      model: {
        rejects: ['tools'],
        answers: [
          say(JSON.stringify({ issues: [issue], context_request: lines })),
          say(JSON.stringify({ confirmed: [1], dismissed: [], added: [] })),
        ],
      },
      inputs: { profile: 'follow-up', api: 'chat' },
    });
    expect([model.requests.length, github.comments().length, run.outputs['outcome']]).toEqual([2, 1, 'findings']);
    expect(run.log).toMatch(/1 confirmed, 0 removed, 0 added/);
  });
});
