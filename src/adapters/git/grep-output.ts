export type GrepLine = { readonly path: string; readonly line: number; readonly text: string };

/**
 * Cuts the bytes of `git grep -z -n <commit>` into matches: `<commit>:<path>\0<line>\0<text>\n`. A path may hold any
 * other character, so nothing else is safe to split at.
 */
export function grepParser(commit: string, emit: (match: GrepLine) => 'go on' | 'stop') {
  const prefixLength = commit.length + 1;
  let rest: Buffer = Buffer.alloc(0);
  return {
    push: (chunk: Buffer): 'go on' | 'stop' => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (;;) {
        const pathEnd = rest.indexOf(0);
        const numberEnd = pathEnd === -1 ? -1 : rest.indexOf(0, pathEnd + 1);
        const lineEnd = numberEnd === -1 ? -1 : rest.indexOf('\n', numberEnd + 1);
        if (lineEnd === -1) return 'go on';
        const match = {
          path: rest.toString('utf8', prefixLength, pathEnd),
          line: Number(rest.toString('latin1', pathEnd + 1, numberEnd)),
          text: rest.toString('utf8', numberEnd + 1, lineEnd),
        };
        rest = rest.subarray(lineEnd + 1);
        if (emit(match) === 'stop') return 'stop';
      }
    },
  };
}
