import { shown } from '../repository/shown.ts';
import type { Lesson } from './lesson.ts';
import { withoutMarks } from './mark-text.ts';

/** Characters: an answer is read with every review. */
const limits = { path: 200, title: 160, rule: 80, by: 60, words: 200 } as const;

/** What an answer is about: the same for two refusals of one matter. */
export type Answered = { readonly path: string; readonly title: string; readonly rule: string };

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
export function linkOf({ url }: Lesson): string {
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
