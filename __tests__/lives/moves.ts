import { type Func, functionsIn, type Tree, withFile, withFunctions } from './code.ts';
import { changing, type Doing, type Kind, newPath, pick } from './edits.ts';

/** Moves functions of one file behind those of another; a path that is not there is a new file. */
function moved(tree: Tree, functions: readonly Func[], { from, to }: { from: string; to: string }): Tree {
  const names = new Set(functions.map(({ name }) => name));
  const without = withFunctions(tree, from, (all) => all.filter(({ name }) => !names.has(name)));
  return withFunctions(without, to, (all) => [...all, ...functions]);
}

/** A function of the code, and a path that it may go to. */
function functionAnd({ tree, a, b }: Doing, isNew: boolean) {
  const found = pick(functionsIn(tree), a);
  const others = [...tree].flatMap(([path, file]) => (typeof file === 'string' || path === found?.path ? [] : [path]));
  const to = isNew ? newPath(tree) : pick(others, b);
  return found === undefined || to === undefined ? null : { ...found, to };
}

/** What moves functions and files. */
export const moves = {
  'move a function': changing((doing) => {
    const found = functionAnd(doing, false);
    if (found === null) return null;
    const { path, func, to } = found;
    return {
      tree: moved(doing.tree, [func], { from: path, to }),
      words: `moves ${func.name} from ${path} to ${to}`,
    };
  }),
  'move into a class': changing((doing) => {
    const found = functionAnd(doing, true);
    if (found === null) return null;
    const { path, func, to } = found;
    const left = withFunctions(doing.tree, path, (all) => all.filter(({ name }) => name !== func.name));
    const file = { functions: [func], className: 'Box' };
    return { tree: withFile(left, to, file), words: `moves ${func.name} from ${path} into a class in the new ${to}` };
  }),
  'copy a function': changing((doing) => {
    const { branch, tree, b } = doing;
    const found = functionAnd(doing, b % 2 === 0);
    if (found === null) return null;
    const { func, path, to } = found;
    const name = `${func.name}2`;
    const lines = func.lines.map((line) => (line.kind === 'trap' ? { ...line, id: branch.nextId() } : line));
    const target = b % 3 === 0 ? path : to;
    if (functionsIn(tree).some((one) => one.func.name === name)) return null;
    const copied = withFunctions(tree, target, (all) => [...all, { name, lines }]);
    return { tree: copied, words: `copies ${func.name} of ${path} to ${name} of ${target}` };
  }),
  'split a file': changing(({ tree, a }) => {
    const all = [...tree].flatMap(([path, file]) => (typeof file === 'string' ? [] : [{ path, file }]));
    const found = pick(
      all.filter(({ file }) => file.functions.length > 1),
      a,
    );
    if (found === undefined) return null;
    const half = found.file.functions.slice(Math.ceil(found.file.functions.length / 2));
    const to = newPath(tree);
    return { tree: moved(tree, half, { from: found.path, to }), words: `splits ${found.path}: the end goes to ${to}` };
  }),
  'rename a file': changing(({ tree, a }) => {
    const path = pick(codePaths(tree), a);
    const file = path === undefined ? undefined : tree.get(path);
    if (path === undefined || file === undefined) return null;
    const to = newPath(tree);
    return { tree: withFile(withFile(tree, path, null), to, file), words: `renames ${path} to ${to}` };
  }),
  'delete a file': changing(({ tree, a }) => {
    const path = pick(codePaths(tree), a);
    return path === undefined ? null : { tree: withFile(tree, path, null), words: `deletes ${path}` };
  }),
} as const satisfies Readonly<Record<string, Kind>>;

function codePaths(tree: Tree): readonly string[] {
  return [...tree].flatMap(([path, file]) => (typeof file === 'string' ? [] : [path]));
}
