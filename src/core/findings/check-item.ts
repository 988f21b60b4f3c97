import type { Finding } from './finding.ts';
import { type Grounded, ground } from './ground.ts';
import type { GroundSources } from './ground-sources.ts';
import type { NormalisedItem } from './normalise-item.ts';
import type { SubmittedFinding } from './submission.ts';

type Placed = Extract<Grounded, { ok: true }>;

export type AcceptedItem = {
  readonly ok: true;
  readonly number: number;
  readonly title: string;
  readonly path: string;
  readonly item: SubmittedFinding;
  readonly grounded: Placed;
};

export type FailedItem = {
  readonly ok: false;
  readonly number: number;
  readonly title: string;
  readonly path: string;
  readonly reason: string;
};

/** One submitted item, grounded, or what the model has to fix. */
export async function checkItem(
  normalised: NormalisedItem,
  sources: GroundSources,
): Promise<AcceptedItem | FailedItem> {
  if (!normalised.ok) {
    const { number, title, path, problem } = normalised;
    return { ok: false, number, title, path, reason: problem };
  }
  const { number, item } = normalised;
  const { title, path } = item;
  const grounded = await ground(item, sources);
  if (!grounded.ok) return { ok: false, number, title, path, reason: grounded.reason };
  return { ok: true, number, title, path, item, grounded };
}

export function findingFrom(id: string, { item, grounded }: Pick<AcceptedItem, 'item' | 'grounded'>): Finding {
  const { title, review, evidence, severity, category, confidence } = item;
  const { path, anchor, suggestion } = grounded;
  return {
    id,
    path,
    anchor,
    title,
    review,
    evidence,
    severity,
    category,
    suggestion,
    ruleId: item.rule_id,
    ...(item.same_as === null ? {} : { sameAs: item.same_as }),
    confidence,
    source: 'model',
    alsoAt: [],
  };
}

/** Tells the model what is kept and asks for the failing items only. */
export function answerTo(checked: {
  readonly accepted: readonly AcceptedItem[];
  readonly failed: readonly FailedItem[];
}): string {
  const kept = checked.accepted.map((item) => `#${item.number}`).join(', ');
  const lines = [
    kept === '' ? 'Nothing accepted.' : `Accepted ${kept}.`,
    ...checked.failed.map((item) => `Resubmit #${item.number}: ${item.reason}`),
    'Send only these, corrected, or an empty files_review to withdraw them. What was accepted is kept.',
  ];
  return lines.join('\n');
}
