import { masked } from '../languages/code-parts.ts';
import { languageOf } from '../languages/languages.ts';
import { lineScanner } from '../languages/scan-code.ts';
import { type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import type { Side } from '../repository/repository.ts';
import type { Finding, Proof } from './finding.ts';
import { findQuote, readQuote } from './quote.ts';
import type { GroundSources } from './sources.ts';
import { findChangedFile } from './subject.ts';
import type { LineRange } from './words.ts';

/** What became of the code of an earlier finding since it was made. */
export type ChangedCode = {
  /** Where its file is at head. */
  readonly path: string;
  /** Its own lines, as they were; null: the whole file, or lines that the change removed. */
  readonly lines: LineRange | null;
  /** What changed there since; empty where that cannot be told any more. */
  readonly hunks: readonly Hunk[];
  /** Where no diff tells what changed: whether its lines stand among these. */
  readonly isAmong: ((lines: readonly string[]) => boolean) | null;
};

/**
 * True when a quote proves that a finding is fixed: it is code at head, in the finding's own file and in the hunk around it. While the finding's
 * own lines stand, comments and white space apart, a quoted line must be new code. What the author only says proves nothing.
 */
export async function isProven(proof: Proof, given: { asked: ChangedCode; sources: GroundSources }): Promise<boolean> {
  return (await fixAt(proof, given)) !== null;
}

/** Where at head such a quote stands; null when it proves nothing. */
export async function fixAt(
  { path, quote }: Proof,
  { asked, sources }: { asked: ChangedCode; sources: GroundSources },
): Promise<ProofPlace | null> {
  const named = findChangedFile(path, sources.files)?.path ?? path;
  if (named !== asked.path) return null;
  const texts = await textsOf(asked.path, { side: 'RIGHT', sources });
  const isProof = asked.isAmong === null ? proofIn(asked, texts) : proofAmong(asked, { head: texts, sources });
  const found = placesOf(quote, { side: 'RIGHT', texts }).find(({ start, end }) => numbers(start, end).some(isProof));
  return found === undefined ? null : placeAt(asked.path, found);
}

/** Lines at head, 1-based and inclusive. */
export type ProofPlace = { readonly path: string; readonly startLine: number; readonly endLine: number };

function placeAt(path: string, { start, end }: LineRange): ProofPlace {
  return { path, startLine: start, endLine: end };
}

/** True when a change only took out the lines of a finding, and they stand nowhere else in the files of the diff: no line is left to quote. */
export async function isTakenOut({ path, lines, hunks }: ChangedCode, sources: GroundSources): Promise<boolean> {
  if (lines === null) return false;
  const near = hunks.flatMap((hunk) => [...hunkLines(hunk)]).filter(({ text }) => text.trim() !== '');
  const own = near.filter(({ oldLine }) => oldLine !== null && lines.start <= oldLine && oldLine <= lines.end);
  const isPure = near.every(({ kind }) => kind !== 'added') && own.every(({ kind }) => kind === 'removed');
  const worded = own.map(({ text }) => text.trim()).filter((text) => text.length >= fewestCharacters);
  if (!isPure || worded.length === 0) return false;
  const there = new Set((await textsOf(path, { side: 'RIGHT', sources })).map((text) => text.trim()));
  for (const { hunks: others } of sources.files) {
    for (const { kind, text } of others.flatMap((hunk) => [...hunkLines(hunk)])) {
      if (kind === 'added') there.add(text.trim());
    }
  }
  return worded.every((text) => !there.has(text));
}

/** A bracket stands everywhere. */
const fewestCharacters = 4;

/** Tells of a line at head whether it proves the fix. */
function proofIn({ path, lines, hunks }: ChangedCode, head: readonly string[]): (line: number) => boolean {
  const near = hunks.flatMap((hunk) => [...hunkLines(hunk)]);
  const isOwn = ({ oldLine }: (typeof near)[number]) =>
    oldLine !== null && lines !== null && lines.start <= oldLine && oldLine <= lines.end;
  const codeIn = (some: typeof near) => codeOf(path, textsIn(some)).filter((text) => text !== '');
  const isCode = codeLines(path, head);
  const now = [...codeIn(near.filter(({ newLine }) => newLine !== null)), ...codeOf(path, head)].join(' ');
  const stands = codeIn(near.filter((line) => line.kind === 'removed' && isOwn(line))).every((own) => holds(now, own));
  if (!stands) return (line) => near.some(({ newLine }) => newLine === line) && isCode(line);
  const old = codeIn(near.filter((line) => line.kind === 'removed' || isOwn(line)));
  const added = new Map(near.flatMap((line) => (line.kind === 'added' ? [[line.newLine, line]] : [])));
  return (number) => {
    const line = added.get(number);
    const [text] = line === undefined ? [] : codeIn([line]);
    if (text === undefined || holds(old.join(' '), text) || !isCode(number)) return false;
    // Where nobody knows how comments begin, what stands behind an old line may be one.
    return kindOf(path) === 'known' || (kindOf(path) === 'unknown' && !old.some((one) => holds(text, one)));
  };
}

/** The same without a diff since: its lines are gone, and what proves it is a line that the pull request added. */
function proofAmong(
  { path, isAmong }: ChangedCode,
  { head, sources }: { head: readonly string[]; sources: GroundSources },
): (line: number) => boolean {
  const hunks = sources.files.find((file) => file.path === path)?.hunks ?? [];
  const all = hunks.flatMap((hunk) => [...hunkLines(hunk)]);
  const added = new Set(all.flatMap(({ kind, newLine }) => (kind === 'added' ? [newLine] : [])));
  const isCode = codeLines(path, head);
  const isGone = isAmong?.(head) === false;
  return (line) => isGone && added.has(line) && isCode(line);
}

/** Why a quote disproves nothing; null when it is code of the side that the finding is about, and not the lines of the finding alone. */
export async function whyNoDisproof(proof: Proof, given: Disproving): Promise<string | null> {
  const { anchor } = given.finding;
  // A claim without a quote names a place, and no lines that are wrong.
  const hasOwnLines = anchor.kind === 'lines' && anchor.quote !== '';
  return (await disproofAt(proof, { ...given, hasOwnLines })).why;
}

type Disproving = { readonly finding: Pick<Finding, 'path' | 'anchor'>; readonly sources: GroundSources };

/** The same, with where at head the quote disproves; null for what stood there before the change. */
export async function disproofAt(
  { path, quote }: Proof,
  { finding, sources, hasOwnLines }: Disproving & { readonly hasOwnLines: boolean },
): Promise<{ readonly why: string | null; readonly place: ProofPlace | null }> {
  const { anchor } = finding;
  // What a change removed says nothing of what it leaves.
  const sides = anchor.kind === 'lines' && anchor.side === 'LEFT' ? (['RIGHT', 'LEFT'] as const) : (['RIGHT'] as const);
  let why = `the quote is not in ${JSON.stringify(path.slice(0, 200))}`;
  for (const side of sides) {
    const texts = await textsOf(path, { side, sources });
    const own = anchor.kind === 'lines' && anchor.side === side && finding.path === path ? anchor : null;
    const isOwn = (line: number) => hasOwnLines && own !== null && own.startLine <= line && line <= own.endLine;
    const isCode = codeLines(path, texts);
    const isNoCode = (line: number) => !isCode(line) || (kindOf(path) === 'prose' && kindOf(finding.path) !== 'prose');
    const far = ({ start }: LineRange) => (own === null ? 0 : Math.abs(start - own.startLine));
    // Of equal lines the one beside the finding is meant.
    const places = placesOf(quote, { side, texts }).toSorted((one, other) => far(one) - far(other));
    for (const { start, end } of places) {
      const lines = numbers(start, end).filter((line) => !isNoCode(line));
      if (lines.some((line) => !isOwn(line))) {
        return { why: null, place: side === 'RIGHT' ? placeAt(path, { start, end }) : null };
      }
      why = lines.length === 0 ? 'the quote is no code' : 'the quote is what the finding is about, and nothing else';
    }
  }
  return { why, place: null };
}

async function textsOf(
  path: string,
  { side, sources }: { side: Side; sources: GroundSources },
): Promise<readonly string[]> {
  return textsIn((await sources.read(path, side)) ?? []);
}

function textsIn(lines: readonly { readonly text: string }[]): readonly string[] {
  return lines.map(({ text }) => text);
}

function placesOf(quote: string, { side, texts }: { side: Side; texts: readonly string[] }): readonly LineRange[] {
  return findQuote(readQuote(quote, side), texts)?.places ?? [];
}

function numbers(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start + 1 }, (_, index) => start + index);
}

/** Whether a text of tokens has those of another in a row. */
function holds(text: string, part: string): boolean {
  return ` ${text} `.includes(` ${part} `);
}

/** Of each line the tokens of its code: neither white space nor comments, and nothing of a line without a word. */
function codeOf(path: string, lines: readonly string[]): readonly string[] {
  const syntax = languageOf(path)?.syntax;
  const scanner = syntax === undefined ? null : lineScanner(syntax);
  const isUnknown = kindOf(path) === 'unknown';
  return lines.map((line) => {
    const code = scanner === null ? line : masked(line, scanner.scan(line), ['comments']);
    const left = isUnknown ? withoutUsualComments(code) : code;
    return /[\p{L}\p{N}]/u.test(left) ? (left.match(/[\p{L}\p{N}_$]+|\S/gu) ?? []).join(' ') : '';
  });
}

/** Tells of a line whether it is code, and does not begin as a comment. */
function codeLines(path: string, texts: readonly string[]): (line: number) => boolean {
  const code = codeOf(path, texts);
  const { lineComments = [], blockComments = [] } = languageOf(path)?.syntax ?? {};
  const opens = [...lineComments.map(({ open }) => open), ...blockComments.map(([open]) => open)];
  const isUnknown = kindOf(path) === 'unknown';
  return (line) => {
    const [text, given] = [code[line - 1] ?? '', (texts[line - 1] ?? '').trimStart()];
    if (text === '' || opens.some((open) => given.startsWith(open))) return false;
    // A sentence in a comment of several lines has none of these.
    return !isUnknown || /[=(){}[\]<>;:@$|&/]/.test(text);
  };
}

function withoutUsualComments(line: string): string {
  if (beginsComment.test(line)) return '';
  return usualComments.reduce((text, [open, close]) => withoutBetween(text, open, close), line);
}

function withoutBetween(text: string, open: string, close: string): string {
  const [before = '', ...rest] = text.split(open);
  const kept = rest.map((part) => {
    const end = part.indexOf(close);
    return end === -1 ? `${open}${part}` : part.slice(end + close.length);
  });
  return [before, ...kept].join(' ');
}

const beginsComment =
  /^\s*(?:\/\/|\/\*|\*|#|--|;|%|<!--|<%[#-]|<#--|\{\{!|\{\{--|\{#(?!(?:if|each|await|key)\b)|\{%-?\s*comment|\(\*|\{-|@\*|-#|'|"|::|=|@?rem\b|dnl\b)/i;
const usualComments = [
  ['/*', '*/'],
  ['<!--', '-->'],
  ['<%#', '%>'],
  ['{{!', '}}'],
  ['{#', '#}'],
  ['(*', '*)'],
] as const;

/** `known`: what is a comment there, its scanner tells. Of all others a sentence may pass for code. */
function kindOf(path: string): 'known' | 'unknown' | 'prose' {
  const name = languageOf(path)?.name ?? '';
  if (known.has(name) && !path.endsWith('.erb')) return 'known';
  return proseLanguages.has(name) || (name === '' && proseName.test(path)) ? 'prose' : 'unknown';
}

const known = new Set(
  'javascript typescript python ruby go rust java kotlin scala groovy csharp swift dart c cpp objective-c protobuf solidity scss css json terraform toml graphql cmake makefile shell yaml dockerfile'.split(
    ' ',
  ),
);
const proseLanguages = new Set(['markdown', 'rst', 'asciidoc', 'latex']);
const proseName = /\.(?:txt|text|org)$|(?:^|\/)(?:license|notice|authors|changelog|readme)[^/.]*$/i;
