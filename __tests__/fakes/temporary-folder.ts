import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Under vitest a folder of the whole run, which ends with it; read now, as a run in process has an environment of its own.
const parent = tmpdir();
const folders: string[] = [];
if (process.env['VITEST'] === undefined) process.once('exit', removeFolders);

/** A new empty folder that is removed when the run ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(parent, 'postil-test-'));
  folders.push(folder);
  return folder;
}

function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
