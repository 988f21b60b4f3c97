/**
 * How the runner finds commands in a step's output, written anew from its source (ActionCommand.cs, TryParseV2 and
 * TryParse): the names of the commands that it would obey. Its string comparison may follow a culture in which some
 * characters count for nothing; they are left out here, so that what such a runner sees is seen.
 */
export function commandsIn(output: string): readonly string[] {
  return linesAsDotNetReads(output).flatMap((line) => {
    const name = commandOf(withoutIgnorable(line));
    return name === null ? [] : [name];
  });
}

function linesAsDotNetReads(output: string): readonly string[] {
  return output.split(/\r\n|\r|\n/);
}

function commandOf(line: string): string | null {
  return doubleColon(line) ?? hashes(line);
}

function doubleColon(line: string): string | null {
  const message = trimStartAsDotNet(line);
  if (message.slice(0, 2) !== '::') return null;
  const end = message.indexOf('::', 2);
  if (end < 0) return null;
  return message.slice(2, end).split(' ')[0] ?? '';
}

function hashes(line: string): string | null {
  const start = line.indexOf('##[');
  if (start < 0) return null;
  const end = line.indexOf(']', start);
  if (end < 0) return null;
  return line.slice(start + 3, end).split(' ')[0] ?? '';
}

// Char.IsWhiteSpace.
function trimStartAsDotNet(line: string): string {
  let start = 0;
  while (start < line.length && isWhiteSpace(line.charCodeAt(start))) start++;
  return line.slice(start);
}

function isWhiteSpace(code: number): boolean {
  if ((code >= 9 && code <= 13) || code === 0x20 || code === 0x85 || code === 0xa0 || code === 0x1680) return true;
  return (code >= 0x2000 && code <= 0x200a) || [0x2028, 0x2029, 0x202f, 0x205f, 0x3000].includes(code);
}

function withoutIgnorable(line: string): string {
  return [...line].filter((character) => !isIgnorable(character.codePointAt(0) ?? 0)).join('');
}

// Controls apart from white space, soft hyphen, zero-width, bidi, variation selectors, byte order mark, tags.
function isIgnorable(code: number): boolean {
  if (code < 9 || (code > 13 && code < 0x20) || code === 0x7f || (code >= 0x80 && code <= 0x9f && code !== 0x85))
    return true;
  if (code === 0xad || code === 0x61c || code === 0x180e || code === 0xfeff) return true;
  if ((code >= 0x200b && code <= 0x200f) || (code >= 0x202a && code <= 0x202e)) return true;
  if ((code >= 0x2060 && code <= 0x206f) || (code >= 0xfe00 && code <= 0xfe0f)) return true;
  return code >= 0xe0000 && code <= 0xe0fff;
}
