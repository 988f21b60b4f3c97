import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { explain } from '../../core/errors.ts';
import type { Recorder, ReviewRecord } from '../../core/review/sink.ts';
import { requireOwnPath } from './own-path.ts';

export type RecordedFile = {
  /** Name of the recorder; outputs find it by this. */
  readonly name: string;
  /** As people call it, such as `report`. */
  readonly noun: string;
  readonly path: string;
  readonly render: (record: ReviewRecord) => { readonly text: string; readonly reason: string | null };
};

/** Writes a file, its folder too. A disk that is full or read-only costs the file alone (FAILURES R5). */
export function fileRecorder({ name, noun, path, render }: RecordedFile): Recorder {
  return {
    name,
    record: async (record) => {
      try {
        requireOwnPath(path, process.cwd());
        const { text, reason } = render(record);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text, 'utf8');
        return { sink: name, status: 'delivered', reason, delivered: [], url: path };
      } catch (error) {
        const reason = `The ${noun} could not be written to ${path}. ${explain(error)}`;
        return { sink: name, status: 'failed', reason, delivered: [], url: null };
      }
    },
  };
}
