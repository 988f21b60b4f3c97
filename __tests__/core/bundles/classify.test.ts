import { expect, it } from 'vitest';
import { classOf } from '../../../src/core/bundles/classify.ts';
import { changedFile } from '../../fakes/changed-files.ts';

it.each([
  ['src/cart.test.ts', 'test'],
  ['src/test_cart.py', 'test'],
  ['src/CartTest.java', 'test'],
  ['__tests__/cart.ts', 'test'],
  ['src/fixtures/cart.json', 'test'],
  ['pkg/testdata/cart.go', 'test'],
  ['src/contest.ts', 'source'],
  ['.github/workflows/test.yml', 'source'],
  ['docs/testing.md', 'document'],
])('%s counts as %s', (path, expected) => {
  expect(classOf(changedFile(path))).toBe(expected);
});
