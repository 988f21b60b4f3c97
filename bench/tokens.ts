import type { NormalisedRequest } from '../__tests__/fakes/model-server/normalise.ts';
import { call, submit } from '../__tests__/fakes/model-server/script.ts';
import type { WorldOptions } from '../__tests__/fakes/world/create-world.ts';
import { codeLines, rewritten } from './code-text.ts';
import { overheadTokens, promptTokens } from './prompt-text.ts';
import type { Row } from './row.ts';
import { playReview } from './scripted-review.ts';

/** What a review costs before it has read anything, and what the smallest useful one costs. Tokens are estimated by tokenx. */
export async function tokens(): Promise<readonly Row[]> {
  return [
    {
      measure: 'fixed overhead of a call: instructions, tools, schema',
      measured: await fixedOverhead(),
      unit: 'tokens',
      promised: { atMost: 2_150 },
    },
    {
      measure: '150 lines, one read, one finding: input of all calls, the check included',
      measured: await withOneRead(pullRequestOf(150, [30, 90], 5)),
      unit: 'tokens',
      promised: { atMost: 9_600 },
    },
    {
      measure: 'the same with a file of 12 lines',
      measured: await withOneRead(pullRequestOf(12, [4], 2)),
      unit: 'tokens',
      promised: { atMost: 6_000 },
    },
    ...(await Promise.all(profiles.map(rowOf))),
  ];
}

const profiles = ['follow-up', 'quick', 'balanced', 'thorough', 'deep'];

async function rowOf(profile: string): Promise<Row> {
  return {
    measure: `  without the read, profile ${profile}`,
    measured: await smallReview(profile),
    promised: null,
    unit: 'tokens',
  };
}

/** With two batches, because then every tool is offered. */
async function fixedOverhead(): Promise<number> {
  const { requests } = await playReview({
    world: { base: { 'src/a.ts': 'one\n', 'web/b.ts': 'one\n' }, head: { 'src/a.ts': 'two\n', 'web/b.ts': 'two\n' } },
    model: () => submit([]),
    inputs: { 'files-per-batch': '1' },
    outcome: 'clean',
  });
  return Math.max(...requests.map(overheadTokens));
}

const path = 'src/basket.ts';
const defect = '  if (total > limit) return total;';

/** A file in which so many lines are rewritten at each of the places, and a wrong one is added at its end. */
function pullRequestOf(length: number, places: readonly number[], count: number): WorldOptions {
  const lines = codeLines({ seed: 7, count: length });
  const changed = rewritten(lines, { seed: 8, places: places.map((from) => [from, from + count] as const) });
  return {
    base: { [path]: textOf(lines) },
    head: { [path]: textOf([...changed, defect, '}']) },
  };
}

/** With every function closed before the next one begins: the prompt shows the function around a change, and none of these is a page long. */
function textOf(lines: readonly string[]): string {
  const begins = (line: string | undefined) => line?.startsWith('export function') ?? false;
  let open = false;
  const closed = lines.map((line, at) => {
    const isLast = begins(lines[at + 1]);
    if (begins(line)) {
      open = !isLast;
      return open ? line : '// The next one does the same.';
    }
    if (open && (line === '}' || isLast)) {
      open = false;
      return '}';
    }
    return open || line.startsWith('  //') ? line : `// ${line.trim()}`;
  });
  return `${closed.join('\n')}\n`;
}

/** All calls, the check of the finding included. */
async function smallReview(profile: string): Promise<number> {
  const { requests, verifications } = await playReview({
    world: pullRequestOf(150, [30, 90], 5),
    model: () => submit([{ path, quote: defect, title: 'The limit is passed on' }]),
    inputs: { profile },
    outcome: 'findings',
  });
  return sum([...requests, ...verifications]);
}

async function withOneRead(world: WorldOptions): Promise<number> {
  const { requests, verifications } = await playReview({
    world,
    model: [call('read_file', { path }), submit([{ path, quote: defect, title: 'The limit is passed on' }])],
    outcome: 'findings',
  });
  return sum([...requests, ...verifications]);
}

function sum(requests: readonly NormalisedRequest[]): number {
  return requests.reduce((tokens, request) => tokens + promptTokens(request), 0);
}
