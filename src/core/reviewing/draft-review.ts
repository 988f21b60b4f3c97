import { oneForEach } from '../findings/earlier.ts';
import { headReader } from '../languages/code-parts.ts';
import { sidesOfFiles } from '../languages/same-code.ts';
import { pathsAsked } from '../memory/asked.ts';
import { followed } from '../memory/echoes.ts';
import { newSinceDeclined } from '../memory/match.ts';
import type { Memory, ReviewedScope, Scope } from '../memory/memory.ts';
import { fullIfTakenBack, narrowToScope, sentenceForScope } from '../memory/scope.ts';
import { toAsk } from '../memory/settle.ts';
import type { Changes } from '../pull-request/pull-request.ts';
import { asAdded, type Selection, selectFiles, showMoved } from '../pull-request/select-files.ts';
import { limitsOf, type ReviewDraft, type StoppedDraft } from '../review/draft.ts';
import { keyHint } from '../review/headline.ts';
import { nothingToReview, reasonToPause, reasonToRest, reasonToSkip, strangersNote } from '../review/left-out.ts';
import { brokenFiles } from '../rules/broken-files.ts';
import { type Carried, carriedLines } from '../rules/carried.ts';
import { hideInSource, secretsIn } from '../rules/find-secrets.ts';
import { loadRules } from '../rules/load-rules.ts';
import { applyRules } from '../rules/run-rules.ts';
import { hideSecrets } from '../secrets/redact.ts';
import { deniedIn } from '../tools/policy.ts';
import { coverageOf, incompleteFiles, obeyInBatches, unseenImages, visionNotes } from './coverage.ts';
import { questions, ruleAnswers } from './earlier.ts';
import { hiddenFromModel } from './hide.ts';
import type { ReviewingParts } from './parts.ts';
import { reviewWithModel } from './review-with-model.ts';
import { lookAtImages, type Vision, withImages } from './vision.ts';

export type Drafted = {
  readonly draft: ReviewDraft;
  /** Every file of the diff; empty when it was not read. */
  readonly files: Changes['files'];
};

/** Runs the rules and the model over what is to be reviewed. Posts nothing and compares with nothing. */
export async function draftReview(given: ReviewingParts, remembered: Memory): Promise<Drafted> {
  const { pullRequest, settings } = given;
  const skip = reasonToSkip(pullRequest, settings);
  if (skip !== null) return { draft: stopped(given, { why: skip }), files: [] };
  const pause = given.asked === undefined && given.isByHand !== true ? reasonToPause(remembered) : null;
  if (pause !== null) return { draft: stopped(given, { why: pause, paused: true }), files: [] };
  const notes = [...given.notes, ...strangersNote(pullRequest, settings)];
  // The rules cost nothing: they look at every push.
  const parts = reasonToRest(remembered) === null ? { ...given, notes } : withoutModel({ ...given, notes });
  const changes = await parts.changes();
  const { files } = changes;
  const isDenied = deniedIn(files, settings.denyPaths);
  const options = { ...settings, isDenied, rulesOnly: parts.model === null, asked: pathsAsked(given.asked) };
  const memory = {
    ...remembered,
    scope: fullIfTakenBack(remembered.scope, files, options),
    prior: remembered.prior.map((one) => followed(one, files)),
  };
  const scope = sentenceForScope(memory.scope, pullRequest.head.sha);
  if (scope !== '') parts.report({ type: 'note', text: scope });
  const texts = await showMoved(selectFiles(files, options), parts.repository);
  const vision = await lookAtImages(parts, { selection: texts, scope: memory.scope, isDenied });
  const selection = withImages(texts, vision);
  const seenBefore = vision?.earlier ?? [];
  const missed = vision?.missed.length ?? 0;
  const { kept: all, unread } = selection;
  // Also where the workflow leaves them out: they decide over every later run.
  const unnamed = { config: settings.config, nextId: () => '', hide: (text: string) => text };
  const broken = await brokenFiles({ ...parts, files, ...unnamed });
  if (all.length + unread.length + changes.missing.length + seenBefore.length + missed + broken.length === 0) {
    if (files.length > 0) tellSelection(parts, selection);
    return { draft: stopped(parts, { why: nothingToReview(changes, selection), nothing: true }, selection), files };
  }
  // The rules look at all of the change for theirs.
  const asked = toAsk(memory.prior).filter(({ mark }) => mark.source !== 'rule');
  const narrowed = narrowToScope(all, memory.scope, asked);
  const unshown = narrowToScope(selection.unshown, memory.scope, asked).kept;
  const earlier = [...narrowed.earlier, ...seenBefore];
  const found = { ...selection, kept: narrowed.kept, unshown };
  tellSelection(parts, found);
  const carried = carriedLines(
    [...all, ...selection.unshown],
    sidesOfFiles({ ...parts, now: () => parts.clock.now() }),
  );
  const draft = await draftSelection(parts, { changes, selection: found, earlier, memory, vision, isDenied, carried });
  return { draft, files };
}

function withoutModel({ images: _, ...parts }: ReviewingParts): ReviewingParts {
  return { ...parts, model: null, verifyModel: null };
}

async function draftSelection(
  parts: ReviewingParts,
  work: {
    changes: Changes;
    selection: Selection;
    earlier: readonly string[];
    memory: Memory;
    vision: Vision | null;
    isDenied: (path: string) => string | null;
    carried: Carried;
  },
): Promise<ReviewDraft> {
  const { changes, selection, earlier, memory, vision, isDenied, carried } = work;
  const { rules, problems } = await loadRules(parts.repository);
  for (const problem of problems) parts.report({ type: 'warning', text: problem });
  let count = 0;
  const nextId = () => `f${++count}`;
  const readHead = headReader(parts.repository);
  // Whatever the model is shown: the rules read all that has text.
  const readable = [...selection.kept, ...selection.unshown].map(asAdded);
  // Of the files whose findings are raised: what is hidden from the model is reported to people.
  const hide = hideSecrets(secretsIn(rules, readable));
  const ruled = await applyRules({
    rules,
    files: readable,
    nextId,
    readHead,
    hide,
    carried,
    apart: newSinceDeclined(memory),
  });
  const seen = new Set(earlier);
  const files = changes.files.filter(({ path }) => !seen.has(path));
  const broken = await brokenFiles({ ...parts, files, config: parts.settings.config, nextId, hide });
  const raised = [...ruled.findings, ...broken];
  for (const finding of raised) parts.onFinding?.(finding);
  // The model need not say again what is ignored.
  const ruleFindings = [...raised, ...ruled.ignored];
  const { model, settings } = parts;
  const checks = { rules, files: changes.files, broken: raised, readHead, hide };
  const checked = await ruleAnswers(memory.prior, checks);
  const asked = questions(memory.prior, rules);
  const reviewing = { changes, selection, rules, ruleFindings, asked, nextId, isDenied, memory, vision };
  const { reviews, ...reviewed } =
    model === null
      ? { reviews: [], notes: [], estimate: null, cut: [] }
      : await reviewWithModel(
          ...hiddenFromModel(parts, { ...reviewing, model }, { hide, hideInSource: hideInSource(rules) }),
        );
  const { batches, ignored } = obeyInBatches(reviews, ruled.commentFor);
  const unseen = unseenImages(vision, batches);
  const rest = settings.profile === 'offline' ? null : reasonToRest(memory);
  const withoutKey = model === null && rest === null && settings.profile !== 'offline';
  const unasked = rest === null ? [] : selection.kept.map(({ path }) => ({ path, reason: 'no model looked at it' }));
  const missing = [...changes.missing, ...unseen.sentences];
  const overlooked = [...unseen.files, ...unasked];
  return {
    kind: 'reviewed',
    scope: reviewedScope(memory.scope),
    batches,
    ruleFindings: raised,
    earlier: oneForEach([...checked, ...batches.flatMap(({ earlier = [] }) => earlier)]),
    ignored: [...ruled.ignored, ...ignored],
    coverage: coverageOf({ selection, missing, earlier, cut: reviewed.cut, unseen: overlooked }, batches),
    incomplete: incompleteFiles(selection),
    cancelled: parts.signal.aborted,
    estimate: reviewed.estimate,
    withoutKey,
    milliseconds: parts.clock.now() - parts.startedAt,
    limits: limitsOf(settings, model !== null),
    notes: [
      ...parts.notes,
      ...(withoutKey ? [keyHint(parts.pullRequest)] : []),
      ...parts.pullRequest.missing,
      ...problems,
      ...ruled.notes,
      ...visionNotes(vision),
      ...reviewed.notes,
    ],
  };
}

function tellSelection({ report }: ReviewingParts, { kept, skipped, unread }: Selection): void {
  const changedLines = kept.reduce((sum, file) => sum + file.additions + file.deletions, 0);
  report({ type: 'files-select', kept: kept.map((file) => file.path), skipped, unread, changedLines });
}

function reviewedScope(scope: Scope): ReviewedScope {
  return scope.kind === 'full' ? scope : { kind: 'incremental', since: scope.since };
}

function stopped(
  parts: ReviewingParts,
  because: { why: string; nothing?: true; paused?: true },
  selection?: Selection,
): StoppedDraft {
  return {
    kind: 'stopped',
    stop: { reason: 'skipped', ...because },
    skipped: selection?.skipped ?? [],
    milliseconds: parts.clock.now() - parts.startedAt,
    limits: limitsOf(parts.settings, true),
    notes: parts.notes,
  };
}
