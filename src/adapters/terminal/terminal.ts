import type { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import yoctoSpinner, { type Spinner } from 'yocto-spinner';
import { blue, bold, dim, green, red, yellow } from 'yoctocolors';
import type { Reporter, ReviewEvent } from '../../core/events.ts';
import { logLines } from '../../core/report/log-line.ts';
import type { Paint } from '../../core/report/terminal.ts';
import { characters, cutColumns, cutText, wrapText } from '../../core/report/text.ts';
import { liveLine } from '../../core/report/timeline.ts';
import type { EventLine } from '../../core/report/wording.ts';
import { type Destination, deliveryOf, type ReviewRecord } from '../../core/review/sink.ts';

type TerminalReporter = {
  readonly report: Reporter;
  /** Takes the live line away, for good. Call it however the run ended: its timer keeps the process alive. */
  readonly stop: () => void;
};

/** The process's stderr, or what stands for it. */
export type TerminalStream = Writable & Screen;

/** What of a stream tells how it shows text. */
type Screen = { readonly isTTY?: boolean; readonly columns?: number };

/** Tells the run on stderr: a live status line on a terminal, and plain lines where there is none. */
export function terminalReporter(options: {
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  /** The process's stderr by default: stdout is the report's. */
  stream?: TerminalStream;
  environment?: NodeJS.ProcessEnv;
  /** Ends the process at a signal, for who has nothing to finish. */
  endsAtSignals?: boolean;
}): TerminalReporter {
  const { redact, stream = process.stderr, environment = process.env } = options;
  const lines = logLines({ debugging: false });
  const paint = paintFor(stream, environment);
  const handleSignals = options.endsAtSignals ?? false;
  const live = isLive(stream, environment) ? liveStatus(yoctoSpinner({ stream, handleSignals }), stream) : null;
  const print = ({ level, text }: EventLine) => {
    const [label, style] = level === 'warning' ? ['Warning: ', paint.yellow] : ['', paint.dim];
    stream.write(`${wrapText(`${label}${text}`, widthOf(stream)).map(style).join('\n')}\n`);
  };
  return {
    report: (event) => {
      for (const line of lines(event)) {
        if (line.level === 'debug' || isRoutine(event, line)) continue;
        const text = redact(line.batch === null ? line.text : `[${line.batch}] ${line.text}`);
        if (live === null || staysOnScreen(event, line)) print({ ...line, text });
      }
      live?.report(event);
    },
    stop: () => live?.stop(),
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

/** The status beside a spinner, brought up to date by events and every second. */
function liveStatus(spinner: Spinner, stream: Screen): TerminalReporter {
  const line = liveLine(() => performance.now());
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;
  const show = () => {
    const room = Math.max(20, columnsOn(stream) - 3);
    // The spinner counts characters to know how many lines it wrote.
    const text = cutText(cutColumns(line.text(room), room), { max: room, measure: characters });
    if (spinner.isSpinning) spinner.text = text;
    else spinner.start(text);
    timer ??= setInterval(show, 1_000).unref();
  };
  const stop = () => {
    stopped = true;
    if (timer !== null) clearInterval(timer);
    spinner.stop();
  };
  const report = (event: ReviewEvent) => {
    line.report(event);
    if (event.type === 'review-end') stop();
    else if (!stopped) show();
  };
  return { report, stop };
}

/** Writes what a person asked to see of the review. */
export function printedReview(
  { render, format }: { readonly render: (record: ReviewRecord) => string; readonly format: string },
  /** The process's stdout by default. */
  stream: { write(text: string): unknown } = process.stdout,
): Destination {
  const name = 'terminal';
  return {
    name,
    to: format,
    deliver: async (record) => {
      stream.write(render(record));
      return deliveryOf(name, 'delivered');
    },
  };
}

/** Columns of a line, as many as are easy to read; a file or a pipe has none, so its lines are not wrapped. */
export function widthOf(stream: Screen): number {
  return stream.isTTY === true ? Math.min(Math.max(columnsOn(stream), 30), 120) : Number.POSITIVE_INFINITY;
}

// A terminal that does not know its size says 0.
function columnsOn({ columns }: Screen): number {
  return columns === undefined || columns === 0 ? 80 : columns;
}

/**
 * Colours on a terminal that has them, anywhere with FORCE_COLOR, nowhere with NO_COLOR: as Node.js does for its own texts.
 * https://nodejs.org/api/tty.html#writestreamgetcolordepthenv
 */
export function paintFor(stream: Screen, environment: NodeJS.ProcessEnv = process.env): Paint {
  const wanted = stream.isTTY === true || environment['FORCE_COLOR'] !== undefined;
  const bits = WriteStream.prototype.getColorDepth(environment);
  return wanted && bits > 1 ? { bold, dim, red, yellow, blue, green } : plain;
}

function same(text: string): string {
  return text;
}

const plain: Paint = { bold: same, dim: same, red: same, yellow: same, blue: same, green: same };
