import { parsePatch } from 'diff';
import type { Hunk } from './changed-file.ts';

export type ParsedHunks = {
  readonly hunks: readonly Hunk[];
  /** How many hunks could not be parsed: cut off, or with counts that do not match their lines. */
  readonly broken: number;
};

/**
 * The hunks of one file's patch, with or without git's header lines. Never throws.
 *
 * jsdiff gets one hunk at a time: it refuses the whole text when a single hunk is miscounted, and it drops headings.
 */
export function parseHunks(patch: string): ParsedHunks {
  const hunks: Hunk[] = [];
  let broken = 0;
  for (const text of hunkTexts(patch)) {
    const hunk = parseHunk(text);
    if (hunk === null) broken += 1;
    else hunks.push(hunk);
  }
  return { hunks, broken };
}

/** The hunks of a `patch` as GitHub's API gives it for one file. Hunks that cannot be parsed are left out. */
export function parsePatchText(patch: string): readonly Hunk[] {
  return parseHunks(patch).hunks;
}

// Lines of content always start with ' ', '+', '-' or '\', so a line that starts with '@@ -' can only be a hunk's header.
function* hunkTexts(patch: string): Generator<string> {
  let start = patch.startsWith('@@ -') ? 0 : after(patch.indexOf('\n@@ -'));
  while (start !== null) {
    const next = after(patch.indexOf('\n@@ -', start));
    yield withoutLastNewline(patch.slice(start, next ?? patch.length));
    start = next;
  }
}

function after(newline: number): number | null {
  return newline === -1 ? null : newline + 1;
}

function withoutLastNewline(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

function parseHunk(text: string): Hunk | null {
  const parsed = parsedByLibrary(text);
  if (parsed === null || !Number.isSafeInteger(parsed.oldStart) || !Number.isSafeInteger(parsed.newStart)) return null;
  const { oldLines, newLines } = parsed;
  return {
    // The library moves the start of an empty side by one; a Hunk says what git prints.
    oldStart: oldLines === 0 ? parsed.oldStart - 1 : parsed.oldStart,
    oldLines,
    newStart: newLines === 0 ? parsed.newStart - 1 : parsed.newStart,
    newLines,
    heading: headingOf(text),
    lines: parsed.lines,
  };
}

function parsedByLibrary(text: string) {
  try {
    const [file, ...otherFiles] = parsePatch(text);
    const [hunk, ...otherHunks] = file?.hunks ?? [];
    return otherFiles.length + otherHunks.length > 0 ? null : (hunk ?? null);
  } catch {
    // The caller counts it and says so in the file's `incomplete`.
    return null;
  }
}

function headingOf(text: string): string {
  const lineEnd = text.indexOf('\n');
  const header = lineEnd === -1 ? text : text.slice(0, lineEnd);
  const close = header.indexOf(' @@', 3);
  return close === -1 ? '' : header.slice(close + 3).trim();
}
