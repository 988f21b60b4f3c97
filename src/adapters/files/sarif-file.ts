import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { explain } from '../../core/errors.ts';
import { sarifFileRecorder } from '../../core/report/outputs.ts';
import { leftOutOfSarif, renderSarif } from '../../core/report/sarif.ts';
import type { SarifContext } from '../../core/report/sarif-result.ts';
import type { Recorder } from '../../core/review/sink.ts';
import { requireOwnPath } from './own-path.ts';

/** Writes the findings as SARIF, the file's folder too. A disk that is full or read-only costs the file alone (FAILURES R5). */
export function sarifFile(path: string, context: SarifContext): Recorder {
  const name = sarifFileRecorder;
  return {
    name,
    record: async (record) => {
      try {
        requireOwnPath(path, process.cwd());
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, `${JSON.stringify(renderSarif(record, context))}\n`, 'utf8');
        const rest = leftOutOfSarif(record.ledger);
        const reason = rest === 0 ? null : `${rest} findings left out: code scanning takes no more.`;
        return { sink: name, status: 'delivered', reason, delivered: [], url: path };
      } catch (error) {
        const reason = `The SARIF file could not be written to ${path}. ${explain(error)}`;
        return { sink: name, status: 'failed', reason, delivered: [], url: null };
      }
    },
  };
}
