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
 * Words in small letters; identifiers whole and by their parts, English words without the ends that grammar gives them; Chinese, Japanese
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
