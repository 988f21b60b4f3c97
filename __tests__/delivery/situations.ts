import { allPermissions, type Fault, readOnly } from '../fakes/github-server/world.ts';
import { borrowWorkTree, createWorld, type World } from '../fakes/world/create-world.ts';
import { importCommits, type WorldFiles } from '../fakes/world/git.ts';
import { defectLine, shopFile, shopText, shopWorld } from '../scenarios/review.ts';

// More than the 30 comments that go into one review.
export const sizes = { clean: 0, 'one finding': 1, '31 findings': 31 } as const;

export const rights = {
  'full rights': allPermissions,
  'a read-only token': readOnly,
  'no checks permission': { ...allPermissions, checks: 'read' },
} as const;

const reviews = { method: 'POST', path: /\/reviews$/ };

export const faults = {
  'no fault': [],
  '422 on one anchor': [{ match: { ...reviews, body: /"line":\d+[^}]*price0 /s }, times: 99, before: 'status 422' }],
  'a secondary limit': [{ match: reviews, times: 1, before: 'secondary rate limit' }],
  '502 before the write': [{ match: reviews, times: 1, before: 'status 502' }],
  '502 after the write': [{ match: reviews, times: 1, after: 'status 502' }],
  'a head that moved': [],
} as const satisfies Record<string, readonly Fault[]>;

/** What happens after the first run, which has a judgement of its own. */
export type Situation = {
  /** What the push makes of the changed files; null when there is no push. */
  readonly push: ((files: Texts, count: number) => WorldFiles) | null;
  /** The push starts again where the branch began. */
  readonly isForced?: boolean;
  /** The defects that are left at the new head. */
  readonly left: (defect: number) => boolean;
  readonly pathOf: (index: number) => string;
  readonly runs: 'one, then another' | 'two at once' | 'a partial one, then another';
  /** True when the second review says everything in other words. */
  readonly reworded: boolean;
};

type Texts = Readonly<Record<string, string>>;

const plain: Situation = {
  push: null,
  left: () => true,
  pathOf: shopFile,
  runs: 'one, then another',
  reworded: false,
};

export const situations = {
  'a run again': plain,
  'a push that mends some': { ...plain, left: (defect) => defect % 2 === 1, push: withEach(mended) },
  'a push after which all is said otherwise': {
    ...plain,
    reworded: true,
    push: withEach((text) => `// Pushed.\n${text}`),
  },
  'a force-push': { ...plain, isForced: true, push: withEach((text) => `// Anew.\n${text}`) },
  'a push that renames the files': { ...plain, pathOf: (index) => storeFile(shopFile(index)), push: renamed },
  'two runs at once': { ...plain, runs: 'two at once' },
  'a push after a partial run': {
    ...plain,
    runs: 'a partial one, then another',
    push: (files) => ({ ...files, 'src/new.ts': 'export const fresh = 1;\n' }),
  },
} as const satisfies Record<string, Situation>;

function withEach(change: (text: string, count: number) => string): Situation['push'] {
  return (files, count) => Object.fromEntries(Object.entries(files).map(([path, text]) => [path, change(text, count)]));
}

function mended(text: string, count: number): string {
  return Array.from({ length: count }, (_, defect) => defect)
    .filter((defect) => defect % 2 === 0)
    .reduce((all, defect) => all.replace(defectLine(defect), '  return 0; // mended'), `${text}// pushed\n`);
}

function renamed(files: Texts): WorldFiles {
  return Object.fromEntries(
    Object.entries(files).flatMap(([path, text]) => [
      [path, null],
      [storeFile(path), text],
    ]),
  );
}

function storeFile(path: string): string {
  return path.replace('shop', 'store');
}

export type Scene = {
  readonly world: World;
  /** A checkout that has all of the commits. */
  readonly workspace: string;
  /** The head after the push, and one after that which changes nothing that was found. */
  readonly pushed: string;
  readonly moved: string;
  /** What the changed files hold, by commit. */
  readonly texts: Readonly<Record<string, WorldFiles>>;
};

const scenes = new Map<string, Scene>();

/** Repositories are only read, so one serves all cells of its size and situation. */
export function sceneOf({
  count,
  situation,
}: {
  readonly count: number;
  readonly situation: keyof typeof situations;
}): Scene {
  const key = `${count} ${situation}`;
  const scene = scenes.get(key) ?? buildScene(count, situations[situation]);
  scenes.set(key, scene);
  return scene;
}

function buildScene(count: number, { push, isForced = false }: Situation): Scene {
  const world = createWorld(shopWorld(count));
  const { head, mergeBase } = world.commits;
  const indexes = Array.from({ length: Math.max(1, Math.ceil(count / 10)) }, (_, index) => index);
  const before = Object.fromEntries(indexes.map((index) => [shopFile(index), shopText(index, count)]));
  const after = push?.(before, count) ?? {};
  const later = { 'LATER.md': 'later\n' };
  const [made = '', moved = ''] = importCommits(world.remote.directory, [
    {
      parent: isForced ? mergeBase : head,
      changes: [{ files: after }],
      message: 'Push',
      minute: 20,
      refs: ['refs/heads/pushed'],
    },
    {
      parent: push === null ? head : 0,
      changes: [{ files: later }],
      message: 'Later',
      minute: 21,
      refs: ['refs/heads/moved'],
    },
  ]);
  const texts = { [head]: before, [made]: after, [moved]: push === null ? before : after };
  const workspace = borrowWorkTree(world.remote.directory, world.commits.merge);
  return { world, workspace, pushed: push === null ? head : made, moved, texts };
}
