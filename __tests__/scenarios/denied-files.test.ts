import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';

const password = 'DB_PASSWORD=correct-horse-battery';

describe('a pull request that changes a file which holds secrets', () => {
  const world = {
    base: { 'src/a.ts': 'export const a = 1;\n', 'ops/keys.yml': 'key: none\n' },
    head: { 'src/a.ts': 'export const a = 2;\n', '.env': `${password}\n`, 'ops/keys.yml': 'key: plain-words-again\n' },
  };

  it('keeps its diff from the model, and says so', async () => {
    const { model, run } = await review({ world, model: [submit([])], inputs: { 'deny-paths': 'ops/**' } });
    const sent = JSON.stringify(model.requests);
    expect([sent.includes('export const a = 2'), sent.includes('correct-horse'), sent.includes('plain-words')]).toEqual(
      [true, false, false],
    );
    expect(run.summary).toContain('never shown to the model');
    expect(run.summary).toContain('.env');
  });

  it('is not read when it changes nothing else, without a call to the model', async () => {
    const { model, run } = await review({
      world: { base: { 'README.md': 'x\n' }, head: { 'README.md': 'x\n', 'deploy/server.key': 'plain words\n' } },
      model: [submit([])],
    });
    const { outcome, unread } = run.outputs;
    expect([run.code, outcome, unread, model.requests.length]).toEqual([0, 'partial', '1', 0]);
  });
});
