const begin = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;
const end = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;

/**
 * The indexes of the lines inside private keys (PEM, OpenSSH, PGP), without the BEGIN and END lines. A block that the
 * lines cut off is found from the end that is there. Code that only mentions a BEGIN line stays as it is.
 */
export function privateKeyBody(lines: readonly string[]): ReadonlySet<number> {
  const inside = new Set<number>();
  lines.forEach((line, index) => {
    if (!line.includes('PRIVATE KEY')) return;
    if (begin.test(line) && !end.test(line)) collect(lines, { from: index, step: 1, stop: end, into: inside });
    else if (end.test(line) && !begin.test(line)) collect(lines, { from: index, step: -1, stop: begin, into: inside });
  });
  return inside;
}

/** True for a line that could stand inside a private key: base64 alone, be it quoted or concatenated. */
export function couldBeKeyBody(line: string): boolean {
  const text = bare(line);
  return text.length >= 16 && base64Line.test(text);
}

type Walk = { readonly from: number; readonly step: 1 | -1; readonly stop: RegExp; readonly into: Set<number> };

const base64Line = /^=?[A-Za-z0-9+/]{1,4096}={0,2}$/;
const header = /^(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): /;
// PEM wraps at 64 characters or more. Shorter runs are taken for a key only when both its borders are there.
const fullWidth = 40;

function collect(lines: readonly string[], walk: Walk): void {
  const body: number[] = [];
  let certain = 0;
  for (let index = walk.from + walk.step; index >= 0 && index < lines.length; index += walk.step) {
    const line = lines[index] ?? '';
    if (walk.stop.test(line)) {
      certain = body.length;
      break;
    }
    const text = bare(line);
    if (text !== '' && !header.test(text) && !base64Line.test(text)) break;
    body.push(index);
    if (base64Line.test(text) && text.length >= fullWidth) certain = body.length;
  }
  for (const index of body.slice(0, certain)) walk.into.add(index);
}

/** Without what wraps a key inside source code: indentation, quotes, `+`, commas, comment signs, a written `\n`. */
function bare(line: string): string {
  let from = 0;
  let to = line.length;
  while (from < to && ' \t\r"\'`+#*>|'.includes(line.charAt(from))) from++;
  while (to > from && ' \t\r"\'`,;+\\)('.includes(line.charAt(to - 1))) to--;
  const text = line.slice(from, to);
  for (const newline of ['\\r\\n', '\\n']) if (text.endsWith(newline)) return text.slice(0, -newline.length);
  return text;
}
