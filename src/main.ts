import { journalOf } from './adapters/actions/journal.ts';
import { runJob } from './job.ts';
import { post, spanNet } from './net.ts';
import { cancelOnSignals, systemClock } from './surroundings.ts';

const startedAt = Date.now();
// Said by `dist/post.js`. The journal alone would not do: a main step that is killed at its start leaves none, and is not to be made up for.
if (process.argv[2] === 'post') {
  // It ends by itself within seconds, and whoever cancels a job sends its signals to this step, too.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  const journal = journalOf(process.env);
  if (journal !== null) await post(journal, process.env, systemClock);
} else {
  const signal = cancelOnSignals();
  await runJob({ environment: process.env, startedAt, signal, onJournal: (net) => spanNet({ ...net, signal }) });
}
