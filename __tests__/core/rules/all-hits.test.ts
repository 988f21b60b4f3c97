import { describe, expect, it } from 'vitest';
import { fullPlaceOf } from '../../../src/core/findings/finding.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import type { CommentFor } from '../../../src/core/rules/obey-comments.ts';
import type { Rule } from '../../../src/core/rules/rule.ts';
import { runRules } from '../../../src/core/rules/run-rules.ts';
import { addedFile, ruleWith } from '../../fakes/memory-repository.ts';

const seams = { nextId: () => 'f', readHead: async () => null, hide: (text: string) => text, commentFor: () => null };

async function run(rules: readonly Rule[], files: readonly ChangedFile[], changes: { commentFor?: CommentFor } = {}) {
  return runRules({ ...seams, rules, files, ...changes });
}

/** Of findings and of what else they name, in order. */
async function everyPlace(rules: readonly Rule[], files: readonly ChangedFile[]) {
  const { findings } = await run(rules, files);
  return findings.flatMap((one) => [fullPlaceOf(one), ...one.alsoAt]).sort();
}

function lines(path: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${path}:${index + 1}`);
}

const twoLines = ruleWith({ id: 'empty-try', pattern: '^try:\\n *pass$', multiLine: true, maxFindings: 1 });
const noPrint = ruleWith({ id: 'no-print', pattern: '\\bprint\\(' });
const key = `const t = "ghp_${'wqNc5bXz'.repeat(4)}aB3d";`;
const markers = ['<<<<<<< HEAD', 'a', '>>>>>>> main'];

describe('every hit of a rule', () => {
  it.each([
    [11, 11, undefined],
    [20, 19, 1],
    [100, 19, 81],
  ])('raises 10 findings a rule: of %i hits those up to %i are places of the last', async (count, named, more) => {
    const { findings } = await run([noPrint], [addedFile('a.py', Array(count).fill('print(1)'))]);
    const others = Array.from({ length: named - 10 }, (_place, index) => `a.py:${index + 11}`);
    expect(findings.map(({ alsoAt }) => alsoAt)).toEqual([...Array(9).fill([]), others]);
    expect(findings.map(({ alsoMore }) => alsoMore)).toEqual([...Array(9), more]);
  });

  it.each<[string, readonly Rule[], Readonly<Record<string, readonly string[]>>, readonly string[]]>([
    ['ten of twelve hits', [noPrint], { 'a.py': Array(12).fill('print(1)') }, lines('a.py', 10)],
    ['one of two conflict markers', builtInRules, { 'a.ts': markers }, ['a.ts:1']],
    ['the first place of a secret in its file', builtInRules, { 'a.ts': [key, key] }, ['a.ts:1']],
    ['the first file of a secret', builtInRules, { 'a.ts': [key], 'b.ts': [key] }, ['a.ts:1']],
    ['one of two secrets', builtInRules, { 'a.ts': [key, key.replace('wqN', 'Nqw')] }, ['a.ts:1']],
    ['a match of several lines', [twoLines], { 'a.py': ['try:', 'pass', 'x', 'try:', 'pass'] }, ['a.py:1']],
  ])('finds what is left when %s went, where it was known to be', async (_, rules, texts, gone) => {
    const without = (places: readonly string[]) =>
      Object.entries(texts).map(([path, all]) => {
        const left = all.map((line, index) => (places.includes(`${path}:${index + 1}`) ? '' : line));
        return addedFile(path, left);
      });
    const [before, after] = [await everyPlace(rules, without([])), await everyPlace(rules, without(gone))];
    expect(after).toEqual(before.filter((place) => !gone.includes(place.replace(/-\d+$/, ''))));
    expect(before.length - after.length).toBe(gone.length);
  });

  it('is a finding of its own where that is asked, as who looks whether one is fixed does', async () => {
    const files = [addedFile('a.ts', [...Array(12).fill(key), ...markers])];
    const ids = ['provider-token', 'merge-conflict'];
    const rules = builtInRules.filter(({ id }) => ids.includes(id)).map((rule) => ({ ...rule, maxFindings: 100 }));
    const { findings } = await runRules({ ...seams, rules, files, each: true });
    const counts = ids.map((id) => findings.filter(({ ruleId }) => ruleId === id).length);
    expect([counts, findings.flatMap(({ alsoAt }) => alsoAt)]).toEqual([[12, 2], []]);
  });

  it('counts no place that a comment asks to ignore', async () => {
    const files = ['a.ts', 'b.ts'].map((path) => addedFile(path, [key]));
    const about = { line: 1, ruleId: 'provider-token', reason: 'sample', about: 1, aboutAdded: true, refused: null };
    const commentFor: CommentFor = ({ path }) => (path === 'b.ts' ? { ...about, path } : null);
    const { findings, ignored } = await run(builtInRules, files, { commentFor });
    expect([findings.map(({ path, alsoAt }) => [path, ...alsoAt]), ignored.map(({ path }) => path)]).toEqual([
      [['a.ts']],
      ['b.ts'],
    ]);
  });
});
