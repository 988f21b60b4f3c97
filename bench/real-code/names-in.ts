/** A name on a line, what stands before it, and whether a parenthesis follows. */
export type NameUse = {
  readonly name: string;
  readonly behind: 'nothing' | 'self' | 'other';
  readonly called: boolean;
};

/** Names that lines of a function use, without comments, texts, and what the function itself binds. Read off the text alone. */
export function namesIn({
  lines,
  start,
  end,
}: {
  readonly lines: readonly string[];
  readonly start: number;
  readonly end: number;
}): readonly NameUse[] {
  const bare = withoutTexts(lines.slice(start - 1, end).join('\n'));
  // The head holds the parameters.
  const head = withoutTexts(lines.slice(Math.max(0, start - 4), start - 1).join('\n'));
  const bound = boundIn(`${head}\n${bare}`, head);
  const uses: NameUse[] = [];
  for (const match of bare.matchAll(
    /(?<before>(?:\b(?:self|this|super|Self|static)|\$this|[\w)\]}?!])?\s*(?:\.|->|::|\?\.|&\.)\s*|@{1,2})?(?<![\w$])(?<name>[\p{L}_$][\p{L}\p{N}_$]*[?!]?)/gu,
  )) {
    const { before = '', name = '' } = match.groups ?? {};
    const plain = name
      .replace(/^\$/, '')
      .replace(/[?!]$/, (mark) => (bare[match.index + match[0].length] === '=' ? '' : mark));
    const behind = before === '' ? 'nothing' : /^(?:\$?this|self|Self|static|@)/.test(before) ? 'self' : 'other';
    if (plain.length <= 2 || (behind === 'nothing' && (bound.has(plain) || name.startsWith('$')))) continue;
    // A named argument, a label, or the key of a literal.
    const after = bare.slice(match.index + match[0].length).match(/^\s*(?::(?!:)|=(?![=>~]))/);
    if (behind === 'nothing' && after !== null) continue;
    uses.push({ name: plain, behind, called: bare[match.index + match[0].length] === '(' });
  }
  return uses;
}

function withoutTexts(text: string): string {
  return text
    .replaceAll(/"""[\s\S]*?"""|'''[\s\S]*?'''/g, '""')
    .replaceAll(/\/\*[\s\S]*?\*\//g, ' ')
    .replaceAll(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, '""')
    .replaceAll(/(?:\/\/|(?<![\w$&])#(?![[\w]*\]))[^\n]*/g, ' ');
}

/** Parameters and variables, by the forms that languages have for them. */
function boundIn(text: string, head: string): ReadonlySet<string> {
  const names = new Set<string>();
  const parameters = head.slice(head.indexOf('(', head.search(/\b(?:def|func|fn|function)\b/) + 1));
  for (const [name] of parameters.matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)) names.add(name);
  const forms = [
    /(?<![.\w>])([\p{L}_]\w*(?:\s*,\s*[\p{L}_]\w*)*)\s*(?::=|=(?![=>~])|\+=|-=|\|\|=)/gu,
    /\b(?:for|let|var|const|mut|as|auto|foreach|catch|except|ref|rescue)\b([^=:{;\n]*)/gu,
    /\|([^|\n]*)\|/g,
    /\b[\w<>[\],.]+\s+([\p{L}_]\w*)\s*(?:=|;)/gu,
    /\(([^()]*)\)\s*->/g,
    /lambda([^:]*):/g,
  ];
  for (const form of forms) {
    for (const [, group = ''] of text.matchAll(form)) {
      for (const [name] of group.matchAll(/[\p{L}_]\w*/gu)) names.add(name);
    }
  }
  return names;
}
