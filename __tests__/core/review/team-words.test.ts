import { describe, expect, it } from 'vitest';
import { readTeamWords } from '../../../src/core/review/team-words.ts';
import { isDeniedPath } from '../../../src/core/tools/default-policy.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { ruleWith } from '../../fakes/rule-with.ts';

const instruction = (text: string) => ({ glob: 'src/**', instruction: text });
const settings = { guidance: ['AGENTS.md'], memory: true, pathInstructions: [instruction('A.'), instruction('B.')] };
const noInstructions = { ...settings, pathInstructions: [] };
const changedPaths = ['src/a.ts'];

type Files = ConstructorParameters<typeof MemoryRepository>[0];
const memoryIn = (files: Files, denyPaths: readonly string[] = []) =>
  readTeamWords(new MemoryRepository(files), {
    settings: noInstructions,
    changedPaths,
    rules: [],
    isDenied: (path) => isDeniedPath(path, denyPaths),
  });

describe("the team's words", () => {
  it('are named when used: files, standing answers, rules and the number of path instructions', async () => {
    const repository = new MemoryRepository({ 'AGENTS.md': 'Be kind.', '.postil/memory.md': '- Zero is fine.' });
    const request = { settings, changedPaths, rules: [ruleWith()], isDenied: () => null };
    const { notes } = await readTeamWords(repository, request);
    expect(notes).toEqual(['Guidance used: AGENTS.md, .postil/memory.md, rule no-bad, 2 path instructions.']);
  });

  it('leave out standing answers that the model may not read, and say so', async () => {
    const { words, notes } = await memoryIn({ '.postil/memory.md': '- Zero is fine.' }, ['.postil/**']);
    expect([words.memory, notes]).toEqual([
      '',
      [
        '.postil/memory.md is ignored: the model may not read it, because of `deny-paths` or because such files hold secrets.',
      ],
    ]);
  });

  it('hold standing answers that a link leads to, and name a link that leads nowhere', async () => {
    const linked = { '.postil/memory.md': { kind: 'symlink', target: '../docs/answers.md' } } as const;
    const { words } = await memoryIn({ ...linked, 'docs/answers.md': '- Zero is fine.' });
    const { notes } = await memoryIn(linked);
    expect([words.memory, notes]).toEqual([
      '- Zero is fine.',
      ['.postil/memory.md is ignored: it is a symbolic link that leads nowhere.'],
    ]);
  });

  it('hold the last whole lines of standing answers that are too long, and say so', async () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `- Answer number ${index}.`);
    const { words, notes } = await memoryIn({ '.postil/memory.md': lines.join('\n') });
    expect(lines.join('\n').endsWith(`\n${words.memory}`)).toBe(true);
    expect(words.memory.length).toBeGreaterThan(9_900);
    expect(notes).toContain('Of .postil/memory.md the last lines are used, at most 10000 characters.');
  });

  it('say nothing of standing answers that are not there', async () => {
    expect((await memoryIn({})).notes).toEqual([]);
  });
});
