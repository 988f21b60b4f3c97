/** Cuts the output of `git diff-tree -p`, piece by piece as it comes, into one text a file. */
export type PatchCutter = {
  readonly push: (chunk: Buffer) => 'go on' | 'stop';
  readonly sections: () => readonly string[];
};

// Lines of content always start with ' ', '+', '-' or '\', so a line that starts with this begins a file.
const marker = Buffer.from('\ndiff --git ');

/**
 * A string of its own for each file: in one for all, a single character beyond Latin-1 would double the memory of the whole
 * patch. Stops after `maxBytes`.
 */
export function patchCutter(maxBytes: number): PatchCutter {
  const sections: string[] = [];
  let open: Buffer[] = [];
  let seam: Buffer = Buffer.alloc(0);
  let bytes = 0;
  return {
    push: (chunk) => {
      bytes += chunk.length;
      open.push(chunk);
      // Joined only when a file ends in the chunk or on its border: joining at each chunk would be quadratic.
      const searched = Buffer.concat([seam, chunk]);
      if (searched.includes(marker)) open = [cutOff(Buffer.concat(open), sections)];
      seam = searched.subarray(1 - marker.length);
      return bytes > maxBytes ? 'stop' : 'go on';
    },
    sections: () => [...sections, Buffer.concat(open).toString('utf8')].filter((text) => text !== ''),
  };
}

/** Moves the files that have ended into `sections`, and returns the bytes of the one that has not. */
function cutOff(patch: Buffer, sections: string[]): Buffer {
  let start = 0;
  for (let end = patch.indexOf(marker); end !== -1; end = patch.indexOf(marker, start)) {
    sections.push(patch.toString('utf8', start, end + 1));
    start = end + 1;
  }
  return patch.subarray(start);
}
