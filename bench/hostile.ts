import { fault, say } from '../__tests__/fakes/model-server/script.ts';
import { codeLines } from './code-text.ts';
import type { ImportedFile } from './import-commits.ts';
import type { Case } from './scale.ts';

const before = () => [{ path: 'README.md', text: 'x\n' }];

function adding(name: string, file: () => ImportedFile): Case {
  return { name, before, after: () => [...before(), file()], minutes: 3 };
}

function answering(name: string, answers: NonNullable<Case['answers']>): Case {
  return { ...adding(name, () => ({ path: 'src/a.ts', text: 'export const a = 1;\n' })), answers };
}

/** Changes and answers that once stopped the clock, or took more memory than a small runner has. */
export const hostileRuns: readonly Case[] = [
  adding('a lock file of one line, 160 KB', () => ({ path: 'pnpm-lock.yaml', text: `${'- '.repeat(80_000)}\n` })),
  adding('a lock file of one line, 600 KB', () => ({ path: 'pnpm-lock.yaml', text: `${'- '.repeat(300_000)}\n` })),
  adding('a new file of 200,000 lines', () => newFile(200_000)),
  adding('a new file of 500,000 lines', () => newFile(500_000)),
  adding('5 MB of long lines', () => {
    const line = (index: number) => `${index} \u200b\u{1f600}<!--[](a)$\{\`'"#`.repeat(5_000);
    return { path: 'src/long.ts', text: Array.from({ length: 50 }, (_, index) => line(index)).join('\n') };
  }),
  ...['model ', '*', 'a ', '1', 'image ', '<title'].map((part) =>
    answering(`an error of 1 MB of ${JSON.stringify(part)}`, () => {
      const message = part.repeat(1_000_000 / part.length);
      return fault(400, { error: { message, code: part.repeat(1_000), param: null } });
    }),
  ),
  answering('15 MB of calls that never end', () => say('<tool_call>{'.repeat(1_250_000))),
];

function newFile(count: number): ImportedFile {
  return { path: 'src/new.ts', text: `${codeLines({ seed: 1, count }).join('\n')}\n` };
}
