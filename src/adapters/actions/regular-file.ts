import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * The text of a regular file of at most `maxBytes`, however it grows meanwhile. A device never ends, and a pipe may never be written to:
 * neither is waited for. @throws Error with the reason.
 */
export function readRegularFile(path: string, maxBytes: number): string {
  // Windows does not know the flag.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFile()) throw new Error('it is not a regular file');
    const buffer = Buffer.allocUnsafe(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxBytes; length += read) {
      read = readSync(file, buffer, length, buffer.length - length, null);
    }
    if (length > maxBytes) throw new Error(`it is larger than ${maxBytes / 1_000_000} MB`);
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
