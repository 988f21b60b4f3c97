import { type Branch, startTree } from './branch.ts';
import { functionsIn, plain, withFile, withLines } from './code.ts';
import { type Doing, edits, inserted, type Kind, pick } from './edits.ts';
import { moves } from './moves.ts';

/** What an author does; the numbers choose among what is there. */
export type Push = { readonly do: PushKind; readonly a: number; readonly b: number };
export type PushKind = keyof typeof kinds;

/** Does it, and says what that was; null where there is nothing to do it to. */
export function pushTo(branch: Branch, { do: kind, a, b }: Push): string | null {
  return kinds[kind]({ branch, tree: branch.head.tree, a, b });
}

const kinds = {
  ...edits,
  ...moves,
  revert: ({ branch, a }) => {
    const earlier = branch.earlier.filter(({ tree }) => tree !== branch.head.tree);
    const to = pick(earlier, a);
    if (to === undefined) return null;
    branch.push(to.tree);
    return `reverts to the code of ${to.sha.slice(0, 7)}`;
  },
  'force back': ({ branch, a }) => {
    const to = pick(branch.earlier.slice(1), a);
    if (to === undefined || to === branch.head) return null;
    branch.forceTo(to);
    return `forces the branch back to ${to.sha.slice(0, 7)}`;
  },
  squash: ({ branch }) => {
    branch.squash();
    return 'squashes all into one commit';
  },
  rebase: (doing) => {
    const words = moveMain(doing);
    doing.branch.rebase();
    return `rebases on main, where ${words}`;
  },
  'merge main': (doing) => {
    const words = moveMain(doing);
    doing.branch.mergeMain();
    return `merges main, where ${words}`;
  },
  retarget: ({ branch }) => {
    branch.retarget();
    return `wants to merge into ${branch.ref}`;
  },
  'take back a raised file': ({ branch, tree, a }) => {
    const paths = branch.head.traps.filter(({ id }) => branch.raised.includes(id)).map(({ path }) => path);
    const path = pick(paths, a);
    if (path === undefined) return null;
    branch.push(withFile(tree, path, branch.mergeBase.tree.get(path) ?? null));
    return `takes back what was done to ${path}`;
  },
  'delete a raised file': ({ branch, tree, a }) => {
    const paths = branch.head.traps.filter(({ id }) => branch.raised.includes(id)).map(({ path }) => path);
    const path = pick(paths, a);
    if (path === undefined) return null;
    branch.push(withFile(tree, path, null));
    return `deletes ${path}`;
  },
  'write docs': ({ branch, tree, a, b }) => {
    branch.push(withFile(tree, 'docs/guide.md', `# Guide\n\nChapter ${a} ${b}.\n`));
    return 'changes docs/guide.md';
  },
  'take all back': ({ branch }) => {
    const { tree } = branch.mergeBase;
    if (tree === branch.head.tree) return null;
    branch.push(tree);
    return 'takes everything back';
  },
} as const satisfies Readonly<Record<string, Kind>>;

export const pushKinds = Object.keys(kinds).filter((kind): kind is PushKind => kind in kinds);

/** Something on main that nobody's defect depends on. */
function moveMain({ branch, a, b }: Doing): string {
  const more = plain(`log('main', ${a}, ${b});`);
  const places = functionsIn(startTree(() => 0));
  const found = pick(places, b);
  if (a % 3 === 0 || found === undefined) {
    branch.moveMain((tree) => withFile(tree, 'docs/guide.md', `# Guide\n\nVersion ${a} ${b}.\n`));
    return 'the guide changed';
  }
  const place = { path: found.path, func: found.func.name };
  branch.moveMain((tree) =>
    withLines(tree, place, (lines) => (a % 3 === 1 ? [...lines, more] : inserted(lines, more))),
  );
  return `${place.func} of ${place.path} got a line`;
}
