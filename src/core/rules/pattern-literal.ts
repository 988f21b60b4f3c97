/**
 * Where a pattern such as `/["']/` of ECMAScript ends that starts at a slash: behind its last slash. The next place when the slash divides, null
 * when the line ends first.
 */
export function patternEnd(line: string, slash: number): number | null {
  if (!mayStart(line, slash)) return slash + 1;
  let inClass = false;
  for (let at = slash + 1; at < line.length; at++) {
    const character = line[at];
    if (character === '\\') at += 1;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '/' && !inClass) return at + 1;
  }
  return null;
}

/** Behind a value a slash divides; behind an operator, a bracket or a keyword it starts a pattern. */
function mayStart(line: string, slash: number): boolean {
  let at = slash - 1;
  while (at >= 0 && (line[at] === ' ' || line[at] === '\t')) at -= 1;
  if (at < 0) return true;
  const character = line.charAt(at);
  if ('(,=:[!&|?{};+-*%>~^'.includes(character)) return true;
  const word = /[a-z]+$/.exec(line.slice(Math.max(0, at - longestKeyword), at + 1))?.[0];
  return word !== undefined && keywords.has(word);
}

const keywords = new Set('return typeof case in of delete void throw new else do yield await instanceof'.split(' '));
const longestKeyword = 12;
