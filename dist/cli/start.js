/**
 * Starts the command line. Compiling is a third of its work, so what a run compiled is kept where the person's own caches are: not in a
 * temporary folder, where somebody else may lay down code, nor below the current one, which may be what is reviewed. Node's own cache
 * holds only what is compiled while a file is loaded, and most of this one is compiled when it is called.
 */
import './source-maps.js';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, relative } from 'node:path';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

// The build writes it: what an older version left is of no use.
const digest = '56207d46e57267254f685c493f0f3e75b679ca97719520e74301e3956aa6f48c';

/**
 * Which Node.js it is, to the build: V8's own tag is the same for builds of one version whose code it then runs and crashes with, such as
 * 20.19.6 and 20.20.2.
 */
const nodeItself = [process.version, process.versions.v8, process.execPath].join('\n');

const file = new URL('postil.js', import.meta.url);
const cache = cacheFile(process.env);
const cachedData = cache === null ? undefined : readCache(cache);
const script = new Script(readFileSync(file, 'utf8'), {
  filename: file.href,
  cachedData,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
if (cache !== null && (cachedData === undefined || script.cachedDataRejected)) {
  process.once('exit', () => writeCache(cache, script.createCachedData()));
}
await script.runInThisContext()(createRequire, file.href);

/** One a command, because each calls other code. Null where there is no good place. */
function cacheFile({ NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, LOCALAPPDATA, XDG_CACHE_HOME, HOME }) {
  const caches = NODE_COMPILE_CACHE || LOCALAPPDATA || XDG_CACHE_HOME || (HOME ? join(HOME, '.cache') : '');
  const isBelow = !/^\.\.|:/.test(relative(process.cwd(), caches));
  if (NODE_DISABLE_COMPILE_CACHE || !isAbsolute(caches) || isBelow) return null;
  const command = process.argv[2] ?? '';
  const name = /^(?:review|ask|replay|rules|learn|init|report)$/.test(command) ? command : 'other';
  return join(caches, 'postil', `${name}-${process.arch}-${crc32(nodeItself).toString(16)}`);
}

/** V8 believes what it is given, so a file that was damaged must not reach it. */
function readCache(path) {
  try {
    const bytes = readFileSync(path);
    const data = bytes.subarray(headerOf(Buffer.alloc(0)).length);
    return bytes.latin1Slice(0, bytes.length - data.length) === headerOf(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function writeCache(path, data) {
  const unfinished = `${path}.${process.pid}`;
  try {
    // Step by step: where nothing can be made, as in /proc, Node looks for a folder above for ever.
    for (const folder of [join(path, '../..'), join(path, '..')]) {
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    }
    writeFileSync(unfinished, Buffer.concat([Buffer.from(headerOf(data)), data]), { mode: 0o600 });
    renameSync(unfinished, path);
  } catch {
    // The next start takes longer, no more.
  }
}

function headerOf(data) {
  return `${digest} ${crc32(data).toString(16).padStart(8, '0')}\n`;
}
