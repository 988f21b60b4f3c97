import { narrowToList } from '../batches/batch-list.ts';
import { oneForEach } from '../findings/earlier.ts';
import { pathsAsked } from '../history/asked.ts';
import type { Memory } from '../history/memory.ts';
import { narrowToScope, nothingHolds, type Standing, scopeMessage, scopeOf } from '../history/scope.ts';
import { toAsk } from '../history/settle.ts';
import { inEnglish } from '../messages/languages.ts';
import { type Message, verbatim } from '../messages/message.ts';
import type { Changes } from '../pull-request/pull-request.ts';
import { asAdded, type Selection } from '../pull-request/select-files.ts';
import { limitsOf, type ReviewDraft, type ReviewedDraft, type StoppedDraft } from '../review/draft.ts';
import {
  isAskedFor,
  nothingToReview,
  reasonToPause,
  reasonToRest,
  reasonToSkip,
  strangersNote,
} from '../review/left-out.ts';
import { noShards, type ShardPlan } from '../review/shards.ts';
import { keyHint } from '../review/stops.ts';
import { brokenFiles } from '../rules/broken-files.ts';
import { carriedLines } from '../rules/carried.ts';
import { applyRules } from '../rules/run-rules.ts';
import { handsOver } from '../settings/settings.ts';
import { coverageOf, incompleteFiles, obeyInBatches, unseenImages, visionNotes } from './coverage.ts';
import { questions, ruleAnswers } from './earlier.ts';
import { hiddenFromModel } from './hide.ts';
import type { ReviewingParts, Shard } from './parts.ts';
import { followChange, type PreparedChange, prepareChange } from './prepare-change.ts';
import { type ModelReviewed, planShards, reviewWithModel } from './review-with-model.ts';
import { basisOf, readAgainNotes, standingFor } from './standing.ts';
import { lookAtImages, type Vision, withImages } from './vision.ts';

export type Drafted = {
  readonly draft: ReviewDraft;
  /** Every file of the diff; empty when it was not read. */
  readonly files: Changes['files'];
  /** Where it is looked up what was found. */
  readonly sources: PreparedChange['sources'];
  /** What of them was reviewed before. */
  readonly standing: Standing;
};

/** Runs the rules and the model over what is to be reviewed. Posts nothing and compares with nothing. */
export async function draftReview(given: ReviewingParts, remembered: Memory): Promise<Drafted> {
  const { pullRequest, settings, trigger } = given;
  const { shard } = trigger;
  // What is reviewed was decided by the plan, whatever was said since.
  if (shard !== undefined)
    return shard.stop === null ? draftShard(given, shard, remembered) : unbegun(given, shard.stop);
  const skip = reasonToSkip(pullRequest, settings, trigger);
  if (skip !== null) return withoutDiff(stopped(given, skip));
  const pause = isAskedFor(trigger) ? null : reasonToPause(remembered);
  if (pause !== null) return withoutDiff(stopped(given, { why: pause, paused: true }));
  const notes = [...trigger.notes, ...strangersNote(pullRequest, settings, trigger)];
  // The rules cost nothing: they look at every push.
  const noted = { ...given, trigger: { ...trigger, notes } };
  const parts = reasonToRest(remembered) === null ? noted : withoutModel(noted);
  const globs = pathsAsked(trigger.asked);
  const change = await prepareChange(parts, { globs, rulesOnly: parts.models.model === null });
  const { changes, isDenied, selection: texts, sources } = change;
  const { files } = changes;
  const memory = followChange(remembered, files);
  const basis = await basisOf(parts, change);
  const standing = await standingFor(parts, { change, memory, basis });
  tellScope(parts, standing);
  const approves = settings.reviewEvent === 'approve' || handsOver(settings);
  const narrow = (some: Changes['files']) => narrowToScope(some, { standing, approves });
  const vision = await lookAtImages(parts, { selection: texts, narrow, isDenied });
  const selection = withImages(texts, vision);
  const seenBefore = vision?.earlier ?? [];
  const missed = vision?.missed.length ?? 0;
  const { kept: all, unread } = selection;
  // Also where the workflow leaves them out: they decide over every later run.
  const unnamed = { config: settings.config, nextId: () => '', hide: (text: string) => text };
  const broken = await brokenFiles({ ...parts.code, files, ...unnamed });
  if (all.length + unread.length + changes.missing.length + seenBefore.length + missed + broken.length === 0) {
    if (files.length > 0) tellSelection(parts, selection);
    const nothing = stopped(parts, { why: nothingToReview(changes, selection), nothing: true }, selection);
    return { draft: nothing, files, sources, standing };
  }
  // The rules look at all of the change for theirs.
  const rechecked = toAsk(memory.prior).filter(({ mark }) => mark.source !== 'rule');
  const { kept, earlier, narrowed } = narrowToScope(all, { standing, rechecked, approves });
  const found = { ...selection, kept };
  tellSelection(parts, found);
  const before = { standing, earlier: [...earlier, ...seenBefore], narrowed };
  const whole = [...all, ...selection.unshown];
  const draft = await draftSelection(parts, { change, selection: found, whole, before, memory, vision });
  return { draft: draft.kind === 'reviewed' ? { ...draft, basis } : draft, files, sources, standing };
}

function withoutDiff(draft: StoppedDraft): Drafted {
  return { draft, files: [], sources: { files: [], read: async () => null }, standing: nothingHolds('first review') };
}

function tellScope({ pullRequest, output: { report } }: ReviewingParts, standing: Standing): void {
  const scope = scopeMessage(scopeOf(standing), pullRequest.head.sha);
  for (const text of [...(scope === null ? [] : [inEnglish(scope)]), ...readAgainNotes(standing)])
    report({ type: 'note', text });
}

/** Reviews the batches of one shard, with everything around them as a run would have it that reviews them all. */
async function draftShard(parts: ReviewingParts, { plan, number }: Shard, remembered: Memory): Promise<Drafted> {
  const change = await prepareChange(parts, { globs: [], rulesOnly: parts.models.model === null });
  const { isDenied, selection: texts, sources } = change;
  const { files } = change.changes;
  const planned = new Set(plan.batches.flatMap((batch) => batch.files.map(({ path }) => path)));
  const shown = { ...texts, unshown: texts.unshown.filter(({ path }) => planned.has(path)) };
  const narrow = (some: Changes['files']) => ({ kept: some, earlier: [], narrowed: [] });
  const vision = await lookAtImages(parts, { selection: shown, narrow, isDenied });
  const { kept: found, unshown } = withImages(texts, vision);
  // An image that was planned and cannot be shown now counts as not seen.
  const has = new Set(found.map(({ path }) => path));
  const kept = [...found, ...shown.unshown.filter(({ path }) => !has.has(path))];
  const selection = { kept: narrowToList(kept, plan.batches), unshown, skipped: [], unread: [] };
  const own = ownPaths(plan, number);
  tellSelection(parts, { ...selection, kept: selection.kept.filter(({ path }) => own.has(path)) });
  const memory = { ...followChange(remembered, files), reviews: 0 };
  const standing = nothingHolds('first review');
  const before = { standing, earlier: [], narrowed: [] };
  const whole = [...kept, ...texts.unshown];
  const draft = await draftSelection(parts, { change, selection, whole, before, memory, vision });
  return { draft: draft.kind === 'reviewed' ? ofShard(draft, own) : draft, files, sources, standing };
}

/** What the rules found and what nobody reviews was said with the plan. */
function ofShard(draft: ReviewedDraft, own: ReadonlySet<string>): ReviewedDraft {
  const { reviewed, unreviewed } = draft.coverage;
  const ofOwn = unreviewed.filter(({ path }) => own.has(path));
  return {
    ...draft,
    ruleFindings: [],
    ignored: draft.ignored.filter(({ source }) => source === 'model'),
    incomplete: [],
    coverage: {
      ...{ skipped: [], unread: [], earlier: [], missing: [] },
      reviewed: reviewed.filter((path) => own.has(path)),
      unreviewed: ofOwn,
    },
  };
}

function ownPaths({ batches, shards }: ShardPlan, number: number): ReadonlySet<string> {
  const own = (shards[number - 1]?.batches ?? []).flatMap((index) => batches[index]?.files ?? []);
  return new Set(own.map(({ path }) => path));
}

function unbegun(parts: ReviewingParts, stop: StoppedDraft['stop']): Drafted {
  return withoutDiff({ ...stopped(parts, { why: verbatim('') }), stop });
}

function withoutModel(parts: ReviewingParts): ReviewingParts {
  const { code, models } = parts;
  return { ...parts, code: { ...code, images: undefined }, models: { ...models, model: null, verifyModel: null } };
}

async function draftSelection(
  parts: ReviewingParts,
  work: {
    change: PreparedChange;
    /** The part of the change that the model is shown. */
    selection: Selection;
    /** The files that the rules look at: all of them, each time. */
    whole: Changes['files'];
    /** What was reviewed before, as far as this run relies on it. */
    before: { readonly standing: Standing } & Pick<ReturnType<typeof narrowToScope>, 'earlier' | 'narrowed'>;
    memory: Memory;
    vision: Vision | null;
  },
): Promise<ReviewDraft> {
  const { change, selection, before, memory, vision } = work;
  const { standing, earlier, narrowed } = before;
  const { changes, isDenied, rules, ruleProblems: problems, readHead, redaction } = change;
  for (const problem of problems) parts.output.report({ type: 'warning', text: problem });
  let count = 0;
  const nextId = () => `f${++count}`;
  // Whatever the model is shown: the rules read all that has text.
  const readable = work.whole.map(asAdded);
  const carried = carriedLines(work.whole);
  const { hide } = redaction;
  const ruled = await applyRules({
    rules,
    files: readable,
    nextId,
    readHead,
    hide,
    carried,
  });
  const broken = await brokenFiles({
    ...parts.code,
    files: changes.files,
    config: parts.settings.config,
    nextId,
    hide,
  });
  const raised = [...ruled.findings, ...broken];
  // The plan lists those of a shard.
  if (parts.trigger.shard === undefined) for (const finding of raised) parts.output.onFinding?.(finding);
  // The model need not say again what is ignored.
  const ruleFindings = [...raised, ...ruled.ignored];
  const {
    models: { model },
    settings,
  } = parts;
  const checks = { rules, files: changes.files, broken: raised, readHead, hide };
  const checked = await ruleAnswers(memory.prior, checks);
  const asked = questions(memory.prior, rules);
  const reviewing = { changes, selection, rules, ruleFindings, asked, nextId, isDenied, memory, standing, vision };
  const ask: Asking = settings.mode === 'plan' ? planShards : reviewWithModel;
  const { reviews, plan, ...reviewed } =
    model === null
      ? { reviews: [], notes: [], estimate: null, cut: [], plan: undefined }
      : await ask(...hiddenFromModel(parts, { ...reviewing, model }, redaction));
  const { batches, ignored } = obeyInBatches(reviews, ruled.commentFor);
  // What is planned reaches the model in another job.
  const unseen = unseenImages(vision === null || plan === undefined ? vision : { ...vision, files: [] }, batches);
  const rest = settings.profile === 'offline' ? null : reasonToRest(memory);
  const withoutKey = model === null && rest === null && settings.profile !== 'offline';
  const unasked =
    rest === null ? [] : selection.kept.map(({ path }) => ({ path, reason: { code: 'file.no-model' } as const }));
  const missing = [...changes.missing, ...unseen.sentences];
  const overlooked = [...unseen.files, ...unasked];
  return {
    kind: 'reviewed',
    scope: scopeOf(standing),
    basis: null,
    narrowed,
    batches,
    ruleFindings: raised,
    earlier: oneForEach([...checked, ...batches.flatMap(({ earlier = [] }) => earlier)]),
    ignored: [...ruled.ignored, ...ignored],
    coverage: coverageOf({ selection, missing, earlier, cut: reviewed.cut, unseen: overlooked }, batches),
    incomplete: incompleteFiles(selection),
    cancelled: parts.run.signal.aborted,
    estimate: reviewed.estimate,
    withoutKey,
    milliseconds: parts.run.clock.now() - parts.run.startedAt,
    limits: limitsOf(settings, model !== null),
    notes: [
      ...parts.trigger.notes,
      ...(withoutKey ? [keyHint(parts.pullRequest)] : []),
      ...parts.pullRequest.missing,
      ...problems.map(verbatim),
      ...ruled.notes,
      ...visionNotes(vision),
      ...reviewed.notes,
    ],
    ...(settings.mode === 'plan' ? { plan: plan ?? noShards } : {}),
  };
}

type Asking = (...asked: Parameters<typeof reviewWithModel>) => Promise<ModelReviewed & { readonly plan?: ShardPlan }>;

function tellSelection({ output: { report } }: ReviewingParts, { kept, skipped, unread }: Selection): void {
  const changedLines = kept.reduce((sum, file) => sum + file.additions + file.deletions, 0);
  report({ type: 'files-select', kept: kept.map((file) => file.path), skipped, unread, changedLines });
}

function stopped(
  parts: ReviewingParts,
  because: { why: Message; nothing?: true; paused?: true; byAuthor?: true },
  selection?: Selection,
): StoppedDraft {
  return {
    kind: 'stopped',
    stop: { reason: 'skipped', ...because },
    skipped: selection?.skipped ?? [],
    milliseconds: parts.run.clock.now() - parts.run.startedAt,
    limits: limitsOf(parts.settings, true),
    notes: parts.trigger.notes,
  };
}
