import type { Paragraph, PhrasingContent, RootContent } from 'mdast';
import { isTangled, parseMarkdown } from '../markdown.ts';
import type { Comment, PullRequest, ReviewThread } from '../pull-request/pull-request.ts';
import { compareText, firstLines } from '../text.ts';
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
};

type CanWrite = (login: string) => Promise<boolean | null>;

/**
 * Who declined a finding, with and without weight: each person's last act in its thread, or by its id, oldest first. The latest act of somebody
 * who may write wins: what that one takes back is left out, also where nobody can tell whether they may. Postil itself and other bots decline nothing.
 */
export async function declinesOf(
  { thread = null, byId = [] }: { thread?: ReviewThread | null; byId?: readonly Act[] },
  canWrite: CanWrite,
): Promise<readonly Decline[]> {
  const acts = [...(thread === null ? [] : actsIn(thread)), ...byId];
  const last = new Map<string, Act>();
  const heard = acts.filter(({ isDoubtful, takesBack }) => isDoubtful !== true || takesBack === true);
  for (const act of heard.toSorted((one, other) => compareText(one.date, other.date))) {
    last.delete(act.by);
    last.set(act.by, act);
  }
  const weighed = await Promise.all([...last.values()].map(async (act) => ({ act, canWrite: await canWrite(act.by) })));
  const since = weighed.findLastIndex((one) => one.act.takesBack === true && one.canWrite !== false) + 1;
  return weighed
    .slice(since)
    .flatMap(({ act: { takesBack, isDoubtful: _, ...decline }, canWrite }) =>
      takesBack ? [] : [{ ...decline, canWrite }],
    );
}

function actsIn({ comments, isResolved, resolvedBy }: ReviewThread): readonly Act[] {
  const [first, ...replies] = comments;
  if (first === undefined) return [];
  // GitHub does not say when a thread was resolved: whatever has a date is later.
  const resolved = isResolved && resolvedBy !== null ? [{ by: resolvedBy, how: 'resolved' as const, date: '' }] : [];
  const votes = first.thumbsDown.map((by, index) => {
    return { by, how: 'thumbs-down' as const, date: first.thumbsDownDates?.[index] ?? '' };
  });
  const acts: readonly Act[] = [...resolved, ...votes, ...replies.flatMap((reply) => actOf(reply) ?? [])];
  return acts.filter(({ by }) => by !== first.author && !isBot(by));
}

function isBot(login: string): boolean {
  return login.endsWith('[bot]');
}

/** What a reply does by the first line of its first paragraph; null when it is no act. */
function actOf(reply: Comment): Act | null {
  const said = saidIn(reply);
  const first = said === null ? undefined : ownParagraphs(reply.body).find(({ isFirst }) => isFirst);
  if (said === null || first === undefined) return null;
  const line = first.lines[0]?.trim() ?? '';
  if (declines(line)) return { ...said, how: 'reply', words: cut(first.lines.join(' ')) };
  const command = commandIn(line);
  return command === null || command.id !== null ? null : { ...said, ...actBy(command) };
}

export type Commands = {
  /** What people wrote by the id of this finding. */
  readonly about: (id: string) => readonly Act[];
  /** What they wrote by ids that no finding has, or more than one. */
  readonly unknown: ReadonlyMap<string, readonly Act[]>;
  /** What they wrote by an id in the text of a review, of which nobody knows who edited it. */
  readonly inReviews: ReadonlyMap<string, readonly Act[]>;
};

/** Lines `/postil dismiss ID REASON` and `/postil undismiss ID` about findings with these ids, wherever people wrote them on the pull request. */
export function commandsFor(
  ids: readonly string[],
  said: Pick<PullRequest, 'conversation' | 'threads' | 'reviews'>,
): Commands {
  const acts = actsByIds([...said.conversation, ...said.threads.flatMap(({ comments }) => comments)]);
  const isKnown = (id: string) => ids.includes(id) && ids.indexOf(id) === ids.lastIndexOf(id);
  return {
    about: (id) => (isKnown(id) ? (acts.get(id) ?? []) : []),
    unknown: new Map([...acts].filter(([id]) => !isKnown(id))),
    inReviews: actsByIds(said.reviews.map((review) => ({ ...review, date: '', isMinimized: false }))),
  };
}

type Written = Pick<Comment, 'author' | 'date' | 'body' | 'isSelf' | 'edited' | 'url' | 'isMinimized'>;

/** Of each comment, the last act by each id: in small letters. */
function actsByIds(all: readonly Written[]): ReadonlyMap<string, readonly Act[]> {
  const acts = new Map<string, Act[]>();
  for (const comment of all) {
    for (const [id, act] of actsById(comment)) {
      const known = acts.get(id) ?? [];
      acts.set(id, known);
      known.push(act);
    }
  }
  return acts;
}

function actsById(comment: Written): ReadonlyMap<string, Act> {
  const acts = new Map<string, Act>();
  const said = saidIn(comment);
  if (said === null || isBot(comment.author)) return acts;
  for (const { lines } of ownParagraphs(comment.body)) {
    const commands = lines.map((line) => commandIn(line.trim()));
    const end = commands.indexOf(null);
    for (const command of commands.slice(0, end === -1 ? undefined : end)) {
      if (command !== null && command.id !== null) acts.set(command.id, { ...said, ...actBy(command) });
    }
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

type Command = { readonly verb: string; readonly id: string | null; readonly reason: string };

function actBy({ verb, reason }: Command): Pick<Act, 'how' | 'words' | 'takesBack'> {
  const words = cut(reason);
  const how = { how: 'dismissed', ...(words === '' ? {} : { words }) } as const;
  return verb === 'undismiss' ? { ...how, takesBack: true } : how;
}

function commandIn(line: string): Command | null {
  const [, verb, rest = ''] = /^\/postil[ \t]+(dismiss|undismiss):?(?:[ \t](.*))?$/is.exec(line) ?? [];
  if (verb === undefined || questionMark.test(line)) return null;
  // What looks like an id is one: with a digit too few, or a longer dash, it is an unknown one and no reason.
  const [, digits, more = ''] = /^`?p[-\u2010-\u2015\u2212](\w{0,20})(.*)$/is.exec(rest.trim()) ?? [];
  const reason = digits === undefined ? rest.trim() : more.replace(/^[`\s:.,—–-]+/, '');
  return { verb: verb.toLowerCase(), id: digits === undefined ? null : `p-${digits.toLowerCase()}`, reason };
}

const questionMark = /[?？﹖؟⸮‽⁇⁈⁉❓❔]/;

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
  const words = text.replace(/\s+/g, ' ').trim();
  return words.length <= wordsShown ? words : `${firstLines(words, wordsShown).trimEnd()}…`;
}

type OwnParagraph = {
  /** Only the first one where anything but plain text may go on over the others. */
  readonly lines: readonly string[];
  /** Nothing but quotes, code and hidden comments stands above it. */
  readonly isFirst: boolean;
};

/** The paragraphs that a person wrote themselves, up to a tag of HTML, behind which they may be hidden. None where the text is too tangled. */
function ownParagraphs(body: string): readonly OwnParagraph[] {
  const said = inSmallLetters(body);
  // Most comments say nothing of this, and the parser is slow.
  if (!said.includes('/postil') && !forms.some((form) => said.includes(form))) return [];
  const text = body.replace(/\r\n?/g, '\n');
  const found: OwnParagraph[] = [];
  let isFirst = true;
  for (const node of blocksOf(text)) {
    if (node.type === 'paragraph') found.push({ lines: linesOf(node, text), isFirst });
    if (node.type === 'blockquote' || node.type === 'code' || isHidden(node)) continue;
    if (holdsTag(node)) break;
    isFirst = false;
  }
  return found;
}

function blocksOf(text: string): readonly RootContent[] {
  try {
    return isTangled(text) ? [] : parseMarkdown(text).children;
  } catch (error) {
    // Nested deeper than the stack goes.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function linesOf({ children }: Paragraph, text: string): readonly string[] {
  const lines = children
    .map((node) => wordsOf(node, text))
    .join('')
    .split('\n');
  return children.every(({ type }) => type === 'text' || type === 'break') ? lines : lines.slice(0, 1);
}

/** Whatever is no plain text, as it was written, on one line. */
function wordsOf(node: PhrasingContent, text: string): string {
  if (node.type === 'text') return node.value;
  if (node.type === 'break') return '\n';
  const { start, end } = node.position ?? {};
  return isHidden(node) ? '' : text.slice(start?.offset ?? 0, end?.offset ?? 0).replace(/\s+/g, ' ');
}

function isHidden(node: RootContent): boolean {
  if (node.type !== 'html' || !node.value.startsWith('<!--')) return false;
  const value = node.value.trimEnd();
  return value.indexOf('-->', 4) === value.length - 3;
}

function holdsTag(node: RootContent): boolean {
  if (node.type === 'html') return !isHidden(node);
  return 'children' in node && node.children.some(holdsTag);
}
