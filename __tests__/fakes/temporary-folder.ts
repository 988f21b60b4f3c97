import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const folders: string[] = [];

// The bench starts the same fakes without vitest: there the process is the file.
if (process.env['VITEST'] === undefined) process.once('exit', removeFolders);
else afterAll(removeFolders);

/** A new empty folder that is removed when the test file ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postil-test-'));
  folders.push(folder);
  return folder;
}

function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
