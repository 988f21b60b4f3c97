export type Command = {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
};

export type Annotation = {
  readonly level: 'error' | 'warning' | 'notice';
  readonly message: string;
  readonly title: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly endLine: number | null;
};

/** Reads a log as GitHub's runner does (ActionCommand.cs), for what an attacker could make it believe as well. */
export function parseCommands(log: string) {
  const all = commandsIn(log.split(/\r?\n/));
  const annotations = all.flatMap(annotationOf);
  return {
    all,
    // At most 10 a level, messages cut, as the runner keeps them.
    annotations: annotations.filter(
      (one, index) => annotations.slice(0, index).filter((earlier) => earlier.level === one.level).length < 10,
    ),
    masks: all.filter((one) => one.name === 'add-mask').map((one) => one.data),
  };
}

const registered = [
  ...['set-env', 'set-output', 'save-state', 'add-path', 'add-mask', 'add-matcher', 'remove-matcher', 'debug'],
  ...['warning', 'error', 'notice', 'group', 'endgroup', 'echo', 'stop-commands', 'internal-set-repo-path'],
];

function commandsIn(lines: readonly string[]): readonly Command[] {
  const found: Command[] = [];
  let resumeToken: string | null = null;
  for (const line of lines) {
    if (resumeToken !== null) {
      if (line.trim() === `::${resumeToken}::`) resumeToken = null;
      continue;
    }
    const command = parseColons(line) ?? parseHashes(line);
    if (command === null) continue;
    found.push(command);
    if (command.name === 'stop-commands') resumeToken = command.data;
  }
  return found;
}

/** `::name key=value,key=value::data`, at the start of a line after spaces. */
function parseColons(line: string): Command | null {
  const text = line.trimStart();
  const end = text.indexOf('::', 2);
  if (!text.startsWith('::') || end === -1) return null;
  return commandFrom(text.slice(2, end), { separator: ',', data: text.slice(end + 2) });
}

/** The old form `##[name key=value;key=value]data`, anywhere in a line. */
function parseHashes(line: string): Command | null {
  const start = line.indexOf('##[');
  const end = line.indexOf(']', start);
  if (start === -1 || end === -1) return null;
  return commandFrom(line.slice(start + 3, end), { separator: ';', data: line.slice(end + 1) });
}

function commandFrom(information: string, { separator, data }: { separator: string; data: string }): Command | null {
  const [, name = '', properties = ''] = /^([^ ]*) *(.*)$/s.exec(information) ?? [];
  if (!registered.includes(name.toLowerCase())) return null;
  const pairs = properties.split(separator).flatMap((pair): [string, string][] => {
    const [, key, value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    return key === undefined ? [] : [[key, unescapeData(value.replaceAll('%3A', ':').replaceAll('%2C', ','))]];
  });
  return { name: name.toLowerCase(), properties: Object.fromEntries(pairs), data: unescapeData(data) };
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

function annotationOf({ name, properties, data }: Command): readonly Annotation[] {
  if (name !== 'error' && name !== 'warning' && name !== 'notice') return [];
  const { title = null, file = null } = properties;
  const [line, endLine] = [numberOf(properties['line']), numberOf(properties['endLine'])];
  // The runner drops both lines when the end comes before the start.
  const isWrong = line !== null && endLine !== null && endLine < line;
  const place = isWrong ? { line: null, endLine: null } : { line, endLine };
  return [{ level: name, message: data.slice(0, 4096), title, file, ...place }];
}

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}
