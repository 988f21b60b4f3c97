import { describe, expect, it } from 'vitest';
import { importsAmong } from '../../../src/core/bundles/relations.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { changedFile } from '../pull-request/changed-files.ts';

const files = {
  'src/cart.ts': "import { tax } from './tax.ts';\nimport { far } from './far.ts';\n",
  'src/tax.ts': 'export const tax = 1;\n',
  'src/far.ts': 'export const far = 1;\n',
  'shop/order.py': 'from .price import total\n',
  'shop/price.py': 'def total(): pass\n',
  'secret/key.ts': "import { tax } from '../src/tax.ts';\n",
};

function related(paths: readonly string[]) {
  return importsAmong(
    paths.map((path) => changedFile(path)),
    {
      repository: new MemoryRepository(files),
      isDenied: (path) => (path.startsWith('secret/') ? 'denied' : null),
      signal: new AbortController().signal,
    },
  );
}

describe('the imports among changed files', () => {
  it('relate both ways, and only what is changed', async () => {
    const relations = await related(['src/cart.ts', 'src/tax.ts', 'shop/order.py', 'shop/price.py']);
    expect([...relations].map(([path, others]) => `${path}: ${[...others].join()}`)).toEqual([
      'src/cart.ts: src/tax.ts',
      'src/tax.ts: src/cart.ts',
      'shop/order.py: shop/price.py',
      'shop/price.py: shop/order.py',
    ]);
  });

  it('are not read from files that may not be read', async () => {
    expect([...(await related(['secret/key.ts', 'src/tax.ts']))]).toEqual([]);
  });

  it('are left alone above a thousand files', async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => `src/f${index}.ts`);
    expect([...(await related([...many, 'src/cart.ts', 'src/tax.ts']))]).toEqual([]);
  });
});
