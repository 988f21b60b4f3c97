import type { NormalisedRequest } from '../__tests__/fakes/model-server/normalise.ts';
import { type Answer, calls, type ScriptedCall, submit } from '../__tests__/fakes/model-server/script.ts';
import type { WorldOptions } from '../__tests__/fakes/world/create-world.ts';
import { codeLines, rewritten } from './code-text.ts';
import type { Row } from './row.ts';
import { median, medianSample } from './sample.ts';
import { playReview } from './scripted-review.ts';

const runs = 7;
const fileCount = 10;

/** What a user waits for when the model takes no time: 10 files, 20 tool calls, one finding posted. */
export async function review(): Promise<readonly Row[]> {
  const servers: number[] = [];
  const { wall, cpu } = await medianSample(runs, async () => {
    const reviewed = await playReview({ world, model: reader, outcome: 'findings' });
    servers.push(reviewed.servers);
    return reviewed.sample;
  });
  return [
    {
      measure: 'whole scripted review: 10 files, 20 tool calls',
      measured: wall,
      cpu,
      unit: 'ms',
      promised: { atMost: 1_000 },
    },
    { measure: '  of it: the fake GitHub and model', measured: median(servers), unit: 'ms', promised: null },
  ];
}

const paths = Array.from({ length: fileCount }, (_, index) => `src/part-${index}.ts`);
const defect = '  if (total > limit) return total;';

const world = {
  base: Object.fromEntries(paths.map((path, index) => [path, text(before(index))])),
  head: Object.fromEntries(paths.map((path, index) => [path, text(after(index))])),
} satisfies WorldOptions;

function before(index: number): readonly string[] {
  return codeLines({ seed: index, count: 150 });
}

/** Ten lines of each file are rewritten, and one is added that is wrong. */
function after(index: number): readonly string[] {
  return [
    ...rewritten(before(index), {
      seed: 100 + index,
      places: [
        [40, 46],
        [90, 94],
      ],
    }),
    defect,
  ];
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

/** Ten turns of two calls each, of all the reading tools there are, then the review. */
function reader(_: NormalisedRequest, turn: number): Answer {
  const path = paths[turn];
  if (path === undefined) return submit([{ path: paths[0] ?? '', quote: defect, title: 'The limit is passed on' }]);
  return calls(readingCall(path, 2 * turn), readingCall(path, 2 * turn + 1));
}

function readingCall(path: string, number: number): ScriptedCall {
  const kinds: readonly ScriptedCall[] = [
    { name: 'read_file', arguments: { path } },
    { name: 'search_text', arguments: { pattern: 'throw new RangeError', path, file_pattern: null, regex: false } },
    { name: 'read_file_lines', arguments: { path, start_line: 40, end_line: 120 } },
    { name: 'get_file_structure', arguments: { path } },
    {
      name: 'search_text',
      arguments: { pattern: `amount: ${number}\\d+`, path: null, file_pattern: '*.ts', regex: true },
    },
    { name: 'list_files', arguments: { directory: 'src', pattern: `part-${number % fileCount}*` } },
    { name: 'get_git_blame', arguments: { path, start_line: 1, end_line: 30 } },
    { name: 'get_git_log', arguments: { path, count: 5 } },
  ];
  const chosen = kinds[number % kinds.length];
  if (chosen === undefined) throw new Error('there is no call to make');
  return chosen;
}
