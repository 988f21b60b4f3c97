import type { Paragraph, PhrasingContent, RootContent } from 'mdast';
import { isTangled, parseMarkdown } from '../markdown.ts';

/** What people can ask of a reviewer in a comment: about the pull request, and about one finding. docs/commands.md explains each. */
export const verbs = {
  pullRequest: ['review', 'ask', 'summary', 'pause', 'resume', 'help'],
  finding: ['explain', 'recheck', 'dismiss', 'undismiss', 'fix'],
} as const;
export type Verb = (typeof verbs)[keyof typeof verbs][number];

const all: readonly Verb[] = [...verbs.pullRequest, ...verbs.finding];

/** A line of a comment that asks for something. */
export type Command = {
  /** Null for a word that is none. */
  readonly verb: Verb | null;
  /** The finding that it names: an id such as `p-3f09ab12`, or the end of a comment's address such as `discussion_r123`. */
  readonly finding: string | null;
  /** Whatever else stands on the line. */
  readonly rest: string;
};

/** Of one comment, so many are heard, and so many characters of it are looked at: whoever may comment can write as many as GitHub takes. */
const most = 20;
const mostCharacters = 5_000;

/** Commands that are what the comment says, for as long as it says so: every run reads them again. A comment that begins with one holds its like, too. */
const states: readonly (readonly (Verb | null)[])[] = [
  ['dismiss', 'undismiss'],
  ['pause', 'resume'],
];

export function isState(verb: Verb | null): boolean {
  return states.some((family) => family.includes(verb));
}

/**
 * The commands of a comment: lines of its first paragraph (mail replies carry others' words below it, unquoted) that begin with `/postil`, or with
 * `@` and the name that the workflow gives this reviewer. The default name is the workflow's, and could be a stranger's login. The first one
 * counts, and behind one that dismisses or pauses the others of its kind.
 */
export function commandsIn(body: string, name = ''): readonly Command[] {
  const said = body.slice(0, mostCharacters);
  const small = said.toLowerCase();
  const calls = ['/postil', ...(name === '' ? [] : [`@${name.toLowerCase()}`])];
  if (!calls.some((call) => small.includes(call))) return [];
  const commands = heardIn(firstParagraph(said), calls);
  const family = states.find((some) => some.includes(commands[0]?.verb ?? null)) ?? [];
  const end = commands.findIndex(({ verb }, index) => index > 0 && !family.includes(verb));
  return commands.slice(0, end === -1 ? most : Math.min(end, most));
}

function heardIn(paragraph: readonly string[], calls: readonly string[]): readonly Command[] {
  // Such as `On Tuesday, Eve wrote:`, below which some mail programs put her words without a sign.
  const introduced = paragraph.findIndex((line) => [':', '：'].includes(line.trimEnd().at(-1) ?? ''));
  const lines = introduced === -1 ? paragraph : paragraph.slice(0, introduced + 1);
  const commands = lines.map((line) => commandOf(line.trim(), calls));
  // Where GitHub may show mathematics, only what stands before everything else is sure to be a line of its own.
  const end = lines.some((line) => line.includes('$')) ? commands.indexOf(null) : -1;
  return commands.slice(0, end === -1 ? undefined : end).filter((command) => command !== null);
}

function commandOf(line: string, calls: readonly string[]): Command | null {
  const small = line.toLowerCase();
  const call = calls.find((one) => small.startsWith(one) && /^(?:[\s:,]|$)/.test(line.slice(one.length)));
  if (call === undefined) return null;
  const text = line.slice(call.length).replace(/^[\s:,]+/, '');
  const word = /^[^\s:,.;!]*/.exec(text)?.[0] ?? '';
  const verb = word === '' && text === '' ? 'help' : (all.find((one) => one === word.toLowerCase()) ?? null);
  // Whoever is called by a name is asked a question.
  if (verb === null && call.startsWith('@')) return { verb: 'ask', finding: null, rest: text };
  const said = text
    .slice(word.length)
    .replace(/^[:,.;!]+/, '')
    .trim();
  const isAboutFinding = verbs.finding.some((one) => one === verb);
  const finding = isAboutFinding ? findingIn(said) : { id: null, rest: said };
  // Who asks whether to do it has not asked for it.
  const isQuestion = isState(verb) && questionMark.test(line);
  return { verb: isQuestion ? null : verb, finding: finding.id, rest: finding.rest.trim() };
}

function findingIn(said: string): { readonly id: string | null; readonly rest: string } {
  // What looks like an id is one: with a digit too few, or a longer dash, it is an unknown one and no reason.
  const [, digits, more = ''] = /^`?p[-\u2010-\u2015\u2212](\w{0,20})(.*)$/is.exec(said) ?? [];
  if (digits !== undefined) return { id: `p-${digits.toLowerCase()}`, rest: more.replace(/^[`\s:.,—–-]+/, '') };
  const [, place, rest = ''] = /^<?https?:\/\/\S{1,300}?#([a-z]{1,30}[_-]?r?\d{1,20})>?(?:\s(.*))?$/is.exec(said) ?? [];
  return place === undefined ? { id: null, rest: said } : { id: inOneForm(place), rest };
}

/** The end of a comment's address, by which a command may name what stands there. */
export function placeInAddress(url: string | null): string | null {
  const place = /#([a-z_-]+\d+)$/i.exec(url ?? '')?.[1];
  return place === undefined ? null : inOneForm(place);
}

/** GitHub's page of files names a comment in a shorter way. */
function inOneForm(place: string): string {
  return place.toLowerCase().replace(/^r(?=\d)/, 'discussion_r');
}

export const questionMark = /[?？﹖؟⸮‽⁇⁈⁉❓❔]/;

/**
 * The lines of the first paragraph that the author of a comment wrote; nothing but quotes, code and hidden comments stands above it. Only its first
 * line where anything but plain text may go on over the others; none where there is no such paragraph, or the text is too tangled.
 */
export function firstParagraph(body: string): readonly string[] {
  const text = body.replace(/\r\n?/g, '\n');
  const first = blocksOf(text).find((node) => node.type !== 'blockquote' && node.type !== 'code' && !isHidden(node));
  return first?.type === 'paragraph' ? linesOf(first, text) : [];
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
