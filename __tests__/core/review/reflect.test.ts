import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/core/agent/model.ts';
import { deliver } from '../../../src/core/review/deliver.ts';
import { reflect } from '../../../src/core/review/reflect.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { review } from '../../fakes/review-record.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';

function reflecting(model: Model, clock: FakeClock) {
  const signal = new AbortController().signal;
  const price = { input: 1, cached: 1, output: 1 };
  const told = { clock, random: () => 0, signal, emit: () => undefined };
  return { model, price, maxTokens: 50_000, maxCost: 1, end: Number.POSITIVE_INFINITY, ...told };
}

async function judge(model: Model) {
  const clock = new FakeClock();
  return await clock.drive(reflect(review(), reflecting(model, clock)));
}

describe('a reflection', () => {
  it('scores the run, within bounds, whatever the model says', async () => {
    const scores = {
      confidence: 1.7,
      quality: -1,
      issues: [' Too few files were read. ', '', ...Array.from({ length: 9 }, () => 'x'.repeat(300))],
    };
    const { reflection, metrics } = await judge(
      new ScriptedModel({ toolCalls: [call('submit_reflection', scores)], usage: usage(800, 30) }),
    );
    expect(reflection).toMatchObject({ confidence: 1, quality: 0 });
    expect([reflection?.issues.length, reflection?.issues[0], reflection?.issues[1]?.length]).toEqual([
      5,
      'Too few files were read.',
      200,
    ]);
    expect(metrics.phases.reflection).toMatchObject({ modelCalls: 1, usage: usage(800, 30) });
  });

  it('is given up after twenty seconds', async () => {
    const clock = new FakeClock();
    const hangs: Model = { answer: () => new Promise(() => undefined) };
    const { reflection } = await clock.drive(reflect(review(), reflecting(hangs, clock)));
    expect([reflection, clock.now()]).toEqual([null, 20_000]);
  });

  it('tells the model nothing of the source', async () => {
    const model = new ScriptedModel({
      toolCalls: [call('submit_reflection', { confidence: 1, quality: 1, issues: [] })],
    });
    await judge(model);
    const text = model.requests[0]?.messages.map((message) => message.text).join('\n') ?? '';
    expect(
      review().placements.some(({ finding }) => finding.anchor.kind === 'lines' && text.includes(finding.anchor.quote)),
    ).toBe(false);
  });

  it('comes after delivery, and what it took is in the record', async () => {
    const order: string[] = [];
    const nothing = { status: 'delivered', reason: null, delivered: [], url: null } as const;
    const record = await deliver(
      review(),
      {
        sinks: [{ name: 'sink', deliver: async () => ({ ...nothing, sink: order.push('sink') ? 'sink' : '' }) }],
        recorders: [
          {
            name: 'record',
            record: async ({ reflection }) => ({
              ...nothing,
              sink: order.push(`record ${reflection?.quality}`) ? 'record' : '',
            }),
          },
        ],
        reflect: async (given) => {
          order.push('reflect');
          return {
            reflection: { confidence: 1, quality: 0.5, issues: [] },
            metrics: { ...given.metrics, modelCalls: 1 },
          };
        },
      },
      () => undefined,
    );
    expect([order, record.review.metrics.modelCalls]).toEqual([
      ['sink', 'reflect', 'record 0.5'],
      review().metrics.modelCalls + 1,
    ]);
  });
});
