import { transcriptFile } from './adapters/files/transcript-file.ts';
import { version } from './compose.ts';
import type { ReviewParts } from './core/review-pull-request.ts';
import { recordParts } from './core/transcript/record-parts.ts';

/** The parts, recorded where `transcript-file` names a file. */
export function recorded(parts: ReviewParts, redact: (text: string) => string): ReviewParts {
  const path = parts.settings.transcriptFile;
  if (path === '') return parts;
  const { write, finish } = transcriptFile(path, { redact, warn: (text) => parts.report({ type: 'warning', text }) });
  return recordParts(parts, { write, finish, path, redact, version });
}
