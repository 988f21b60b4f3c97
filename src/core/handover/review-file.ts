import { utf8ToBytes } from '@noble/hashes/utils.js';
import { UserError } from '../errors.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunIdentity } from '../memory/memory.ts';
import type { ReviewDraft, ReviewedDraft, StoppedDraft } from '../review/draft.ts';
import type { BatchReport } from '../review/review.ts';
import type { Parsed } from '../schema.ts';
import {
  type BatchOnWire,
  type FileOnWire,
  type FindingOnWire,
  metricsFrom,
  parseFileOnWire,
  type ReviewedOnWire,
  reviewFileLimits,
  type StoppedOnWire,
  stopOf,
} from './schema.ts';
import { draftOnWire } from './write.ts';

/** A review on its way from the job that has the key to the job that may write. */
export type ReviewFile = ReviewFileOrigin & { readonly draft: ReviewDraft };

export type ReviewFileOrigin = {
  /** `owner/name`. */
  readonly repository: string;
  readonly number: number;
  /** Full hashes. */
  readonly head: string;
  readonly mergeBase: string;
  readonly identity: RunIdentity;
  /** Of the Postil that wrote it. */
  readonly version: string;
};

/**
 * The file's text: JSON without secrets, at most 5,000,000 bytes. Where it would be larger, texts are cut and the findings of least weight are
 * left out, and the draft says so.
 *
 * @throws UserError when even that does not fit.
 */
export function renderReviewFile(
  draft: ReviewDraft,
  about: ReviewFileOrigin & { readonly redact: (text: string) => string },
): string {
  const { redact, ...origin } = about;
  let problems: readonly string[] = [];
  for (const room of rooms) {
    const text = `${JSON.stringify({ schema_version: 1, ...origin, ...draftOnWire(draft, { redact, room }) })}\n`;
    // What the other job would refuse is better reported here.
    const parsed = parseReviewFile(text);
    if (parsed.ok) return text;
    problems = parsed.problems;
  }
  throw new UserError(`The review does not fit into a review file: ${problems.join('; ')}.`, {
    hint: 'Narrow what is reviewed with `include` and `exclude`.',
  });
}

const rooms = [
  { text: reviewFileLimits.text, findings: reviewFileLimits.findings },
  { text: 1_000, findings: reviewFileLimits.findings },
  { text: 1_000, findings: 100 },
] as const;

/** Reads what `renderReviewFile` wrote, or what somebody made of it: only the form is sure afterwards, nothing that it says. Never throws. */
export function parseReviewFile(text: string): Parsed<ReviewFile> {
  if (text.length > reviewFileLimits.bytes || utf8ToBytes(text).length > reviewFileLimits.bytes) {
    return refuse(`it is larger than ${reviewFileLimits.bytes / 1_000_000} MB`);
  }
  const value = parsedJson(text);
  if (value === undefined) return refuse('it is not JSON');
  const parsed = parseFileOnWire(value);
  if (!parsed.ok) return parsed;
  const { schema_version: _, reviewed, stopped, ...origin } = parsed.value;
  const draft = draftFrom({ reviewed, stopped });
  if (draft === null) return refuse('it must hold either a review or the reason why there is none');
  const findings = countFindings(draft);
  if (findings > reviewFileLimits.findings) return refuse(`it has ${findings} findings`);
  return { ok: true, value: { ...origin, draft } };
}

/** Undefined for what is not JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function countFindings(draft: ReviewDraft): number {
  if (draft.kind === 'stopped') return 0;
  return draft.batches.reduce((sum, { findings }) => sum + findings.length, draft.ruleFindings.length);
}

function refuse(problem: string): Parsed<ReviewFile> {
  return { ok: false, problems: [problem] };
}

/** The draft in a file whose form was checked; null when the file holds none, or two. Ids of findings are given anew. */
function draftFrom({ reviewed, stopped }: Pick<FileOnWire, 'reviewed' | 'stopped'>): ReviewDraft | null {
  if (reviewed !== null) return stopped === null ? reviewedFrom(reviewed) : null;
  return stopped === null ? null : stoppedFrom(stopped);
}

function reviewedFrom(wire: ReviewedOnWire): ReviewedDraft {
  let count = 0;
  const read = (findings: readonly FindingOnWire[], source: Finding['source']) =>
    findings.map((finding) => findingFrom(finding, { id: `f${++count}`, source }));
  const withId = <T extends { readonly finding: FindingOnWire }>(one: T, source: Finding['source']) => ({
    ...one,
    finding: findingFrom(one.finding, { id: `f${++count}`, source }),
  });
  const { since, why } = wire.scope;
  return {
    ...wire,
    kind: 'reviewed',
    scope: since === null ? { kind: 'full', why: why ?? 'first review' } : { kind: 'incremental', since },
    ruleFindings: read(wire.ruleFindings, 'rule'),
    ignored: wire.ignored.map((one) => withId(one, 'rule')),
    batches: wire.batches.map(({ findings, refused, dismissed, ...report }) => ({
      report: reportFrom(report),
      findings: read(findings, 'model'),
      refused,
      dismissed: dismissed.map(({ proof, ...one }) => ({
        ...withId(one, 'model'),
        ...(proof === null ? {} : { proof }),
      })),
    })),
  };
}

function stoppedFrom({ stop, ...wire }: StoppedOnWire): StoppedDraft {
  return { ...wire, kind: 'stopped', stop: stoppedBecause(stop) };
}

function stoppedBecause({ reason, message, hint }: StoppedOnWire['stop']): StoppedDraft['stop'] {
  switch (reason) {
    case 'skipped':
      return { reason, why: message };
    case 'nothing':
      return { reason: 'skipped', why: message, nothing: true };
    case 'failed':
      return { reason, message, hint };
    case 'cancelled':
      return { reason };
  }
}

function reportFrom(wire: Omit<BatchOnWire, 'findings' | 'refused' | 'dismissed'>): BatchReport {
  return { ...wire, stop: stopOf(wire.stop), metrics: metricsFrom(wire.metrics) };
}

function findingFrom(
  { lines, sameAs, verification, ...wire }: FindingOnWire,
  own: { id: string; source: Finding['source'] },
): Finding {
  const repeated = sameAs === null ? {} : { sameAs };
  const judged = verification === null ? {} : { verification };
  const anchor = lines === null ? ({ kind: 'file' } as const) : ({ kind: 'lines', ...lines } as const);
  return { ...wire, ...own, ...repeated, ...judged, anchor };
}
