/** The thread that converts one image, then ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { explain } from '../../core/errors.ts';
import { type Codecs, loadCodecs } from './codecs.ts';
import { convert } from './convert.ts';
import type { Answer, Task } from './image-thread.ts';

const { files, job }: Task = workerData;

parentPort?.postMessage(await answer());

async function answer(): Promise<Answer> {
  let codecs: Codecs;
  try {
    codecs = await loadCodecs(files, job.format);
  } catch (error) {
    return { kind: 'unavailable', reason: explain(error) };
  }
  try {
    return { kind: 'converted', ...(await convert(job, codecs)) };
  } catch {
    // Decoders say "exit(1)" and "unwrap failed": nothing that would help anybody.
    return { kind: 'undecodable' };
  }
}
