import pLimit from 'p-limit';
import type { AgentEvent } from '../agent/event.ts';
import { firstToken } from '../agent/first-token.ts';
import { calculateMaxIterations } from '../agent/iterations.ts';
import type { Message } from '../agent/message.ts';
import type { Agent } from '../agent/run-agent.ts';
import type { Bundle } from '../bundles/bundle.ts';
import type { Fence } from '../bundles/fence.ts';
import { renderBundle } from '../bundles/render-bundle.ts';
import { renderCommonGuidance, renderPathGuidance } from '../bundles/render-guidance.ts';
import { renderPullRequest } from '../bundles/render-pull-request.ts';
import { contextChain } from '../context/context-chain.ts';
import { renderChain } from '../context/render-chain.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import { rulesFor } from '../rules/rules-for.ts';
import { fenceFor } from './bundle-fence.ts';
import type { BundlesContext } from './bundles-context.ts';
import { groundSources } from './ground-sources.ts';
import { guarded } from './guarded-bundle.ts';
import { instructions } from './instructions.ts';
import { type BundleReview, reviewBundle } from './review-bundle.ts';
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

type Shared = { readonly context: BundlesContext; readonly fence: Fence; readonly common: string };

async function onePassOf({ bundle, number, of }: Pass, { context, fence, common }: Shared): Promise<BundleReview> {
  const { report } = context;
  const name = of === 1 ? bundle.name : `${bundle.name}, pass ${number}`;
  return await guarded(bundle, async () =>
    reviewBundle(bundle, {
      agent: { ...context.agent, limits: limitsOf(bundle, context) },
      opening: await opening(bundle, { context, fence, common }),
      submission: {
        ...groundSources(context.repository, context),
        nextId: context.nextId,
        onAccept: ({ title, severity, path, anchor }) => {
          const place = anchor.kind === 'lines' ? `${path}:${anchor.startLine}` : path;
          report({ type: 'finding-accept', bundle: name, title, severity, place });
        },
        onRefuse: (refused) => report({ type: 'finding-refuse', bundle: name, ...refused }),
      },
      emit: (event: AgentEvent) => report({ type: 'agent-event', bundle: name, event }),
    }),
  );
}

/** `min(calculateMaxIterations(files), max-iterations)` (DESIGN section 2). */
function limitsOf(bundle: Bundle, { agent }: BundlesContext): Agent['limits'] {
  const files = new Set(bundle.files.map(({ file }) => file.path)).size;
  return { ...agent.limits, maxSteps: Math.min(calculateMaxIterations(files), agent.limits.maxSteps) };
}

/** Stable first: instructions, then what holds for the pull request, then the bundle (DESIGN section 7). */
async function opening(bundle: Bundle, { context, fence, common }: Shared): Promise<readonly Message[]> {
  const paths = new Set(bundle.files.map(({ file }) => file.path));
  const rules = rulesFor(context.rules, [...paths]).filter((rule) => rule.origin === 'repository');
  const alreadyFound = context.ruleFindings
    .filter((finding) => paths.has(finding.path))
    .map(({ path, anchor, title }) => `${path}${anchor.kind === 'lines' ? `:${anchor.startLine}` : ''} ${title}`);
  const words = renderPathGuidance(context.words, [...paths]);
  const chain = await chainOf(bundle, context.symbols);
  return [
    { role: 'system', text: instructions(context.language) },
    {
      role: 'user',
      text: `${common}\n\n${renderBundle(bundle, { rules, alreadyFound, words, chain }, fence)}`,
    },
  ];
}

/** Tokens: a bounded reader finds the rest itself, and more up front did not help where it was measured. */
const chainTokens = 800;

/** The heads of what the change uses and is used by, as far as they are not in the diff. */
async function chainOf(bundle: Bundle, symbols: SymbolIndex | null): Promise<string> {
  if (symbols === null) return '';
  const options = { maxTokens: chainTokens, signaturesOnly: true };
  const { entries } = await contextChain(symbols, { changes: bundle.files, ...options });
  return renderChain(entries);
}
