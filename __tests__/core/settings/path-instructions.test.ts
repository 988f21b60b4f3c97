import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConfigFile } from '../../../src/core/settings/config-file.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';
import { pathInstructionsProblem, readPathInstructions } from '../../../src/core/settings/path-instructions.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

const path = '.postil/config.yml';
async function written(yaml: string) {
  const file = await readConfigFile(new MemoryRepository({ [path]: `path-instructions:${yaml}` }), path);
  return parseSettings([], file).settings.pathInstructions;
}
const session = { glob: 'src/api/**', instruction: 'Check the session.' };

describe('path instructions', () => {
  it.each([
    ['in quotes', '\n  - "src/api/**: Check the session."\n'],
    ['without quotes', '\n  - src/api/**: Check the session.\n'],
    ['as a mapping', '\n  src/api/**: Check the session.\n'],
    ['as text', ' |\n  src/api/**: Check the session.\n'],
  ])('are read %s', async (_how, yaml) => {
    expect(await written(yaml)).toEqual([session]);
  });

  it('are read with several globs in one item', async () => {
    expect(await written('\n  - src/api/**: Check the session.\n    "*.sql": Runs twice.\n')).toEqual([
      session,
      { glob: '*.sql', instruction: 'Runs twice.' },
    ]);
  });

  it('may have spaces in a glob', () => {
    expect(readPathInstructions(['my docs/**: Be brief.'])).toEqual([{ glob: 'my docs/**', instruction: 'Be brief.' }]);
  });

  it('that cannot be read are named', async () => {
    await expect(written('\n  - "src/**: Fine."\n  - "Remember this: be kind."\n')).rejects.toThrow(
      `${path}: 'path-instructions' cannot be read; allowed: a glob, a colon and what to look at, such as \`src/api/**: Check the session.\`, which "Remember this: be kind." is not.`,
    );
  });

  it.each([['**/*.sql: Runs twice.'], ['src/**: Note: be kind.']])(
    'that YAML cannot read without quotes ask for them: %s',
    async (item) => {
      await expect(written(`\n  - ${item}\n`)).rejects.toThrow(
        'Put an item that begins with `*` or holds a colon into quotes.',
      );
    },
  );

  it('that are neither text nor a mapping of texts are refused', async () => {
    await expect(written('\n  - src/**: [a, b]\n')).rejects.toThrow('quote those that hold a colon');
  });

  it('are read or refused, and nothing between', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readPathInstructions([text]).length === 1).toBe(pathInstructionsProblem([text]) === null);
      }),
    );
  });
});
