import { cancelOnSignals } from './compose.ts';
import { runJob } from './job.ts';

await runJob({ environment: process.env, startedAt: Date.now(), signal: cancelOnSignals() });
