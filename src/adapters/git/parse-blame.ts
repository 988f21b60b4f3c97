import type { BlameLine } from '../../core/repository/repository.ts';

type BlameCommit = { readonly author: string; readonly date: string; readonly subject: string };

/** Reads `git blame --porcelain`: a header a line; author, time and summary only where a commit appears first. */
export function parseBlame(output: string): readonly BlameLine[] {
  const commits = new Map<string, BlameCommit>();
  const lines: BlameLine[] = [];
  let commit = '';
  let number = 0;
  let fields = new Map<string, string>();
  for (const text of output.split('\n')) {
    const header = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(text);
    if (text.startsWith('\t')) {
      const known = commits.get(commit) ?? commitOf(fields);
      commits.set(commit, known);
      lines.push({ line: number, commit, ...known });
    } else if (header !== null) {
      commit = header[1] ?? '';
      number = Number(header[2]);
      fields = new Map();
    } else {
      const space = text.indexOf(' ');
      if (space > 0) fields.set(text.slice(0, space), text.slice(space + 1));
    }
  }
  return lines;
}

function commitOf(fields: ReadonlyMap<string, string>): BlameCommit {
  return {
    author: fields.get('author') ?? '',
    date: dateOf(fields.get('author-time') ?? '0', fields.get('author-tz') ?? '+0000'),
    subject: fields.get('summary') ?? '',
  };
}

/** The calendar date where the author was: `seconds` since 1970, `zone` such as +0530. */
function dateOf(seconds: string, zone: string): string {
  const sign = zone.startsWith('-') ? -1 : 1;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5));
  const date = new Date((Number(seconds) + sign * minutes * 60) * 1_000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}
