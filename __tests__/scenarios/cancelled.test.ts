import { describe, expect, it } from 'vitest';
import { broken, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';

const world = {
  base: { 'src/alpha.ts': 'export const alpha = 1;\n', 'web/beta.ts': 'export const beta = 1;\n' },
  head: { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' },
};

describe('a cancelled run', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends on %s as partial, with what was found and nothing posted',
    async (signal) => {
      let hung = () => {};
      const when = new Promise<void>((resolve) => {
        hung = resolve;
      });
      const { github, run } = await review({
        world,
        inputs: { 'files-per-batch': '1' },
        model: {
          bundles: [
            {
              when: ({ prompt }) => prompt.includes('beta = 333'),
              answers: () => {
                // The other bundle's answer needs a moment to arrive.
                setTimeout(hung, 700);
                return broken('hang');
              },
            },
          ],
          answers: [
            submit([{ path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' }]),
          ],
        },
        signalAfter: { signal, when },
        start: 'bundle',
      });
      expect([run.signal, run.outputs['outcome'], github.writes()]).toEqual([null, 'partial', []]);
      expect(run.summary).toContain('Alpha is too large');
    },
  );
});
