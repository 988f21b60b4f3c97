/** A call that is a defect for as long as no guard stands above it in its function. `id` names this one call, wherever it goes. */
export type Trap = {
  readonly kind: 'trap';
  readonly name: string;
  readonly id: number;
  /** A comment behind it. */
  readonly note?: string;
  /** In a block of its own: indented by two more. */
  readonly isWrapped?: true;
};

/** Keeps the calls of one name below it safe; `isOff`: only where somebody debugs. */
type Guard = { readonly kind: 'guard'; readonly name: string; readonly isOff?: true };

type Plain = { readonly kind: 'plain'; readonly text: string };

export type Line = Trap | Guard | Plain;
export type Func = { readonly name: string; readonly lines: readonly Line[] };

/** A file of functions; of methods where it has the name of a class. */
export type CodeFile = { readonly functions: readonly Func[]; readonly className?: string };

/** All files of a commit by their paths; a text is no code. */
export type Tree = ReadonlyMap<string, CodeFile | string>;

/** Where a call stands in a commit. */
export type PlacedTrap = Pick<Trap, 'id' | 'name'> & {
  readonly path: string;
  readonly func: string;
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  readonly isGuarded: boolean;
  /** The text of its function. */
  readonly around: string;
};

/** Where a guard stands in a commit. */
export type PlacedGuard = {
  readonly name: string;
  readonly path: string;
  readonly func: string;
  readonly line: number;
  readonly text: string;
};

export type Rendered = {
  readonly text: string;
  readonly traps: readonly PlacedTrap[];
  readonly guards: readonly PlacedGuard[];
};

/** Calls that the rule of the repository finds: nothing guards them. */
export const ruleTrap = 'legacyCall';

export function guardText(name: string): string {
  return `if (!can_${name}(input)) return input;`;
}

export function fixText(name: string): string {
  return `safe_${name}(input);`;
}

/** The text of a file, and what stands where in it. */
export function render(path: string, file: CodeFile | string): Rendered {
  if (typeof file === 'string') return { text: file, traps: [], guards: [] };
  const indent = file.className === undefined ? '' : '  ';
  const rows: string[] = file.className === undefined ? [] : [`export class ${file.className} {`];
  const traps: PlacedTrap[] = [];
  const guards: PlacedGuard[] = [];
  for (const func of file.functions) {
    const start = rows.length;
    const head = file.className === undefined ? `export function ${func.name}` : `  ${func.name}`;
    rows.push(`${head}(input) {`);
    const inside: Omit<PlacedTrap, 'around'>[] = [];
    const guarded = new Set<string>();
    for (const line of func.lines) {
      const own = rowsOf(line).map((row) => `${indent}  ${row}`);
      const at = own.findIndex((row) => row.includes('(input'));
      const place = { path, func: func.name, line: rows.length + 1 + Math.max(0, at), text: (own[at] ?? '').trim() };
      if (line.kind === 'trap') {
        inside.push({
          ...place,
          id: line.id,
          name: line.name,
          isGuarded: line.name !== ruleTrap && guarded.has(line.name),
        });
      }
      if (line.kind === 'guard') guards.push({ ...place, name: line.name });
      if (line.kind === 'guard' && line.isOff !== true) guarded.add(line.name);
      rows.push(...own);
    }
    rows.push(`${indent}}`);
    const around = rows.slice(start).join('\n');
    traps.push(...inside.map((one) => ({ ...one, around })));
    rows.push('');
  }
  if (file.className !== undefined) rows.splice(-1, 1, '}', '');
  return { text: rows.join('\n'), traps, guards };
}

function rowsOf(line: Line): readonly string[] {
  switch (line.kind) {
    case 'plain':
      return [line.text];
    case 'guard': {
      const text = guardText(line.name);
      return line.isOff === true ? ['if (DEBUG) {', `  ${text}`, '}'] : [text];
    }
    case 'trap': {
      const text = `${line.name}(input);${line.note === undefined ? '' : ` // ${line.note}`}`;
      return line.isWrapped === true ? ['if (input.ready) {', `  ${text}`, '}'] : [text];
    }
  }
}

/** The calls of all code, guarded or not, with the function that each is in. */
export function trapsIn(tree: Tree): readonly { readonly path: string; readonly func: string; readonly trap: Trap }[] {
  return functionsIn(tree).flatMap(({ path, func }) =>
    func.lines.flatMap((line) => (line.kind === 'trap' ? [{ path, func: func.name, trap: line }] : [])),
  );
}

export function functionsIn(tree: Tree): readonly { readonly path: string; readonly func: Func }[] {
  return [...tree].flatMap(([path, file]) =>
    typeof file === 'string' ? [] : file.functions.map((func) => ({ path, func })),
  );
}

/** The tree with another file at this path; null deletes it. */
export function withFile(tree: Tree, path: string, file: CodeFile | string | null): Tree {
  const files = new Map(tree);
  if (file === null) files.delete(path);
  else files.set(path, file);
  return files;
}

/** The tree with other functions in a file; without any it is deleted. */
export function withFunctions(tree: Tree, path: string, change: (functions: readonly Func[]) => readonly Func[]): Tree {
  const file = tree.get(path);
  if (typeof file === 'string') return tree;
  const functions = change(file?.functions ?? []);
  return withFile(tree, path, functions.length === 0 ? null : { ...file, functions });
}

/** The tree with other lines in a function. */
export function withLines(
  tree: Tree,
  { path, func }: { path: string; func: string },
  change: (lines: readonly Line[]) => readonly Line[],
): Tree {
  return withFunctions(tree, path, (functions) =>
    functions.map((one) => (one.name === func ? { ...one, lines: change(one.lines) } : one)),
  );
}

export function plain(text: string): Plain {
  return { kind: 'plain', text };
}
