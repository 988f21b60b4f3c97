import { type Branch, functionNames, functionWith, trapNames } from './branch.ts';
import {
  fixText,
  functionsIn,
  type Line,
  plain,
  ruleTrap,
  type Trap,
  type Tree,
  trapsIn,
  withFile,
  withFunctions,
  withLines,
} from './code.ts';

export type Doing = { readonly branch: Branch; readonly tree: Tree; readonly a: number; readonly b: number };
export type Kind = (doing: Doing) => string | null;

/** One of a list, by whatever number. */
export function pick<T>(items: readonly T[], number: number): T | undefined {
  return items[number % Math.max(1, items.length)];
}

/** A push of one commit that changes the code, unless it does not. */
export function changing(change: (doing: Doing) => { readonly tree: Tree; readonly words: string } | null): Kind {
  return (doing) => {
    const changed = change(doing);
    if (changed === null || changed.tree === doing.tree) return null;
    doing.branch.push(changed.tree);
    return changed.words;
  };
}

/** The lines with one put where it is: at a call, in its place, before or behind it. */
function around(lines: readonly Line[], trap: Trap, put: (line: Trap) => readonly Line[]): readonly Line[] {
  return lines.flatMap((line) => (line.kind === 'trap' && line.id === trap.id ? put(line) : [line]));
}

type AtTrap = { readonly path: string; readonly func: string; readonly trap: Trap };

function atTrap(
  words: string,
  put: (line: Trap, doing: Doing & AtTrap) => readonly Line[],
  isMeant: (lines: readonly Line[], trap: Trap) => boolean = () => true,
): Kind {
  return changing((doing) => {
    const { tree, a } = doing;
    const fits = ({ path, func, trap }: AtTrap) => isMeant(linesOf(tree, { path, func }), trap);
    const found = pick(trapsIn(tree).filter(fits), a);
    if (found === undefined) return null;
    const { path, func, trap } = found;
    const changed = withLines(tree, found, (lines) => around(lines, trap, (line) => put(line, { ...doing, ...found })));
    return { tree: changed, words: `${words} ${trap.name} in ${func} of ${path}` };
  });
}

function linesOf(tree: Tree, { path, func }: { path: string; func: string }): readonly Line[] {
  return functionsIn(tree).find((one) => one.path === path && one.func.name === func)?.func.lines ?? [];
}

function guards(lines: readonly Line[], { name }: Trap): readonly Line[] {
  return lines.filter((line) => line.kind === 'guard' && line.name === name);
}

const hasGuard = (lines: readonly Line[], trap: Trap) => guards(lines, trap).length > 0;
const hasNone = (lines: readonly Line[], trap: Trap) => !hasGuard(lines, trap) && trap.name !== ruleTrap;

/** Other lines in the function of a guarded call. */
function atGuard(words: string, change: (lines: readonly Line[], trap: Trap) => readonly Line[]): Kind {
  return changing(({ tree, a }) => {
    const guarded = trapsIn(tree).filter((one) => hasGuard(linesOf(tree, one), one.trap));
    const found = pick(guarded, a);
    if (found === undefined) return null;
    const { path, func, trap } = found;
    return {
      tree: withLines(tree, found, (lines) => change(lines, trap)),
      words: `${words} ${trap.name} in ${func} of ${path}`,
    };
  });
}

/** What an author does who reads the review: to all that it raised, or to so many. */
function fixing(words: string, put: (line: Trap) => readonly Line[], most = 99): Kind {
  return changing(({ branch, tree }) => {
    const raised = branch.raised.slice(0, most);
    const found = trapsIn(tree).filter((one) => raised.includes(one.trap.id));
    if (found.length === 0) return null;
    const fixed = found.reduce((now, one) => withLines(now, one, (lines) => around(lines, one.trap, put)), tree);
    return {
      tree: fixed,
      words: `${words} ${found.map((one) => `${one.trap.name} in ${one.func} of ${one.path}`).join(', ')}`,
    };
  });
}

function replaced({ name }: Trap): readonly Line[] {
  return [plain(fixText(name))];
}

function trap(branch: Branch, name: string): Trap {
  return { kind: 'trap', name, id: branch.nextId() };
}

function unusedName(tree: Tree, from: readonly string[], number: number): string | undefined {
  const used = new Set([
    ...trapsIn(tree).map((one) => one.trap.name),
    ...functionsIn(tree).map(({ func }) => func.name),
  ]);
  const free = from.filter((name) => !used.has(name));
  return free[number % Math.max(1, free.length)];
}

/** The lines with one more in the middle. */
export function inserted(lines: readonly Line[], ...more: readonly Line[]): readonly Line[] {
  const at = Math.ceil(lines.length / 2);
  return [...lines.slice(0, at), ...more, ...lines.slice(at)];
}

export function newPath(tree: Tree): string {
  const free = Array.from({ length: 99 }, (_, index) => `src/n${index + 1}.ts`).find((path) => !tree.has(path));
  return free ?? 'src/n100.ts';
}

function withTrap({ branch, tree, a, b }: Doing, name: string | undefined, words: string) {
  const found = pick(functionsIn(tree), b);
  if (name === undefined || found === undefined) return null;
  const { path, func } = found;
  const lines = [trap(branch, name), ...(a % 5 === 0 ? [plain(`note('${name}');`)] : [])];
  return {
    tree: withLines(tree, { path, func: func.name }, (all) => inserted(all, ...lines)),
    words: `${words} ${name} in ${func.name} of ${path}`,
  };
}

/** What changes lines. */
export const edits = {
  add: changing((doing) => withTrap(doing, unusedName(doing.tree, trapNames, doing.a), 'adds')),
  'add again': changing((doing) => {
    const known = trapsIn(doing.tree).filter((one) => one.trap.name !== ruleTrap);
    return withTrap(doing, pick(known, doing.a)?.trap.name, 'adds once more');
  }),
  'add in a new file': changing(({ branch, tree, a, b }) => {
    const [name, called] = [unusedName(tree, trapNames, a), unusedName(tree, functionNames, b)];
    if (name === undefined || called === undefined) return null;
    const path = newPath(tree);
    const file = { functions: [functionWith(called, [trap(branch, name)])] };
    return { tree: withFile(tree, path, file), words: `adds ${name} in ${called} of the new ${path}` };
  }),
  'break a rule': changing((doing) => withTrap(doing, ruleTrap, 'breaks the rule with')),
  'break a rule often': changing(({ branch, tree, a }) => {
    const places = functionsIn(tree).filter((_, index) => (index + a) % 2 === 0);
    if (places.length === 0) return null;
    const put = (now: Tree, { path, func }: (typeof places)[number]) =>
      withLines(now, { path, func: func.name }, (lines) => inserted(lines, trap(branch, ruleTrap)));
    return { tree: places.reduce(put, tree), words: `breaks the rule with ${ruleTrap} in ${places.length} functions` };
  }),
  guard: atTrap('guards', (line) => [{ kind: 'guard', name: line.name }, line], hasNone),
  replace: atTrap('replaces', replaced),
  'delete the call': atTrap('deletes the call of', () => []),
  'delete the function': changing(({ tree, a }) => {
    const found = pick(trapsIn(tree), a);
    if (found === undefined) return null;
    const { path, func } = found;
    const left = withFunctions(tree, path, (all) => all.filter(({ name }) => name !== func));
    return { tree: left, words: `deletes ${func} of ${path}, with ${found.trap.name}` };
  }),
  'guard what is raised': fixing('guards', (line) =>
    line.name === ruleTrap ? replaced(line) : [{ kind: 'guard', name: line.name }, line],
  ),
  'replace what is raised': fixing('replaces', replaced),
  'replace the first that is raised': fixing('replaces', replaced, 1),
  unguard: atGuard('takes out the guard of', (lines, { name }) =>
    lines.filter((line) => line.kind !== 'guard' || line.name !== name),
  ),
  'guard behind': atGuard('moves behind it the guard of', (lines, one) => [
    ...lines.filter((line) => line.kind !== 'guard' || line.name !== one.name),
    ...guards(lines, one).slice(0, 1),
  ]),
  'guard for debugging': atGuard('guards only for debugging', (lines, { name }) =>
    lines.map((line) => (line.kind === 'guard' && line.name === name ? { kind: 'guard', name, isOff: true } : line)),
  ),
  'move the call': changing(({ tree, a, b }) => {
    const found = pick(trapsIn(tree), a);
    const others = functionsIn(tree).filter(({ path, func }) => path !== found?.path || func.name !== found?.func);
    const to = pick(others, b);
    if (found === undefined || to === undefined) return null;
    const without = withLines(tree, found, (lines) => around(lines, found.trap, () => []));
    const place = { path: to.path, func: to.func.name };
    const put = withLines(without, place, (lines) => inserted(lines, found.trap));
    return { tree: put, words: `moves ${found.trap.name} from ${found.func} to ${place.func} of ${to.path}` };
  }),
  'touch beside': atTrap('adds a line above', (line, { b }) => [plain(`log('${line.name}', ${b});`), line]),
  'touch far': changing(({ tree, a, b }) => {
    const found = pick(functionsIn(tree), a);
    if (found === undefined) return null;
    const { path, func } = found;
    const more = plain(`log('${func.name}', ${b});`);
    const place = { path, func: func.name };
    return {
      tree: withLines(tree, place, (lines) => [...lines, more]),
      words: `adds a line to ${func.name} of ${path}`,
    };
  }),
  comment: atTrap('comments on the line of', (line, { b }) => [{ ...line, note: `checked ${b}` }]),
  wrap: atTrap(
    'wraps in a condition',
    (line) => [{ ...line, isWrapped: true }],
    (_, line) => line.isWrapped !== true,
  ),
} as const satisfies Readonly<Record<string, Kind>>;
