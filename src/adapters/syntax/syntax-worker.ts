/** The thread that parses: one file at a time, one answer each. Whoever asks ends it when it breaks or takes too long. */
import { parentPort, workerData } from 'node:worker_threads';
import { explain } from '../../core/errors.ts';
import { languageFor } from './languages.ts';
import { grammarLoader } from './load-grammar.ts';
import { parseFile } from './parse-file.ts';
import type { Answer, Job } from './parser-thread.ts';
import type { SyntaxFiles } from './syntax-files.ts';

const files: SyntaxFiles = workerData;
const { started, load } = grammarLoader(files);

parentPort?.on('message', async (job: Job) => parentPort?.postMessage(await answer(job)));
// Before this nothing may end the thread.
void started.then(() => parentPort?.postMessage('ready'));

async function answer({ path, text, milliseconds }: Job): Promise<Answer> {
  const language = languageFor(path);
  if (language === null) return { kind: 'parsed', syntax: null };
  try {
    const grammar = await load(language);
    return { kind: 'parsed', syntax: parseFile(text, { language, grammar, milliseconds }) };
  } catch (error) {
    // WebAssembly that trapped is in no state to go on; a file that is missing will be missing again.
    const trapped = error instanceof WebAssembly.RuntimeError;
    return { kind: trapped ? 'broken' : 'unavailable', reason: explain(error) };
  }
}
