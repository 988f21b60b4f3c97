import type { AgentEvent } from './agent/event.ts';
import type { ReviewEvent } from './events.ts';
import { withPlaces } from './findings/citations.ts';
import { type PlacedFinding, placeOf } from './findings/finding.ts';
import { withoutOwnChecks } from './history/known-findings.ts';
import { type Memory, noMemory } from './history/memory.ts';
import { recall } from './history/recall.ts';
import { receiptsAfter } from './history/receipts/make-receipts.ts';
import type { Readings } from './history/receipts/receipts.ts';
import { surroundingsAt } from './history/surroundings.ts';
import { inEnglish } from './messages/languages.ts';
import type { Message } from './messages/message.ts';
import { wrapPort } from './port.ts';
import type { ChangedFile } from './pull-request/changed-file.ts';
import { type ComposeContext, composeReview, uncountedFindings } from './review/compose-review.ts';
import { readBefore } from './review/convergence.ts';
import { type Delivering, deliver, undelivered } from './review/deliver.ts';
import type { ReviewDraft } from './review/draft.ts';
import { approves } from './review/facts.ts';
import { foundIn, idsOfRun, withProofs, withSurroundings } from './review/keep-places.ts';
import { reflect } from './review/reflect.ts';
import type { Review } from './review/review.ts';
import { type Delivery, type Destination, publishes, type ReviewRecord } from './review/sink.ts';
import { decide, openGate } from './review/verdict.ts';
import { type Drafted, draftReview } from './reviewing/draft-review.ts';
import type { ReviewingParts, RunOutput } from './reviewing/parts.ts';
import { secretsIn } from './rules/find-secrets.ts';
import { loadRules } from './rules/load-rules.ts';
import type { Secret } from './secrets/redact.ts';
import { priceOf } from './settings/formats.ts';
import { atLeast } from './settings/setting.ts';
import { deadlines, handsOver } from './settings/settings.ts';

/** Everything a review needs of the world: each part was built once, and is passed as itself. */
export type ReviewParts = ReviewingParts & {
  readonly output: ReviewOutput;
};

/** Where a review goes. */
export type ReviewOutput = RunOutput & {
  readonly destinations: readonly Destination[];
  /** Whether this run has a key to sign with: see `MarkKeys`. */
  readonly signs: boolean;
  /** Keeps the draft for the job that posts it; null when this run posts itself. */
  readonly handOver: ((draft: ReviewDraft, review: Review) => Promise<Delivery>) | null;
  /** Called once it is known that what was asked gets an answer. */
  readonly onAccept?: (() => Promise<void>) | undefined;
};

/** The recipe: remember what was said, run the rules and the model, compose one review, deliver it. */
export async function reviewPullRequest(parts: ReviewParts, remembered?: Memory): Promise<ReviewRecord> {
  const memory = remembered ?? (await remember(parts));
  const linked = withoutOwnChecks(parts.pullRequest.linked, parts.identity);
  const reviewing = { ...parts, pullRequest: { ...parts.pullRequest, linked } };
  return await concludeReview(parts, { memory, ...(await draftReview(reviewing, memory)) });
}

/** The second half: a draft, made here or by another job, becomes a review and is delivered. */
export async function concludeReview(
  parts: ReviewParts,
  { draft: drafted, memory, files, sources, standing }: Drafted & { readonly memory: Memory },
): Promise<ReviewRecord> {
  const { identity, pullRequest } = parts;
  const surroundings = surroundingsAt(parts.code);
  const hasDraft = drafted.kind === 'reviewed';
  const places = hasDraft ? await withPlaces(foundIn(drafted), (path) => sources.read(path, 'RIGHT')) : [];
  // Where nothing is remembered, nobody asks what a finding stood in.
  const found = identity === null ? places : await withSurroundings(places, { surroundings, files });
  const draft = hasDraft ? { ...drafted, earlier: await withProofs(drafted.earlier, surroundings) } : drafted;
  const mint = idsOfRun(identity, pullRequest.head.sha);
  const composing = {
    ...parts,
    memory,
    files,
    found,
    standing,
    mayApprove: null,
    mint,
    readBefore: readBefore(standing),
  };
  const composed = await compose(draft, composing);
  const warnings = gateWarning(composed, { ...parts, memory });
  for (const warning of warnings) parts.output.report({ type: 'warning', text: inEnglish(warning) });
  const dry: readonly Message[] = parts.settings.dryRun ? [{ code: 'note.dry-run' }] : [];
  for (const note of dry) parts.output.report({ type: 'note', text: inEnglish(note) });
  const readings = await readingsAfter(parts, { draft, review: composed, memory, files, sources, standing });
  const review = { ...composed, readings, signs: parts.output.signs, notes: [...composed.notes, ...warnings, ...dry] };
  const { outcome } = review;
  const headline = inEnglish.sentences(review.headline);
  parts.output.report({ type: 'findings-list', findings: listed(review) });
  parts.output.report({
    type: 'review-end',
    outcome,
    headline,
    milliseconds: parts.run.clock.now() - parts.run.startedAt,
  });
  // A cancelled run writes its files, and nothing to GitHub.
  const open = parts.run.signal.aborted
    ? parts.output.destinations.filter((one) => !publishes(one))
    : parts.output.destinations;
  const {
    output: { handOver },
  } = parts;
  const handing: readonly Destination[] =
    handOver === null
      ? []
      : [
          {
            name: parts.settings.mode === 'plan' ? 'plan-file' : 'review-file',
            deliver: () => handOver(draft, review),
          },
        ];
  // The job that posts fails for findings: a failed review job would keep it from starting.
  // A run that a comment started is no check of the pull request.
  const gate = handsOver(parts.settings) || parts.trigger.asked !== undefined ? openGate : parts.settings;
  const to = { destinations: [...handing, ...open], gate, ...reflecting(parts) };
  const record = await deliver(review, to, (delivery) => parts.output.report({ type: 'delivery-end', delivery }));
  // Where nothing was reviewed, nothing was posted, and no findings is not what that means.
  const isReviewed = outcome !== 'failed' && outcome !== 'skipped';
  const isSure = record.placed.length > 0 || (isReviewed && undelivered(record.deliveries) === null);
  if (open.some(publishes) && isSure) parts.output.report({ type: 'findings-post', ...posted(record) });
  return record;
}

/** What the next run goes on from; null where nothing is kept. */
async function readingsAfter(
  { past, settings, trigger }: ReviewParts,
  { draft, review, memory, files, standing }: Drafted & { readonly review: Review; readonly memory: Memory },
): Promise<Readings | null> {
  // The job that posts keeps it.
  if (past === null || draft.kind === 'stopped' || draft.basis === null || handsOver(settings)) return null;
  const { basis, batches, narrowed, coverage } = draft;
  return await receiptsAfter(
    {
      ...{ earlier: trigger.asked === undefined ? (memory.state?.readings ?? null) : null, standing, basis, files },
      batches: batches.map(({ report, read }) => {
        const { paths, reviewed, gap } = report;
        return { paths, read, isWhole: reviewed && gap === null, approves: approves({ report }) };
      }),
      reviewed: new Set(coverage.reviewed),
      narrowed: new Set(narrowed),
      unproven: new Set(review.unproven),
      doubted: new Set(review.doubted),
      isApproved: review.facts.word === 'approves',
    },
    { seal: past.seal, blobs: (paths) => past.blobs(paths, 'head') },
  );
}

function listed({ findings }: Review): EventOf<'findings-list'>['findings'] {
  const open = findings.filter(({ place }) => place !== 'suppressed');
  return open.map(({ title, severity, place, life, ...finding }) => {
    const known = life === undefined ? {} : { life };
    return { title, severity, place: placeOf(finding), standing: place === 'standing', ...known };
  });
}

function posted({ placed, deliveries }: ReviewRecord): Pick<EventOf<'findings-post'>, 'places' | 'url'> {
  const places: { [place in PlacedFinding['place']]?: number } = {};
  for (const { place } of placed) places[place] = (places[place] ?? 0) + 1;
  // Files that were written have paths.
  return { places, url: deliveries.find(({ url }) => url?.startsWith('http') === true)?.url ?? null };
}

type EventOf<T extends ReviewEvent['type']> = Extract<ReviewEvent, { type: T }>;

/** A gate that cannot count what was raised before must not look as if it did. */
function gateWarning(
  review: Review,
  { memory, settings }: Pick<ReviewParts, 'settings'> & { readonly memory: Memory },
): readonly Message[] {
  const { failOn } = settings;
  if (failOn === 'never' || handsOver(settings)) return [];
  const severe = uncountedFindings(review, memory.prior).filter(({ mark }) => atLeast(mark.severity, failOn));
  if (severe.length === 0) return [];
  return [{ code: 'note.unsigned-findings', count: severe.length, level: failOn }];
}

/** One more call, when it was asked for and there is something to judge. */
function reflecting({
  settings,
  models: { model },
  run: { clock, random, signal, startedAt },
  output: { report },
}: ReviewParts): Pick<Delivering, 'reflect'> {
  if (!settings.reflect || model === null || signal.aborted) return {};
  const price = priceOf(settings.pricing, settings.model);
  const { delivery: end } = deadlines(startedAt, settings.timeoutMinutes);
  const emit = (event: AgentEvent) => report({ type: 'agent-event', batch: 'reflection', event });
  return {
    reflect: async (review) => {
      const { usage, cost, modelCalls } = review.metrics;
      if (modelCalls === 0) return { reflection: null, metrics: review.metrics };
      const maxTokens = settings.maxTotalTokens - usage.input - usage.output;
      const maxCost = settings.maxCost === null ? null : settings.maxCost - (cost ?? 0);
      const reflected = await reflect(review, { model, price, maxTokens, maxCost, clock, random, signal, emit, end });
      if (reflected.reflection !== null) report({ type: 'reflection-end', ...reflected.reflection });
      return reflected;
    },
  };
}

/** @returns what earlier runs said, and what of it this run is to look at. */
export async function remember(parts: ReviewParts): Promise<Memory> {
  const {
    past,
    identity,
    output: { signs, report },
    pullRequest,
    settings,
  } = parts;
  if (past === null || identity === null) return noMemory;
  const memory = await recall({
    pullRequest,
    identity,
    past,
    signs,
    // The job that posts has a key of its own, and may approve what the job that reviews says.
    isOwnKey: !handsOver(settings),
    called: parts.trigger.called ?? '',
    hears: settings.commands !== 'off',
    surroundings: surroundingsAt(parts.code),
  });
  for (const text of memory.notes ?? []) report({ type: 'note', text });
  return memory;
}

/** Whether the author may be approved is asked only when nothing else is in the way. */
async function compose(draft: ReviewDraft, context: ComposeContext & Pick<ReviewParts, 'past'>): Promise<Review> {
  const review = composeReview(draft, context);
  const { past, pullRequest } = context;
  const isOpen = review.facts.approval === 'unknown';
  if (!isOpen || past === null || !decide({ ...review.facts, approval: 'proven' }, openGate).approves) return review;
  return composeReview(draft, { ...context, mayApprove: await past.canWrite(pullRequest.author) });
}

/**
 * The same parts, which name the credentials in a diff before anybody else sees the diff: what a rule finds must not be in a log, a comment or a
 * transcript because a rule found it.
 */
export function learningSecrets(parts: ReviewParts, learn: (secrets: readonly Secret[]) => void): ReviewParts {
  let loading: ReturnType<typeof loadRules> | undefined;
  const learnFrom = async (files: readonly ChangedFile[]) => {
    loading ??= loadRules(parts.code.repository);
    const { rules } = await loading;
    learn(secretsIn(rules, files));
  };
  return {
    ...parts,
    past:
      parts.past &&
      wrapPort(parts.past, {
        changesBetween: async (proceed) => {
          const files = await proceed();
          if (files !== null) await learnFrom(files);
          return files;
        },
      }),
    code: {
      ...parts.code,
      changes: async () => {
        const changes = await parts.code.changes();
        await learnFrom(changes.files);
        return changes;
      },
    },
  };
}
