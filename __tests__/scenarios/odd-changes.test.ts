import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import { unseenLines } from './changed-lines.ts';
import { review } from './review.ts';
import { totalWorld, wrongLineFinding, wrongLineNumber } from './total-world.ts';

const numbered = (count: number, edit: (index: number) => boolean) =>
  Array.from({ length: count }, (_, index) => `export const value${index} = ${edit(index) ? index * 7 : index};`).join(
    '\n',
  );

describe('a review', () => {
  it('is not blinded by attributes that hide diffs', async () => {
    const head = { ...totalWorld.head, '.gitattributes': '*.ts -diff\n*.ts linguist-generated\n' };
    const scenario = { world: { ...totalWorld, head }, model: [submit([wrongLineFinding])] };
    const { world, github, model } = await review(scenario);
    expect([unseenLines(world, model), github.comments().map(({ line }) => line)]).toEqual([[], [wrongLineNumber]]);
  });

  it('shows a submodule bump that .gitmodules hides', async () => {
    const modules = '[submodule "parser"]\n\tpath = lib/parser\n\turl = https://example.com/parser\n\tignore = all\n';
    const base = { '.gitmodules': modules, 'lib/parser': { submodule: 'a'.repeat(40) }, 'a.ts': 'a\n' };
    const head = { 'lib/parser': { submodule: 'b'.repeat(40) }, 'a.ts': 'b\n' };
    const { world, model } = await review({ world: { base, head }, model: () => submit([]) });
    expect(unseenLines(world, model)).toEqual([]);
  });

  it.each([
    ['of many hunks', { 'src/huge.ts': numbered(6000, () => false) }, numbered(6000, (index) => index % 10 === 5)],
    ['of a single hunk', {}, numbered(8000, () => true)],
  ])('shows every line of a huge file %s', async (_, base, head) => {
    const { world, model, run } = await review({
      world: { base: { 'a.txt': 'a\n', ...base }, head: { 'src/huge.ts': head } },
      model: () => submit([]),
      inputs: { 'max-total-tokens': '20000000' },
    });
    expect([unseenLines(world, model), run.outputs['outcome'], model.complaints]).toEqual([[], 'clean', []]);
  });

  it('knows a renamed file by its new name and a deleted one by its old', async () => {
    const body = numbered(30, () => false);
    const { world, github, model } = await review({
      world: {
        base: { 'src/old.ts': body, 'src/gone.ts': 'export const guard = true;\n' },
        head: { 'src/old.ts': null, 'src/new.ts': body.replace('value9 = 9', 'value9 = 10'), 'src/gone.ts': null },
      },
      model: () =>
        submit([
          { path: 'src/old.ts', quote: 'export const value9 = 10;', title: 'Value nine is ten' },
          { path: 'src/gone.ts', quote: 'export const guard = true;', side: 'LEFT', title: 'The guard is gone' },
        ]),
    });
    const places = github.comments().map(({ path, side, line }) => `${path} ${side} ${line}`);
    expect([places.sort(), unseenLines(world, model)]).toEqual([['src/gone.ts LEFT 1', 'src/new.ts RIGHT 10'], []]);
  });

  it('is held of a pull request that only deletes', async () => {
    const base = {
      'src/login.ts':
        'export function login(user) {\n  if (!user.verified) throw new Error();\n  return open(user);\n}\n',
    };
    const head = { 'src/login.ts': 'export function login(user) {\n  return open(user);\n}\n' };
    const finding = { path: 'src/login.ts', quote: '  if (!user.verified) throw new Error();', side: 'LEFT' as const };
    const { github, run } = await review({ world: { base, head }, model: [submit([finding])] });
    expect(github.comments().map(({ side, line }) => `${side} ${line}`)).toEqual(['LEFT 2']);
    expect(run.outputs['outcome']).toBe('findings');
  });

  it('reads three pages of files from the API when there is no git', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `src/file${index}.ts`);
    const files = (value: string) =>
      Object.fromEntries(names.map((name, index) => [name, `export const v${index} = ${value};\n`]));
    const { world, github, model, run } = await review({
      world: { base: files('1'), head: files('2') },
      model: () => submit([]),
      checkout: null,
      environment: { GITHUB_SERVER_URL: 'http://127.0.0.1:9' },
      inputs: { 'max-total-tokens': '5000000' },
    });
    expect(github.requests.filter(({ path }) => /\/files\?.*page=3/.test(path))).toHaveLength(1);
    expect([unseenLines(world, model), run.outputs['outcome']]).toEqual([[], 'clean']);
  });
});
