import { utf8ToBytes } from '@noble/hashes/utils.js';
import { UserError } from '../errors.ts';
import type { RunIdentity } from '../memory/run-identity.ts';
import type { Parsed } from '../schema.ts';
import type { ReviewDraft } from './draft.ts';
import { draftFrom } from './review-file-reading.ts';
import { parseFileOnWire, reviewFileLimits } from './review-file-schema.ts';
import { draftOnWire } from './review-file-writing.ts';

/** A review on its way from the job that has the key to the job that may write (FAILURES, security 7). */
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
    // What the other job would refuse is better told here.
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
  return draft.bundles.reduce((sum, { findings }) => sum + findings.length, draft.ruleFindings.length);
}

function refuse(problem: string): Parsed<ReviewFile> {
  return { ok: false, problems: [problem] };
}
