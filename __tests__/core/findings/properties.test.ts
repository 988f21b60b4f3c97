import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFinalText } from '../../../src/core/findings/accepted-formats.ts';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { ground } from '../../../src/core/findings/ground.ts';
import { mergeFindings } from '../../../src/core/findings/merge.ts';
import { limitFindings, placeFindings, rankFindings } from '../../../src/core/findings/place.ts';
import { normaliseSubmission } from '../../../src/core/findings/read-submission.ts';
import { submissionSchema } from '../../../src/core/findings/submission.ts';
import { commentableLines } from '../../../src/core/pull-request/changed-file.ts';
import { parserFor } from '../../../src/core/schema.ts';
import { changedFile, finding, hunk, linesAnchor, sources, submitted } from './make.ts';

const names = 'files_review approval path quote lines title severity findings issues file line'.split(' ');
const key = fc.oneof(fc.constantFrom(...names), fc.string());
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1, 1e300, '', '10-20', 'high', '{"files_review": []}', '__proto__'),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
})).value;

describe('whatever a model sends', () => {
  it('is normalised without an exception, and what is valid is valid by the schema', () => {
    fc.assert(
      fc.property(json, (value) => {
        const { items, walkthrough, approval } = normaliseSubmission(value);
        const valid = items.flatMap((item) => (item.ok ? [item.item] : []));
        const whole = { walkthrough, files_review: valid, non_specific_review: null, approval };
        expect(parserFor(submissionSchema)(whole)).toMatchObject({ ok: true });
      }),
    );
  });

  it('is read as final text without an exception', () => {
    const text = fc.oneof(
      json.map((value) => JSON.stringify(value)),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\ \n`a1') }),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 3 }), (texts) => {
        expect(['submission', 'free-text', 'announcement']).toContain(parseFinalText(texts.join('\n')).kind);
      }),
    );
  });
});

const line = fc.constantFrom('a', '  a', 'b();', '+ c', '- d', '12 | e', '', '7: f', '\tg', '```');
const file = fc.array(line, { minLength: 1, maxLength: 12 });

describe('every grounded anchor', () => {
  it('names lines that exist, and quotes them as they are shown', async () => {
    const quote = fc.oneof(file, fc.array(fc.string(), { maxLength: 3 })).map((lines) => lines.join('\n'));
    const item = fc.record({ quote: fc.option(quote), lines: fc.option(fc.constantFrom('1', '2-3', '9-12', '40')) });
    await fc.assert(
      fc.asyncProperty(file, item, async (text, changes) => {
        const world = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': `${text.join('\n')}\n` } });
        const grounded = await ground(submitted(changes), world);
        if (!grounded.ok || grounded.anchor.kind === 'file') return;
        const { startLine, endLine } = grounded.anchor;
        expect(startLine >= 1 && startLine <= endLine && endLine <= text.length).toBe(true);
        expect(grounded.anchor.quote).toBe(text.slice(startLine - 1, endLine).join('\n'));
      }),
      { numRuns: 300 },
    );
  });
});

const findings = fc.array(
  fc.record({
    start: fc.integer({ min: 1, max: 30 }),
    length: fc.nat(12),
    title: fc.constantFrom('Total is lost', 'The total is lost', 'Index is off by one'),
    severity: fc.constantFrom('critical', 'warning', 'info', 'nitpick'),
  }),
);
const made = findings.map((all) =>
  all.map(({ start, length, title, severity }, index) =>
    finding({ id: `f${index}`, title, severity, anchor: linesAnchor(start, start + length) }),
  ),
);

describe('all findings', () => {
  const changed = changedFile('src/a.ts', {
    hunks: [hunk({ old: 5, new: 5 }, ' a', '+b', ' c'), hunk({ old: 20, new: 21 }, '-a', '+b', ' c')],
  });

  it('that are inline are commentable, within their own lines', () => {
    fc.assert(
      fc.property(made, (all) => {
        const { hunkOf } = commentableLines(changed);
        placeFindings(all, { files: [changed] }).forEach(({ finding: placed, place }, index) => {
          const before = all[index]?.anchor;
          if (place !== 'inline' || placed.anchor.kind === 'file' || before?.kind !== 'lines') return;
          const { startLine, endLine, side } = placed.anchor;
          expect(hunkOf(side, startLine)).not.toBeNull();
          expect(hunkOf(side, startLine)).toBe(hunkOf(side, endLine));
          expect(before.startLine <= startLine && startLine <= endLine && endLine <= before.endLine).toBe(true);
        });
      }),
    );
  });

  it('are still there after ranking, placing and limiting', () => {
    fc.assert(
      fc.property(made, (all) => {
        const limits = { minSeverity: 'info', minConfidence: 0.5, maxComments: 3 } as const;
        const placed = limitFindings(placeFindings(rankFindings(all), { files: [changed] }), limits);
        expect(placed.map(({ finding: { id } }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
        expect(placed.filter(({ place }) => place !== 'summary').length).toBeLessThanOrEqual(3);
      }),
    );
  });

  it('are merged over batches, never within one, and every line that was named is still named', () => {
    fc.assert(
      fc.property(made, fc.nat(), (all, at) => {
        const batches = [all.slice(0, at % (all.length + 1)), all.slice(at % (all.length + 1))];
        const merged = mergeFindings(batches);
        expect(merged.length).toBeGreaterThanOrEqual(Math.max(...batches.map(({ length }) => length)));
        expect(linesNamed(merged)).toEqual(linesNamed(all));
      }),
    );
  });
});

function linesNamed(all: readonly Finding[]): readonly number[] {
  const ranges = all.flatMap(({ anchor, alsoAt }) => [
    anchor.kind === 'lines' ? { start: anchor.startLine, end: anchor.endLine } : { start: 0, end: -1 },
    ...alsoAt.map((place) => {
      const [start, end] = place.replace('src/a.ts:', '').split('-').map(Number);
      return { start: start ?? 0, end: end ?? start ?? 0 };
    }),
  ]);
  const lines = ranges.flatMap(({ start, end }) =>
    Array.from({ length: end - start + 1 }, (_, index) => start + index),
  );
  return [...new Set(lines)].sort((one, other) => one - other);
}
