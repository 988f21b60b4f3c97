import { expect, it } from 'vitest';
import { Branch } from './branch.ts';
import { type Line, withLines } from './code.ts';
import { openInMemory } from './hub.ts';
import { runPostil } from './postil.ts';
import { honest, plainManner, type Report } from './reviewer.ts';

const said = ({ gate, heading, calls }: Report) => [gate, heading.replace('### Postil · ', ''), calls];

it('a push brings a defect, the next another one, the third guards the first, and the same head costs no call', async () => {
  const branch = new Branch();
  const trap = (name: string): Line => ({ kind: 'trap', name, id: branch.nextId() });
  const put = (path: string, func: string, line: Line) =>
    branch.push(withLines(branch.head.tree, { path, func }, (lines) => [line, ...lines]));
  put('src/a.ts', 'birch', trap('osprey'));
  const hub = await openInMemory(branch, 'minimise');
  const reports: Report[] = [];
  const review = async () => {
    const { head, mergeBase, heads } = hub;
    const killed = new Promise<never>(() => undefined);
    const [onRequest, onDiff] = [async () => undefined, async () => undefined];
    const reviewer = honest({ head, mergeBase, heads }, plainManner);
    const options = { hub, run: reports.length + 1, inputs: {}, reviewer, isGone: () => false };
    reports.push(await runPostil({ ...options, killed, onRequest, onDiff }));
  };
  await review();
  put('src/b.ts', 'elder', trap('plover'));
  hub.moves(branch);
  await review();
  put('src/a.ts', 'birch', { kind: 'guard', name: 'osprey' });
  hub.moves(branch);
  await review();
  await review();
  expect(reports.map(said)).toEqual([
    ['findings', '1 finding: 1 warning · 1 file reviewed', 1],
    ['findings', '1 new finding, 1 still open', 1],
    ['findings', 'Nothing new, 1 still open, 1 fixed', 1],
    ['findings', 'Nothing new, 1 still open, 1 fixed', 0],
  ]);
  expect(hub.pull.threads.map(({ comments: [first] }) => first?.isMinimized)).toEqual([true, false]);
});
