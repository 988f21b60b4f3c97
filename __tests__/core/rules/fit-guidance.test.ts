import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noTeamWords, renderPathGuidance } from '../../../src/core/bundles/render-guidance.ts';
import { fitGuidance } from '../../../src/core/rules/fit-guidance.ts';
import { guidanceCharacters } from '../../../src/core/rules/guidance-files.ts';
import { ruleWith } from '../../fakes/rule-with.ts';

const changedPaths = ['src/a.ts'];
const long = (id: string) => ruleWith({ id, title: id, guidance: `${'One line of it.\n'.repeat(3_375)}` });
const instruction = (text: string, glob = 'src/**') => ({ glob, instruction: text });

describe('the guidance of rules and path instructions', () => {
  it('has what the files leave of 20,000 characters, and what is cut or left out is said', () => {
    const rules = ['one', 'two', 'three'].map(long);
    const asked = { rules, pathInstructions: [instruction('Check the session.')] };
    const fitted = fitGuidance(asked, { changedPaths, left: guidanceCharacters });
    expect(fitted.rules.map(({ id }) => id)).toEqual(['one']);
    expect(fitted.rules[0]?.guidance.length).toBeLessThanOrEqual(guidanceCharacters);
    expect(fitted.rules[0]?.guidance.endsWith('One line of it.')).toBe(true);
    expect([fitted.pathInstructions, fitted.problems]).toEqual([
      [],
      [
        'The guidance of the rule one is cut: all guidance together has at most 20000 characters.',
        'The guidance of the rules two, three is left out: all guidance together has at most 20000 characters.',
        '1 of 1 path instructions are left out: all guidance together has at most 20000 characters.',
      ],
    ]);
  });

  it('takes no room when it is about no changed file, or comes with Postil', () => {
    const rules = [{ ...long('web'), paths: ['web/**'] }, { ...long('own'), origin: 'built-in' as const }, ruleWith()];
    const pathInstructions = [instruction('x'.repeat(30_000), 'web/**'), instruction('Check the session.')];
    expect(fitGuidance({ rules, pathInstructions }, { changedPaths, left: 1_000 })).toEqual({
      rules: [ruleWith()],
      pathInstructions: [instruction('Check the session.')],
      problems: [],
    });
  });

  it('is never longer than its room, whatever there is', () => {
    const texts = fc.array(fc.string({ maxLength: 300 }), { maxLength: 6 });
    fc.assert(
      fc.property(texts, texts, fc.nat(600), (bodies, asked, left) => {
        const rules = bodies.map((guidance, index) => ruleWith({ id: `r${index}`, guidance }));
        const pathInstructions = asked.map((text) => instruction(text));
        const fitted = fitGuidance({ rules, pathInstructions }, { changedPaths, left });
        const used = [
          ...fitted.rules.flatMap(({ title, guidance }) => [title, guidance]),
          ...fitted.pathInstructions.map((one) => one.glob + one.instruction),
        ];
        expect(used.join('').length).toBeLessThanOrEqual(left);
      }),
    );
  });

  it('comes with the files that a rule is about', () => {
    const words = { ...noTeamWords, rules: [ruleWith({ paths: ['src/**'] })] };
    expect([renderPathGuidance(words, changedPaths), renderPathGuidance(words, ['web/a.ts'])]).toEqual([
      ['Rule no-bad (info): Bad\nDo better.'],
      [],
    ]);
  });
});
