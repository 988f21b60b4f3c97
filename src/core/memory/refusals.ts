import type { Comment, ReviewThread } from '../pull-request/pull-request.ts';
import type { Refusal } from './memory.ts';
import { stanceOf } from './says-no.ts';

/**
 * Everything that looks like a no to the finding that opens a thread: who resolved it, who voted it down, whose last word on it refuses.
 * Our own hand and other bots refuse nothing. Who of them may refuse is asked of `canWrite`.
 */
export async function refusalsOf(
  thread: ReviewThread,
  canWrite: (login: string) => Promise<boolean>,
): Promise<readonly Refusal[]> {
  const [first, ...replies] = thread.comments;
  if (first === undefined) return [];
  const isPerson = (login: string) => login !== first.author && !login.endsWith('[bot]');
  const resolver = thread.isResolved && thread.resolvedBy !== null ? [thread.resolvedBy] : [];
  const said = [
    ...resolver.map((by) => ({ by, how: 'resolved' as const })),
    ...first.thumbsDown.map((by) => ({ by, how: 'thumbs-down' as const })),
    ...refusers(replies).map((by) => ({ by, how: 'reply' as const })),
  ].filter(({ by }) => isPerson(by));
  const refusals = await Promise.all(said.map(async (one) => ({ ...one, canWrite: await canWrite(one.by) })));
  if (await isTakenBack(refusals, { replies, canWrite })) return refusals.map((one) => ({ ...one, canWrite: false }));
  return refusals;
}

/** The people whose last word, of those that take a side, is a no. */
function refusers(replies: readonly Comment[]): readonly string[] {
  const last = lastStances(replies);
  return [...last].flatMap(([author, stance]) => (stance === 'refuses' ? [author] : []));
}

function lastStances(replies: readonly Comment[]): ReadonlyMap<string, 'refuses' | 'agrees'> {
  const last = new Map<string, 'refuses' | 'agrees'>();
  for (const { author, body, isSelf } of replies) {
    const stance = isSelf ? 'neither' : stanceOf(body);
    if (stance === 'neither') continue;
    last.delete(author);
    last.set(author, stance);
  }
  return last;
}

/** True when a person who may write agreed with the finding after all that was said against it in words. */
async function isTakenBack(
  refusals: readonly Refusal[],
  {
    replies,
    canWrite,
  }: { readonly replies: readonly Comment[]; readonly canWrite: (login: string) => Promise<boolean> },
): Promise<boolean> {
  if (refusals.length === 0 || refusals.some(({ how }) => how !== 'reply')) return false;
  const last = [...lastStances(replies)].at(-1);
  return last !== undefined && last[1] === 'agrees' && (await canWrite(last[0]));
}
