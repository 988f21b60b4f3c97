import type { Agent, AgentMetrics } from '../agent/agent.ts';
import type { ImagePart } from '../agent/image-part.ts';
import { runOnce } from '../agent/run-once.ts';
import { sentenceFor } from '../agent/stop-reason.ts';
import type { Finding } from '../findings/finding.ts';
import type { GroundSources } from '../findings/ground-sources.ts';
import { addMetrics, noMetrics } from './metrics.ts';
import type { DismissedFinding } from './review.ts';
import { submitVerification } from './submit-verification.ts';
import { applyVerdicts, type Verdicts } from './verdicts.ts';
import { evidenceFor } from './verification-evidence.ts';
import { type Claim, verificationPrompt } from './verification-prompt.ts';

export type Verified = {
  readonly findings: readonly Finding[];
  readonly dismissed: readonly DismissedFinding[];
  readonly confirmed: number;
  readonly adjusted: number;
  readonly metrics: AgentMetrics;
  /** Why not everything was checked; null when all was. */
  readonly note: string | null;
};

export type VerificationContext = {
  /** With the model that checks, and its price. */
  readonly agent: Omit<Agent, 'finish' | 'tools' | 'isUnfinished'>;
  readonly sources: GroundSources;
  /** What was shown of a changed file; absent where nothing was. */
  readonly imagesOf?: (path: string) => readonly ImagePart[];
  /** The reviewed commit, full hash. */
  readonly head: string;
  readonly language: string;
  /** Ids that only one of several passes found: they are kept when they are confirmed. */
  readonly mustConfirm: ReadonlySet<string>;
};

/** Findings of one call. More would not be read with care. */
const mostAtOnce = 25;
/** Verdicts are short; a model that thinks takes the rest. */
const mostOutputTokens = 8_192;

/**
 * Fact-checks findings in a fresh conversation, against their quotes, the lines around and the evidence read again. What the source refutes is
 * dismissed with the reason; what cannot be checked stays. Never throws for what a model or a server does.
 */
export async function verifyFindings(findings: readonly Finding[], context: VerificationContext): Promise<Verified> {
  const own = findings.filter(({ source }) => source === 'model');
  let metrics = noMetrics;
  const notes = new Set<string>();
  const checked: Judgement[] = [];
  for (let start = 0; start < own.length; start += mostAtOnce) {
    const some = own.slice(start, start + mostAtOnce);
    const { verdicts, problem, used } = await ask(some, context);
    metrics = addMetrics(metrics, used);
    if (problem !== null) notes.add(problem);
    checked.push({ verdicts: problem === null ? withoutUnconfirmed(some, { verdicts, context }) : verdicts });
  }
  const verdicts = together(checked);
  const { findings: kept, dismissed } = applyVerdicts(findings, verdicts);
  const ids = new Set(kept.map(({ id }) => id));
  return {
    findings: kept,
    dismissed: dismissed.map((one) => ({ ...one, by: 'verification' })),
    confirmed: [...verdicts.confirmed].filter((id) => ids.has(id)).length,
    adjusted: [...verdicts.adjusted.keys()].filter((id) => ids.has(id)).length,
    metrics,
    note: notes.size === 0 ? null : `Findings were not all verified: ${[...notes].join(' ')}`,
  };
}

type Judgement = { readonly verdicts: Verdicts };
type Asked = Judgement & { readonly problem: string | null; readonly used: AgentMetrics };

async function ask(findings: readonly Finding[], context: VerificationContext): Promise<Asked> {
  const { agent, sources } = context;
  const claims: readonly Claim[] = await Promise.all(
    findings.map(async (finding) => ({
      finding,
      excerpts: await evidenceFor(finding, sources),
      images: context.imagesOf?.(finding.path) ?? [],
    })),
  );
  const submit = submitVerification(findings, sources);
  const limits = { ...agent.limits, lastOutputTokens: Math.min(mostOutputTokens, agent.limits.lastOutputTokens) };
  const run = await runOnce(
    { ...agent, limits, finish: submit.tool },
    { opening: verificationPrompt(claims, context), phase: 'verification' },
  );
  // A dismissal that was taken before the call failed is proven all the same.
  return { verdicts: submit.verdicts(), problem: run.submitted ? null : sentenceFor(run.stop), used: run.metrics };
}

/** A finding that one pass made and the others did not needs somebody who confirms it. */
function withoutUnconfirmed(
  findings: readonly Finding[],
  { verdicts, context }: { readonly verdicts: Verdicts; readonly context: VerificationContext },
): Verdicts {
  const alone = findings.filter(
    ({ id }) => context.mustConfirm.has(id) && !verdicts.confirmed.has(id) && !verdicts.adjusted.has(id),
  );
  const dismissed = new Map(alone.map(({ id }) => [id, onlyOnce]));
  return { ...verdicts, dismissed: new Map([...dismissed, ...verdicts.dismissed]) };
}

export const onlyOnce = 'only one of the passes found it, and nobody confirmed it';

function together(judgements: readonly Judgement[]): Verdicts {
  const all = judgements.map(({ verdicts }) => verdicts);
  return {
    confirmed: new Set(all.flatMap(({ confirmed }) => [...confirmed])),
    dismissed: new Map(all.flatMap(({ dismissed }) => [...dismissed])),
    adjusted: new Map(all.flatMap(({ adjusted }) => [...adjusted])),
  };
}
