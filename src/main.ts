import { journalOf } from './adapters/actions/journal.ts';
import { cancelOnSignals } from './compose.ts';
import { runJob } from './job.ts';
import { spanNet } from './net.ts';
import { post } from './post.ts';

const startedAt = Date.now();
const journal = journalOf(process.env);
if (journal === null) {
  const signal = cancelOnSignals();
  await runJob({ environment: process.env, startedAt, signal, onJournal: (net) => spanNet({ ...net, signal }) });
} else {
  await post(journal, process.env);
}
