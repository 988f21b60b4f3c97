import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { FileContent } from '../repository/repository.ts';
import { shown } from '../repository/shown.ts';

type Redact = (text: string) => string;

/** A file as it may be recorded: lines that hold a credential are as the model saw them, all others as they are. */
export function recordedContent(content: FileContent, redact: Redact): FileContent {
  if (content.kind !== 'text') return content;
  return { ...content, text: withoutSecrets(content.text.split('\n'), redact).join('\n') };
}

/** The same for a diff. */
export function recordedFiles(files: readonly ChangedFile[], redact: Redact): readonly ChangedFile[] {
  return files.map((file) => ({
    ...file,
    hunks: file.hunks.map((hunk) => {
      const bodies = withoutSecrets(
        hunk.lines.map((line) => line.slice(1)),
        redact,
      );
      return { ...hunk, lines: hunk.lines.map((line, index) => `${line.slice(0, 1)}${bodies[index] ?? ''}`) };
    }),
  }));
}

function withoutSecrets(lines: readonly string[], redact: Redact): readonly string[] {
  const asShown = shown(lines);
  return lines.map((line, index) => {
    const text = asShown[index]?.redacted === true ? (asShown[index]?.text ?? '') : line;
    const redacted = redact(text);
    // A line stays a line, whatever was taken out of it.
    return redacted.replaceAll('\n', ' ');
  });
}
