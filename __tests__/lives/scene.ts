import { type Branch, functionWith } from './branch.ts';
import {
  type Func,
  fixText,
  type Line,
  plain,
  type Trap,
  type Tree,
  trapsIn,
  withFile,
  withFunctions,
  withLines,
} from './code.ts';
import { type Circumstances, Lived } from './life.ts';
import { ownThreads } from './people.ts';
import { plainManner } from './reviewer.ts';

const usual: Circumstances = { manner: plainManner, mood: 'honest', closing: 'minimise', inputs: {}, forgets: false };

/** A life that a test tells step by step: each step is a push, and ends with a run where it says so. */
export class Scene extends Lived {
  constructor(changes: Partial<Circumstances> = {}) {
    super({ ...usual, ...changes });
  }

  trap(name: string): Trap {
    return { kind: 'trap', name, id: this.branch.nextId() };
  }

  /** Pushes another tree. */
  tree(words: string, change: (tree: Tree, branch: Branch) => Tree): this {
    this.change((branch) => {
      branch.push(change(branch.head.tree, branch));
      return words;
    });
    return this;
  }

  /** Pushes other lines in a function, such as `src/a.ts birch`. */
  lines(place: string, change: (lines: readonly Line[]) => readonly Line[]): this {
    return this.tree(`changes ${place}`, (tree) => withLines(tree, placeOf(place), change));
  }

  /** Pushes lines on top of a function. */
  put(place: string, ...lines: readonly Line[]): this {
    return this.lines(place, (all) => [...lines, ...all]);
  }

  /** Pushes a call that nothing guards. */
  add(place: string, name: string): this {
    return this.put(place, this.trap(name));
  }

  /** Pushes a new file with functions. */
  file(path: string, ...functions: readonly Func[]): this {
    return this.tree(`adds ${path}`, (tree) => withFile(tree, path, { functions }));
  }

  /** Pushes the file as main has it; without it where main has none. */
  takeBack(path: string): this {
    return this.tree(`takes back ${path}`, (tree, { mergeBase }) =>
      withFile(tree, path, mergeBase.tree.get(path) ?? null),
    );
  }

  /** Pushes what is safe in the place of all calls of a name, or of those in one file. */
  replace(name: string, path?: string): this {
    return this.tree(`replaces ${name}`, (tree) => {
      const meant = trapsIn(tree).filter((one) => one.trap.name === name && (path === undefined || one.path === path));
      const safe = (line: Line) => (line.kind === 'trap' && line.name === name ? plain(fixText(name)) : line);
      return meant.reduce((now, one) => withLines(now, one, (lines) => lines.map(safe)), tree);
    });
  }

  /** Pushes a function into another file; without the old one where that is asked for. */
  move(place: string, to: string, { keeps = false, as }: { keeps?: boolean; as?: string } = {}): this {
    const { path, func } = placeOf(place);
    return this.tree(`moves ${place} to ${to}`, (tree, branch) => {
      const file = tree.get(path);
      const found = typeof file === 'string' ? undefined : file?.functions.find(({ name }) => name === func);
      if (found === undefined) return tree;
      const renew = (line: Line): Line => (line.kind === 'trap' && keeps ? { ...line, id: branch.nextId() } : line);
      const moved = { name: as ?? found.name, lines: found.lines.map(renew) };
      const left = keeps ? tree : withFunctions(tree, path, (all) => all.filter((one) => one !== found));
      return withFunctions(left, to, (all) => [...all, moved]);
    });
  }

  /** Somebody writes on the pull request: below it, or in the only thread that we opened. */
  say(author: string, body: string, where: 'below' | 'in the thread' = 'below'): this {
    const [first] = ownThreads(this.hub).flatMap(({ comments }) => comments.slice(0, 1));
    if (where === 'below') this.hub.people.say({ author, body });
    else if (first !== undefined) this.hub.people.reply(first.id, { author, body });
    return this;
  }

  /** What the last run says: whether its gate is green, and every place of what is open. */
  get said(): readonly [gate: string, open: readonly string[]] {
    const { report } = this.last ?? {};
    const places = (report?.open ?? []).flatMap(({ title, path, lines, alsoAt }) => {
      const own = `${path}${lines === null ? '' : `:${lines.start}`}`;
      return [own, ...alsoAt].map((place) => `${place} ${title}`);
    });
    return [report?.gate ?? '', places.toSorted()];
  }

  /** The threads of ours that are open, as they were made. */
  get threads(): readonly string[] {
    const open = ownThreads(this.hub).filter(
      ({ resolved, comments: [first] }) => !resolved && first?.isMinimized !== true,
    );
    return open.map(
      ({ path, line, comments: [first] }) => `${path}:${line} ${/· (.*?)\*\*/.exec(first?.body ?? '')?.[1]}`,
    );
  }
}

function placeOf(place: string): { readonly path: string; readonly func: string } {
  const [path = '', func = ''] = place.split(' ');
  return { path, func };
}

/** A function with lines of its own on top. */
export function func(name: string, ...lines: readonly Line[]): Func {
  const { lines: body } = functionWith(name);
  return { name, lines: [...lines, ...body] };
}
