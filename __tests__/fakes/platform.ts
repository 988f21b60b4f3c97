const isWindows = process.platform === 'win32';
const isLinux = process.platform === 'linux';

/** What a machine may lack, and with it the tests that need it: `it.skipIf(lacks.namedPipes)`. Each reason stands here alone. */
export const lacks = {
  /** `mkfifo` makes them. Those of Windows are no files. */
  namedPipes: isWindows,
  /** A process of Windows cannot be asked to end: every signal kills it at once. Nor are there groups of processes. */
  signals: isWindows,
  /** Programs that tests write as `#!/bin/sh`: Windows starts none. */
  shellScripts: isWindows,
  /** Windows makes links for those who may, and git takes them for text there. */
  symbolicLinks: isWindows,
  /** Who may read, write and run a file: Windows has no such bits. */
  fileModes: isWindows,
  /** `/dev/null` and its like, and the numbers of open files below `/dev/fd`. */
  devices: isWindows,
  /** A name of bytes that are not text: macOS and Windows refuse it. */
  namesOfBytes: !isLinux,
  /** Node.js 20.19 comes from a package for Linux on x64 (`__tests__/oldest-node`). */
  oldestNode: !isLinux || process.arch !== 'x64',
  /** What only Linux's shell, `/proc` and `script` show of a process and its terminal. */
  linux: !isLinux,
} as const;

/** The rows of a table that need what the machine lacks are left out there. */
export function unless<Row>(isLacking: boolean, rows: readonly Row[]): readonly Row[] {
  return isLacking ? [] : rows;
}
