import { describe, expect, it } from 'vitest';
import { startLoopback } from '../fakes/loopback.ts';
import { calls, fault, say, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { totalWorld, wrongLineFinding } from './total-world.ts';

describe('an answer that is too much', () => {
  it('of white space does not hold the run up', async () => {
    const { run } = await review({
      world: totalWorld,
      model: (_, turn) => (turn === 0 ? say(`Wait${' '.repeat(100_000)}x`) : submit([])),
    });
    expect(['clean', 'partial']).toContain(run.outputs['outcome']);
  });

  it('of findings is read as far as is of use, and the rest is told', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ({ ...wrongLineFinding, quote: `nowhere ${index}` }));
    const { run } = await review({ world: totalWorld, model: (_, turn) => submit(turn === 0 ? many : []) });
    expect(run.log.match(/- unplaced:/g)?.length).toBe(201);
    expect(run.summary).toContain('800 more findings');
  });

  it('of a title or a name takes no more than a line of the log', async () => {
    const { run } = await review({
      world: totalWorld,
      model: (_, turn) =>
        turn === 0
          ? calls({ name: 'x'.repeat(300_000), arguments: {} })
          : submit([{ ...wrongLineFinding, title: 'long '.repeat(20_000) }]),
    });
    expect(run.outputs['findings']).toBe('1');
    expect(Math.max(...run.log.split('\n').map((line) => line.length))).toBeLessThan(10_000);
  });

  it('of nesting is a failure of the server, not a defect of Postil', async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const body = `{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read_file","arguments":${deep}}}]}}]}`;
    const { run } = await review({
      world: totalWorld,
      model: (_, turn) => (turn === 0 ? fault(200, body) : submit([])),
    });
    expect(run.outputs['outcome']).toBe('clean');
  });
});

describe('a model server that redirects', () => {
  it('does not send the source to another host', async () => {
    const seen: string[] = [];
    const other = await startLoopback(async (request) => {
      seen.push(request.path);
      return { status: 200, headers: {}, body: '{}' };
    });
    const { run } = await review({
      world: totalWorld,
      model: () => fault(307, '', { location: `${other.url}/steal` }),
    });
    await other.close();
    expect([seen, run.outputs['outcome']]).toEqual([[], 'failed']);
  });
});
