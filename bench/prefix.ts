import type { NormalisedRequest } from '../__tests__/fakes/model-server/normalise.ts';
import { call, submit } from '../__tests__/fakes/model-server/script.ts';
import { codeLines, rewritten } from './code-text.ts';
import { promptText } from './prompt-text.ts';
import type { Row } from './row.ts';
import { median } from './sample.ts';
import { playReview } from './scripted-review.ts';

const rounds = 10;
const linesARead = 15;

/** How much of a prompt a provider finds in its cache, over ten rounds that each read 15 lines. */
export async function prefix(): Promise<readonly Row[]> {
  const prompts = (await tenRounds()).map(promptText);
  const pairs = prompts.slice(1).map((prompt, index) => ({ earlier: prompts[index] ?? '', prompt }));
  const kept = pairs.map(({ earlier, prompt }) => (100 * commonPrefix(earlier, prompt)) / earlier.length);
  const repeated = pairs.map(({ earlier, prompt }) => (100 * commonPrefix(earlier, prompt)) / prompt.length);
  const promised = { atLeast: 95 };
  return [
    { measure: 'the prompt before that a round repeats, least', measured: Math.min(...kept), unit: '%', promised },
    { measure: 'of a round’s prompt, repeated from before', measured: median(repeated), unit: '%', promised },
  ];
}

const path = 'src/large.ts';
const lines = codeLines({ seed: 3, count: 400 });

async function tenRounds(): Promise<readonly NormalisedRequest[]> {
  const text = (of: readonly string[]) => `${of.join('\n')}\n`;
  const { requests } = await playReview({
    // The second file raises the cap of iterations to ten.
    world: {
      base: { [path]: text(lines), 'src/small.ts': 'one\n' },
      head: { [path]: text(rewritten(lines, { seed: 4, places: [[100, 300]] })), 'src/small.ts': 'two\n' },
    },
    model: (_, turn) => (turn === rounds - 1 ? submit([]) : read(turn)),
    outcome: 'clean',
  });
  if (requests.length !== rounds) throw new Error(`The review took ${requests.length} rounds, not ${rounds}.`);
  return requests;
}

function read(turn: number) {
  const start = turn * linesARead + 1;
  return call('read_file_lines', { path, start_line: start, end_line: start + linesARead - 1 });
}

function commonPrefix(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let index = 0;
  while (index < length && one.charCodeAt(index) === other.charCodeAt(index)) index += 1;
  return index;
}
