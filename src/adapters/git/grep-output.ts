export type GrepLine = { readonly path: string; readonly line: number; readonly text: string };

/** Bytes of a line that are kept. Of a file without line ends, a match may be the whole file. */
const maxLineBytes = 50_000;

/**
 * Cuts the bytes of `git grep -z -n <commit>` into matches: `<commit>:<path>\0<line>\0<text>\n`. A path may hold any
 * other character, so nothing else is safe to split at. The end of a very long line is dropped as it comes.
 */
export function grepParser(commit: string, emit: (match: GrepLine) => 'go on' | 'stop') {
  let rest: Buffer = Buffer.alloc(0);
  let dropping = false;
  return {
    push: (chunk: Buffer): 'go on' | 'stop' => {
      let bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (;;) {
        if (dropping) {
          const lineEnd = bytes.indexOf('\n');
          dropping = lineEnd === -1;
          bytes = bytes.subarray(dropping ? bytes.length : lineEnd + 1);
        }
        const end = recordEnd(bytes);
        rest = bytes;
        if (end === null) return 'go on';
        if (emit(matchIn(bytes.subarray(0, end.at), commit)) === 'stop') return 'stop';
        dropping = !end.complete;
        bytes = bytes.subarray(end.complete ? end.at + 1 : end.at);
      }
    },
  };
}

function matchIn(record: Buffer, commit: string): GrepLine {
  const pathEnd = record.indexOf(0);
  const numberEnd = record.indexOf(0, pathEnd + 1);
  return {
    path: record.toString('utf8', commit.length + 1, pathEnd),
    line: Number(record.toString('latin1', pathEnd + 1, numberEnd)),
    text: record.toString('utf8', numberEnd + 1),
  };
}

/** Where the first record ends, at its line end or where its text is long enough; null when more has to come. */
function recordEnd(bytes: Buffer): { readonly at: number; readonly complete: boolean } | null {
  const pathEnd = bytes.indexOf(0);
  const numberEnd = pathEnd === -1 ? -1 : bytes.indexOf(0, pathEnd + 1);
  if (numberEnd === -1) return null;
  const limit = numberEnd + 1 + maxLineBytes;
  const lineEnd = bytes.subarray(0, limit).indexOf('\n', numberEnd + 1);
  if (lineEnd !== -1) return { at: lineEnd, complete: true };
  return bytes.length < limit ? null : { at: limit, complete: false };
}
