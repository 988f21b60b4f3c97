import { describe, expect, it } from 'vitest';
import { readOnly } from '../fakes/github-server/world.ts';
import { submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { totalWorld, wrongLineFinding, wrongLineNumber } from './total-world.ts';

describe('a fork with a read-only token', () => {
  it('still gets annotations and a summary, and the log says what to grant', async () => {
    const { github, run } = await review({
      world: { ...totalWorld, fork: true, github: { permissions: readOnly } },
      model: [submit([wrongLineFinding])],
    });
    expect(github.comments()).toEqual([]);
    expect(github.requests.map(({ path }) => path)).not.toContain('/api/v3/user');
    expect(run.annotations).toMatchObject([{ level: 'error', file: 'src/total.ts', line: wrongLineNumber }]);
    expect(run.summary).toContain(wrongLineFinding.title);
    expect([run.outputs['outcome'], run.outputs['posted'], run.code]).toEqual(['findings', '0', 0]);
    expect(`${run.log}\n${run.summary}`).toContain('pull-requests: write');
  });
});

describe('a run without a key', () => {
  it('is skipped when the rules find nothing, and says how to add a model', async () => {
    const { github, run } = await review({ world: totalWorld, model: null });
    expect([run.outputs['outcome'], run.code, github.writes()]).toEqual(['skipped', 0, []]);
    expect(`${run.log}\n${run.summary}`).toContain('api-key');
  });

  it('is partial when the rules find something', async () => {
    const head = { 'src/total.ts': 'export function total() {\n  debugger;\n  return 0;\n}\n' };
    const { github, run } = await review({ world: { ...totalWorld, head }, model: null });
    expect(run.outputs).toMatchObject({ outcome: 'partial', 'stop-reason': 'no-key', findings: '1' });
    expect(github.comments().map(({ path, line }) => `${path}:${line}`)).toEqual(['src/total.ts:2']);
  });

  it('that asked for the offline profile is a whole review', async () => {
    const { run } = await review({ world: totalWorld, model: null, inputs: { profile: 'offline' } });
    expect(run.outputs).toMatchObject({ outcome: 'clean', 'stop-reason': 'completed' });
  });
});

describe('a token', () => {
  it('that GitHub does not know fails the run with what to do', async () => {
    const { run } = await review({ world: totalWorld, model: [], inputs: { 'github-token': 'wrong-token-entirely' } });
    expect([run.code, run.outputs['outcome']]).toEqual([1, 'failed']);
    expect(run.annotations[0]?.message).toContain('github-token');
  });
});
