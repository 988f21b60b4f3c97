/**
 * Builds dist/ with ncc: one bundle an entry, with source maps and a licences file, the parser's files and the image codecs. The same
 * sources give the same bytes. Minified for its size alone: every job of every user downloads it.
 */

import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { putImageFiles } from './image-files.ts';
import { digestFile, sourcesDigest } from './sources-digest.ts';
import { putSyntaxFiles, runNcc } from './syntax-files.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Built beside dist/, at the same depth, and swapped in at once: whoever runs the batch meanwhile has a whole one.
const fresh = `dist.new-${process.pid}`;
const entries = [
  { source: 'src/main.ts', output: join(fresh, 'job') },
  { source: 'src/command-line.ts', output: join(fresh, 'cli') },
  { source: 'src/adapters/syntax/worker.ts', output: join(fresh, 'syntax') },
  { source: 'src/adapters/images/worker.ts', output: join(fresh, 'images') },
];

rmSync(join(root, fresh), { recursive: true, force: true });
for (const { source, output } of entries) {
  runNcc(root, [
    'build',
    source,
    '-o',
    output,
    '--minify',
    '--source-map',
    '--license',
    'licenses.txt',
    '--transpile-only',
  ]);
  thinMap(join(root, output, 'index.js.map'));
  loadMapsWhenDebugging(join(root, output));
}
putSyntaxFiles({ root, output: join(root, fresh, 'syntax'), previous: join(root, 'dist/syntax') });
putImageFiles({ root, output: join(root, fresh, 'images'), previous: join(root, 'dist/images') });
// What both begin with is not bundled: it is small, and ncc would put its own code before it.
const watchdog = stripTypeScriptTypes(readFileSync(join(root, 'src/run/watchdog.ts'), 'utf8')).replace(
  /[^\S\n]+$/gm,
  '',
);
for (const folder of ['job', 'cli']) writeFileSync(join(root, fresh, folder, 'watchdog.js'), watchdog);
copyFileSync(join(root, 'scripts/watch-job.js'), join(root, fresh, 'index.js'));
// The runner tells a `post:` step by nothing but its file.
writeFileSync(join(root, fresh, 'post.js'), "process.argv.push('post');\nawait import('./job/index.js');\n");
startFromCache(join(root, fresh, 'cli'));
writeFileSync(digestFile(join(root, fresh)), sourcesDigest(root));
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(join(root, fresh), join(root, 'dist'));

/**
 * Sources are most of a map, and the repository and npm have them: stack traces need only their names and lines, and ours alone. Names are left
 * out: webpack numbers them in the order in which it happened to read the modules, the one thing in which two builds differed.
 */
function thinMap(file: string): void {
  const map = JSON.parse(readFileSync(file, 'utf8'));
  const isForeign = map.sources.map((source: string) => source.includes('node_modules'));
  const lines = decode(map.mappings).map((segments) => {
    const thin = segments.map(
      ([column, source, line, at]): SourceMapSegment =>
        source === undefined || line === undefined || at === undefined || isForeign[source]
          ? [column]
          : [column, source, line, at],
    );
    // What begins where nothing is known goes on until the next one that is.
    return thin.filter((segment, index) => segment.length > 1 || index === 0 || (thin[index - 1]?.length ?? 1) > 1);
  });
  // ncc does not count the line that starts Node.js.
  const before = readFileSync(file.replace(/\.map$/, ''), 'utf8').startsWith('#!') ? ';' : '';
  writeFileSync(
    file,
    `${JSON.stringify({ ...map, sourcesContent: undefined, mappings: before + encode(lines), names: [] })}\n`,
  );
}

/**
 * ncc loads the whole map, half a second, at the first error whose stack is read. That is worth it when somebody looks: the
 * runner sets RUNNER_DEBUG when a job is run again with debug logging.
 */
function loadMapsWhenDebugging(folder: string): void {
  const bundle = join(folder, 'index.js');
  const [before, after] = ["import './sourcemap-register.cjs';", "import './source-maps.js';"];
  const text = readFileSync(bundle, 'utf8');
  // Before it ncc leaves the line that starts Node.js.
  const [start = ''] = /^(?:#!.*\n)?/.exec(text) ?? [];
  if (!text.startsWith(before, start.length)) throw new Error(`${bundle} does not begin with ${before}`);
  // As long as before: the map's columns stay true.
  writeFileSync(bundle, start + after.padEnd(before.length) + text.slice(start.length + before.length));
  writeFileSync(
    join(folder, 'source-maps.js'),
    "if (process.env.RUNNER_DEBUG === '1') await import('./sourcemap-register.cjs');\n",
  );
}

/**
 * Puts a short script before the command line, which keeps what Node compiled. Node gives that away for scripts alone, so the bundle becomes one:
 * a function of the two things that only a module has. Every replacement is as long as what it replaces, so the map's columns stay true.
 */
function startFromCache(folder: string): void {
  const bundle = join(folder, 'index.js');
  const module = readFileSync(bundle, 'utf8');
  const imports = /^(?:#!.*)?\n(import '\.\/source-maps\.js'; +import\{createRequire as (\w+)\}from"module";)/.exec(
    module,
  );
  const end = '\n//# sourceMappingURL=index.js.map';
  const [, head = '', createRequire = ''] = imports ?? [];
  if (imports === null || !module.includes(end)) throw new Error(`${bundle} is not the module that ncc writes`);
  const script = module
    .replace(/^.*/, `(async (${createRequire},__postil_script)=>{"use strict";`)
    .replace(head, ' '.repeat(head.length))
    .replaceAll('import.meta.url', '__postil_script')
    .replace(end, '\n});\n//# sourceMappingURL=postil.js.map');
  const digest = createHash('sha256').update(script).digest('hex');
  writeFileSync(join(folder, 'postil.js'), script);
  renameSync(`${bundle}.map`, join(folder, 'postil.js.map'));
  const starter = readFileSync(join(root, 'scripts/start-cli.js'), 'utf8');
  writeFileSync(join(folder, 'start.js'), starter.replace('{digest}', digest));
  copyFileSync(join(root, 'scripts/watch-cli.js'), bundle);
  // pre-commit starts it as a program, out of a clone.
  chmodSync(bundle, 0o755);
}
