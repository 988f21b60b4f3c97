/** A passage and the words that it is found by. */
export type Passage = {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
};

type Ranked = {
  readonly passage: Passage;
  readonly score: number;
  /** How much of what was asked the passage holds, 0 to 1: its words by their rarity, of all words of the query. */
  readonly share: number;
};

/** Usual constants of BM25. */
const saturation = 1.2;
const lengthWeight = 0.75;

/** Ranks passages for a query by BM25: rare words count more, long passages less. */
export class TextIndex {
  readonly #passages: readonly Passage[];
  /** For each word the passages that hold it, with how often. */
  readonly #places = new Map<string, Map<number, number>>();
  readonly #lengths: readonly number[];
  readonly #meanLength: number;

  constructor(passages: readonly Passage[]) {
    this.#passages = passages;
    this.#lengths = passages.map((passage, index) => this.#add(wordsOf(`${passage.path}\n${passage.text}`), index));
    const total = this.#lengths.reduce((sum, length) => sum + length, 0);
    this.#meanLength = Math.max(1, total / Math.max(1, passages.length));
  }

  /** The best first, none that shares no word; equal ones in the order of the passages. */
  search(query: string, limit: number): readonly Ranked[] {
    const found = new Map<number, { score: number; held: number }>();
    let asked = 0;
    for (const word of new Set(wordsOf(query))) {
      const places = this.#places.get(word) ?? new Map<number, number>();
      const rarity = Math.log(1 + (this.#passages.length - places.size + 0.5) / (places.size + 0.5));
      asked += rarity;
      for (const [index, count] of places) {
        const { score, held } = found.get(index) ?? { score: 0, held: 0 };
        found.set(index, { score: score + rarity * this.#weight(index, count), held: held + rarity });
      }
    }
    return [...found]
      .sort(([one, { score }], [other, { score: otherScore }]) => otherScore - score || one - other)
      .slice(0, limit)
      .flatMap(([index, { score, held }]) => {
        const passage = this.#passages[index];
        return passage === undefined ? [] : [{ passage, score, share: held / asked }];
      });
  }

  #add(words: readonly string[], index: number): number {
    for (const word of words) {
      const places = this.#places.get(word) ?? new Map<number, number>();
      places.set(index, (places.get(index) ?? 0) + 1);
      this.#places.set(word, places);
    }
    return words.length;
  }

  #weight(index: number, count: number): number {
    const length = (this.#lengths[index] ?? 0) / this.#meanLength;
    return (count * (saturation + 1)) / (count + saturation * (1 - lengthWeight + lengthWeight * length));
  }
}

const littleWords = new Set(
  'a an and are as at be by do for from has how if in is it its of on or that the this to was what when where which who why will with'.split(
    ' ',
  ),
);

/** Scripts that put no space between words, and Korean, which joins its particles to them. */
const unspaced = '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}';
const runs = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu');
const isUnspaced = new RegExp(`^[${unspaced}]`, 'u');

/**
 * Words in lower case; identifiers whole and by their parts, English words without the ends that grammar gives them; Chinese, Japanese
 * and Korean by every two characters that stand together.
 */
export function wordsOf(text: string): readonly string[] {
  const found = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  return found.flatMap((word) =>
    (word.match(runs) ?? []).flatMap((run) => (isUnspaced.test(run) ? pairsOf(run) : spacedWords(run))),
  );
}

function spacedWords(word: string): readonly string[] {
  const parts = word.split(/_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).filter((part) => part !== '');
  const all = parts.length > 1 ? [word, ...parts] : parts;
  return all
    .map((one) => one.toLowerCase())
    .filter((one) => !littleWords.has(one))
    .map(stem)
    .filter((one) => one.length > 1);
}

function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}

/** refund, refunds, refunded and refunding are one word; so are tax and taxes, cache and caching, stop and stopped. */
function stem(word: string): string {
  const singular = singularOf(word);
  const root = rootOf(singular);
  return root.length > 3 && root.endsWith('e') ? root.slice(0, -1) : root;
}

function singularOf(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

/** Without -ing and -ed where a word remains, which has a vowel: string and speed stay. */
function rootOf(word: string): string {
  const ending = word.endsWith('ing') ? 3 : word.endsWith('ed') && !word.endsWith('eed') ? 2 : 0;
  const root = word.slice(0, word.length - ending);
  if (ending === 0 || root.length < 3 || !/[aeiouy]/.test(root)) return word;
  if (ending === 2 && root.endsWith('i')) return `${root.slice(0, -1)}y`;
  return /..([bdgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}

/** Usual for reciprocal rank fusion: how little the first places of a ranking count more than those behind them. */
const smoothing = 60;

/**
 * One ranking of several, the best first: what stands high in one or well in all. Scores of words and of meaning have no common
 * scale, so only places count. Equal ones in the order of the first ranking that holds them.
 */
export function fuseRankings<T>(rankings: readonly (readonly T[])[]): readonly T[] {
  const scores = new Map<T, number>();
  for (const ranking of rankings) {
    for (const [place, item] of ranking.entries())
      scores.set(item, (scores.get(item) ?? 0) + 1 / (smoothing + place + 1));
  }
  return [...scores].sort(([, one], [, other]) => other - one).map(([item]) => item);
}
