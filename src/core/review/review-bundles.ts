import pLimit from 'p-limit';
import type { AgentEvent } from '../agent/event.ts';
import { firstToken } from '../agent/first-token.ts';
import { calculateMaxIterations } from '../agent/iterations.ts';
import type { Agent } from '../agent/run-agent.ts';
import type { Bundle } from '../bundles/bundle.ts';
import type { Fence } from '../bundles/fence.ts';
import { renderCommonGuidance } from '../bundles/render-guidance.ts';
import { renderPullRequest } from '../bundles/render-pull-request.ts';
import { fenceFor } from './bundle-fence.ts';
import { bundleOpening } from './bundle-opening.ts';
import type { BundlesContext } from './bundles-context.ts';
import { reviewWithFollowUp } from './follow-up.ts';
import { groundSources } from './ground-sources.ts';
import { guarded } from './guarded-bundle.ts';
import type { BundleReport } from './review.ts';
import { type BundleContext, type BundleReview, reviewBundle } from './review-bundle.ts';
import { reviewInHalves } from './review-in-halves.ts';
import { type Pass, reviewInPasses } from './review-in-passes.ts';
import { verifyBundle } from './verify-bundle.ts';

/**
 * Reviews the bundles side by side under the shared budget, in the order of their value. One that fails does not lose the others. With more
 * than two, the first one's prompt is at the server before the others start, so that they find their common beginning in its cache.
 */
export async function reviewBundles(bundles: readonly Bundle[], context: BundlesContext): Promise<ReviewedBundles> {
  const limit = pLimit(context.concurrency);
  const fence = fenceFor(context);
  const guidance = renderCommonGuidance(context.words);
  const described = renderPullRequest(context.pullRequest, context.files, { fence, memory: context.memory });
  const common = guidance === '' ? described : `${guidance}\n\n${described}`;
  const warmUp = bundles.length > 2 ? firstToken(context.agent.model) : null;
  const notes = new Set<string>();
  let started = 0;
  const onePass = (pass: Pass) =>
    limit(async () => {
      started += 1;
      if (warmUp === null) return onePassOf(pass, { context, fence, common });
      if (started > 1) await warmUp.first;
      const agent = started > 1 ? context.agent : { ...context.agent, model: warmUp.model };
      return onePassOf(pass, { context: { ...context, agent }, fence, common }).finally(warmUp.open);
    });
  const review = async (bundle: Bundle) => {
    context.report({ type: 'bundle-start', bundle: bundle.name });
    const passed = await reviewInPasses(bundle, { passes: context.passes, review: onePass });
    const { review: checked, note } = await verifyBundle(passed, context);
    if (note !== null) notes.add(note);
    const followUp = followUpNote(checked.report);
    if (followUp !== null) notes.add(followUp);
    const sentence = checked.report.gap ?? 'Reviewed.';
    context.report({ type: 'bundle-end', bundle: bundle.name, sentence, findings: checked.findings.length });
    return checked;
  };
  const reviews = await Promise.all(bundles.map((bundle) => reviewInHalves(bundle, { review })));
  return { reviews: reviews.flat(), notes: [...notes] };
}

export type ReviewedBundles = {
  readonly reviews: readonly BundleReview[];
  /** What a person should know, a sentence each. */
  readonly notes: readonly string[];
};

/** A reader should know what the model could not look at. */
function followUpNote({ name, followUp }: BundleReport): string | null {
  if (followUp === null || followUp.refused === null) return null;
  const place = followUp.lines === '' ? followUp.file : `${followUp.file}:${followUp.lines}`;
  return `Follow-up on ${name}: the model asked to see ${place} once more, and its first answer stands: ${followUp.refused.replace(/\.$/, '')}.`;
}

type Shared = { readonly context: BundlesContext; readonly fence: Fence; readonly common: string };

async function onePassOf({ bundle, number, of }: Pass, { context, fence, common }: Shared): Promise<BundleReview> {
  const { report } = context;
  const name = of === 1 ? bundle.name : `${bundle.name}, pass ${number}`;
  return await guarded(bundle, async () => {
    const { opening, chainPaths } = await bundleOpening(bundle, { context, fence, common });
    const sources = groundSources(context.repository, context);
    const reviewing: BundleContext = {
      agent: { ...context.agent, limits: limitsOf(bundle, context) },
      opening,
      submission: {
        ...sources,
        nextId: context.nextId,
        ruleIds: context.ruleIds,
        onAccept: ({ title, severity, path, anchor }) => {
          const place = anchor.kind === 'lines' ? `${path}:${anchor.startLine}` : path;
          report({ type: 'finding-accept', bundle: name, title, severity, place });
        },
        onRefuse: (refused) => report({ type: 'finding-refuse', bundle: name, ...refused }),
      },
      emit: (event: AgentEvent) => report({ type: 'agent-event', bundle: name, event }),
    };
    const { followUp } = context;
    if (followUp === null) return reviewBundle(bundle, reviewing);
    const paths = new Map([
      ...bundle.files.map(({ file }) => [file.oldPath, file.path] as const),
      ...[...bundle.files.map(({ file }) => file.path), ...chainPaths].map((path) => [path, path] as const),
    ]);
    const read = (path: string) => sources.read(path, 'RIGHT');
    const scope = followUp.allowed ? { paths, read, maxTokens: followUp.maxTokens } : null;
    return reviewWithFollowUp(bundle, { ...reviewing, name, scope, fence, report });
  });
}

/** `min(calculateMaxIterations(files), max-iterations)` (DESIGN section 2). */
function limitsOf(bundle: Bundle, { agent }: BundlesContext): Agent['limits'] {
  const files = new Set(bundle.files.map(({ file }) => file.path)).size;
  return { ...agent.limits, maxSteps: Math.min(calculateMaxIterations(files), agent.limits.maxSteps) };
}
