import type { Message } from '../messages/message.ts';
import type { Severity } from '../settings/setting.ts';
import { cutLine } from '../text.ts';
import { type CheckedEvidence, checkEvidence, checkPlaces } from './citations.ts';
import { type Finding, fullPlaceOf, type Unplaced } from './finding.ts';
import { type Grounded, ground } from './ground.ts';
import type { NormalisedItem } from './read-submission.ts';
import type { GroundSources } from './sources.ts';
import { findChangedFile } from './subject.ts';
import type { SubmittedFinding } from './submission.ts';

export type ItemOptions = GroundSources & {
  /** Ids that are unique in the whole run. */
  readonly nextId: () => string;
  /** Rules that there are: a finding that names another one names none. All are believed when left out. */
  readonly ruleIds?: ReadonlySet<string>;
};

export type AcceptedItem = {
  readonly ok: true;
  readonly number: number;
  readonly item: SubmittedFinding;
  readonly grounded: Extract<Grounded, { ok: true }>;
  readonly proof: Proof;
};

/** What was cited, looked up. */
type Proof = CheckedEvidence & { readonly alsoAt: readonly string[] };

export type FailedItem = {
  readonly ok: false;
  readonly number: number;
  /** The finding that it is if the model cannot fix it. */
  readonly finding: Finding;
  /** True for one that says nothing at all. */
  readonly isBlank: boolean;
  /** How severe an answer to it must be at least: whatever its severity was, where nobody could read it. */
  readonly least: Severity;
  /** For the model. */
  readonly reason: string;
  /** For people. */
  readonly told: Message;
};

/** One submitted item, grounded, or what the model has to fix. */
export async function checkItem(normalised: NormalisedItem, options: ItemOptions): Promise<AcceptedItem | FailedItem> {
  const { number } = normalised;
  if (!normalised.ok) {
    const { said, problem } = normalised;
    const told: Message =
      said.severity === null ? { code: 'unplaced.unreadable-severity' } : { code: 'unplaced.unreadable' };
    const read = { ...unsaid, ...said, severity: said.severity ?? 'critical' };
    const finding = await unplacedFinding(read, { unplaced: { reason: told, unreadable: true }, options });
    const least = said.severity ?? 'nitpick';
    return { ok: false, number, finding, isBlank: said.title + said.review === '', least, reason: problem, told };
  }
  const { item } = normalised;
  const grounded = await ground(item, options);
  if (grounded.ok) return { ok: true, number, item, grounded, proof: await proofOf(item, options) };
  const { reason, told } = grounded;
  const finding = await unplacedFinding(item, { unplaced: { reason: told }, options });
  return { ok: false, number, finding, isBlank: false, least: finding.severity, reason, told };
}

async function proofOf(item: SubmittedFinding, sources: GroundSources): Promise<Proof> {
  const alsoAt = await checkPlaces(item.also_at, sources);
  return { ...(await checkEvidence(item.evidence, sources)), alsoAt };
}

const onNoLines = { lines: null, side: 'RIGHT', also_at: [], suggestion: null } as const;
const unsaid = { ...onNoLines, rule_id: null, same_as: null, confidence: 0.5 } as const;

/** A finding of the file that it names. What it would put in place of code that was not found is no suggestion. */
async function unplacedFinding(
  item: SubmittedFinding,
  { unplaced, options }: { unplaced: Omit<Unplaced, 'quote'>; options: ItemOptions },
): Promise<Finding> {
  const path = findChangedFile(item.path, options.files)?.path ?? item.path;
  const title = item.title || cutLine(item.review, 80);
  const grounded = { ok: true, path, anchor: { kind: 'file' }, suggestion: null } as const;
  const finding = findingFrom({ item: { ...item, title }, grounded, proof: await proofOf(item, options) }, options);
  return { ...finding, unplaced: { ...unplaced, quote: item.quote } };
}

export function findingFrom(
  { item, grounded, proof }: Pick<AcceptedItem, 'item' | 'grounded' | 'proof'>,
  { nextId, ruleIds }: ItemOptions,
): Finding {
  const { title, review, severity, category, confidence, rule_id: named, same_as: sameAs } = item;
  const { path, anchor, suggestion } = grounded;
  const ruleId = named === null || ruleIds?.has(named) === false ? null : named;
  const { evidence, citations } = proof;
  const said = { title, review, evidence, severity, category, suggestion, ruleId, confidence };
  const cited = citations.length === 0 ? {} : { citations };
  const alsoAt = proof.alsoAt.filter((place) => place !== fullPlaceOf({ path, anchor }));
  const same = sameAs === null ? {} : { sameAs };
  return { id: nextId(), path, anchor, ...said, ...cited, ...same, source: 'model', alsoAt };
}
