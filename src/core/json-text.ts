export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  /** A part of a sentence, such as `it is nested more than 200 levels deep`. */
  | { readonly ok: false; readonly problem: string };

/** Levels of JSON that somebody else wrote. What reads and writes values goes down level by level, and a stack has an end. */
export const maxJsonLevels = 200;

/** Parses JSON that somebody else wrote. Never throws; takes time and memory in proportion to the text. */
export function readJsonText(text: string): ReadJson {
  if (isNestedDeeper(text, maxJsonLevels)) {
    return { ok: false, problem: `it is nested more than ${maxJsonLevels} levels deep` };
  }
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : 'it cannot be read' };
  }
}

/** Counted in the text, since a value has to be built before it can be measured. */
function isNestedDeeper(text: string, levels: number): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if (character === openList || character === openObject) level += 1;
    else if (character === closeList || character === closeObject) level -= 1;
    if (level > levels) return true;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

const [quote, backslash] = [0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
