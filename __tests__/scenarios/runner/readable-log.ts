import type { ActionRun } from '../harness.ts';

/** A log without what changes from run to run, for snapshots. */
export function readableLog(run: Pick<ActionRun, 'log'>): string {
  const lines = run.log.split('\n').filter((line) => !line.startsWith('::add-mask::'));
  return readableText(lines.join('\n'));
}

/** Any text without its hashes, times, ports and temporary folders. */
export function readableText(text: string): string {
  return text
    .replace(/\b[0-9a-f]{40}\b/g, '<sha>')
    .replace(/\b[0-9a-f]{64}\b/g, '<signature>')
    .replace(/\b\d+(?:[.,]\d+)?\s?(?:ms|s|min|seconds?|minutes?)\b/g, '<time>')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replace(/\/[^\s'"]*postil-[\w-]+/g, '<folder>');
}
