import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outline } from '../../../src/core/context/outline.ts';

function outlineOf(path: string, lines: readonly string[]): readonly string[] | null {
  return outline(path, lines)?.map(({ line, depth, text }) => `${line}${'>'.repeat(depth)} ${text}`) ?? null;
}

describe('outline', () => {
  it.each([
    [
      'a.ts',
      [
        'import x from "x";',
        'export default class A<T> extends B {',
        '  private async load(id: string): Promise<void> {',
        '    if (id) {',
        '      return find(() => {',
        '  static get name() {',
        'interface Options {',
        'export async function run(a: number) {',
        'export const limit = 3;',
        'const helper = (value: string) => value;',
        'const plain = 3;',
        "describe('a', () => {",
        "  it('b', () => {",
      ],
      [
        '2 export default class A<T> extends B',
        '3> private async load(id: string): Promise<void>',
        '6> static get name()',
        '7 interface Options',
        '8 export async function run(a: number)',
        '9 export const limit = 3;',
        '10 const helper = (value: string) => value;',
        "12 describe('a', () =>",
        "13> it('b', () =>",
      ],
    ],
    [
      'a.py',
      ['import os', 'class A:', '    async def run(self):', '        def inner():', 'def main():'],
      ['2 class A:', '3> async def run(self):', '4>> def inner():', '5 def main():'],
    ],
    [
      'a.go',
      ['package a', 'type A struct {', 'func (a *A) Run() error {', 'var limit = 3'],
      ['2 type A struct', '3 func (a *A) Run() error', '4 var limit = 3'],
    ],
    [
      'A.java',
      ['public final class A {', '  private static int count(int a) {', '    return count(a);', '  enum B { C }'],
      ['1 public final class A', '2> private static int count(int a)', '4> enum B { C }'],
    ],
    [
      'a.kt',
      ['data class A(val b: Int)', 'object C {', '  override suspend fun run() {'],
      ['1 data class A(val b: Int)', '2 object C', '3> override suspend fun run()'],
    ],
    [
      'a.rb',
      ['module M', '  class A < B', '    def run(x)', '      while x'],
      ['1 module M', '2> class A < B', '3>> def run(x)'],
    ],
    [
      'a.rs',
      ['pub(crate) async fn run() {', 'impl A for B {', '    fn go(&self) {', 'let x = 1;'],
      ['1 pub(crate) async fn run()', '2 impl A for B', '3> fn go(&self)'],
    ],
    [
      'a.cpp',
      ['#define LIMIT 3', 'class A : public B {', 'int A::run(int a) const {', 'call(a);', '  while (a) {'],
      ['1 #define LIMIT 3', '2 class A : public B', '3 int A::run(int a) const'],
    ],
    [
      'a.cs',
      ['namespace N {', '  public record R(int A);', '    protected override async Task Run(int a) {'],
      ['1 namespace N', '2> public record R(int A);', '3>> protected override async Task Run(int a)'],
    ],
    [
      'a.php',
      ['final class A {', '  public static function run() {'],
      ['1 final class A', '2> public static function run()'],
    ],
    ['ci.yml', ['on: push', 'jobs:', '  build:', '    steps:'], ['1 on: push', '2 jobs:', '3> build:']],
    ['README.md', ['# A', '### B', '~~~', '# code', '~~~', '## C'], ['1 # A', '2> ### B', '6> ## C']],
    ['a.unknown', ['class A'], null],
    ['Makefile', ['all:'], null],
  ])('outlines %s', (path, lines, expected) => {
    expect(outlineOf(path, lines)).toEqual(expected);
  });

  it('passes over minified lines', () => {
    expect(outline('a.js', [`function a(){${'x'.repeat(300)}}`, 'function b() {'])).toEqual([
      { line: 2, depth: 0, text: 'function b()' },
    ]);
  });

  it('takes no time over lines made to hang', () => {
    const parts = ['public ', 'static ', 'a ', '(', ')', '{', ' ', '=> ', '<', '>', 'export '];
    const names = ['a.ts', 'A.java', 'a.cs', 'a.cpp', 'a.rs', 'a.rb'];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(fc.constantFrom(...parts), { maxLength: 40 }), (name, pieces) => {
        const line = pieces.join('').repeat(20).slice(0, 300);
        const lines = Array.from({ length: 20 }, () => line);
        expect(outline(name, lines)?.length ?? 0).toBeLessThanOrEqual(20);
      }),
    );
  });
});
