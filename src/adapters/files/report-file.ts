import { reportFileRecorder } from '../../core/report/outputs.ts';
import type { RenderContext } from '../../core/report/render-context.ts';
import { renderReport } from '../../core/report/structured-review.ts';
import type { Recorder } from '../../core/review/sink.ts';
import { fileRecorder } from './file-recorder.ts';

/** Writes the review as JSON. */
export function reportFile(path: string, context: RenderContext): Recorder {
  return fileRecorder({
    name: reportFileRecorder,
    noun: 'report',
    path,
    render: (record) => ({ text: `${JSON.stringify(renderReport(record, context), null, 2)}\n`, reason: null }),
  });
}
