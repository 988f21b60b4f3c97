import { PassThrough } from 'node:stream';
import type { TerminalStream } from '../../../src/adapters/terminal/terminal.ts';

/** A stream of 80 columns without colours that keeps what was written to it. */
export function fakeTerminal({ isTTY }: { readonly isTTY: boolean }): {
  readonly stream: TerminalStream;
  readonly written: () => string;
} {
  const chunks: string[] = [];
  const stream = Object.assign(new PassThrough(), {
    isTTY,
    columns: 80,
    hasColors: () => false,
    cursorTo: () => true,
    moveCursor: () => true,
    clearLine: () => true,
  });
  stream.on('data', (chunk) => chunks.push(String(chunk)));
  return { stream, written: () => chunks.join('') };
}
