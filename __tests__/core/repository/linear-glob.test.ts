import { describe, expect, it } from 'vitest';
import { selectFiles } from '../../../src/core/pull-request/select-files.ts';
import { anyGlob, linearGlob } from '../../../src/core/repository/linear-glob.ts';
import { appliesTo } from '../../../src/core/rules/applies-to.ts';
import { isDeniedPath } from '../../../src/core/tools/default-policy.ts';
import { changedFile } from '../../fakes/changed-files.ts';

const slow = `${'*a'.repeat(12)}*b`;
const name = 'a'.repeat(4_000);

describe('a glob', () => {
  it.each([
    ['by itself', () => linearGlob(slow)(name)],
    [
      'in exclude',
      () =>
        selectFiles([changedFile(name, { lines: ['+x'] })], { skipKinds: [], include: [], exclude: [slow] }).skipped
          .length > 0,
    ],
    [
      'in include',
      () =>
        selectFiles([changedFile(name, { lines: ['+x'] })], { skipKinds: [], include: [slow], exclude: [] }).kept
          .length > 0,
    ],
    ['in deny-paths', () => isDeniedPath(name, [slow]) !== null],
    ['of a rule', () => appliesTo({ languages: [], paths: [slow] })(name)],
  ])('that other matchers take hours for answers at once %s', (_, matches) => {
    expect(matches()).toBe(false);
  });

  it('that is none stands for itself', () => {
    expect(['[z-a]', 'z', 'b'].map((path) => linearGlob('[z-a]')(path))).toEqual([true, false, false]);
  });

  it('with braces in braces a thousand times is none', () => {
    const nested = (depth: number) => `${'{a*,'.repeat(depth)}${'}'.repeat(depth)}`;
    expect([linearGlob(nested(50))('ab'), linearGlob(nested(1_000))('ab')]).toEqual([true, false]);
  });

  it('may be one of several, and need not keep to the case', () => {
    expect(['SRC/A.ts', 'src/a.md', 'x'].map((path) => anyGlob(['src/*.ts', 'X'], { ignoreCase: true })(path))).toEqual(
      [true, false, true],
    );
  });
});
