import type { FinishingTool } from '../agent/tool.ts';
import { checkEvidence, rangeOf, readEvidence } from '../findings/citations.ts';
import { disproofAt, fixAt } from '../findings/proof.ts';
import { readQuote } from '../findings/quote.ts';
import type { GroundSources } from '../findings/sources.ts';
import { cleanSuggestion } from '../findings/suggestion.ts';
import { isObject, type JsonObject, textOf } from '../findings/words.ts';
import { findingOf, type PriorFinding } from '../history/memory.ts';
import { recheckItem } from '../history/settle.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Translator } from '../messages/translator.ts';
import type { Answer, SourcePlace } from '../review/review.ts';
import { exactly, listOf } from '../schema.ts';

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;

const said = {
  sources: listOf(exactly({ path: text, lines: textOrNull, shows: text })),
  answer: text,
  not_found: textOrNull,
};
const judged = {
  verdict: { enum: ['stands', 'excluded', 'fixed', 'none'] },
  proof: { ...exactly({ path: text, quote: text }), type: ['object', 'null'] },
} as const;

/** What an answer is to bring beside words. */
export type AnswerForm = {
  /** Whether it judges the finding: only a line of source can end one. */
  readonly judges: boolean;
  /** Whether it is to write a change. */
  readonly suggests: boolean;
  /** Whether it may be that nothing is asked: then it says nothing. */
  readonly mayPass: boolean;
};

export type SubmittedAnswer = Omit<Answer, 'asked' | 'about' | 'isDone' | 'movesGate'>;

/** Gives an answer back so often. */
const maxReturns = 1;
const placesAtMost = 3;

/**
 * The finishing tool of an answer. What it cites is looked up, and what is not there is left out. A verdict that ends a finding counts only with a line
 * of code at head; one that keeps it up against an argument only with a line that shows it. After one return an unproven verdict is none.
 */
export function submitAnswer(
  form: AnswerForm,
  { finding, sources, t = inEnglish }: { finding: PriorFinding | null; sources: GroundSources; t?: Translator },
): { readonly tool: FinishingTool; readonly submitted: () => SubmittedAnswer | null } {
  const { judges, suggests } = form;
  let returns = 0;
  let submitted: SubmittedAnswer | null = null;
  const properties = { ...said, ...(judges ? judged : {}), ...(suggests ? { suggestion: textOrNull } : {}) };
  const tool: FinishingTool = {
    name: 'submit_answer',
    description: 'Give your answer, and end.',
    parameters: exactly(properties),
    parse: (value) => (isObject(value) ? { ok: true, value } : { ok: false, problems: ['it must be an object'] }),
    finish: async (value) => {
      const given = isObject(value) ? value : {};
      const { answer, problems } = await read(given, { ...form, finding, sources, t: t });
      submitted = answer;
      if (problems.length === 0 || returns >= maxReturns) return { done: true, text: 'Taken.', told: 'answered' };
      returns += 1;
      return { done: false, text: `${problems.join(' ')} Submit it again.`, told: 'answer returned' };
    },
    takeText: async (text) => {
      if (text.trim() === '') return null;
      // Words alone judge nothing.
      if (judges || suggests) return { done: false, text: 'Call submit_answer with your answer.' };
      submitted = (await read({ answer: text }, { ...form, finding, sources, t: t })).answer;
      return { done: true, text: 'Taken.' };
    },
  };
  return { tool, submitted: () => submitted };
}

type Reading = AnswerForm & {
  readonly finding: PriorFinding | null;
  readonly sources: GroundSources;
  readonly t: Translator;
};

async function read(given: JsonObject, { judges, suggests, mayPass, finding, sources, t }: Reading) {
  if (mayPass && textOf(given['verdict']).toLowerCase() === 'none') {
    return { answer: { text: '', notFound: null, places: [], suggestion: null }, problems: [] };
  }
  const cited = await checkEvidence(readEvidence(given['sources']), sources);
  const places = cited.citations.flatMap((citation): readonly SourcePlace[] => {
    const range = citation.side === 'RIGHT' ? rangeOf(citation) : null;
    return range === null ? [] : [{ path: citation.path, startLine: range.start, endLine: range.end }];
  });
  const verdict = judges && finding !== null ? await verdictOf(given, { finding, sources, places }) : { problem: null };
  const suggestion = suggests && finding !== null ? await suggestionOf(given, finding, sources) : null;
  const words = textOf(given['answer']);
  const { problem, unproven = null, ...proven } = verdict;
  const answer: SubmittedAnswer = {
    text: unproven === null ? words : t(unproven),
    notFound: textOf(given['not_found']) || null,
    places: places.slice(0, placesAtMost),
    suggestion,
    ...proven,
  };
  const empty = words === '' ? ['`answer` is empty.'] : [];
  return { answer, problems: [...empty, ...(problem === null ? [] : [problem])] };
}

type Judged = Pick<Answer, 'verdict' | 'proof'> & {
  /** What the model is to do better; null when nothing. */
  readonly problem: string | null;
  /** What is said in the place of words that gave in, or argued, without a line of source. */
  readonly unproven?: typeof unsettled;
};

const unsettled = { code: 'answer.no-proof' } as const;

async function verdictOf(
  given: JsonObject,
  { finding, sources, places }: { finding: PriorFinding; sources: GroundSources; places: readonly SourcePlace[] },
): Promise<Judged> {
  const word = textOf(given['verdict']).toLowerCase();
  if (word === 'stands') {
    const [proof] = places;
    if (proof !== undefined) return { verdict: 'stands', proof, problem: null };
    return { problem: 'Name in `sources` a line that shows the case.', unproven: unsettled };
  }
  if (word !== 'excluded' && word !== 'fixed') return { problem: null };
  const named = given['proof'];
  const proof = isObject(named) ? { path: textOf(named['path']), quote: textOf(named['quote']) } : null;
  const { why, place } = proof === null ? unquoted : await provenBy(word, proof, { finding, sources });
  if (place === null) {
    return {
      problem: `Not taken: ${why ?? 'the quote is not at head'}. Quote in \`proof\` a line of code at head, or say stands.`,
      unproven: unsettled,
    };
  }
  return { verdict: word === 'fixed' ? 'fixed' : 'withdrawn', proof: place, problem: null };
}

type Proof = { readonly path: string; readonly quote: string };
type Proven = { readonly why: string | null; readonly place: SourcePlace | null };

const unquoted: Proven = { why: 'there is no `proof`', place: null };

async function provenBy(
  word: 'excluded' | 'fixed',
  proof: Proof,
  { finding, sources }: { finding: PriorFinding; sources: GroundSources },
): Promise<Proven> {
  const nowhere = (why: string): Proven => ({ why, place: null });
  if (word === 'excluded') return await disproofAt(proof, { finding: findingOf(finding), sources, hasOwnLines: true });
  if (finding.change.kind === 'same') {
    return nowhere('nothing changed there since the finding was made, so nothing was fixed');
  }
  const place = await fixAt(proof, { asked: recheckItem(finding), sources });
  return place === null ? nowhere('the quote is no new code in the file of the finding') : { why: null, place };
}

/** Models leave out the indentation of the first line, and of all others with it. */
function indented(written: string, [first = '']: readonly string[]): string {
  const margin = /^[ \t]*/.exec(first)?.[0] ?? '';
  if (margin === '' || /^\s/.test(written)) return written;
  return written.replace(/^(?=[^\r\n])/gm, margin);
}

/** What may be put in the place of the finding's lines, which must be there; null where that is not sure. */
async function suggestionOf(
  given: JsonObject,
  { present, held }: PriorFinding,
  sources: GroundSources,
): Promise<Answer['suggestion']> {
  const written = given['suggestion'];
  if (typeof written !== 'string' || present.kind !== 'here' || present.anchor.kind !== 'lines') return null;
  const { startLine, endLine, side } = present.anchor;
  const all = side === 'RIGHT' ? await sources.read(present.path, 'RIGHT').catch(() => null) : null;
  const file = (all ?? []).slice(startLine - 1, endLine);
  if (file.length === 0 || file.some(({ redacted }) => redacted)) return null;
  const lines = file.map((line) => line.text);
  const [reading] = readQuote(lines.join('\n'), 'RIGHT');
  const code = reading === undefined ? null : cleanSuggestion(indented(written, lines), { file: lines, reading });
  if (code === null) return null;
  const thread = held.in === 'thread' && !held.thread.isOutdated ? held.thread : null;
  const applies =
    thread?.side === 'RIGHT' && thread.line === endLine && (thread.startLine ?? thread.line) === startLine;
  return { code, applies };
}
