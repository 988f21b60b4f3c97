import { valueRedacted } from '../secrets/redact.ts';
import { privateKeyBody, redactSecrets } from '../secrets/values.ts';

/** A source line as people and models see it. `redacted` lines never take a suggestion: their text is not the file's. */
export type ShownLine = { readonly text: string; readonly redacted: boolean };

/** Lines as git counts them: `\n` alone ends a line, a final one starts none. The `\r` of a CRLF goes. */
export function splitLines(text: string): readonly string[] {
  if (text === '') return [];
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const last = lines.length - 1;
  return lines.map((line, index) => {
    const endsWithNewline = index < last || text.endsWith('\n');
    return endsWithNewline && line.endsWith('\r') ? line.slice(0, -1) : line;
  });
}

/**
 * The one way source text is rendered, for the model, for people and for comparing quotes: secrets redacted, control and
 * invisible characters written as `\u{202E}`, tabs kept. Give it whole files where possible, so that a private key is
 * seen from its first line. Carriage returns at the end go, whether the lines come from a file or from a diff.
 */
export function shown(lines: readonly string[]): readonly ShownLine[] {
  const secretLines = privateKeyBody(lines);
  return lines.map((line, index) => {
    if (secretLines.has(index)) return { text: '[redacted: private key]', redacted: true };
    const source = withoutCarriageReturns(line);
    const text = redactSecrets(source);
    return { text: visible(text), redacted: text !== source || source.includes(valueRedacted) };
  });
}

/** Lines with a gutter, such as `  12 | code`; `firstLine` is 1-based. */
export function numberedLines(lines: readonly ShownLine[], firstLine: number): string {
  const width = Math.max(4, String(firstLine + lines.length - 1).length);
  return lines.map((line, index) => `${String(firstLine + index).padStart(width)} | ${line.text}`).join('\n');
}

function withoutCarriageReturns(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end--;
  return end === line.length ? line : line.slice(0, end);
}

// Controls but tab, format characters (zero-width, bidi, tags), line separators, lone surrogates; fillers that look like
// spaces; variation selectors, which can smuggle bytes (U+FE0F stays: emoji use it).
const invisible =
  /(?!\t)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[\u{115F}\u{1160}\u{3164}\u{FFA0}]|[\u{FE00}-\u{FE0E}]|[\u{E0100}-\u{E01EF}]/gu;

const plain = /^[\t -~]*$/;

function visible(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`);
}
