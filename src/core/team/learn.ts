import { formatPatch, structuredPatch } from 'diff';
import { isOne } from '../findings/similarity.ts';
import { commandsFor, declinesOf } from '../history/declines.ts';
import { threadMark } from '../history/known-findings.ts';
import { type FindingMark, type Mark, readMarks } from '../history/mark.ts';
import type { Said as Discussion } from '../history/signed-marks.ts';
import { unpackState } from '../history/state.ts';
import type { ReviewThread } from '../pull-request/pull-request.ts';
import { shown } from '../repository/shown.ts';
import { compareText, cutWords, groupBy } from '../text.ts';

/** Where the team's standing answers are, from the root of the repository. */
export const memoryFile = '.postil/memory.md';

/** A finding that somebody who may write declined. Its texts are untrusted. */
export type Lesson = {
  readonly path: string;
  readonly title: string;
  readonly ruleId: string | null;
  readonly by: string;
  /** Empty where no reason was given. */
  readonly words: string;
  /** ISO 8601. */
  readonly date: string;
  readonly url: string;
};

type Lessons = {
  readonly lessons: readonly Lesson[];
  /** How many findings by the author the discussion holds. */
  readonly findings: number;
};

/**
 * Reads who declined which finding on a pull request: in words, by 👎 or by the finding's id. Resolving a thread does not count: fixed findings are
 * resolved too. No key is at hand, so signatures are not checked.
 */
export async function readLessons(
  said: Discussion,
  { author, canWrite }: { author: string; canWrite: (login: string) => Promise<boolean> },
): Promise<Lessons> {
  // The person who runs this may be the one who declined: only the login that posts findings is Postil's own.
  const own = author.toLowerCase();
  const withOwner = <Text extends { readonly author: string }>(text: Text) => {
    return { ...text, isSelf: text.author.toLowerCase() === own };
  };
  const discussion: Discussion = {
    conversation: said.conversation.map(withOwner),
    reviews: said.reviews.map(withOwner),
    threads: said.threads.map((thread) => ({ ...thread, comments: thread.comments.map(withOwner), resolvedBy: null })),
  };
  const findings = findingsIn(discussion);
  const ids = [...new Set(findings.map(({ id }) => id))];
  const lessons: Lesson[] = [];
  for (const [name, ofName] of groupBy(findings, ({ mark }) => mark.name)) {
    const commands = commandsFor(ids, discussion, name);
    for (const { id, mark, thread } of ofName) {
      const comments = thread?.comments ?? [];
      const urls = comments.map(({ url }) => url);
      const declines = await declinesOf({ thread, byId: commands.about(id, urls), name }, canWrite);
      const counted = declines.filter((decline) => decline.canWrite);
      const decline = counted.findLast(({ words }) => words !== undefined) ?? counted.at(-1);
      if (decline === undefined) continue;
      const { by, words = '' } = decline;
      const date = decline.date || (comments[0]?.date ?? '');
      const url = decline.url ?? urls[0] ?? '';
      lessons.push({ path: thread?.path ?? mark.path, title: mark.title, ruleId: mark.ruleId, by, words, date, url });
    }
  }
  return { lessons, findings: findings.length };
}

type PostedFinding = { readonly id: string; readonly mark: FindingMark; readonly thread: ReviewThread | null };

/** Lists every thread that a finding opens, then findings that only the summary or a review holds, each id once. */
function findingsIn({ threads, conversation, reviews }: Discussion): readonly PostedFinding[] {
  const inThreads = threads.flatMap((thread): PostedFinding[] => {
    const mark = threadMark(thread, null);
    return mark === null ? [] : [{ id: mark.id, mark, thread }];
  });
  const others = [...conversation, ...reviews]
    .flatMap(({ isSelf, body }) => (isSelf ? readMarks(body) : []))
    .flatMap(findingMarks)
    .map((mark): PostedFinding => ({ id: mark.id, mark, thread: null }));
  const threadIds = new Set(inThreads.map(({ id }) => id));
  const byId = [...groupBy(others, ({ id }) => id)].flatMap(([id, same]) =>
    threadIds.has(id) ? [] : same.slice(0, 1),
  );
  return [...inThreads, ...byId];
}

function findingMarks(mark: Mark): readonly FindingMark[] {
  if (mark.kind === 'finding') return [mark];
  const state = mark.kind !== 'state' || mark.data === null ? null : unpackState(mark.data, mark);
  return (state?.findings ?? []).flatMap(({ id, title, severity, category, ruleId, source, places: [place] }) => {
    if (place === undefined || mark.kind !== 'state') return [];
    const { path, lines, commit, mergeBase } = place;
    const details = { path, lines, commit, mergeBase, title, severity, category, ruleId, source };
    return [{ kind: 'finding', name: mark.name, run: mark.run, state: mark.number, id, ...details }];
  });
}

/** More than a person would read. */
const linesAtMost = 50;

/**
 * The lines that the standing answers lack, oldest first. Declines of one matter become one line, with the reason of the last. A line or a link that
 * `memory` already holds is not proposed again.
 */
export function proposeAnswers(lessons: readonly Lesson[], memory: string): readonly string[] {
  const links = new Set<string>(memory.match(/https?:\/\/[^\s()<>[\]]*\w/g));
  const matters = memory.split('\n').flatMap((line) => parseAnswer(line) ?? []);
  const lines: string[] = [];
  for (const lesson of lessons.toSorted((one, other) => compareText(other.date, one.date))) {
    if (lines.length === linesAtMost) break;
    const matter = matterOf(lesson);
    if (links.has(lesson.url) || matters.some((known) => isSameMatter(known, matter))) continue;
    matters.push(matter);
    lines.unshift(renderAnswer(lesson));
  }
  return lines;
}

/** What an answer is about, as its line shows it: no category, so that their titles have to do. */
type Matter = Pick<Lesson, 'path' | 'title' | 'ruleId'>;

function isSameMatter(one: Matter, other: Matter): boolean {
  return one.path === other.path && isOne.later(one, other);
}

/** Characters: an answer is read with every review. */
const limits = { path: 200, title: 160, rule: 80, words: 200 } as const;

function matterOf({ path, title, ruleId }: Lesson): Matter {
  return {
    path: codeText(path, limits.path),
    title: codeText(title, limits.title),
    ruleId: ruleId === null ? null : codeText(ruleId, limits.rule),
  };
}

/** One line of `.postil/memory.md`. Texts of others stand in code spans, where no Markdown or HTML of theirs counts. */
export function renderAnswer(lesson: Lesson): string {
  const { path, title, ruleId } = matterOf(lesson);
  const { by, words, date, url } = lesson;
  const byRule = ruleId === null ? '' : ` (rule \`${ruleId}\`)`;
  const reason = words === '' ? 'no reason given' : `\`${codeText(words, limits.words)}\``;
  const day = /^\d{4}-\d\d-\d\d/.exec(date)?.[0] ?? '';
  const link = /^https?:\/\/[\w.:/#?=&%~-]+$/.test(url) ? url : '';
  const source = [day, link].filter((part) => part !== '').join(', ');
  return `- \`${path}\`: do not report \`${title}\`${byRule} again. ${by.replace(/[^\w-]/g, '')}: ${reason} (${source})`;
}

/** What a line of the file is about; null when `renderAnswer` did not write it. */
function parseAnswer(line: string): Matter | null {
  const [, path, title = '', ruleId = null] =
    /^- `([^`]*)`: do not report `([^`]*)`(?: \(rule `([^`]*)`\))? again\./.exec(line) ?? [];
  return path === undefined ? null : { path, title, ruleId };
}

/** Text on one line for a code span: nothing in it ends the span, hides or holds a secret. */
function codeText(text: string, limit: number): string {
  const visible = shown(text.split('\n')).map((line) => line.text);
  return cutWords(visible.join(' ').replace(/\s+/g, ' ').replaceAll('`', "'").trim(), limit);
}

/** A patch for `git apply` that adds lines to the end of the standing answers; `text` is null when there is no file. */
export function memoryPatch(text: string | null, lines: readonly string[]): string {
  const before = text ?? '';
  const lineEnd = before.includes('\r\n') ? '\r\n' : '\n';
  const missingEnd = before === '' || before.endsWith('\n') ? '' : lineEnd;
  const heading = text === null ? '# Standing answers\n\n' : '';
  const after = `${before}${missingEnd}${heading}${lines.map((line) => `${line}${lineEnd}`).join('')}`;
  const oldName = text === null ? '/dev/null' : `a/${memoryFile}`;
  const patch = structuredPatch(oldName, `b/${memoryFile}`, before, after, undefined, undefined, { context: 3 });
  return formatPatch({ ...patch, isGit: true, isCreate: text === null });
}
