import pLimit from 'p-limit';
import type { AgentEvent } from '../agent/event.ts';
import { calculateMaxIterations } from '../agent/iterations.ts';
import type { Message } from '../agent/message.ts';
import type { Agent } from '../agent/run-agent.ts';
import type { Bundle } from '../bundles/bundle.ts';
import { createFence, type Fence } from '../bundles/fence.ts';
import { renderBundle } from '../bundles/render-bundle.ts';
import { renderPullRequest } from '../bundles/render-pull-request.ts';
import { explain } from '../errors.ts';
import type { Finding } from '../findings/finding.ts';
import type { Memory } from '../memory/memory.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { ReviewEvent } from '../reporter.ts';
import type { Repository } from '../repository/repository.ts';
import type { Rule } from '../rules/rule.ts';
import { rulesFor } from '../rules/rules-for.ts';
import { groundSources } from './ground-sources.ts';
import { instructions } from './instructions.ts';
import { noMetrics } from './metrics.ts';
import { type BundleReview, reviewBundle } from './review-bundle.ts';
import { reviewInHalves } from './review-in-halves.ts';

export type BundlesContext = {
  readonly agent: Omit<Agent, 'finish' | 'emit' | 'isUnfinished'>;
  readonly pullRequest: PullRequest;
  /** Every file of the diff, reviewed or not. */
  readonly files: readonly ChangedFile[];
  readonly memory: Memory;
  readonly repository: Repository;
  readonly rules: readonly Rule[];
  readonly ruleFindings: readonly Finding[];
  readonly language: string;
  readonly concurrency: number;
  readonly nextId: () => string;
  /** Why a path may not be read by the model; null when it may. */
  readonly isDenied: (path: string) => string | null;
  readonly report: (event: ReviewEvent) => void;
};

/** Reviews the bundles side by side under the shared budget, in the order of their value. One that fails does not lose the others. */
export async function reviewBundles(
  bundles: readonly Bundle[],
  context: BundlesContext,
): Promise<readonly BundleReview[]> {
  const limit = pLimit(context.concurrency);
  const fence = fenceFor(context);
  const common = renderPullRequest(context.pullRequest, context.files, { fence, memory: context.memory });
  const review = (bundle: Bundle) => oneBundle(bundle, { context, fence, common });
  const reviews = await Promise.all(bundles.map((bundle) => limit(() => reviewInHalves(bundle, { review }))));
  return reviews.flat();
}

type Shared = { readonly context: BundlesContext; readonly fence: Fence; readonly common: string };

async function oneBundle(bundle: Bundle, { context, fence, common }: Shared): Promise<BundleReview> {
  const { report } = context;
  report({ type: 'bundle-start', bundle: bundle.name });
  const review = await guarded(bundle, () =>
    reviewBundle(bundle, {
      agent: { ...context.agent, limits: limitsOf(bundle, context) },
      opening: opening(bundle, { context, fence, common }),
      submission: {
        ...groundSources(context.repository, context),
        nextId: context.nextId,
        onAccept: ({ title, severity, path, anchor }) => {
          const place = anchor.kind === 'lines' ? `${path}:${anchor.startLine}` : path;
          report({ type: 'finding-accept', bundle: bundle.name, title, severity, place });
        },
        onRefuse: (refused) => report({ type: 'finding-refuse', bundle: bundle.name, ...refused }),
      },
      emit: (event: AgentEvent) => report({ type: 'agent-event', bundle: bundle.name, event }),
    }),
  );
  const sentence = review.report.gap ?? 'Reviewed.';
  report({ type: 'bundle-end', bundle: bundle.name, sentence, findings: review.findings.length });
  return review;
}

/** `min(calculateMaxIterations(files), max-iterations)` (DESIGN section 2). */
function limitsOf(bundle: Bundle, { agent }: BundlesContext): Agent['limits'] {
  const files = new Set(bundle.files.map(({ file }) => file.path)).size;
  return { ...agent.limits, maxSteps: Math.min(calculateMaxIterations(files), agent.limits.maxSteps) };
}

/** Stable first: instructions, then what holds for the pull request, then the bundle (DESIGN section 7). */
function opening(bundle: Bundle, { context, fence, common }: Shared): readonly Message[] {
  const paths = new Set(bundle.files.map(({ file }) => file.path));
  const rules = rulesFor(context.rules, [...paths]).filter((rule) => rule.origin === 'repository');
  const alreadyFound = context.ruleFindings
    .filter((finding) => paths.has(finding.path))
    .map(({ path, anchor, title }) => `${path}${anchor.kind === 'lines' ? `:${anchor.startLine}` : ''} ${title}`);
  return [
    { role: 'system', text: instructions(context.language) },
    { role: 'user', text: `${common}\n\n${renderBundle(bundle, { rules, alreadyFound }, fence)}` },
  ];
}

/** The mark must not occur in anything that is fenced. */
function fenceFor({ pullRequest, files }: BundlesContext): Fence {
  const texts = JSON.stringify([
    pullRequest.title,
    pullRequest.body,
    pullRequest.commits,
    pullRequest.conversation,
    pullRequest.threads,
    pullRequest.reviews,
  ]);
  return createFence(
    pullRequest.head.sha,
    (mark) =>
      texts.includes(mark) ||
      files.some(
        (file) =>
          file.path.includes(mark) ||
          file.oldPath.includes(mark) ||
          file.hunks.some((hunk) => hunk.lines.some((line) => line.includes(mark))),
      ),
  );
}

/** A defect of ours in one bundle is told like a failure of the model's, and the other bundles go on. */
async function guarded(bundle: Bundle, run: () => Promise<BundleReview>): Promise<BundleReview> {
  try {
    return await run();
  } catch (error) {
    const message = explain(error);
    return {
      report: {
        name: bundle.name,
        paths: bundle.files.map(({ file }) => file.path),
        stop: { reason: 'model-failed', message, hint: 'This is a defect of Postil; please report it.' },
        reviewed: false,
        gap: message,
        approval: null,
        nonSpecificReview: null,
        rawFreeText: null,
        metrics: noMetrics,
      },
      findings: [],
      refused: [],
    };
  }
}
