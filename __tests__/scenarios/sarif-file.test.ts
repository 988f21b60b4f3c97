import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { review } from './review.ts';
import { reviewOf, shopWorld } from './shop-world.ts';

describe('`sarif-file`', () => {
  it('holds the findings for the upload action, and the output names it', async () => {
    const path = join(temporaryFolder(), 'out', 'postil.sarif');
    const { run } = await review({
      world: shopWorld(2),
      model: [reviewOf([0, 1])],
      inputs: { 'sarif-file': path },
      start: 'bundle',
    });
    const { version, runs } = JSON.parse(await readFile(path, 'utf8'));
    const lines = runs[0].results.map(
      (result: { locations: { physicalLocation: { region: { startLine: number } } }[] }) =>
        result.locations[0]?.physicalLocation.region.startLine,
    );
    expect([run.outputs['sarif-file'], version, lines]).toEqual([path, '2.1.0', [3, 7]]);
  });
});
