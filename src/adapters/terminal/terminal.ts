import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import yoctoSpinner, { type Spinner } from 'yocto-spinner';
import { blue, bold, dim, green, red, yellow } from 'yoctocolors';
import type { Reporter, ReviewEvent } from '../../core/events.ts';
import { logLines } from '../../core/report/log-line.ts';
import { type Paint, renderTerminalReport } from '../../core/report/terminal.ts';
import { characters, cutText } from '../../core/report/text.ts';
import type { EventLine } from '../../core/report/wording.ts';
import type { Recorder } from '../../core/review/sink.ts';

type TerminalReporter = {
  readonly report: Reporter;
  /** Takes the live line away. Call it however the run ended: its timer keeps the process alive. */
  readonly stop: () => void;
};

/** The process's stderr, or what stands for it. */
export type TerminalStream = Writable & ColourStream & { readonly columns?: number };

/** Tells the run on stderr: a live status line on a terminal, and plain lines where there is none. */
export function terminalReporter(options: {
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  /** The process's stderr by default: stdout is the report's. */
  stream?: TerminalStream;
  environment?: NodeJS.ProcessEnv;
}): TerminalReporter {
  const { redact, stream = process.stderr, environment = process.env } = options;
  const lines = logLines({ debugging: false });
  const paint = paintFor(stream);
  const spinner = isLive(stream, environment) ? yoctoSpinner({ stream, handleSignals: false }) : null;
  const print = ({ level, text }: EventLine) => {
    stream.write(`${level === 'warning' ? paint.yellow(`Warning: ${text}`) : paint.dim(text)}\n`);
  };
  return {
    report: (event) => {
      for (const line of lines(event)) {
        if (line.level === 'debug' || isRoutine(event, line)) continue;
        const text = redact(line.batch === null ? line.text : `[${line.batch}] ${line.text}`);
        if (spinner === null || staysOnScreen(event, line)) print({ ...line, text });
        else show(spinner, { text, columns: stream.columns ?? 80 });
      }
      if (event.type === 'review-end') spinner?.stop();
    },
    stop: () => spinner?.stop(),
  };
}

function isLive(stream: TerminalStream, environment: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && environment['TERM'] !== 'dumb' && !('CI' in environment);
}

// Deliveries come after the live line is gone, and the report is its own proof.
function isRoutine(event: ReviewEvent, { level }: EventLine): boolean {
  return event.type === 'delivery-end' && level === 'info';
}

// The report tells the findings and the outcome: the live line is for what passes.
function staysOnScreen(event: ReviewEvent, { level }: EventLine): boolean {
  if (event.type === 'review-end') return false;
  return level === 'warning' || event.type === 'review-start' || event.type === 'note';
}

function show(spinner: Spinner, { text, columns }: { text: string; columns: number }): void {
  const room = Math.max(20, columns - 4);
  const status = text.length > room ? `${cutText(text, { max: room - 1, measure: characters })}…` : text;
  if (spinner.isSpinning) spinner.text = status;
  else spinner.start(status);
}

/** Prints the whole review. */
export function terminalRecorder({
  redact,
  stream = process.stdout,
}: {
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  /** Where the report goes; the process's stdout by default. */
  stream?: ColourStream & { write(text: string): unknown };
}): Recorder {
  const name = 'terminal';
  return {
    name,
    record: async (record) => {
      stream.write(renderTerminalReport(record, { paint: paintFor(stream), redact }));
      return { sink: name, status: 'delivered', reason: null, delivered: [], url: null };
    },
  };
}

/** What of a stream tells whether it shows colours. */
type ColourStream = { readonly isTTY?: boolean; readonly hasColors?: WriteStream['hasColors'] };

/** Colours on a terminal that has them; NO_COLOR and FORCE_COLOR are read by Node itself. Elsewhere text stays plain. */
export function paintFor(stream: ColourStream): Paint {
  if (stream.isTTY !== true || stream.hasColors?.() !== true) return plain;
  return { bold, dim, red, yellow, blue, green };
}

function same(text: string): string {
  return text;
}

const plain: Paint = { bold: same, dim: same, red: same, yellow: same, blue: same, green: same };
