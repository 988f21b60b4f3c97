import type { Comment, PullRequest, ReviewThread } from '../pull-request/pull-request.ts';
import { redactSecrets } from '../secrets/values.ts';
import { compareText, firstLines } from '../text.ts';
import { type Command, commandsIn, firstParagraph, placeInAddress, questionMark } from './commands.ts';
import type { Decline } from './memory.ts';

/** The words that decline a finding when they are all that the first line of a reply says. docs/reviews.md lists them. */
export const decliningWords = {
  English: ['false positive', 'this is a false positive', "won't fix", 'by design', 'not a bug', 'ignore'],
  German: ['Fehlalarm'],
  French: ['faux positif'],
  Spanish: ['falso positivo'],
  Portuguese: ['falso positivo'],
  Japanese: ['誤検知'],
  Chinese: ['误报'],
} as const;

/** What somebody did about a finding on purpose: declined it, or took a decline back. */
export type Act = Omit<Decline, 'canWrite'> & {
  readonly takesBack?: true;
  /** GitHub does not say who edited it: it can take a decline back, and is none. */
  readonly isDoubtful?: true;
  /** Our own answer says it, with a line of source: nobody's permission is asked. */
  readonly isProven?: true;
};

type CanWrite = (login: string) => Promise<boolean | null>;

/**
 * Who declined a finding, with and without weight: each person's last act in its thread, or by its id, oldest first. The latest act of somebody
 * who may write wins: what that one takes back is left out, also where nobody can tell whether they may. Postil itself and other bots decline nothing.
 */
export async function declinesOf(
  {
    thread = null,
    byId = [],
    name = '',
  }: { thread?: ReviewThread | null; byId?: readonly Act[] /** By which `@` calls us. */; name?: string },
  canWrite: CanWrite,
): Promise<readonly Decline[]> {
  const acts = [...(thread === null ? [] : actsIn(thread, name)), ...byId];
  const last = new Map<string, Act>();
  const heard = acts.filter(({ isDoubtful, takesBack }) => isDoubtful !== true || takesBack === true);
  for (const act of heard.toSorted((one, other) => compareText(one.date, other.date))) {
    last.delete(act.by);
    last.set(act.by, act);
  }
  const weighed = await Promise.all(
    [...last.values()].map(async (act) => ({ act, canWrite: act.isProven === true || (await canWrite(act.by)) })),
  );
  const since = weighed.findLastIndex((one) => one.act.takesBack === true && one.canWrite !== false) + 1;
  return weighed
    .slice(since)
    .flatMap(({ act: { takesBack, isDoubtful: _, isProven: __, ...decline }, canWrite }) =>
      takesBack ? [] : [{ ...decline, canWrite }],
    );
}

function actsIn({ comments, isResolved, resolvedBy }: ReviewThread, name: string): readonly Act[] {
  const [first, ...replies] = comments;
  if (first === undefined) return [];
  // GitHub does not say when a thread was resolved: whatever has a date is later.
  const resolved = isResolved && resolvedBy !== null ? [{ by: resolvedBy, how: 'resolved' as const, date: '' }] : [];
  const votes = first.thumbsDown.map((by, index) => {
    return { by, how: 'thumbs-down' as const, date: first.thumbsDownDates?.[index] ?? '' };
  });
  const acts: readonly Act[] = [...resolved, ...votes, ...replies.flatMap((reply) => actOf(reply, name) ?? [])];
  return acts.filter(({ by }) => by !== first.author && !isBot(by));
}

export function isBot(login: string): boolean {
  return login.endsWith('[bot]');
}

/** What a reply does: by the first line of its first paragraph, or by its last command that names no finding. Null when it is no act. */
function actOf(reply: Comment, name: string): Act | null {
  const said = saidIn(reply);
  if (said === null) return null;
  const lines = mayDecline(reply.body) ? firstParagraph(reply.body) : [];
  if (declines(lines[0]?.trim() ?? '')) return { ...said, how: 'reply', words: cut(lines.join(' ')) };
  const command = commandsIn(reply.body, name).findLast((one) => isAct(one) && one.finding === null);
  return command === undefined ? null : { ...said, ...actBy(command) };
}

/** Most comments say nothing of this, and the parser is slow. */
function mayDecline(body: string): boolean {
  const said = inSmallLetters(body);
  return forms.some((form) => said.includes(form));
}

export type Commands = {
  /** What people wrote by the id of this finding, or by the address of a comment of its thread. */
  readonly about: (id: string, urls?: readonly (string | null)[]) => readonly Act[];
  /** What they wrote by ids that no finding has, or more than one. */
  readonly unknown: ReadonlyMap<string, readonly Act[]>;
  /** What they wrote by an id in the text of a review, of which nobody knows who edited it. */
  readonly inReviews: ReadonlyMap<string, readonly Act[]>;
};

/** Lines `/postil dismiss ID REASON` and `/postil undismiss ID` about findings with these ids, wherever people wrote them on the pull request. */
export function commandsFor(
  ids: readonly string[],
  said: Pick<PullRequest, 'conversation' | 'threads' | 'reviews'>,
  name = '',
): Commands {
  const acts = actsByIds([...said.conversation, ...said.threads.flatMap(({ comments }) => comments)], name);
  const at = (url: string | null) => acts.get(placeInAddress(url) ?? '') ?? [];
  const isKnown = (id: string) => ids.includes(id) && ids.indexOf(id) === ids.lastIndexOf(id);
  return {
    about: (id, urls = []) => (isKnown(id) ? [...(acts.get(id) ?? []), ...urls.flatMap(at)] : []),
    unknown: new Map([...acts].filter(([id]) => id.startsWith('p-') && !isKnown(id))),
    inReviews: actsByIds(
      said.reviews.map((review) => ({ ...review, date: '', isMinimized: false })),
      name,
    ),
  };
}

type Written = Pick<Comment, 'author' | 'date' | 'body' | 'isSelf' | 'edited' | 'url' | 'isMinimized'>;

/** Of each comment, the last act by each id: in small letters. */
function actsByIds(all: readonly Written[], name: string): ReadonlyMap<string, readonly Act[]> {
  const acts = new Map<string, Act[]>();
  for (const comment of all) {
    for (const [id, act] of actsById(comment, name)) {
      const known = acts.get(id) ?? [];
      acts.set(id, known);
      known.push(act);
    }
  }
  return acts;
}

function actsById(comment: Written, name: string): ReadonlyMap<string, Act> {
  const acts = new Map<string, Act>();
  const said = saidIn(comment);
  if (said === null || isBot(comment.author)) return acts;
  for (const command of commandsIn(comment.body, name)) {
    if (isAct(command) && command.finding !== null) acts.set(command.finding, { ...said, ...actBy(command) });
  }
  return acts;
}

const idsNamed = 5;

/** What somebody who may write should know who named a finding that is not there, or in a review: notes for the log. */
export async function notesOnCommands(
  { unknown, inReviews }: Commands,
  canWrite: CanWrite,
): Promise<readonly string[]> {
  const isHeard = async (acts: readonly Act[]) =>
    (await Promise.all(acts.map(({ by }) => canWrite(by)))).includes(true);
  const named = async (acts: Commands['unknown']) => {
    const heard = await Promise.all([...acts].map(async ([id, some]) => ((await isHeard(some)) ? [id] : [])));
    const ids = heard.flat();
    const more = ids.length > idsNamed ? ` and ${ids.length - idsNamed} more` : '';
    return ids.length === 0 ? null : `${ids.slice(0, idsNamed).join(', ')}${more} after \`/postil\``;
  };
  const [missing, astray] = await Promise.all([named(unknown), named(inReviews)]);
  return [
    ...(missing === null ? [] : [`A comment names ${missing}: this reviewer knows no finding by such an id.`]),
    ...(astray === null ? [] : [`The text of a review names ${astray}, which counts only in a comment.`]),
  ];
}

/** By whom and when; null where it is our own or hidden, or where somebody else edited it: these are not their author's words. */
function saidIn({
  author,
  date,
  isSelf,
  isMinimized,
  edited,
  url,
}: Written): Pick<Act, 'by' | 'date' | 'url' | 'isDoubtful'> | null {
  if (isSelf || isMinimized) return null;
  const said = { by: author, date: edited?.date ?? date, url };
  if (edited?.by === null) return { ...said, isDoubtful: true };
  return edited !== undefined && edited.by !== author ? null : said;
}

function actBy({ verb, rest }: Command): Pick<Act, 'how' | 'words' | 'takesBack'> {
  const words = cut(rest);
  const how = { how: 'dismissed', ...(words === '' ? {} : { words }) } as const;
  return verb === 'undismiss' ? { ...how, takesBack: true } : how;
}

function isAct({ verb }: Command): boolean {
  return verb === 'dismiss' || verb === 'undismiss';
}

const forms = Object.values(decliningWords)
  .flat()
  .map((form) => form.toLowerCase());

/** A dash, colon or full stop that ends the form: no hyphenated word, no file name. */
const reasonAhead = /^(?: ?[—：。．]| ?[:.](?= |$)| [-–]{1,3}(?= |$))/;

/** True for a line that is one of the forms, or one and a reason. */
function declines(line: string): boolean {
  // An asterisk before a space begins an item of a list, no emphasis.
  if (questionMark.test(line) || /^[*_]+\s/.test(line)) return false;
  const said = inSmallLetters(line);
  return forms.some((form) => said.startsWith(form) && (said === form || reasonAhead.test(said.slice(form.length))));
}

function inSmallLetters(text: string): string {
  return text.toLowerCase().replace(/[‘’ʼ]/g, "'").replace(/[*_]/g, '').replace(/\s+/g, ' ').trim();
}

const wordsShown = 100;

function cut(text: string): string {
  // A secret that was cut no longer looks like one.
  const words = redactSecrets(text.replace(/\s+/g, ' ').trim());
  return words.length <= wordsShown ? words : `${firstLines(words, wordsShown).trimEnd()}…`;
}
