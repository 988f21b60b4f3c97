import { runJob } from './run/job/job.ts';
import { catchBroken, journalOf, post, speakLastWords } from './run/job-last-words.ts';
import { systemClock } from './run/machine.ts';
import { cancelOnSignals, endSpoken, lastWords } from './run/watched.ts';

const startedAt = systemClock.now();
if (lastWords !== null) {
  await speakLastWords(lastWords, process.env);
  await endSpoken();
}
// Said by `dist/post.js`. The journal alone would not do: a main step that is killed at its start leaves none, and is not to be made up for.
else if (process.argv[2] === 'post') {
  // It ends by itself within seconds, and whoever cancels a job sends its signals to this step, too.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']) process.on(signal, () => undefined);
  const journal = journalOf(process.env);
  if (journal !== null) await post(journal, process.env, systemClock);
} else {
  const run = { clock: systemClock, startedAt, signal: cancelOnSignals() };
  await runJob({ environment: process.env, run, onBegin: catchBroken() });
  await endSpoken(Number(process.exitCode ?? 0));
}
