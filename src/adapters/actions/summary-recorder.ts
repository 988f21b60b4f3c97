import { appendFile } from 'node:fs/promises';
import { explain } from '../../core/errors.ts';
import type { RenderContext } from '../../core/report/render-context.ts';
import { renderSummary } from '../../core/report/summary.ts';
import type { Delivery, Recorder } from '../../core/review/sink.ts';

/** Writes the job summary. A summary that cannot be written is a delivery that failed, never an error (FAILURES R5). */
export function summaryRecorder(context: RenderContext, environment: NodeJS.ProcessEnv = process.env): Recorder {
  const name = 'job summary';
  const delivery = (status: Delivery['status'], reason: string | null): Delivery => {
    return { sink: name, status, reason, delivered: [], url: null };
  };
  return {
    name,
    record: async (record) => {
      const path = environment['GITHUB_STEP_SUMMARY'];
      if (path === undefined || path === '') return delivery('failed', 'GITHUB_STEP_SUMMARY is not set.');
      try {
        await appendFile(path, renderSummary(record, context), 'utf8');
        return delivery('delivered', null);
      } catch (error) {
        return delivery('failed', `The summary could not be written. ${explain(error)}`);
      }
    },
  };
}
