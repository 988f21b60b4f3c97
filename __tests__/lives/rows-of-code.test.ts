import { describe } from 'vitest';
import { functionNames } from './branch.ts';
import { plain, ruleTrap, withFile } from './code.ts';
import { plainManner } from './reviewer.ts';
import { gathering, obedient, type Row, reported, tell, unguarded } from './row.ts';
import { func } from './scene.ts';

const rows: readonly Row[] = [
  ...(
    [
      ['in one item: the file of the first is taken back', gathering, 'take back'],
      ['in one item: the file of the first is deleted', gathering, 'delete'],
      ['in two items of one title: the file of the first is taken back', obedient, 'take back'],
      ['in two items of one title: the file of the first is deleted', obedient, 'delete'],
    ] as const
  ).map(
    ([how, manner, end]): Row => ({
      life: `1 a defect at two places, ${how}`,
      ends: async (begin) => {
        const scene = begin({ manner });
        scene.add('src/a.ts birch', 'osprey').add('src/c.ts fir', 'osprey');
        await scene.run();
        if (end === 'take back') scene.takeBack('src/a.ts');
        else scene.tree('deletes src/a.ts', (tree) => withFile(tree, 'src/a.ts', null));
        await scene.run();
        return scene.said;
      },
      right: ['findings', [unguarded('src/c.ts:2')]],
    }),
  ),
  {
    life: '2 the defect comes to a second file while the base moves, then the first is fixed',
    ends: async (begin) => {
      const scene = await reported(begin());
      scene.add('src/c.ts fir', 'osprey');
      scene.push({ do: 'rebase', a: 0, b: 0 });
      await scene.run();
      scene.put('src/a.ts birch', { kind: 'guard', name: 'osprey' });
      await scene.run();
      return scene.said;
    },
    right: ['findings', [unguarded('src/c.ts:2')]],
  },
  {
    life: '3 a rule hits twelve files, ten are raised, and these ten are fixed',
    ends: async (begin) => {
      const scene = begin();
      const names = functionNames.slice(7, 19);
      for (const [index, name] of names.entries()) scene.file(`src/n${index}.ts`, func(name, scene.trap(ruleTrap)));
      await scene.run();
      const raised = scene.last?.report.open.flatMap(({ path, alsoAt }) => [path, ...alsoAt]) ?? [];
      for (const place of raised.slice(0, 10)) scene.replace(ruleTrap, place.split(':')[0]);
      await scene.run();
      const left = scene.last?.report.open.flatMap(({ path, alsoAt }) => [path, ...alsoAt]) ?? [];
      return [scene.said[0], left.length];
    },
    right: ['findings', 2],
  },
  ...(['src/a.ts cedar', 'src/c.ts fir'] as const).map(
    (second): Row => ({
      life: `4 a secret in src/a.ts birch and ${second}, and the first is removed`,
      ends: async (begin) => {
        const scene = begin();
        const key = (letter: string) => `const key_${letter} = 'AKIA${`${letter}7QW3`.repeat(4).slice(0, 16)}';`;
        scene.put('src/a.ts birch', plain(key('D'))).put(second, plain(key('F')));
        await scene.run();
        scene.lines('src/a.ts birch', (lines) => lines.slice(1));
        await scene.run();
        return [scene.said[0], scene.said[1].map((place) => place.split(' ')[0])];
      },
      right: ['findings', [second === 'src/c.ts fir' ? 'src/c.ts:2' : 'src/a.ts:18']],
    }),
  ),
  {
    life: '4 two conflict markers in a file, and the first is removed',
    ends: async (begin) => {
      const scene = begin();
      const marked = (...lines: readonly string[]) =>
        `# Notes\n\n${lines.map((line) => `${line}\n\ntext\n\n`).join('')}`;
      const [first, second] = [`${'<'.repeat(7)} HEAD`, `${'>'.repeat(7)} feature`];
      const write = (text: string) => scene.tree('writes notes', (tree) => withFile(tree, 'notes.yml', text));
      write(marked(first, second));
      await scene.run();
      write(marked('a: b', second));
      await scene.run();
      return [scene.said[0], scene.said[1].map((place) => place.split(' ')[0])];
    },
    right: ['findings', ['notes.yml:7']],
  },
  {
    life: '5 the function moves into another file, and the old file is deleted by the next push',
    ends: async (begin) => {
      const scene = begin();
      scene.file('src/n1.ts', func('hazel', scene.trap('osprey')), func('ivy'));
      await scene.run();
      scene.move('src/n1.ts hazel', 'src/n2.ts');
      await scene.run();
      scene.takeBack('src/n1.ts');
      await scene.run();
      return [scene.said, scene.threads.length];
    },
    right: [['findings', [unguarded('src/n2.ts:2')]], 1],
  },
  ...(['guard behind', 'guard for debugging'] as const).map(
    (push): Row => ({
      life: `6 a guard fixes it, and a later push spoils the guard: ${push}`,
      ends: async (begin) => {
        const scene = await reported(begin({ manner: obedient }));
        scene.put('src/a.ts birch', { kind: 'guard', name: 'osprey' });
        await scene.run();
        scene.push({ do: push, a: 1, b: 0 });
        await scene.run();
        return scene.said[0];
      },
      right: 'findings',
    }),
  ),
  {
    life: '9 fixed, and another defect with a title alike appears in the file',
    ends: async (begin) => {
      const scene = await reported(begin({ manner: { ...plainManner, titles: 'alike' } }));
      scene.put('src/a.ts birch', { kind: 'guard', name: 'osprey' });
      await scene.run();
      scene.add('src/a.ts cedar', 'plover');
      await scene.run();
      return scene.threads;
    },
    right: ['src/a.ts:20 A call runs unguarded and breaks: plover()'],
  },
  {
    life: '10 a finding on removed lines: the file is renamed, then the guard is restored',
    ends: async (begin) => {
      const scene = begin();
      scene.push({ do: 'unguard', a: 0, b: 0 });
      await scene.run();
      scene.push({ do: 'rename a file', a: 0, b: 0 });
      await scene.run();
      const posted = scene.hub.pull.threads.length;
      scene.put('src/n1.ts alder', { kind: 'guard', name: 'kestrel' });
      await scene.run();
      await scene.run();
      return [posted, scene.said];
    },
    right: [1, ['fine', []]],
  },
  {
    life: '10 a finding on removed lines: the file is deleted',
    ends: async (begin) => {
      const scene = begin();
      scene.push({ do: 'unguard', a: 0, b: 0 });
      await scene.run();
      scene.push({ do: 'delete a file', a: 0, b: 0 });
      await scene.run();
      await scene.run();
      return scene.said;
    },
    right: ['fine', []],
  },
  {
    life: '11 what was found is taken back, and the rest is left out by the workflow',
    ends: async (begin) => {
      const scene = begin({ inputs: { exclude: 'docs/**' } });
      scene.tree('writes', (tree) => withFile(tree, 'docs/guide.md', '# Guide\n\nMore.\n'));
      await reported(scene);
      scene.takeBack('src/a.ts');
      await scene.run();
      return scene.said;
    },
    right: ['fine', []],
  },
  ...(['the call', 'the function'] as const).map(
    (what): Row => ({
      life: `12 a fix that only deletes ${what}, at the end of a file`,
      ends: async (begin) => {
        const scene = begin();
        scene.file('src/n1.ts', func('hazel'), {
          name: 'ivy',
          lines: [plain('const ivy_size = input.length;'), scene.trap('osprey')],
        });
        await scene.run();
        scene.push({ do: what === 'the call' ? 'delete the call' : 'delete the function', a: 2, b: 0 });
        await scene.run();
        await scene.run();
        return scene.said;
      },
      right: ['fine', []],
    }),
  ),
];

describe('what becomes of a finding whose code', () => tell(rows));
