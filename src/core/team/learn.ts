import { type Act, commandsFor, declinesOf } from '../memory/declines.ts';
import { type FindingMark, type Mark, readMarks, withoutMarks } from '../memory/mark.ts';
import { idOf, threadMark } from '../memory/prior-marks.ts';
import type { Said } from '../memory/signed-marks.ts';
import type { ReviewThread } from '../pull-request/pull-request.ts';
import { shown } from '../repository/shown.ts';
import { compareText, withoutEnd } from '../text.ts';

/** Characters: an answer is read with every review. */
const limits = { path: 200, title: 160, rule: 80, by: 60, words: 200 } as const;

/** What an answer is about: the same for two declines of one matter. */
type Answered = { readonly path: string; readonly title: string; readonly rule: string };

/** One line of `.postil/memory.md`. Nothing in it ends its quotes, hides or holds a secret. */
export function renderAnswer(lesson: Lesson): string {
  const { path, title, rule } = answeredBy(lesson);
  const of = rule === '' ? '' : ` (rule \`${rule}\`)`;
  const said = plain(ownWords(lesson.words ?? ''), limits.words);
  const words = said === '' ? '👎' : `"${said}"`;
  const by = plain(lesson.by, limits.by);
  const where = [lesson.date.slice(0, 10), linkOf(lesson)]
    .map((part) => plain(part, limits.path))
    .filter((part) => part !== '');
  return `- \`${path}\`: do not report "${title}"${of} again. ${by}: ${words} (${where.join(', ')})`;
}

export function answeredBy({ path, title, ruleId }: Lesson): Answered {
  return {
    path: plain(path, limits.path),
    title: plain(title, limits.title),
    rule: plain(ruleId ?? '', limits.rule),
  };
}

/** What a line of the file answers; null when it is not one of these lines. */
export function parseAnswer(line: string): Answered | null {
  const [, path, title = '', rule = ''] = written.exec(line) ?? [];
  return path === undefined ? null : { path, title, rule };
}

const written = /^- `([^`]*)`: do not report "([^"]*)"(?: \(rule `([^`]*)`\))? again\./;

/** An address without anything that could stand for more; empty when it is none. */
function linkOf({ url }: Lesson): string {
  return /^https?:\/\/[\w.:/#?=&%~-]+$/.test(url) ? url : '';
}

/** Without marks, and without what is quoted from others: neither is what this person says. */
function ownWords(text: string): string {
  return withoutMarks(text).replace(/^[ \t]*>.*$/gm, '');
}

const longestSecret = 4_000;

function plain(text: string, limit: number): string {
  // Redacted before it is cut, or the part of a secret that is left would no longer look like one.
  const lines = shown(text.slice(0, limit + longestSecret).split('\n')).map((line) => line.text);
  const line = lines.join(' ').replace(/\s+/g, ' ').replace(/[`"]/g, "'").replace(/<!--/g, '<! --').trim();
  return line.length <= limit ? line : `${line.slice(0, limit).trim()}…`;
}

/** A finding that somebody who may write declined, and how. Its texts are untrusted. */
export type Lesson = {
  readonly path: string;
  readonly title: string;
  readonly ruleId: string | null;
  readonly by: string;
  /** Null for a 👎 without words. */
  readonly words: string | null;
  /** ISO 8601: of the answer, or of the comment that was voted down. */
  readonly date: string;
  readonly url: string;
};

type LessonContext = {
  /** Whether we wrote it, of whatever name. */
  readonly isOurs: (said: { readonly author: string }) => boolean;
  readonly canWrite: (login: string) => Promise<boolean>;
};

type Learned = {
  readonly lessons: readonly Lesson[];
  /** How many findings of ours the discussion holds. */
  readonly findings: number;
};

/**
 * What the discussion of a pull request teaches beyond it. A decline in words, by 👎 or by the finding's id counts, and a line of source by which
 * somebody made us withdraw. That a thread was resolved does not: what was fixed is resolved too. No key is at hand, so signatures are not checked.
 */
export async function lessonsOf(said: Said, { isOurs, canWrite }: LessonContext): Promise<Learned> {
  // Whoever runs this may be the one who answered: only the hand that posts is ours.
  const seen = <One extends { readonly author: string }>(one: One) => ({ ...one, isSelf: isOurs(one) });
  const discussion: Said = {
    conversation: said.conversation.map(seen),
    reviews: said.reviews.map(seen),
    threads: said.threads.map((thread) => {
      return { ...thread, comments: thread.comments.map(seen), isResolved: false, resolvedBy: null };
    }),
  };
  const findings = findingsIn(discussion);
  const ids = [...new Set(findings.map(({ id }) => id))];
  const names = new Set(findings.map(({ mark }) => mark.name));
  const commands = new Map([...names].map((name) => [name, commandsFor(ids, discussion, name)]));
  const withdrawals = withdrawalsIn(discussion);
  const lessons = await Promise.all(
    findings.map((one) => {
      const written =
        commands.get(one.mark.name)?.about(
          one.id,
          one.thread?.comments.map(({ url }) => url),
        ) ?? [];
      const withdrawn = withdrawals.filter(({ about }) => about === one.id).map(({ act }) => act);
      return lessonOf(one, [...written, ...withdrawn], canWrite);
    }),
  );
  return { lessons: lessons.filter((lesson) => lesson !== null), findings: findings.length };
}

type Found = { readonly id: string; readonly mark: FindingMark; readonly thread: ReviewThread | null };

/** Those that open a thread, each thread apart, then those that only the summary or a review holds: of one id the first. */
function findingsIn({ threads, conversation, reviews }: Said): readonly Found[] {
  const found = threads.flatMap((thread): Found[] => {
    const mark = threadMark(thread, null);
    return mark === null ? [] : [{ id: idGiven(mark), mark, thread }];
  });
  const known = new Set(found.map(({ id }) => id));
  const ours = [...conversation, ...reviews].filter(({ isSelf }) => isSelf);
  for (const mark of ours.flatMap(({ body }) => readMarks(body)).flatMap(findingsOf)) {
    const id = idGiven(mark);
    if (!known.has(id)) found.push({ id, mark, thread: null });
    known.add(id);
  }
  return found;
}

function idGiven(mark: FindingMark): string {
  return idOf(mark, { signed: true });
}

function findingsOf(mark: Mark): readonly FindingMark[] {
  if (mark.kind === 'finding') return [mark];
  return mark.kind === 'sticky' ? [...mark.others, ...(mark.open ?? []), ...(mark.ended ?? [])] : [];
}

type Withdrawal = { readonly about: string; readonly act: Act };

/** That an answer of ours withdrew a finding, as an act of whoever asked: it is their permission that counts. */
function withdrawalsIn({ conversation, threads, reviews }: Said): readonly Withdrawal[] {
  const comments = [...conversation, ...threads.flatMap((thread) => thread.comments)];
  const askers = new Map([...comments, ...reviews].map(({ id, author }) => [id, author]));
  const answers = comments.filter(({ isSelf }) => isSelf);
  return answers.flatMap(({ body, date, url }) =>
    readMarks(body).flatMap((mark): readonly Withdrawal[] => {
      if (mark.kind !== 'answer' || mark.verdict !== 'withdrawn') return [];
      const { about, proof, to } = mark;
      const by = askers.get(to);
      if (about === undefined || proof === undefined || by === undefined) return [];
      const words = `${proof.path}:${proof.startLine} excludes it`;
      return [{ about, act: { by, how: 'evidence', words, date, url } }];
    }),
  );
}

/** `byId`: what was done about it outside of its thread. */
async function lessonOf(
  { mark, thread }: Found,
  byId: readonly Act[],
  canWrite: LessonContext['canWrite'],
): Promise<Lesson | null> {
  const declines = (await declinesOf({ thread, byId, name: mark.name }, canWrite)).filter((one) => one.canWrite);
  const decline = declines.findLast(({ how }) => how !== 'thumbs-down') ?? declines[0];
  if (decline === undefined) return null;
  const { by, how, words = null } = decline;
  const comments = thread?.comments ?? [];
  const { date, url } = how === 'thumbs-down' ? (comments[0] ?? decline) : decline;
  const answer = comments.find((one) => how === 'reply' && one.author === by && one.url === url);
  const { title, ruleId } = mark;
  return { path: thread?.path ?? mark.path, title, ruleId, by, words: answer?.body ?? words, date, url: url ?? '' };
}

export type Proposal = {
  /** To be added to the file, oldest first: of what does not fit a review, the newest counts. */
  readonly lines: readonly string[];
  /** Lessons that the file holds already, or that an equal one stands for. */
  readonly known: number;
  /** New ones beyond those. */
  readonly left: number;
};

/** More than a person would read. */
const linesAtMost = 50;

/** What the standing answers in `memory` lack: one line per matter, in the words of the last decline. */
export function proposeAnswers(lessons: readonly Lesson[], memory: string): Proposal {
  const known = new Set(memory.split('\n').flatMap((line) => keyIn(line)));
  const links = linksIn(memory);
  const fresh = new Map<string, Lesson>();
  for (const lesson of lessons.toSorted((one, other) => compareText(one.date, other.date))) {
    const key = keyOf(answeredBy(lesson));
    if (known.has(key) || links.has(linkOf(lesson))) continue;
    // Put anew, it stands at the place of the last decline.
    fresh.delete(key);
    fresh.set(key, lesson);
  }
  const lines = [...fresh.values()].map(renderAnswer);
  const left = Math.max(0, lines.length - linesAtMost);
  return { lines: lines.slice(left), known: lessons.length - lines.length, left };
}

function linksIn(memory: string): ReadonlySet<string> {
  const words = memory.split(/[\s()<>[\]]+/).map((word) => withoutEnd(word, /[.,;:]/));
  return new Set(words.filter((word) => word !== ''));
}

function keyIn(line: string): readonly string[] {
  const answered = parseAnswer(line);
  return answered === null ? [] : [keyOf(answered)];
}

/** Of one rule in one file there is one answer; without a rule the title tells the matter. */
function keyOf({ path, title, rule }: Answered): string {
  return JSON.stringify(rule === '' ? [path, 'title', title.toLowerCase()] : [path, 'rule', rule]);
}

/** Where the team's standing answers are, from the root of the repository. */
export const memoryFile = '.postil/memory.md';

const contextLines = 3;
const noNewline = '\\ No newline at end of file';

/** A patch for `git apply` that adds lines to the end of the standing answers; `text` is the file as it is, null when there is none. */
export function memoryPatch(text: string | null, lines: readonly string[]): string {
  const head = `diff --git a/${memoryFile} b/${memoryFile}\n`;
  if (text === null) {
    const added = ['# Standing answers', '', ...lines].map((line) => `+${line}`);
    return `${head}new file mode 100644\n--- /dev/null\n+++ b/${memoryFile}\n@@ -0,0 +1,${added.length} @@\n${joined(added)}`;
  }
  return `${head}--- a/${memoryFile}\n+++ b/${memoryFile}\n${hunk(text, lines)}`;
}

function hunk(text: string, lines: readonly string[]): string {
  const isEnded = text === '' || text.endsWith('\n');
  const existing = text === '' ? [] : (isEnded ? text.slice(0, -1) : text).split('\n');
  const last = existing.at(-1) ?? '';
  // As the file ends its lines.
  const end = (isEnded ? last : (existing.at(-2) ?? '')).endsWith('\r') ? '\r' : '';
  const isList = last.trim() === '' || /^\s*[-*+] /.test(last);
  const added = [...(isList ? [] : ['']), ...lines].map((line) => `+${line}${end}`);
  const context = existing.slice(-contextLines);
  const kept = (isEnded ? context : context.slice(0, -1)).map((line) => ` ${line}`);
  const ended = isEnded ? [] : [`-${last}`, noNewline, `+${last}${end}`];
  const start = existing.length === 0 ? 0 : existing.length - context.length + 1;
  const newStart = Math.max(1, start);
  const header = `@@ -${start},${context.length} +${newStart},${context.length + added.length} @@`;
  return joined([header, ...kept, ...ended, ...added]);
}

function joined(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
