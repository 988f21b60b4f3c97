/** What the runner starts: a small process that watches over the one that reviews. */
import { join } from 'node:path';
import { watch } from './job/watchdog.js';

// At once: what a hook of somebody else started in this process must not hold it.
process.exit(await watch({ script: join(import.meta.dirname, 'job/index.js'), inJob: true }));
