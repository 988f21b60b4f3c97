import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { broken, submit } from '../fakes/model-server/script.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { whenFile } from '../fakes/when-file.ts';
import { review } from './review.ts';

const world = {
  base: { 'src/alpha.ts': 'export const alpha = 1;\n', 'web/beta.ts': 'export const beta = 1;\n' },
  head: { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' },
};

describe('a cancelled run', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends on %s as partial, with what was found and nothing posted',
    async (signal) => {
      const progress = join(temporaryFolder(), 'progress.jsonl');
      const { github, run } = await review({
        world,
        inputs: { 'files-per-batch': '1', 'progress-file': progress },
        model: {
          bundles: [
            {
              when: ({ prompt }) => prompt.includes('beta = 333'),
              answers: () => broken('hang'),
            },
          ],
          answers: [
            submit([{ path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' }]),
          ],
        },
        // By then the other bundle has found what it finds.
        signalAfter: { signal, when: whenFile(progress, '"type":"bundle-end"') },
        start: 'bundle',
      });
      expect([run.signal, run.outputs['outcome'], github.writes()]).toEqual([null, 'partial', []]);
      expect(run.summary).toContain('Alpha is too large');
    },
  );
});
