import type { Comment, ReviewThread } from '../pull-request/pull-request.ts';
import { firstLines } from '../text.ts';
import type { Decline } from './memory.ts';

/**
 * Everything that looks like a no to the finding that opens a thread: who resolved it, who voted it down, whose last word on it declines.
 * Postil itself and other bots decline nothing. Who of them may decline is asked of `canWrite`.
 */
export async function declinesOf(
  thread: ReviewThread,
  canWrite: (login: string) => Promise<boolean>,
): Promise<readonly Decline[]> {
  const [first, ...replies] = thread.comments;
  if (first === undefined) return [];
  const isPerson = (login: string) => login !== first.author && !login.endsWith('[bot]');
  const resolver = thread.isResolved && thread.resolvedBy !== null ? [thread.resolvedBy] : [];
  const said = [
    ...resolver.map((by) => ({ by, how: 'resolved' as const })),
    ...first.thumbsDown.map((by) => ({ by, how: 'thumbs-down' as const })),
    ...decliners(replies).map(({ author: by, body }) => ({ by, how: 'reply' as const, words: wordsOf(body) })),
  ].filter(({ by }) => isPerson(by));
  const declines = await Promise.all(said.map(async (one) => ({ ...one, canWrite: await canWrite(one.by) })));
  if (await isTakenBack(declines, { replies, canWrite })) return declines.map((one) => ({ ...one, canWrite: false }));
  return declines;
}

/** Each person's last word, where it is a no. */
function decliners(replies: readonly Comment[]): readonly Comment[] {
  return [...lastStances(replies).values()].flatMap(({ reply, stance }) => (stance === 'refuses' ? [reply] : []));
}

type Stance = { readonly reply: Comment; readonly stance: 'refuses' | 'agrees' };

/** The last word of each person that takes a side, the latest last. */
function lastStances(replies: readonly Comment[]): ReadonlyMap<string, Stance> {
  const last = new Map<string, Stance>();
  for (const reply of replies) {
    const stance = reply.isSelf ? 'neither' : stanceOf(reply.body);
    if (stance === 'neither') continue;
    last.delete(reply.author);
    last.set(reply.author, { reply, stance });
  }
  return last;
}

const wordsShown = 100;

/** What a person wrote themselves, without what they quote. */
function wordsOf(reply: string): string {
  const own = reply
    .slice(0, longestReply)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/^[ \t]*>.*$/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return own.length <= wordsShown ? own : `${firstLines(own, wordsShown).trimEnd()}…`;
}

/** True when a person who may write agreed with the finding after all that was said against it in words. */
async function isTakenBack(
  declines: readonly Decline[],
  { replies, canWrite }: { replies: readonly Comment[]; canWrite: (login: string) => Promise<boolean> },
): Promise<boolean> {
  if (declines.length === 0 || declines.some(({ how }) => how !== 'reply')) return false;
  const last = [...lastStances(replies).values()].at(-1);
  return last !== undefined && last.stance === 'agrees' && (await canWrite(last.reply.author));
}

/** Phrases by which people turn a finding down, as they begin or stand in a reply. English first, then what else is common. */
const declining = [
  /\b(?:won'?t|will not|not going to|no need to) (?:fix|change|do)\b|\bwontfix\b/,
  /\bfalse positive\b|\bfalse alarm\b/,
  /\bnot (?:a|an|really an?) (?:bug|issue|problem|concern|defect|real issue|vulnerability)\b/,
  /\b(?:isn'?t|is not) (?:a|an|true|correct|right|relevant|an? (?:bug|issue|problem))\b/,
  /\bby design\b|\bworks as (?:intended|designed|expected)\b|\bworking as (?:intended|designed)\b/,
  /\b(?:is|are|was|this'?s|that'?s|it'?s) (?:intended|intentional|deliberate|on purpose|expected|fine|okay|ok)\b|^(?:intended|intentional|intentionally|deliberate|on purpose|expected)\b/,
  /\bnot applicable\b|^n\/a\b|\bdoes(?:n'?t| not) (?:apply|matter)\b|\bnot relevant\b|\birrelevant\b/,
  /\b(?:i |we |strongly |respectfully )?disagree\b/,
  /\bleave (?:it|this|that) (?:as|be|alone|in)\b|^leave (?:it|this|that)\b/,
  /\b(?:please )?(?:ignore|dismiss|disregard) (?:this|it|that)\b|^(?:ignore|dismiss|disregard)d?\b/,
  /\bout of scope\b|\bnot in scope\b|\bacceptable (?:risk|here)\b|\baccepted risk\b/,
  /^(?:no|nope|nah|nein|non|não|いいえ)(?:[\s,.!;:—-]|$)/,
  /👎|🙅/u,
  /\bkein (?:fehler|problem|bug)\b|\b(?:ist )?(?:so )?(?:gewollt|beabsichtigt)\b/,
  /\bfaux positif\b|\bpas un (?:bug|problème)\b|\bc'?est voulu\b|\bfalso positivo\b|\bno es un (?:error|problema|bug)\b/,
  /误报|誤報|仕様です/u,
] as const;

/** Phrases that turn a no into its contrary, or take it back. */
const agreements = [
  /\bnot (?:a )?false positive\b|\bnot intentional\b|\bnot (?:intended|by design|expected)\b|\b(?:don'?t|do not) (?:ignore|dismiss|disregard|disagree)\b/,
  /\b(?:fixed|will fix|i'?ll fix|good (?:catch|point)|you'?re right|agreed?\b|my mistake|makes sense|thanks?,? (?:fixed|done)|done in)\b/,
  /\bcan'?t disagree\b|\bnot (?:acceptable|fine|ok|okay)\b/,
] as const;

/** What a reply to a finding says. Deterministic and cautious: what is not clearly a no is none. */
export function stanceOf(reply: string): 'refuses' | 'agrees' | 'neither' {
  const sentences = plainText(reply)
    .split(/(?<=[.!?\n])\s+|\n+/)
    .filter((sentence) => sentence !== '');
  const stances = sentences.map(stanceOfSentence);
  // Somebody who fixes it and grumbles agrees.
  if (stances.includes('agrees')) return 'agrees';
  return stances.includes('refuses') ? 'refuses' : 'neither';
}

function stanceOfSentence(sentence: string): 'refuses' | 'agrees' | 'neither' {
  if (agreements.some((phrase) => phrase.test(sentence))) return 'agrees';
  if (sentence.endsWith('?')) return 'neither';
  return declining.some((phrase) => phrase.test(sentence)) ? 'refuses' : 'neither';
}

const longestReply = 4_000;

/** Without what is quoted from others and without code: neither is what this person says. */
function plainText(reply: string): string {
  return reply
    .slice(0, longestReply)
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/`[^`\n]*`/g, ' ')
    .replace(/^[ \t]*>.*$/gm, '')
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .trim();
}
