import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Anchor, Finding } from '../findings/finding.ts';
import type { FindingMark, MarkedLines, OpenMark } from './mark.ts';
import type { RunIdentity } from './run-identity.ts';

const titleCharacters = 200;
const digestsAtMost = 40;

export type MarkContext = {
  readonly identity: RunIdentity;
  /** Full hash of the reviewed head. */
  readonly commit: string;
  readonly mergeBase: string;
  readonly redact: (text: string) => string;
};

/** What is kept of a finding where a comment holds it. */
export function markOf(finding: Finding, { identity, commit, mergeBase, redact }: MarkContext): FindingMark {
  const { path, anchor, severity, category, ruleId } = finding;
  return {
    kind: 'finding',
    name: identity.name,
    run: identity.run,
    commit,
    mergeBase,
    path,
    lines: markedLines(anchor),
    title: redact(finding.title).slice(0, titleCharacters),
    severity,
    category,
    ruleId,
  };
}

/** What is kept of a finding that a comment holds, with the number that the comment's address ends in. */
export function openMark(mark: FindingMark, url: string | null): OpenMark {
  const number = /[^\d](\d{1,15})$/.exec(url ?? '')?.[1];
  return { ...mark, comment: number === undefined ? null : Number(number) };
}

function markedLines(anchor: Anchor): MarkedLines | null {
  if (anchor.kind === 'file') return null;
  const { side, startLine, endLine, quote } = anchor;
  return { side, startLine, endLine, digests: digestsOf(quote) };
}

/** Short digests of the lines of a quote without their white space; blank lines have none. */
export function digestsOf(quote: string): readonly string[] {
  const lines = quote.split('\n').map((line) => line.replace(/\s+/g, ''));
  return lines
    .filter((line) => line !== '')
    .slice(0, digestsAtMost)
    .map((line) => bytesToHex(sha256(utf8ToBytes(line))).slice(0, 8));
}
