/** Reads a command file (GITHUB_OUTPUT and the like) as the runner does: `name=value` or a heredoc. Throws as it does. */
export function parseCommandFile(text: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = line.indexOf('<<');
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      values[line.slice(0, equals)] = line.slice(equals + 1);
      continue;
    }
    if (heredoc < 1) throw new Error(`Invalid format '${line}'`);
    const delimiter = line.slice(heredoc + 2);
    const end = lines.indexOf(delimiter, index + 1);
    if (delimiter === '' || end === -1) throw new Error(`Matching delimiter not found '${delimiter}'`);
    values[line.slice(0, heredoc)] = lines.slice(index + 1, end).join('\n');
    index = end;
  }
  return values;
}
