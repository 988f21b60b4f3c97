import { structuredPatch } from 'diff';
import type { Message } from '../messages/message.ts';
import type { FileContent, ImageSource, Repository, Revision } from '../repository/repository.ts';
import { splitLines } from '../repository/shown.ts';
import type { ChangedFile, Hunk } from './changed-file.ts';
import { mayBeLock, parsesAsLock } from './lock-file.ts';
import { asGitPrints, countLines } from './parse-diff.ts';

/**
 * The files with what only their content tells: hunks of what git takes for binary and is text anyway (a NUL byte, UTF-16), what a
 * binary file is by its first bytes, and whether a lock file parses. What exceeds the limits stays unknown, and is not read then: at most
 * `maxFiles` are opened, as thousands of pictures must not be read for nothing.
 */
export async function examineFiles(
  files: readonly ChangedFile[],
  { repository, maxFiles = 2_000 }: { repository: Readable; maxFiles?: number },
): Promise<readonly ChangedFile[]> {
  let opened = 0;
  let bytes = 0;
  const read = async (path: string, at: Revision): Promise<FileContent> => {
    const content = await repository.readFile(path, at);
    bytes += content.kind === 'text' || content.kind === 'unreadable' ? (content.bytes ?? 0) : 0;
    return content;
  };
  /** Lock files of large repositories have more than what is read of code. */
  const textOf = async (path: string): Promise<string> => {
    const content = await read(path, 'head');
    if (content.kind === 'text') return content.text;
    if (content.kind !== 'unreadable' || content.reason !== 'too-large') return '';
    const whole = await repository.readBytes?.(path, 'head', limits.lockBytes);
    return whole?.kind === 'bytes' ? new TextDecoder().decode(whole.bytes) : '';
  };
  const examined: ChangedFile[] = [];
  for (const file of files) {
    const isOpen = file.kind === 'binary' ? file.hunks.length === 0 : mayBeLock(file);
    if (!isOpen || opened >= maxFiles || bytes >= limits.bytes) {
      examined.push(file);
      continue;
    }
    opened += 1;
    if (file.kind === 'binary') examined.push(await examineBinary(file, read));
    else
      examined.push({ ...file, lock: file.status === 'deleted' || parsesAsLock(file.path, await textOf(file.path)) });
  }
  return examined;
}

type Readable = Pick<Repository, 'readFile'> & Partial<ImageSource>;

/** Bytes of all files together and of a lock file, and edits between two texts. */
const limits = { bytes: 200_000_000, lockBytes: 16_000_000, edits: 2_000 } as const;

type Read = (path: string, at: Revision) => Promise<FileContent>;

async function examineBinary(file: ChangedFile, read: Read): Promise<ChangedFile> {
  const before = file.status === 'added' ? noText : linkAsText(await read(file.oldPath, 'merge-base'));
  const after = file.status === 'deleted' ? noText : await read(file.path, 'head');
  if (before.kind === 'text' && after.kind === 'text') return withText(file, before.text, after.text);
  const unread = [after, before].find(({ kind }) => kind === 'unreadable');
  return unread?.kind === 'unreadable' ? { ...file, ...describe(unread) } : file;
}

const noText: FileContent = { kind: 'text', text: '', bytes: 0 };

/** Where the file stands, there may have been a symbolic link or a submodule before. */
function linkAsText(content: FileContent): FileContent {
  if (content.kind === 'symlink') return { kind: 'text', text: content.target, bytes: 0 };
  return content.kind === 'unreadable' && content.reason === 'submodule' ? noText : content;
}

function describe({
  reason,
  bytes,
  media,
}: Extract<FileContent, { kind: 'unreadable' }>): Pick<ChangedFile, 'media' | 'unreadable'> {
  const unreadable: Message = bytes === null ? { code: 'file.too-large' } : { code: 'file.too-large-bytes', bytes };
  return { media: media ?? null, ...(reason === 'too-large' ? { unreadable } : {}) };
}

/** GitHub shows no lines of it, so it stays `binary`: nothing can be commented on but the file as a whole. */
function withText(file: ChangedFile, before: string, after: string): ChangedFile {
  const hunks = hunksBetween(before, after);
  return { ...file, hunks, ...countLines(hunks), incomplete: null };
}

function hunksBetween(before: string, after: string): readonly Hunk[] {
  // Beyond so many edits the cost is quadratic: then everything is said to have changed.
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength: limits.edits });
  if (patch === undefined) return [replaced(splitLines(before), splitLines(after))];
  return patch.hunks.map((hunk) => asGitPrints(hunk));
}

function replaced(before: readonly string[], after: readonly string[]): Hunk {
  const lines = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  return asGitPrints({ oldStart: 1, oldLines: before.length, newStart: 1, newLines: after.length, lines });
}
