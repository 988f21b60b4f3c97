import { transcriptFile } from './adapters/files/transcript-file.ts';
import { version } from './compose.ts';
import { learningSecrets } from './core/learn-secrets.ts';
import type { Redactor } from './core/repository/redact.ts';
import type { ReviewParts } from './core/review-pull-request.ts';
import { recordParts } from './core/transcript/record-parts.ts';

/** The parts, which name the credentials of a diff before it is written anywhere, recorded where `transcript-file` names a file. */
export function recorded(unrecorded: ReviewParts, redact: Redactor): ReviewParts {
  const parts = learningSecrets(unrecorded, redact.learn);
  const path = parts.settings.transcriptFile;
  if (path === '') return parts;
  const { write, finish } = transcriptFile(path, { redact, warn: (text) => parts.report({ type: 'warning', text }) });
  return recordParts(parts, { write, finish, path, redact, version });
}
