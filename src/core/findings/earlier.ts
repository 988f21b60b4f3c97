import { exactly, type Infer, listOf } from '../schema.ts';
import type { Anchor } from './finding.ts';
import { ground } from './ground.ts';
import { type ChangedCode, fixAt, isTakenOut, type ProofPlace } from './proof.ts';
import type { GroundSources } from './sources.ts';
import type { SubmittedFinding } from './submission.ts';
import { firstOf, isObject, type JsonObject, textOf } from './words.ts';

/** An open finding of an earlier run whose lines or their neighbourhood changed: whoever reviews its file is asked what became of it. */
export type RecheckItem = ChangedCode & {
  readonly id: string;
  readonly title: string;
  /** What the comment said, as far as it is known. */
  readonly said: string;
  /** Where it was when it was made, such as `src/a.ts:12-14`. */
  readonly place: string;
};

/** What a check of this run says of an earlier finding. `fixed` has a proof that stands at head, or it is `unsure`. */
export type EarlierAnswer =
  | {
      readonly id: string;
      readonly state: 'fixed';
      /** Null: the rule that made it does not match there any more. */
      readonly proof: { readonly path: string; readonly quote: string } | null;
      /** Where at head the proof stands; left out where nobody looked. */
      readonly at?: ProofPlace;
      /** How the proof is known again: by its lines, and by what they stand in. */
      readonly kept?: { readonly path: string; readonly digests: readonly string[]; readonly around: string | null };
    }
  | { readonly id: string; readonly state: 'still there'; readonly path: string; readonly anchor: Anchor }
  | { readonly id: string; readonly state: 'unsure' };

export const earlierStates = ['fixed', 'still there', 'unsure'] as const;

export const earlierFindingsSchema = listOf(
  exactly({
    id: { type: 'string' },
    path: { type: ['string', 'null'], description: 'Of the quote; null: the file of the finding.' },
    quote: {
      type: ['string', 'null'],
      description:
        'fixed: the code at head that proves it (no comment). still there: the wrong lines as they are now. Else null.',
    },
    state: { enum: earlierStates },
  }),
  'One entry for each id under "Raised before".',
);

export type SubmittedEarlier = Omit<Infer<(typeof earlierFindingsSchema)['items']>, 'state'> & {
  readonly state: string;
};

const mostAnswers = 200;

/** The answers of a submission, read leniently: what says nothing of an id is left out. */
export function readEarlier(value: unknown): readonly SubmittedEarlier[] {
  const list = Array.isArray(value) ? value : isObject(value) ? [value] : [];
  const textOrNull = (item: JsonObject, name: string) => textOf(firstOf(item, name)) || null;
  return list
    .slice(0, mostAnswers)
    .filter(isObject)
    .map((item) => ({
      id: textOf(firstOf(item, 'id')).replace(/^\[|\]$/g, ''),
      path: textOrNull(item, 'path'),
      quote: quoteIn(item),
      state: textOf(firstOf(item, 'state', 'status'))
        .toLowerCase()
        .replace(/[_-]+/g, ' '),
    }))
    .filter(({ id }) => id !== '');
}

function quoteIn(item: JsonObject): string | null {
  const quote = firstOf(item, 'quote');
  return typeof quote === 'string' && quote.trim() !== '' ? quote : null;
}

const fixedWords: readonly string[] = ['fixed', 'resolved', 'gone'];
const openWords: readonly string[] = ['still there', 'open', 'not fixed', 'present', 'unfixed'];

/** What an answer is worth: `still there` stands where its quote is found, else on the file; `fixed` without proof is `unsure`. */
export async function groundEarlier(
  { path, quote, state }: SubmittedEarlier,
  { asked, sources }: { asked: RecheckItem; sources: GroundSources },
): Promise<EarlierAnswer> {
  const { id } = asked;
  if (openWords.includes(state))
    return { id, state: 'still there', ...(await placeNow({ path, quote }, asked, sources)) };
  if (!fixedWords.includes(state)) return { id, state: 'unsure' };
  if (await isTakenOut(asked, sources)) return { id, state: 'fixed', proof: null };
  if (quote === null) return { id, state: 'unsure' };
  const proof = { path: path ?? asked.path, quote };
  const at = await fixAt(proof, { asked, sources });
  return at === null ? { id, state: 'unsure' } : { id, state: 'fixed', proof, at };
}

async function placeNow(
  { path, quote }: Pick<SubmittedEarlier, 'path' | 'quote'>,
  asked: RecheckItem,
  sources: GroundSources,
): Promise<{ readonly path: string; readonly anchor: Anchor }> {
  const onFile = { path: asked.path, anchor: { kind: 'file' } } as const;
  if (quote === null) return onFile;
  const grounded = await ground({ ...unsaid, path: path ?? asked.path, quote }, sources);
  return grounded.ok ? { path: grounded.path, anchor: grounded.anchor } : onFile;
}

const unsaid: Omit<SubmittedFinding, 'path' | 'quote'> = {
  ...{
    lines: null,
    evidence: [],
    also_at: [],
    title: '',
    review: '',
    suggestion: null,
    rule_id: null,
    same_as: null,
    confidence: 1,
  },
  side: 'RIGHT',
  severity: 'warning',
  category: 'other',
};

/** One answer for each id: `fixed` only where nobody doubts it. */
export function oneForEach(answers: readonly EarlierAnswer[]): readonly EarlierAnswer[] {
  const rank = ({ state }: EarlierAnswer) => ['still there', 'unsure', 'fixed'].indexOf(state);
  const worst = new Map<string, EarlierAnswer>();
  for (const answer of answers) {
    const known = worst.get(answer.id);
    if (known === undefined || rank(answer) < rank(known)) worst.set(answer.id, answer);
  }
  return [...worst.values()];
}
