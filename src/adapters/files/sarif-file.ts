import { sarifFileRecorder } from '../../core/report/outputs.ts';
import { leftOutOfSarif, renderSarif } from '../../core/report/sarif.ts';
import type { SarifContext } from '../../core/report/sarif-result.ts';
import type { Recorder } from '../../core/review/sink.ts';
import { fileRecorder } from './file-recorder.ts';

/** Writes the findings as SARIF, for code scanning. */
export function sarifFile(path: string, context: SarifContext): Recorder {
  return fileRecorder({
    name: sarifFileRecorder,
    noun: 'SARIF file',
    path,
    render: (record) => {
      const rest = leftOutOfSarif(record.ledger);
      const reason = rest === 0 ? null : `${rest} findings left out: code scanning takes no more.`;
      return { text: `${JSON.stringify(renderSarif(record, context))}\n`, reason };
    },
  });
}
