import { renderTerminalReport } from '../../core/report/terminal-report.ts';
import type { Recorder } from '../../core/review/sink.ts';
import { type ColourStream, paintFor } from './paint.ts';

export type TerminalRecorderOptions = {
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Where the report goes; the process's stdout unless told. */
  readonly stream?: ColourStream & { write(text: string): unknown };
};

/** Prints the whole review. */
export function terminalRecorder({ redact, stream = process.stdout }: TerminalRecorderOptions): Recorder {
  const name = 'terminal';
  return {
    name,
    record: async (record) => {
      stream.write(renderTerminalReport(record, { paint: paintFor(stream), redact }));
      return { sink: name, status: 'delivered', reason: null, delivered: [], url: null };
    },
  };
}
