import type { Agent } from '../agent/agent.ts';
import { ask } from '../agent/ask.ts';
import { type AgentEvent, sentenceFor } from '../agent/event.ts';
import type { ImagePart } from '../agent/message.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import { type Finding, suppress } from '../findings/finding.ts';
import { type GroundSources, groundSources } from '../findings/sources.ts';
import { inEnglish } from '../messages/languages.ts';
import { distinctMessages, type Message, verbatim } from '../messages/message.ts';
import { asClaims, verdictsOf } from './earlier.ts';
import { type Evidence, openEvidence } from './evidence.ts';
import type { PassedReview } from './passes.ts';
import type { BatchesContext, BatchQuestions, UnbilledReview } from './review-batch.ts';
import { applyVerdicts, holds, reportDisproved, submitVerification, type Verdicts } from './verification-call.ts';
import { type Claim, verificationPrompt } from './verification-prompt.ts';

type Checked = { readonly review: UnbilledReview; readonly note: Message | null };

/** The batch's review with what a verification makes of its findings. Without a verifier the passes' agreement alone decides. */
export async function verifyBatch(passed: PassedReview, context: BatchesContext & BatchQuestions): Promise<Checked> {
  const { review, note } = await verifyFound(passed, context);
  const doubtful = (review.earlier ?? []).filter(({ state }) => state === 'unsure').map(({ id }) => id);
  const unsure = context.asked.filter(({ id }) => doubtful.includes(id));
  if (context.verifier === null || unsure.length === 0) return { review, note };
  const verification = verificationOf(review.report.name, { ...context, verifier: context.verifier });
  const verified = await verifyFindings(asClaims(unsure), { ...verification, mustConfirm: new Set() });
  const answers = await verdictsOf(unsure, verified, verification.sources);
  const sure = (review.earlier ?? []).filter(({ state }) => state !== 'unsure');
  return { review: { ...review, earlier: [...sure, ...answers] }, note: note ?? verified.note };
}

async function verifyFound({ review, once }: PassedReview, context: BatchesContext): Promise<Checked> {
  const { verifier, report } = context;
  const batch = review.report.name;
  const tell = (disproved: readonly Finding[]) => reportDisproved(disproved, { batch, report });
  if (verifier === null) {
    const disproved = review.findings
      .filter(({ id }) => once.has(id))
      .map((finding) => suppress(finding, { by: 'verification', reason: onlyOnce }));
    tell(disproved);
    const findings = review.findings.filter(({ id }) => !once.has(id));
    return { review: { ...review, findings, disproved: [...review.disproved, ...disproved] }, note: null };
  }
  if (review.findings.length === 0) return { review, note: null };
  const { findings, disproved, ...verified } = await verifyFindings(review.findings, {
    ...verificationOf(batch, { ...context, verifier }),
    mustConfirm: once,
  });
  tell(disproved);
  const already = disproved.filter(({ suppressed }) => suppressed?.by === 'already-there').length;
  const { note } = verified;
  const counts = { ...verified, dismissed: disproved.length - already, already };
  report({ type: 'verification-end', batch, ...counts, note: note === null ? null : inEnglish(note) });
  const all = [...review.disproved, ...disproved];
  return { review: { ...review, findings, disproved: all }, note };
}

function verificationOf(
  batch: string,
  { verifier, ...context }: BatchesContext & { readonly verifier: NonNullable<BatchesContext['verifier']> },
): Omit<VerificationContext, 'mustConfirm'> {
  // What a verifier sees, the review did not see.
  const { onImagesSeen: _onImagesSeen, ...agent } = context.agent;
  const emit = (event: AgentEvent) => context.report({ type: 'agent-event', batch, event });
  return {
    agent: { ...agent, ...verifier, conversation: batch, emit },
    sources: groundSources(context.repository, context),
    symbols: context.symbols,
    imagesOf: (path) => context.vision?.changed.get(path) ?? [],
    head: context.head,
    language: context.settings.language,
  };
}

export type Verified = Pick<UnbilledReview, 'findings' | 'disproved'> & {
  readonly confirmed: number;
  readonly adjusted: number;
  /** Why not everything was checked; null when all was. */
  readonly note: Message | null;
};

type VerificationContext = {
  /** With the model that checks, and its price. */
  readonly agent: Omit<Agent, 'finish' | 'isUnfinished'>;
  readonly sources: GroundSources;
  /** Finds the definition that a finding stands in; absent where nothing is parsed. */
  readonly symbols?: Pick<SymbolIndex, 'file'> | null;
  /** What was shown of a changed file; absent where nothing was. */
  readonly imagesOf?: (path: string) => readonly ImagePart[];
  /** The reviewed commit, full hash. */
  readonly head: string;
  readonly language: string;
  /** Ids that only one of several passes found: they are kept when they are confirmed. */
  readonly mustConfirm: ReadonlySet<string>;
};

/** Findings of one call, and tokens of source from which on the next finding gets another call. More would not be read with care. */
const mostAtOnce = 25;
const fullTokens = 18_000;
/** Before it answers, a verifier may read on so often. */
const mostIterations = 2;
/** Verdicts are short; a model that thinks takes the rest. */
const mostOutputTokens = 8_192;

/**
 * Fact-checks findings in a fresh conversation, against their quotes, the lines around and the evidence read again. What the source refutes is
 * disproved, with the reason; what cannot be checked stays. Never throws for what a model or a server does.
 */
export async function verifyFindings(findings: readonly Finding[], context: VerificationContext): Promise<Verified> {
  const own = findings.filter(({ source }) => source === 'model');
  const notes: Message[] = [];
  const verdicts: Verdicts = new Map();
  const judged = new Set<string>();
  for (const group of await groups(own, context)) {
    const problem = await check(group, verdicts, context);
    // A dismissal that was taken before the call failed is proven anyway.
    if (problem !== null) {
      notes.push(problem);
      continue;
    }
    const ids = group.claims.map(({ finding: { id } }) => id);
    const named = ids.filter((id) => verdicts.has(id));
    for (const id of named) judged.add(id);
    if (named.length < ids.length) {
      const left = ids.length - named.length;
      notes.push({ code: 'verification.no-verdict', count: left });
    }
    // A finding that one pass made and the others did not needs somebody who confirms it.
    for (const id of ids) {
      const verdict = verdicts.get(id);
      if (!context.mustConfirm.has(id) || holds(verdict) || verdict?.kind === 'disproved') continue;
      verdicts.set(id, { kind: 'disproved', reason: onlyOnce });
    }
  }
  const { findings: kept, disproved } = applyVerdicts(findings, verdicts, 'verification');
  const count = (kind: string) => kept.filter(({ id }) => verdicts.get(id)?.kind === kind).length;
  return {
    findings: kept.map((finding) => {
      if (holds(verdicts.get(finding.id))) return { ...finding, verification: 'confirmed' };
      // A call that failed decided nothing of what it did not name.
      return judged.has(finding.id) ? { ...finding, verification: 'undecided' } : finding;
    }),
    disproved,
    confirmed: count('confirmed'),
    adjusted: count('adjusted'),
    note: notes.length === 0 ? null : { code: 'note.not-all-verified', why: distinctMessages(notes) },
  };
}

const onlyOnce = { code: 'suppressed.one-pass' } as const;

/** What is asked in one call. */
type Group = { readonly claims: readonly Claim[]; readonly evidence: Evidence };

async function groups(
  findings: readonly Finding[],
  { sources, symbols = null, imagesOf }: VerificationContext,
): Promise<readonly Group[]> {
  const all: { readonly claims: Claim[]; readonly evidence: Evidence }[] = [];
  for (const finding of findings) {
    const last = all.at(-1);
    const isOpen = last !== undefined && last.claims.length < mostAtOnce && last.evidence.tokens() < fullTokens;
    const group = isOpen ? last : { claims: [], evidence: openEvidence({ sources, symbols }) };
    if (!isOpen) all.push(group);
    const notes = await group.evidence.add(finding);
    group.claims.push({ finding, notes, images: imagesOf?.(finding.path) ?? [] });
  }
  return all;
}

/** Why the question has no answer; null when it has one. */
async function check(
  { claims, evidence }: Group,
  verdicts: Verdicts,
  { agent, sources, ...context }: VerificationContext,
): Promise<Message | null> {
  const findings = claims.map(({ finding }) => finding);
  const { stepOutputTokens: step, lastOutputTokens: last } = agent.limits;
  const reads = agent.tools.filter(({ verifies }) => verifies === true);
  const run = await ask(agent, {
    phase: 'verification',
    tool: submitVerification(findings, verdicts, sources),
    opening: verificationPrompt(claims, { ...context, source: evidence.render(), reads: reads.length > 0 }),
    reads,
    limits: {
      maxSteps: mostIterations,
      stepOutputTokens: Math.min(mostOutputTokens, step),
      lastOutputTokens: Math.min(mostOutputTokens, last),
    },
  });
  return run.submitted ? null : verbatim(sentenceFor(run.stop));
}
