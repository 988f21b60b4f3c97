import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/core/rules/pattern.ts';
import { addedFile, changedFile, hunkOf } from '../../fakes/changed-files.ts';
import { runRule } from '../../fakes/run-rule.ts';

describe('max-findings', () => {
  it('is held, and the last finding counts the others', async () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 150 }));
    await fc.assert(
      fc.asyncProperty(sizes, async ([maxFindings, count]) => {
        const { findings } = await runRule({ maxFindings }, [
          addedFile(
            'a.ts',
            Array.from({ length: count }, () => 'bad'),
          ),
        ]);
        const others = findings.flatMap(({ alsoAt }) => alsoAt);
        const more = others.map((text) => (text.startsWith('and ') ? Number.parseInt(text.slice(4), 10) : 1));
        expect(findings).toHaveLength(Math.min(maxFindings, count));
        expect(findings.length + more.reduce((sum, one) => sum + one, 0)).toBe(count);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the rule engine', () => {
  const line = fc.tuple(
    fc.constantFrom('+', '-', ' '),
    fc.oneof(fc.string(), fc.constantFrom('bad', '/* bad', '*/ bad')),
  );
  const lines = fc.array(
    line.map(([sign, text]) => sign + text.replaceAll('\n', ' ')),
    { maxLength: 30 },
  );
  const fields = fc.record({
    multiLine: fc.boolean(),
    skip: fc.subarray(['comments', 'strings', 'fences'] as const),
    entropy: fc.constantFrom(null, 0, 2),
    maxFindings: fc.integer({ min: 1, max: 5 }),
    pattern: fc.constantFrom('bad', '(?s)b.*d', '\\bb', '.', '$', '[^x]+'),
  });
  const file = fc.constantFrom('a.ts', 'a.py', 'a.md', 'a');
  const head = fc.oneof(fc.constant(null), fc.string());

  it('points at added lines alone, never throws, and counts within max-findings', async () => {
    await fc.assert(
      fc.asyncProperty(fields, file, fc.array(lines, { maxLength: 3 }), head, async (rule, path, hunks, text) => {
        const placed = hunks.map((one, index) => hunkOf(one, { newStart: 1 + index * 100, oldStart: 1 + index * 100 }));
        const { findings } = await runRule(rule, [changedFile(path, { hunks: placed })], text);
        expect(findings.length).toBeLessThanOrEqual(rule.maxFindings);
        const added = new Set(placed.flatMap(addedLines));
        for (const { anchor } of findings) {
          if (anchor.kind === 'file') throw new Error('A rule is about lines.');
          for (let at = anchor.startLine; at <= anchor.endLine; at++) expect([at, added.has(at)]).toEqual([at, true]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('takes any pattern that compiles over any text', async () => {
    const piece = fc.constantFrom('a', 'b', '.', '*', '+', '(', ')', '|', '^', '$', '\\b', '\\n', '[ab]', '(?i)');
    const pattern = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(pattern, fc.boolean(), fc.array(fc.string()), async (source, multiLine, texts) => {
        if (!compiles(source)) return;
        const rule = { pattern: source, multiLine, entropy: 0 };
        const { findings } = await runRule(rule, [
          addedFile(
            'a.ts',
            texts.map((text) => text.replaceAll('\n', ' ')),
          ),
        ]);
        expect(findings.length).toBeLessThanOrEqual(10);
      }),
      { numRuns: 300 },
    );
  });
});

function compiles(pattern: string): boolean {
  try {
    return compile({ pattern, multiLine: false }).groupCount() >= 0;
  } catch {
    return false;
  }
}

function addedLines({ lines, newStart }: { readonly lines: readonly string[]; readonly newStart: number }): number[] {
  const numbers: number[] = [];
  let next = newStart;
  for (const line of lines) {
    if (line.startsWith('+')) numbers.push(next);
    if (line.startsWith('+') || line.startsWith(' ')) next += 1;
  }
  return numbers;
}
