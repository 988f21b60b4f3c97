/** Where the team's standing answers are, from the root of the repository. */
export const memoryFile = '.postil/memory.md';

const contextLines = 3;
const noNewline = '\\ No newline at end of file';

/** A patch for `git apply` that adds lines to the end of the standing answers; `text` is the file as it is, null when there is none. */
export function memoryPatch(text: string | null, lines: readonly string[]): string {
  const head = `diff --git a/${memoryFile} b/${memoryFile}\n`;
  if (text === null) {
    const added = ['# Standing answers', '', ...lines].map((line) => `+${line}`);
    return `${head}new file mode 100644\n--- /dev/null\n+++ b/${memoryFile}\n@@ -0,0 +1,${added.length} @@\n${joined(added)}`;
  }
  return `${head}--- a/${memoryFile}\n+++ b/${memoryFile}\n${hunk(text, lines)}`;
}

function hunk(text: string, lines: readonly string[]): string {
  const isEnded = text === '' || text.endsWith('\n');
  const existing = text === '' ? [] : (isEnded ? text.slice(0, -1) : text).split('\n');
  const last = existing.at(-1) ?? '';
  // As the file ends its lines.
  const end = (isEnded ? last : (existing.at(-2) ?? '')).endsWith('\r') ? '\r' : '';
  const isList = last.trim() === '' || /^\s*[-*+] /.test(last);
  const added = [...(isList ? [] : ['']), ...lines].map((line) => `+${line}${end}`);
  const context = existing.slice(-contextLines);
  const kept = (isEnded ? context : context.slice(0, -1)).map((line) => ` ${line}`);
  const ended = isEnded ? [] : [`-${last}`, noNewline, `+${last}${end}`];
  const start = existing.length === 0 ? 0 : existing.length - context.length + 1;
  const newStart = Math.max(1, start);
  const header = `@@ -${start},${context.length} +${newStart},${context.length + added.length} @@`;
  return joined([header, ...kept, ...ended, ...added]);
}

function joined(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
