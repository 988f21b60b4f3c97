import type { World } from '../fakes/world/create-world.ts';
import type { WorldFiles } from '../fakes/world/git.ts';
import { defectLine, shopFile, shopText } from '../scenarios/review.ts';

export const sizes = { clean: 0, 'one finding': 1, '40 findings': 40 } as const;

/** What happens between the first run and the one that is looked at. */
export type Situation = {
  /** The new head, made from the first; null when there is no push. */
  readonly push: ((world: World, count: number) => string) | null;
  /** The defects that are left at the new head. */
  readonly left: (defect: number) => boolean;
  readonly pathOf: (index: number) => string;
  readonly runs: 'one' | 'one, then another' | 'two at once' | 'a partial one, then another';
  /** True when the second review says everything in other words. */
  readonly reworded: boolean;
};

const plain: Situation = { push: null, left: () => true, pathOf: shopFile, runs: 'one, then another', reworded: false };

export const situations = {
  'a first run': { ...plain, runs: 'one' },
  'a run again': { ...plain },
  'a push that mends some': {
    ...plain,
    left: (defect) => defect % 2 === 1,
    push: (world, count) =>
      commit(
        world,
        eachFile(count, (text) => mended(text, count)),
      ),
  },
  'a push after which all is said otherwise': {
    ...plain,
    reworded: true,
    push: (world, count) =>
      commit(
        world,
        eachFile(count, (text) => `// Pushed.\n${text}`),
      ),
  },
  'a force-push': {
    ...plain,
    push: (world, count) => {
      world.author.git('checkout', '--quiet', '--force', '--detach', world.commits.mergeBase);
      return world.author.commit({ files: eachFile(count, (text) => `// Anew.\n${text}`), message: 'Start again' });
    },
  },
  'a push that renames the files': {
    ...plain,
    pathOf: (index) => `src/store-${index}.ts`,
    push: (world, count) => {
      const moved = Object.entries(eachFile(count, (text) => text));
      const files = moved.flatMap(([path, text]) => [
        [path, null] as const,
        [path.replace('shop', 'store'), text] as const,
      ]);
      return commit(world, Object.fromEntries(files));
    },
  },
  'two runs at once': { ...plain, runs: 'two at once' },
  'a push after a partial run': {
    ...plain,
    runs: 'a partial one, then another',
    push: (world, count) =>
      commit(world, { ...eachFile(count, (text) => text), 'src/new.ts': 'export const fresh = 1;\n' }),
  },
} as const satisfies Record<string, Situation>;

function commit(world: World, files: WorldFiles): string {
  world.author.git('checkout', '--quiet', '--force', '--detach', world.commits.head);
  return world.author.commit({ files, message: 'Push' });
}

function eachFile(count: number, change: (text: string) => string): Record<string, string> {
  const files = Array.from({ length: Math.max(1, Math.ceil(count / 10)) }, (_, index) => index);
  return Object.fromEntries(files.map((index) => [shopFile(index), change(shopText(index, count))]));
}

function mended(text: string, count: number): string {
  return Array.from({ length: count }, (_, defect) => defect)
    .filter((defect) => defect % 2 === 0)
    .reduce((all, defect) => all.replace(defectLine(defect), '  return 0; // mended'), `${text}// pushed\n`);
}
