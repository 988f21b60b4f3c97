import { Worker } from 'node:worker_threads';
import { explain } from '../../core/errors.ts';
import type { ConversionLimits, EncodedImage } from '../../core/images/image-codec.ts';
import type { ImageFiles } from './image-files.ts';

export type Job = EncodedImage & ConversionLimits;

export type Answer =
  | { readonly kind: 'converted'; readonly jpeg: Uint8Array; readonly width: number; readonly height: number }
  | { readonly kind: 'undecodable' }
  /** The thread did not come to an answer. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** The codecs cannot be loaded. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export type Task = { readonly files: ImageFiles; readonly job: Job };

/** Converts one image in a thread that is made for it and ends with it. Never rejects. */
export async function runImageThread(files: ImageFiles, job: Job): Promise<Answer> {
  // A part of a larger buffer would be sent with all of it.
  const task: Task = { files, job: { ...job, bytes: new Uint8Array(job.bytes) } };
  try {
    const worker = new Worker(files.worker, {
      workerData: task,
      env: {},
      // What the codecs print would reach the job's log unneutralised.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    return await answerOf(worker, job.milliseconds);
  } catch (error) {
    return { kind: 'unavailable', reason: explain(error) };
  }
}

async function answerOf(worker: Worker, milliseconds: number): Promise<Answer> {
  const answer = await new Promise<Answer>((resolve) => {
    const broken = (reason: string) => resolve({ kind: 'broken', reason });
    const timer = setTimeout(() => broken(`it took more than ${milliseconds / 1_000} s`), milliseconds);
    worker.once('message', resolve);
    // Stays to the end: a late error must not end the process.
    worker.on('error', (error) => broken(explain(error)));
    worker.once('exit', () => {
      clearTimeout(timer);
      broken('its thread ended');
    });
  });
  // Also ends the timer. It waits for the thread: two at once would take twice the memory.
  await worker.terminate();
  return answer;
}
