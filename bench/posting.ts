import { runJob, shopReviewer } from '../__tests__/delivery/cell.ts';
import { startGitHub } from '../__tests__/fakes/github-server/start-github.ts';
import { createWorld } from '../__tests__/fakes/world/create-world.ts';
import { shopFile, shopWorld } from '../__tests__/scenarios/review.ts';
import type { Row } from './row.ts';

const ordinary = 30;
const counts = [1, ordinary, 300] as const;

/** Whole runs that post so many findings, and the same commit again: requests to GitHub's API and milliseconds. */
export async function posting(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const count of counts) rows.push(...(await measure(count)));
  return rows;
}

async function measure(count: number): Promise<readonly Row[]> {
  const world = createWorld(shopWorld(count));
  const github = await startGitHub(world.github);
  const model = shopReviewer({ count, left: () => true, pathOf: shopFile, reworded: false });
  // Of one answer 200 findings are read: the 300 come in answers of at most 100.
  const inputs = { annotations: 'false', 'files-per-batch': '10' };
  const run = async (id: string) => {
    const before = github.requests.length;
    const start = performance.now();
    await runJob({ github, workspace: world.author.directory, model, inputs, run: id, maxComments: count });
    return { requests: github.requests.length - before, milliseconds: performance.now() - start };
  };
  const first = await run('1');
  const writes = github.writes().length;
  const again = await run('2');
  await github.close();
  if (github.comments().length !== count) throw new Error(`${github.comments().length} of ${count} were posted.`);
  const promised = count === ordinary ? { atMost: 24 } : null;
  const name = count === 1 ? '1 finding' : `${count} findings`;
  return [
    { measure: `posting ${name}: requests`, measured: first.requests, unit: 'requests', promised },
    { measure: '  writes among them, a second each on GitHub', measured: writes, unit: 'requests', promised: null },
    { measure: '  the whole run without that wait', measured: first.milliseconds, unit: 'ms', promised: null },
    { measure: '  the same commit again: requests', measured: again.requests, unit: 'requests', promised: null },
  ];
}
