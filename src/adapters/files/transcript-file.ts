import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { explain } from '../../core/errors.ts';
import { requireOwnPath } from './own-path.ts';

export type TranscriptFile = {
  /** Appends a value as a line of JSON. Never throws. */
  readonly write: (line: object) => void;
  /** @returns why not everything could be written; null when all is there */
  readonly finish: () => Promise<string | null>;
};

/** For its owner alone: it holds source and the model's words. */
const mode = 0o600;

/**
 * A transcript, each line on disk before the run goes on: it holds everything up to a crash. A file of an earlier run is replaced. What cannot be
 * written is reported once and left (FAILURES R5).
 */
export function transcriptFile(
  path: string,
  { redact, warn }: { readonly redact: (text: string) => string; readonly warn: (text: string) => void },
): TranscriptFile {
  let descriptor: number | null = null;
  let problem: string | null = null;
  const write = (line: object) => {
    if (problem !== null) return;
    try {
      descriptor ??= start(path);
      writeSync(
        descriptor,
        `${JSON.stringify(line, (_key, value) => (typeof value === 'string' ? redact(value) : value))}\n`,
      );
    } catch (error) {
      problem = `The transcript could not be written to ${path}. ${explain(error)}`;
      warn(problem);
    }
  };
  const finish = async () => {
    if (descriptor !== null) closeSync(descriptor);
    descriptor = null;
    problem ??= null;
    return problem;
  };
  return { write, finish };
}

function start(path: string): number {
  requireOwnPath(path, process.cwd());
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, 'w', mode);
}
