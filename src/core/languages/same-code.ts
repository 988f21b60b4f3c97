import type { ChangedFile } from '../pull-request/changed-file.ts';
import { linesBefore } from '../pull-request/line-pairs.ts';
import type { Repository } from '../repository/repository.ts';
import type { Layout, Syntax } from './syntax.ts';

/** What the parser makes of a file before and after its change. */
export type Sides = { readonly before: Layout; readonly now: Layout };

/** Null where nothing is proven: an unknown language, a text with errors on either side, one that is too large, or no time left. */
export type SidesOf = (file: ChangedFile) => Promise<Sides | null>;

/** A file's characters, and milliseconds of one parse and of all. */
const limits = { characters: 256_000, parse: 1_000, all: 5_000 } as const;

/** Parses each file once, when it is asked for: a run that asks for none never starts the parser. */
export function sidesOfFiles({
  syntax,
  repository,
  now,
}: {
  syntax: Syntax | null;
  repository: Pick<Repository, 'readFile'>;
  now: () => number;
}): SidesOf {
  const known = new WeakMap<ChangedFile, Promise<Sides | null>>();
  let spent = 0;
  const parse = async (path: string, lines: readonly string[]): Promise<Layout | null> => {
    const text = lines.join('\n');
    if (syntax === null || text.length > limits.characters || spent >= limits.all) return null;
    const from = now();
    const layout = await syntax.layout({ path, text }, { milliseconds: limits.parse });
    spent += now() - from;
    return layout;
  };
  const sides = async (file: ChangedFile): Promise<Sides | null> => {
    if (syntax === null || syntax.languageOf(file.path) === null) return null;
    const content = await repository.readFile(file.path, 'head');
    const lines = content.kind === 'text' ? content.text.split('\n') : null;
    const old = lines === null ? null : linesBefore(file, lines);
    const before = old === null ? null : await parse(file.oldPath, old);
    const after = lines === null || before === null ? null : await parse(file.path, lines);
    return before === null || after === null ? null : { before, now: after };
  };
  return (file) => {
    const asked = known.get(file) ?? sides(file);
    known.set(file, asked);
    return asked;
  };
}

/** Whether the line after the change is proven to be the code that the other was before it. Both are 1-based. */
export function isSameCode(sides: Sides | null, oldLine: number, newLine: number): boolean {
  const now = sides?.now[newLine - 1];
  return now !== undefined && now !== null && sides?.before[oldLine - 1] === now;
}
