/** Characters of one expression; `git grep` and the linear-time engine take more, the port's limit is 1,000. */
const maxCharacters = 900;

/** Expressions (RE2 syntax) for lines that hold one of the names as a whole word. Several where one would be too long. */
export function mentionPatterns(names: readonly string[]): readonly string[] {
  return batches(names, (alternatives) => alternatives);
}

/**
 * Expressions (RE2 syntax) for lines that look like a definition of one of the names: behind a keyword, or at the start of a
 * line behind types and in front of what follows a declared name. They find calls too: a parser has to look.
 */
export function definitionPatterns(names: readonly string[]): readonly string[] {
  return batches(names, (alternatives) => `(?:${keyword}|${lineStart})${alternatives}${behind}`);
}

const keyword =
  '\\b(?:def|class|func|function|fn|fun|struct|enum|union|trait|interface|type|module|namespace|record|const|let|var|val|static|impl|macro_rules!|#define|typedef)[*]?\\s+(?:\\([^)]*\\)\\s*)?(?:mut\\s+|self\\.|\\w+(?:\\.|::))?';
const lineStart = '^\\s*(?:[\\w<>\\[\\],.*&:?@#]+\\s+)*[*&#]*(?:(?:\\w+::)+|self\\.|this\\.)?';
const behind = '\\s*(?:[?!]?\\s*[(:={<;,]|$|\\s\\w)';

function batches(names: readonly string[], expression: (alternatives: string) => string): readonly string[] {
  const room = maxCharacters - expression('').length;
  const groups: string[][] = [];
  let left = 0;
  for (const name of names.map(wholeWord).filter((each) => each.length <= room / 2)) {
    if (left < name.length + 1) {
      groups.push([]);
      left = room - '(?:)'.length;
    }
    groups.at(-1)?.push(name);
    left -= name.length + 1;
  }
  return groups.map((group) => expression(`(?:${group.join('|')})`));
}

/** `\b` only stands beside a letter, digit or underscore. */
function wholeWord(name: string): string {
  const quoted = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return `${/^\w/.test(name) ? '\\b' : ''}${quoted}${/\w$/.test(name) ? '\\b' : ''}`;
}
