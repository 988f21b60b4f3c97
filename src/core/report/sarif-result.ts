import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Finding } from '../findings/finding.ts';
import { digestsOf } from '../memory/finding-mark.ts';
import type { LedgerEntry } from '../review/review.ts';
import { removeInvisible } from './invisible.ts';
import { characters, cutText } from './limits.ts';
import type { RenderContext } from './render-context.ts';
import { sarifLevels } from './sarif-rules.ts';
import type { SarifArtifact, SarifFix, SarifRegion, SarifResult } from './sarif-schema.ts';
import { linesOf } from './wording.ts';

export type SarifContext = Pick<RenderContext, 'redact' | 'name'> & { readonly version: string };

type Form = {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly context: SarifContext;
  /** How often a fingerprint occurred already: equal ones are numbered. */
  readonly seen: Map<string, number>;
};

const messageCharacters = 4_000;

export function resultOf({ finding, place, reason, by }: LedgerEntry, form: Form): SarifResult {
  const { ruleId, ruleIndex, context, seen } = form;
  return {
    ruleId,
    ruleIndex,
    level: sarifLevels[finding.severity],
    message: { text: messageOf(finding, context) },
    locations: [{ physicalLocation: { artifactLocation: artifactOf(finding), region: regionOf(finding) } }],
    partialFingerprints: { 'postilFinding/v1': fingerprint(finding, { ruleId, seen }) },
    ...fixesOf(finding, context),
    ...(place === 'suppressed'
      ? { suppressions: [{ kind: kindOf(by), justification: plain(reason ?? 'Declined.', context) }] }
      : {}),
    properties: { confidence: finding.confidence, category: finding.category },
  };
}

function kindOf(by: LedgerEntry['by']): 'external' | 'inSource' {
  return by === 'rule-comment' ? 'inSource' : 'external';
}

function messageOf(finding: Finding, context: SarifContext): string {
  const lines = linesOf(finding.anchor);
  const removed = finding.anchor.kind === 'lines' && finding.anchor.side === 'LEFT';
  const place = removed ? `About removed lines, ${lines} before the change.` : '';
  const text = [`${finding.title}.`.replace(/([.!?])\.$/, '$1'), place, finding.review].filter((part) => part !== '');
  return plain(text.join('\n\n'), context);
}

function plain(text: string, { redact }: SarifContext): string {
  return cutText(removeInvisible(redact(text.trim())), { max: messageCharacters, measure: characters });
}

function artifactOf({ path }: Finding): SarifArtifact {
  const uri = path
    .split('/')
    .map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '\uFFFD')))
    .join('/');
  return { uri, uriBaseId: '%SRCROOT%' };
}

/** Code scanning wants a line of the new file: a matter of the whole file, or of removed lines, is shown at its first. */
function regionOf({ anchor }: Finding): SarifRegion {
  if (anchor.kind === 'file' || anchor.side === 'LEFT') return { startLine: 1, endLine: 1 };
  return { startLine: anchor.startLine, endLine: anchor.endLine };
}

/** The same while the lines stay the same, wherever they move; of several equal ones each its own. */
function fingerprint(finding: Finding, { ruleId, seen }: Pick<Form, 'ruleId' | 'seen'>): string {
  const lines = finding.anchor.kind === 'lines' ? digestsOf(finding.anchor.quote) : [];
  const key = JSON.stringify([ruleId, finding.path, lines]);
  const count = (seen.get(key) ?? 0) + 1;
  seen.set(key, count);
  return `${bytesToHex(sha256(utf8ToBytes(key))).slice(0, 16)}:${count}`;
}

function fixesOf(finding: Finding, context: SarifContext): { readonly fixes?: readonly SarifFix[] } {
  const { anchor, suggestion, narrowed } = finding;
  if (suggestion === null || anchor.kind === 'file' || anchor.side === 'LEFT' || narrowed === true) return {};
  // A fix that differs from what was meant is worse than none.
  if (context.redact(suggestion) !== suggestion || removeInvisible(suggestion) !== suggestion) return {};
  const text = suggestion === '' ? '' : `${suggestion.replace(/\n$/, '')}\n`;
  const replacements = [{ deletedRegion: wholeLines(anchor), insertedContent: { text } }];
  const artifactChanges = [{ artifactLocation: artifactOf(finding), replacements }];
  return { fixes: [{ description: { text: 'The change that the reviewer suggests.' }, artifactChanges }] };
}

/** From the start of the first line to the start of the one behind the last. */
function wholeLines({ startLine, endLine }: { readonly startLine: number; readonly endLine: number }) {
  return { startLine, startColumn: 1, endLine: endLine + 1, endColumn: 1 };
}
