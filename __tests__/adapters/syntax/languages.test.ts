import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { openSyntax } from '../../../src/adapters/syntax/open-syntax.ts';
import { describeDefinition, enclosingOf } from '../../../src/core/context/enclosing.ts';
import { sourceSyntaxFiles } from '../../fakes/source-syntax-files.ts';
import { renderSyntax } from './render-syntax.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/syntax', import.meta.url));
const problems: string[] = [];
const syntax = openSyntax({ files: sourceSyntaxFiles, onProblem: (text) => problems.push(text) });
afterAll(() => syntax.close());

/** A file of the fixtures: a line of it, and what stands around that line. */
const languages = [
  ['cart.ts', 34, 'method Cart.total'],
  ['cart-view.tsx', 11, 'function CartView'],
  ['cart.js', 25, 'function clear'],
  ['cart.py', 31, 'method Cart.total'],
  ['cart.go', 43, 'method Cart.Total'],
  ['Cart.java', 22, 'method Cart.total'],
  ['cart.rb', 25, 'method Shop.Cart.total'],
  ['cart.rs', 42, 'method Cart.total'],
  ['cart.c', 35, 'function cart_total'],
  ['cart.cpp', 33, 'method shop.Cart.total'],
  ['Cart.cs', 32, 'method Acme.Shop.Cart.Total'],
  ['Cart.php', 42, 'method Cart.total'],
] as const;

describe.each(languages)('%s', (path, line, around) => {
  const parse = async () => {
    const text = readFileSync(join(fixtures, `${path}.txt`), 'utf8');
    return syntax.parse({ path, text }, { milliseconds: 10_000 });
  };

  it('is parsed into definitions, uses and imports', async () => {
    await expect(renderSyntax(await parse())).toMatchFileSnapshot(join(fixtures, `${path}.syntax`));
    expect(problems).toEqual([]);
  });

  it(`has ${around} around line ${line}`, async () => {
    const parsed = await parse();
    const enclosing = parsed === null ? null : enclosingOf(parsed, line);
    expect(enclosing === null ? null : describeDefinition(enclosing)).toBe(around);
  });
});

it('knows languages by their extensions alone', () => {
  const paths = ['a.mts', 'a.jsx', 'a.pyi', 'lib/a.h', 'A.CS', 'a.lua', 'Makefile', 'a.vue'];
  expect(paths.map((path) => syntax.languageOf(path))).toEqual([
    ...['ecmascript', 'ecmascript', 'python', 'c++', 'c#'],
    ...[null, null, null],
  ]);
});
