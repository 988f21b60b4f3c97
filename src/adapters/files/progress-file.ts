import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { explain } from '../../core/errors.ts';
import type { Reporter } from '../../core/reporter.ts';
import { requireOwnPath } from './own-path.ts';

export type ProgressOptions = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told once, when the file cannot be written. */
  readonly warn: (text: string) => void;
  /** Takes secrets out of a text. */
  readonly redact?: (text: string) => string;
};

/**
 * Every event as a line of JSON, with `time` (ISO 8601) and `type`, on disk before the run goes on: it holds everything
 * up to a crash. A file of an earlier run is replaced. What cannot be written is reported once and left (FAILURES R5).
 */
export function progressFile(path: string, { now, warn, redact = (text) => text }: ProgressOptions): Reporter {
  let state: 'new' | 'open' | 'lost' = 'new';
  return (event) => {
    if (state === 'lost') return;
    const time = new Date(now()).toISOString();
    const line = JSON.stringify({ time, ...event }, (_key, value) =>
      typeof value === 'string' ? redact(value) : value,
    );
    try {
      if (state === 'new') start(path);
      state = 'open';
      appendFileSync(path, `${line}\n`, 'utf8');
    } catch (error) {
      state = 'lost';
      warn(`The progress could not be written to ${path}. ${explain(error)}`);
    }
  };
}

function start(path: string): void {
  requireOwnPath(path, process.cwd());
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '', 'utf8');
}
