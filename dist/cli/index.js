#!/usr/bin/env node
/** The command line. What takes long runs in a process of its own, over which this one watches. */
import { join } from 'node:path';

const args = process.argv.slice(2);
const watched = ['review', 'ask', 'eval'];
const ends = ['help', '--help', '-h', '--version', '-v'];
try {
  // Throws in a folder that was removed, where nothing of Node works.
  process.cwd();
  if (args.some((one) => watched.includes(one)) && !args.some((one) => ends.includes(one))) {
    const { watch } = await import('./watchdog.js');
    // At once: what a hook of somebody else started in this process must not hold it.
    process.exit(await watch({ script: join(import.meta.dirname, 'start.js'), args, inJob: false }));
  } else await import('./start.js');
} catch (error) {
  const why = error.syscall === 'uv_cwd' ? 'the current folder is gone' : error.message;
  process.stderr.write(`Postil cannot start: ${why}.\n`);
  process.exitCode = 3;
}
