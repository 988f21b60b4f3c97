import { readFileSync, statSync } from 'node:fs';
import { explain } from '../../core/errors.ts';
import type { Reporter } from '../../core/events.ts';
import { verbatim } from '../../core/messages/message.ts';
import { renderHtml } from '../../core/report/html/render-html.ts';
import { pathOf, renderReport, shownReport } from '../../core/report/json.ts';
import { leftOutOfSarif, renderSarif } from '../../core/report/sarif.ts';
import type { CallDetail } from '../../core/report/timeline.ts';
import type { RenderContext } from '../../core/report/wording.ts';
import type { ReviewReport } from '../../core/review/record.ts';
import {
  type Delivery,
  type Destination,
  type DestinationName,
  deliveryOf,
  type ReviewRecord,
} from '../../core/review/sink.ts';
import {
  type FileOutput,
  type FileSetting,
  fileDefinitions,
  fileOutputs,
  type NamedFiles,
} from '../../core/settings/files.ts';
import { callDetails } from '../../core/transcript/transcript.ts';
import { openLines, writeWhole } from './write.ts';

type Rendered = { readonly text: string; readonly reason: string | null };

/** `replayed`: the transcript that a replay reads. */
type Render = (record: ReviewRecord, context: RenderContext, replayed: string) => Rendered;

/** The files that hold the review, and what is in each. */
const contents: { readonly [name in Exclude<FileOutput, 'transcript-file'>]: Render } = {
  'report-file': (record, context) => {
    return { text: `${JSON.stringify(renderReport(record, context), null, 2)}\n`, reason: null };
  },
  /** With what the transcript of the run says of its calls: the one that is named, else the one just written. */
  'report-html': (record, context, replayed) => {
    const report = shownReport(record, context);
    const file = replayed || pathOf(record.deliveries, 'transcript-file') || '';
    const { details, problem } = file === '' ? { details: [], problem: null } : readCallDetails(file, report);
    return { text: renderHtml(report, details), reason: problem };
  },
  'sarif-file': (record, context) => {
    const rest = leftOutOfSarif(record.placed);
    const reason = rest === 0 ? null : `${rest} findings left out: code scanning takes no more.`;
    const sarif = renderSarif(record, { ...context, version: context.run?.version ?? '' });
    return { text: `${JSON.stringify(sarif)}\n`, reason };
  },
};

/** Writes the review to each of these files. */
export function reviewFiles(named: NamedFiles, context: RenderContext, replayed = ''): readonly Destination[] {
  // The transcript is written while the run goes on.
  const rendered = fileOutputs.filter((name) => name !== 'transcript-file');
  return rendered.flatMap((name): Destination | [] => {
    const path = named[name] ?? '';
    const render = contents[name];
    const deliver: Destination['deliver'] = (record) =>
      written({ name, path }, () => render(record, context, replayed));
    return path === '' ? [] : { name, to: path, deliver };
  });
}

type Written = { readonly name: FileSetting & DestinationName; readonly path: string };

/** Writes a file, its folder too. A disk that is full or read-only costs the file alone. */
async function written({ name, path }: Written, render: () => Rendered, loss = ''): Promise<Delivery> {
  try {
    const { text, reason } = render();
    await writeWhole(path, text);
    return deliveryOf(name, 'delivered', reason === null ? null : verbatim(reason), path);
  } catch (error) {
    const reason = `The ${fileDefinitions[name].writes.noun} could not be written to ${path}${loss}. ${explain(error)}`;
    return deliveryOf(name, 'failed', verbatim(reason));
  }
}

/** Writes what other jobs need. Without the file they have nothing, so a failed delivery must fail this one. */
export function writeHandedFile(
  name: 'review-file' | 'plan-file',
  { path, render }: { path: string; render: () => string },
): Promise<Delivery> {
  return written({ name, path }, () => ({ text: render(), reason: null }), ', so no other job has it');
}

type ReadDetails = { readonly details: readonly CallDetail[]; readonly problem: string | null };

/** Bytes of a file that a page is made from. */
const mostBytes = 200_000_000;

/** What a transcript says of the calls of this review. Never throws. */
export function readCallDetails(path: string, { pullRequest: pull }: ReviewReport): ReadDetails {
  const without = (why: string) => ({ details: [], problem: `The page lacks questions and answers: ${path} ${why}.` });
  try {
    const read = callDetails(readRegularFile(path));
    if (!read.ok) return without(`is no transcript: ${read.problems.join('; ')}`);
    if (pull !== null && read.value.head !== pull.head) return without('is the transcript of another commit');
    return { ...read.value, problem: null };
  } catch (error) {
    return without(`cannot be read. ${explain(error)}`);
  }
}

/** @throws for what is no file (a pipe would keep the reader waiting) and for one that is too large. */
export function readRegularFile(path: string): string {
  return readRegularBytes(path, mostBytes).toString('utf8');
}

/** The same as bytes. */
export function readRegularBytes(path: string, maxBytes: number): Buffer {
  const file = statSync(path);
  if (!file.isFile()) throw new Error('It is not a file.');
  if (file.size > maxBytes) throw new Error(`It is larger than ${maxBytes / 1_000_000} MB.`);
  return readFileSync(path);
}

/** Every event as a line of JSON, with `time` (ISO 8601) and `type`. `now` gives milliseconds since 1970. */
export function progressFile(path: string, { now, ...options }: LineOptions & { now: () => number }): Reporter {
  const { write } = lineFile(path, { ...options, noun: fileDefinitions['progress-file'].writes.noun });
  return (event) => write({ time: new Date(now()).toISOString(), ...event });
}

/** For its owner alone: it holds source and the model's words. */
const ownerOnly = 0o600;

export function transcriptFile(path: string, options: LineOptions): LineFile {
  return lineFile(path, { ...options, noun: fileDefinitions['transcript-file'].writes.noun, mode: ownerOnly });
}

type LineOptions = {
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Told once, when the file cannot be written. */
  readonly warn: (text: string) => void;
};

type LineFile = {
  /** Appends a value as a line of JSON. Never throws. */
  readonly write: (line: object) => void;
  /** @returns why not everything could be written; null when all is there */
  readonly finish: () => Promise<string | null>;
};

/**
 * Each line is on disk before the run goes on: the file holds everything up to a crash. A file of an earlier run is replaced. What cannot be
 * written is reported once and left.
 */
function lineFile(
  path: string,
  { redact, warn, noun, mode }: LineOptions & { readonly noun: string; readonly mode?: number },
): LineFile {
  let file: ReturnType<typeof openLines> | null = null;
  let problem: string | null = null;
  const redacted = (_key: string, value: unknown) => (typeof value === 'string' ? redact(value) : value);
  const write = (line: object) => {
    if (problem !== null) return;
    try {
      file ??= openLines(path, mode);
      file.write(`${JSON.stringify(line, redacted)}\n`);
    } catch (error) {
      problem = `The ${noun} could not be written to ${path}. ${explain(error)}`;
      warn(problem);
    }
  };
  const finish = async () => {
    file?.close();
    file = null;
    return problem;
  };
  return { write, finish };
}
