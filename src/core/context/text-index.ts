import { wordsOf } from './words-of.ts';

/** A passage and the words that it is found by. */
export type Passage = {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
};

export type Ranked = {
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
