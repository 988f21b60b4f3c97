/** Builds dist/ with ncc: one bundle an entry, with source maps and a licences file. The same sources give the same bytes. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const entries = [
  { source: 'src/main.ts', output: 'dist' },
  { source: 'src/cli.ts', output: 'dist/cli' },
];

rmSync(join(root, 'dist'), { recursive: true, force: true });
for (const { source, output } of entries) {
  execFileSync(
    join(root, 'node_modules/.bin/ncc'),
    ['build', source, '-o', output, '--source-map', '--license', 'licenses.txt', '--transpile-only', '--quiet'],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  requireBundle(join(root, output));
}

function requireBundle(folder: string): void {
  const file = join(folder, 'index.js');
  if (!existsSync(file)) throw new Error(`ncc wrote no ${file}`);
  // ncc ends files without a newline here and with one there; editors and diffs want one.
  const text = readFileSync(file, 'utf8');
  if (!text.endsWith('\n')) writeFileSync(file, `${text}\n`);
}
