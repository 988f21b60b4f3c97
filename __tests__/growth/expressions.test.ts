import { describe, expect, it } from 'vitest';
import { digestOf, expressionsOf, named, readVerdicts } from '../../scripts/expressions.ts';
import {
  concernsModel,
  lacksImages,
  lacksResponses,
  lacksTools,
  readServerWords,
  refusesReplay,
  refusesSchema,
  refusesStream,
} from '../../src/adapters/openai/refusals.ts';
import { isReadLast } from '../../src/core/pull-request/file-kinds.ts';
import { linearGlob } from '../../src/core/repository/path.ts';
import { globsProblem } from '../../src/core/settings/formats.ts';
import { addedFile } from '../fakes/memory-repository.ts';

/** Where an expression stands that takes more than its input's length, and what is at most read by it, in characters. */
const bounds = [
  { file: 'src/adapters/openai/refusals.ts', expressions: 7, characters: 4_000, feed: refused },
  { file: 'src/core/pull-request/file-kinds.ts', expressions: 1, characters: 400, feed: marked },
  { file: 'src/core/repository/path.ts', expressions: 1, characters: 4_000, feed: globbed },
  { file: 'src/core/tools/deny-paths.ts', expressions: 3, characters: 4_096, feed: denied },
] as const;

describe('the expressions of src and eval', () => {
  const verdicts = readVerdicts();
  const all = expressionsOf();

  it('are all judged: npm run expressions judges those that are new', () => {
    expect(all.filter((one) => verdicts[digestOf(one)] === undefined).map(named)).toEqual([]);
  });

  it('take time in proportion to what they read, but for those whose input is cut before', () => {
    const slow = all.filter((one) => verdicts[digestOf(one)] !== 'safe');
    const places = slow.flatMap((one) => one.places.map((place) => place.split(':')[0]));
    expect(places.toSorted()).toEqual(
      bounds.flatMap(({ file, expressions }) => Array(expressions).fill(file)).toSorted(),
    );
  });

  it('are found in code alone, each once', () => {
    expect([all.length > 500, new Set(all.map(digestOf)).size]).toEqual([true, all.length]);
  });
});

describe('what is cut before an expression reads it', () => {
  const parts = ['model ', 'image ', "n't ", 'content ', 'stream ', 'tools[1]', '<title', 'responses ', '[', '*', '@'];

  it.each(bounds)('$file: at most $characters characters', ({ characters, feed }) => {
    const read = parts.map((part) => feed(part.repeat(1_000_000 / part.length)));
    expect(read.filter((length) => length > characters)).toEqual([]);
  });
});

/** The longest text of a refusal that its expressions search; each of them is asked. */
function refused(text: string): number {
  const longest = [
    JSON.stringify({ error: { message: text, code: text, type: text, param: text } }),
    text,
    `<html>${text}`,
  ].map((body) => {
    const words = readServerWords(body, 400);
    const questions = [
      concernsModel,
      lacksImages,
      lacksResponses,
      lacksTools,
      refusesReplay,
      refusesSchema,
      refusesStream,
    ];
    for (const ask of questions) ask(words);
    return Math.max(words.message.length, words.all.length, words.code.length, words.type.length, words.param.length);
  });
  return Math.max(...longest);
}

/** A marker counts behind so many characters of a line and not behind more. */
function marked(text: string): number {
  const isMarked = (length: number) => isReadLast(addedFile('a.zzz', [`${text.slice(0, length)} @generated`]));
  return isMarked(5) && !isMarked(400) && !isMarked(4_000) ? 400 : text.length;
}

/** A class in a glob means something up to so many characters, and nothing beyond. */
function globbed(text: string): number {
  const glob = (length: number) => `${text.replaceAll(/[^a-z]/g, '[').slice(0, length - 3)}[a]`;
  const isLiteral = linearGlob(glob(4_001))(glob(4_001));
  linearGlob(glob(4_000))('a');
  return isLiteral ? 4_000 : text.length;
}

/** A line of `deny-paths` that is longer is refused before anything reads it. */
function denied(text: string): number {
  const isTaken = (length: number) => globsProblem([text.slice(0, length).replaceAll('[', 'x')]) === null;
  return isTaken(4_096) && !isTaken(4_097) ? 4_096 : text.length;
}
