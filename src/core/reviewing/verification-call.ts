import type { FinishingTool } from '../agent/tool.ts';
import type { ReviewEvent } from '../events.ts';
import { type Finding, type Proof, placeOf, type SuppressedBy, suppress } from '../findings/finding.ts';
import { whyNoDisproof } from '../findings/proof.ts';
import { readQuote } from '../findings/quote.ts';
import type { GroundSources } from '../findings/sources.ts';
import { cleanSuggestion } from '../findings/suggestion.ts';
import { isObject, type JsonObject, numberOf, severityWord, textOf } from '../findings/words.ts';
import { inEnglish } from '../messages/languages.ts';
import { type Message, verbatim } from '../messages/message.ts';
import { changedRanges } from '../pull-request/changed-file.ts';
import type { BatchReview } from '../review/draft.ts';
import { exactly, listOf } from '../schema.ts';
import { type Severity, severities } from '../settings/setting.ts';
import { plural } from '../text.ts';

const text = { type: ['string', 'null'] } as const;

const numbers = listOf({ type: 'integer' });

/** What holds is a number; only what does not hold as it is takes words. */
const schema = exactly({
  confirmed: numbers,
  drop_suggestion: numbers,
  verdicts: listOf(
    exactly({
      finding: { type: 'integer' },
      verdict: { enum: [...severities, 'wrong', 'old', 'undecided'] },
      result: { type: 'string' },
      path: text,
      quote: text,
      review: text,
      suggestion: text,
    }),
  ),
});

/** Asks once for a dismissal whose quote was not found; then the finding stays. */
const maxReturns = 1;

/** The finishing tool of a verification, which adds to the verdicts. Findings are numbered from 1. A dismissal counts only when its quote is in the source. */
export function submitVerification(
  findings: readonly Finding[],
  verdicts: Verdicts,
  sources: GroundSources,
): FinishingTool {
  let returns = 0;
  const take = async (value: JsonObject) => {
    const returned: string[] = [];
    const dropped = listIn(value, 'drop_suggestion').map(numberOf);
    for (const entry of entriesIn(value, dropped)) {
      const finding = findings[(entry.number ?? 0) - 1];
      if (finding === undefined) continue;
      const verdict = withSuggestion(await verdictOn(finding, entry, sources), {
        replacement: dropped.includes(entry.number) ? null : replacementOf(entry.item),
        finding,
      });
      addVerdict(verdicts, finding.id, verdict);
      if (verdict.kind === 'unproven') returned.push(`#${entry.number}: ${verdict.problem}`);
    }
    return returned;
  };

  return {
    name: 'submit_verification',
    description: 'Give your verdicts, and end.',
    parameters: schema,
    parse: (value) => (isObject(value) ? { ok: true, value } : { ok: false, problems: ['it must be an object'] }),
    finish: async (value, also = []) => {
      const returned: string[] = [];
      for (const one of [value, ...also]) returned.push(...(await take(isObject(one) ? one : {})));
      if (returned.length === 0 || returns >= maxReturns)
        return {
          done: true,
          text: 'Taken.',
          told: `${plural(findings.filter(({ id }) => verdicts.has(id)).length, 'verdict')} accepted`,
        };
      returns += 1;
      return {
        done: false,
        told: `${plural(returned.length, 'verdict')} returned`,
        text: `Not dismissed: ${returned.join('; ')}. Submit these again with a line of code at head that proves it, or leave them out; the rest is taken.`,
      };
    },
  };
}

type Entry = { readonly number: number | null; readonly word: string; readonly item: JsonObject };

/** What is said of each number. Whose suggestion alone is wrong is neither right nor wrong. */
function entriesIn(value: JsonObject, dropped: readonly (number | null)[]): readonly Entry[] {
  const entries = [
    ...listIn(value, 'verdicts')
      .filter(isObject)
      .map((item) => ({ number: numberOf(item), word: textOf(item['verdict']).toLowerCase(), item })),
    ...listIn(value, 'confirmed').map((item) => ({ number: numberOf(item), word: 'confirmed', item: {} })),
  ];
  const others = dropped.filter((number) => entries.every((entry) => entry.number !== number));
  return [...entries, ...others.map((number) => ({ number, word: 'undecided', item: {} }))];
}

async function verdictOn(finding: Finding, { word, item }: Entry, sources: GroundSources): Promise<Verdict> {
  const [result, review] = [textOf(item['result']), textOf(item['review'])];
  if (word === 'confirmed') return { kind: 'confirmed' };
  if (word === 'wrong') {
    const quote = typeof item['quote'] === 'string' ? item['quote'] : '';
    const proof = { path: textOf(item['path']) || finding.path, quote };
    const problem = result === '' ? 'the reason is empty' : await whyNoDisproof(proof, { finding, sources });
    if (problem !== null) return { kind: 'unproven', problem };
    return { kind: 'disproved', reason: verbatim(result), proof: { ...proof, quote: quote.trim() } };
  }
  if (word === 'old' && !isTouched(finding, sources.files)) {
    return { kind: 'already-there', reason: result === '' ? { code: 'suppressed.was-there' } : verbatim(result) };
  }
  const known = severityWord(word);
  const severity = word === 'old' ? finding.severity : severities.find((one) => one === known);
  if (severity === undefined) return { kind: 'undecided' };
  return severity === finding.severity && review === ''
    ? { kind: 'confirmed' }
    : { kind: 'adjusted', severity, review };
}

/** What a change adds or removes cannot have been there before, nor can what stands on a changed file as a whole or nowhere. */
function isTouched({ path, anchor, unplaced }: Finding, files: GroundSources['files']): boolean {
  const file = files.find((one) => one.path === path);
  if (file === undefined) return unplaced !== undefined;
  if (anchor.kind === 'file') return file.status !== 'renamed' || file.hunks.length > 0 || unplaced !== undefined;
  if (anchor.side === 'LEFT') return true;
  return changedRanges(file).added.some(({ start, end }) => start <= anchor.endLine && end >= anchor.startLine);
}

/** Undefined: as it was. Null: withdrawn. */
type Replacement = string | null | undefined;

function replacementOf(item: JsonObject): Replacement {
  const given = item['suggestion'];
  return typeof given === 'string' && given.trim() !== '' ? given : undefined;
}

/** A verdict that also withdraws or replaces what was suggested. Where nothing was suggested there is nothing to replace. */
function withSuggestion(
  verdict: Verdict,
  { replacement, finding }: { replacement: Replacement; finding: Finding },
): Verdict {
  const { anchor, suggestion: old } = finding;
  if (replacement === undefined || old === null || anchor.kind === 'file') return verdict;
  const file = anchor.quote.split('\n');
  const [reading] = readQuote(anchor.quote, anchor.side);
  const suggestion =
    replacement === null || reading === undefined ? null : cleanSuggestion(replacement, { file, reading });
  if (verdict.kind === 'confirmed') return { kind: 'adjusted', severity: null, review: '', suggestion };
  return verdict.kind === 'adjusted' || verdict.kind === 'undecided' ? { ...verdict, suggestion } : verdict;
}

type Adjustment = {
  readonly severity: Severity | null;
  readonly review: string;
  /** In place of what was suggested; null: nothing is. Absent: as it was. */
  readonly suggestion?: string | null;
};

function listIn(value: JsonObject, name: string): readonly unknown[] {
  return Array.isArray(value[name]) ? value[name] : [];
}

/** From the one that counts most, where two on one finding contradict each other: what keeps a finding goes first. */
const kinds = ['adjusted', 'confirmed', 'undecided', 'disproved', 'already-there', 'unproven'] as const;

/** What somebody who checked a finding says of it. */
export type Verdict =
  /** Right, but for what is corrected. */
  | ({ readonly kind: 'adjusted' } & Adjustment)
  /** `undecided`: neither right nor wrong. */
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'undecided'; readonly suggestion?: string | null }
  /** Why it is wrong, and the line that this rests on. */
  | { readonly kind: 'disproved'; readonly reason: Message; readonly proof?: Proof }
  /** True, and neither caused nor made reachable by the change: the case and its result. */
  | { readonly kind: 'already-there'; readonly reason: Message }
  /** Said to be wrong, with nothing that proves it. */
  | { readonly kind: 'unproven'; readonly problem: string };

/** By the finding's id. Who is not mentioned stays: absence is no dismissal. */
export type Verdicts = Map<string, Verdict>;

function addVerdict(verdicts: Verdicts, id: string, verdict: Verdict): void {
  const known = verdicts.get(id)?.kind ?? 'unproven';
  if (kinds.indexOf(verdict.kind) <= kinds.indexOf(known)) verdicts.set(id, verdict);
}

/** Whether it is true, if in the verifier's words. */
export function holds(verdict: Verdict | undefined): boolean {
  return verdict?.kind === 'confirmed' || verdict?.kind === 'adjusted';
}

/**
 * What is disproved (in the words of `by`) or was there already is taken out with the reason, adjusted are changed, all others stay. What a rule
 * found is not the model's to judge.
 */
export function applyVerdicts(
  findings: readonly Finding[],
  verdicts: Verdicts,
  by: SuppressedBy,
): Pick<BatchReview, 'findings' | 'disproved'> {
  const kept: Finding[] = [];
  const disproved: Finding[] = [];
  for (const finding of findings) {
    const verdict = finding.source === 'rule' ? undefined : verdicts.get(finding.id);
    if (verdict?.kind === 'disproved') {
      const { kind: _, ...why } = verdict;
      disproved.push(suppress(finding, { by, ...why }));
    } else if (verdict?.kind === 'already-there') {
      disproved.push(suppress(finding, { by: 'already-there', reason: verdict.reason }));
    } else if (verdict?.kind === 'adjusted') {
      const { severity, review, suggestion = finding.suggestion } = verdict;
      kept.push({ ...finding, severity: severity ?? finding.severity, review: review || finding.review, suggestion });
    } else if (verdict?.kind === 'undecided' && verdict.suggestion !== undefined) {
      kept.push({ ...finding, suggestion: verdict.suggestion });
    } else kept.push(finding);
  }
  return { findings: kept, disproved };
}

/** Each is reported where it happens. */
export function reportDisproved(
  disproved: readonly Finding[],
  { batch, report }: { batch: string; report: (event: ReviewEvent) => void },
): void {
  for (const { suppressed, ...finding } of disproved) {
    const { id, title } = finding;
    if (suppressed === undefined) continue;
    const { reason, by } = suppressed;
    report({ type: 'finding-dismiss', batch, id, title, place: placeOf(finding), reason: inEnglish(reason), by });
  }
}
