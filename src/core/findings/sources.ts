import type { ChangedFile } from '../pull-request/changed-file.ts';
import { checkPath } from '../repository/path.ts';
import type { Repository, Side } from '../repository/repository.ts';
import { type ShownLine, shown, splitLines } from '../repository/shown.ts';
import { withoutEnd } from '../text.ts';
import type { LineRange } from './words.ts';

/** Reads each side of a file once. A failure is not remembered: the next attempt may succeed. */
function readOnce(read: GroundSources['read']): GroundSources['read'] {
  const readings = new Map<string, ReturnType<GroundSources['read']>>();
  return (path, side) => {
    const key = `${side} ${path}`;
    const known = readings.get(key);
    if (known !== undefined) return known;
    const reading = read(path, side);
    readings.set(key, reading);
    reading.catch(() => readings.delete(key));
    return reading;
  };
}

/** Where quotes are looked up. */
export type GroundSources = {
  /** All files of the diff. */
  readonly files: readonly ChangedFile[];
  /**
   * The lines of a file as the model sees them: RIGHT at head, LEFT at the merge base under the path it had there. Null when
   * there is no such text file on that side, or when it may not be read.
   */
  readonly read: (path: string, side: Side) => Promise<readonly ShownLine[] | null>;
};

/** Where quotes are looked up: the files at head and at the merge base, as the model was shown them. Each file is read once. */
export function groundSources(
  repository: Repository,
  { files, isDenied }: { files: readonly ChangedFile[]; isDenied: (path: string) => string | null },
): EvidenceSources {
  const read: GroundSources['read'] = async (path, side) => {
    // What the model may not read it cannot quote either.
    if (isDenied(path) !== null) return null;
    const content = await repository.readFile(path, side === 'RIGHT' ? 'head' : 'merge-base');
    if (content.kind === 'symlink') return shown(splitLines(content.target));
    return content.kind === 'text' ? shown(splitLines(content.text)) : null;
  };
  let names: Promise<PathsFor> | undefined;
  return {
    files,
    read: readOnce(read),
    names: () => {
      names ??= namesOf(files, repository);
      return names;
    },
  };
}

/**
 * The files that a word of a sentence can mean: the path itself, else of the diff, else of the repository, what ends in it, and of several those
 * closest to the file that the sentence is about.
 */
type PathsFor = (word: string, near: string) => readonly string[];

/** Where citations are looked up as well: by their paths, or by parts of them. */
export type EvidenceSources = GroundSources & { readonly names: () => Promise<PathsFor> };

/** A repository that cannot be listed still has the files of its diff. */
async function namesOf(files: readonly ChangedFile[], repository: Repository): Promise<PathsFor> {
  const changed = new Set(files.flatMap(({ path, oldPath }) => [path, oldPath]));
  const listed = await repository.listFiles('head').catch(() => []);
  const byName = new Map<string, Set<string>>();
  for (const path of [...changed, ...listed.map((entry) => entry.path)]) {
    const name = nameOf(path);
    byName.set(name, (byName.get(name) ?? new Set()).add(path));
  }
  const find = (path: string, near: string) => {
    const same = [...(byName.get(nameOf(path)) ?? [])];
    // A path with folders is meant as it stands; a bare name is that of the file next to what is spoken of.
    if (same.includes(path) && path.includes('/')) return [path];
    const ending = same.filter((one) => one === path || one.endsWith(`/${path}`) || path.endsWith(`/${one}`));
    if (ending.includes(near)) return [near];
    const ours = ending.filter((one) => changed.has(one));
    if (ours.length === 1) return ours;
    const closest = nearest(ours.length > 0 ? ours : ending, near);
    return closest.length > 1 && closest.includes(path) ? [path] : closest;
  };
  return (word, near) => {
    const paths = spellings(word).flatMap((spelling) => {
      const checked = checkPath(spelling);
      return checked.ok && checked.path !== '' ? [find(checked.path, near)] : [];
    });
    return paths.find((found) => found.length > 0) ?? [];
  };
}

/** Those that share the most folders with a path. */
function nearest(paths: readonly string[], near: string): readonly string[] {
  const folders = near.split('/').slice(0, -1);
  const shared = (path: string) => {
    const own = path.split('/').slice(0, -1);
    const apart = folders.findIndex((folder, index) => own[index] !== folder);
    return apart === -1 ? folders.length : apart;
  };
  const most = Math.max(0, ...paths.map(shared));
  return paths.filter((path) => shared(path) === most);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A word as it stands, and without what a sentence puts around a path. */
function spellings(word: string): readonly string[] {
  const bare = withoutEnd(word.replace(/^[([/]+/, ''), /[.)\]]/);
  const inner = bare.slice(Math.max(bare.lastIndexOf('('), bare.lastIndexOf('[')) + 1);
  return [...new Set([withoutEnd(word, /\./), bare, inner])];
}

/** A place that a text names. */
export type Citation = {
  /** The file as it is written; null: the one that the text is about. */
  readonly word: string | null;
  /** Null: the file as a whole. */
  readonly range: LineRange | null;
  /** False where a number may mean something else. */
  readonly certain: boolean;
  /** The sentence speaks of what held before the change. */
  readonly before: boolean;
};

/** Of one text; what is beyond is counted. */
const mostCitations = 300;
const mostCharacters = 200_000;

/** The places that a text cites, each once: `src/a.ts:12-20`, `a.ts (lines 3, 9-12 and 14)`, `184-190` or `line 12` of the file itself. */
export function citationsIn(
  text: string,
  isFile: (word: string) => boolean,
): { readonly citations: readonly Citation[]; readonly left: number } {
  const citations = new Map<string, Citation>();
  let spoken: string | null = null;
  for (const sentence of text.slice(0, mostCharacters).split(/(?<=[.!?])\s+|\n+/)) {
    const before = /\b(?:merge[- ]base|before|previous(?:ly)?|old|formerly|used to|removed|deleted|was|were)\b/i.test(
      sentence,
    );
    const { found, file } = citedIn(sentence, isFile, spoken);
    spoken = file;
    for (const { word, range, certain } of found) {
      const key = `${word} ${range?.start}-${range?.end}`;
      const known = citations.get(key);
      const merged = { certain: certain || known?.certain === true, before: before || known?.before === true };
      citations.set(key, { word, range, ...merged });
    }
  }
  const all = [...citations.values()];
  // What is surely cited goes before what may be.
  const sorted = [...all.filter(({ certain }) => certain), ...all.filter(({ certain }) => !certain)];
  return { citations: sorted.slice(0, mostCitations), left: Math.max(0, all.length - mostCitations) };
}

// Lines, or a word that may be a path. What is part of a longer number, of a version or of a date is no line.
const part =
  /(?<![\p{L}\p{N}_.$%=<>+*~-]|\p{N},(?=\p{N}{3}(?!\p{N})))[Ll]?(\d{1,7})(?:\s?(?:[-–—]|to|through)\s?[Ll]?(\d{1,7}))?(?![\p{L}\p{N}_%=<>*]|[-./]\p{N}|,\p{N}{3}(?!\p{N}))|(?:[\p{L}\p{N}_@.~$%&/+-]|[([](?=[\p{L}_@./~])(?![Ll]\d))[\p{L}\p{N}_@./+~$%&=[\]()-]{0,400}/gu;
const lineWord = /(?:\blines?|\bl\.)\s?[`'"*]{0,2}$/i;
/** What stands between a file and its lines; a word that is no file needs the stricter form. */
const link = /^[`'"*]{0,2}(?::|#|[)\]]?,?\s{1,2}\(?(?:(?:at|on|in|from|around)\s)?(?:lines?\s|l\.\s?)?)[`'"*(]{0,2}$/i;
const strictLink = /^[`'"*]{0,2}(?::|#|,?\s\(?(?:at\s)?lines?\s)$/i;
/** What stands between one place and the next of the same file. */
const next =
  /^[`'"*]{0,2}\s?(?:,|;|&|\/|\+)?\s?(?:(?:and|or|then|to)\s)?(?:(?:also|again|at|on|in)\s)?(?:lines?\s|:)?[`'"*]{0,2}$/i;
/** Where a number on its own is likely a line. */
const aside = /(?:^|[([`]|\b(?:at|see|in|on|and|from)\s|:)`?$/i;

/** `lines 3 and 9 of a.ts`: the file may come last. */
const ofFile = /^[`'"*]{0,2}\s(?:of|in)\s[`'"*]{0,2}$/i;

type Open = Pick<Citation, 'word' | 'certain'> & {
  readonly end: number;
  readonly ranges: readonly LineRange[];
  readonly joins: (gap: string) => boolean;
};

/** `spoken` is the file that the sentence before ended with. */
function citedIn(sentence: string, isFile: (word: string) => boolean, spoken: string | null) {
  const found: Omit<Citation, 'before'>[] = [];
  let file: string | null = null;
  /** What the next lines belong to, when they follow at once. */
  let open: Open | null = null;
  for (const { 0: whole, 1: first, 2: last, index } of sentence.matchAll(part)) {
    const end = index + whole.length;
    // What is further apart does not belong together.
    if (open !== null && open.end < index - 40) open = null;
    const gap = sentence.slice(Math.max(open?.end ?? 0, index - 40), index);
    if (first === undefined) {
      const known = isFile(whole);
      if (known) {
        file = whole;
        const ranges = open !== null && ofFile.test(gap) ? open.ranges : [];
        found.push(...(ranges.length === 0 ? [null] : ranges).map((range) => ({ word: whole, range, certain: true })));
      }
      // Lines of a file that does not exist are a citation too.
      if (known || /[/.]\p{L}/u.test(whole)) {
        const joins = (text: string) => (known ? link : strictLink).test(text);
        open = { word: whole, certain: true, end, ranges: [], joins };
      }
      continue;
    }
    const from = Math.max(1, Number(first));
    const range = { start: from, end: Math.max(from, Number(last ?? first)) };
    const isLine = lineWord.test(gap) || /^l/i.test(whole);
    const joins = (text: string) => text !== ':' && next.test(text);
    if (open?.joins(gap)) {
      const certain = isLine || (open.certain && (last !== undefined || gap.trim() !== ''));
      found.push({ word: open.word, range, certain });
      open = {
        word: open.word,
        certain: certain || open.certain,
        end,
        ranges: [...open.ranges.slice(-20), range],
        joins,
      };
    } else if (isLine || last !== undefined || aside.test(gap)) {
      // Either the file that was spoken of last, or the one that the text is about.
      const other: string | null = file ?? spoken;
      found.push({ word: null, range, certain: isLine && file === null });
      if (other !== null) found.push({ word: other, range, certain: isLine && file !== null });
      open = { word: isLine ? file : null, certain: isLine, end, ranges: [range], joins };
    }
  }
  const withLines = new Set(found.flatMap(({ word, range }) => (range === null ? [] : [word])));
  return { found: found.filter(({ word, range }) => range !== null || !withLines.has(word)), file: file ?? spoken };
}
