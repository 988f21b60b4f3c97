import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { explain } from '../../core/errors.ts';
import { reportFileRecorder } from '../../core/report/outputs.ts';
import type { RenderContext } from '../../core/report/render-context.ts';
import { renderReport } from '../../core/report/structured-review.ts';
import type { Recorder } from '../../core/review/sink.ts';
import { requireOwnPath } from './own-path.ts';

/** Writes the review as JSON, its folder too. A disk that is full or read-only costs the file alone (FAILURES R5). */
export function reportFile(path: string, context: RenderContext): Recorder {
  const name = reportFileRecorder;
  return {
    name,
    record: async (record) => {
      try {
        requireOwnPath(path, process.cwd());
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, `${JSON.stringify(renderReport(record, context), null, 2)}\n`, 'utf8');
        return { sink: name, status: 'delivered', reason: null, delivered: [], url: path };
      } catch (error) {
        const reason = `The report could not be written to ${path}. ${explain(error)}`;
        return { sink: name, status: 'failed', reason, delivered: [], url: null };
      }
    },
  };
}
