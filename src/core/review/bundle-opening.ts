import type { Message } from '../agent/message.ts';
import type { Bundle } from '../bundles/bundle.ts';
import { renderBundle } from '../bundles/render-bundle.ts';
import { renderCommonGuidance, renderPathGuidance } from '../bundles/render-guidance.ts';
import { renderPullRequest } from '../bundles/render-pull-request.ts';
import { type ChainOptions, type ContextChain, contextChain } from '../context/context-chain.ts';
import { withHeadings } from '../context/hunk-headings.ts';
import { renderChain } from '../context/render-chain.ts';
import { fenceFor } from './bundle-fence.ts';
import { imagesOfBundle, userMessage } from './bundle-images.ts';
import type { BundlesContext } from './bundles-context.ts';
import { instructions } from './instructions.ts';

export type Opening = {
  readonly opening: readonly Message[];
  /** Files of the code around the change that the prompt holds. */
  readonly chainPaths: readonly string[];
};

/** Stable first: instructions, then what holds for the pull request, then the bundle (DESIGN section 7). */
export async function bundleOpening(bundle: Bundle, context: BundlesContext): Promise<Opening> {
  const { fence, common } = context;
  const paths = new Set(bundle.files.map(({ file }) => file.path));
  const alreadyFound = context.ruleFindings
    .filter((finding) => paths.has(finding.path))
    .map(({ path, anchor, title }) => `${path}${anchor.kind === 'lines' ? `:${anchor.startLine}` : ''} ${title}`);
  const words = renderPathGuidance(context.words, [...paths]);
  const { entries, ...missing } = await chainOf(bundle, context);
  const headed = await headedBundle(bundle, context);
  const shown = imagesOfBundle(bundle, context);
  const guidance = { alreadyFound, words, chain: renderChain(entries, missing), images: shown.text };
  return {
    opening: [
      { role: 'system', text: instructions(context.language, context.followUp) },
      userMessage(`${common}\n\n${renderBundle(headed, guidance, fence)}`, shown),
    ],
    chainPaths: [...new Set(entries.map(({ path }) => path))],
  };
}

/** What is the same in the opening of every bundle, with the fence that holds whatever is not ours. */
export function commonOpening(
  context: Pick<BundlesContext, 'pullRequest' | 'files' | 'memory' | 'words'>,
): Pick<BundlesContext, 'fence' | 'common'> {
  const fence = fenceFor(context);
  const guidance = renderCommonGuidance(context.words);
  const described = renderPullRequest(context.pullRequest, context.files, { fence, memory: context.memory });
  return { fence, common: guidance === '' ? described : `${guidance}\n\n${described}` };
}

/** Each hunk named by what it stands in: of files that the chain parses anyway. */
async function headedBundle(bundle: Bundle, { symbols }: BundlesContext): Promise<Bundle> {
  const files = [];
  for (const part of bundle.files) files.push({ ...part, hunks: await withHeadings(symbols, part) });
  return { ...bundle, files };
}

/** A bounded reader finds the rest itself, and more up front did not help where it was measured; who cannot read on needs it. */
const withTools: ChainOptions = { maxTokens: 800, signaturesOnly: true };
const withoutTools: ChainOptions = { maxTokens: 5_000, signaturesOnly: false };

/** What the change uses and is used by, as far as it is not in the diff. */
async function chainOf(bundle: Bundle, { symbols, followUp }: BundlesContext): Promise<ContextChain> {
  if (symbols === null) return { entries: [], left: 0, notes: [] };
  const options = followUp === null ? withTools : withoutTools;
  return await contextChain(symbols, { changes: bundle.files, ...options });
}
