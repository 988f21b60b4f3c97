/**
 * The names of at least 8 characters that lines use as code does: declared, called, assigned to, or a member of something. Linear in their
 * length: each word is read from its start alone.
 */
export function identifiersIn(lines: Iterable<string>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const line of lines) {
    for (const [name = '', declared = '', used = ''] of line.matchAll(uses)) {
      if (name !== '') names.add(declared || used);
    }
  }
  return names;
}

const uses =
  /(?:\b(?:function|def|class|const|let|var|fn|func|fun|type|interface|enum|struct|import|new|return|await)[ ]|[.])([A-Za-z_$][\w$]{7,})|(?<![\w$"'`/=@-])([A-Za-z_$][\w$]{7,})(?=[ ]?(?:[(.]|=[^=]|:[ ]))/g;
