import { readJsonText } from '../json-text.ts';
import type { Mark } from './mark.ts';
import { markFrom } from './mark-schema.ts';

const marksRead = 200;

/** The mark as a hidden comment of Markdown, one line. Nothing in it can end the comment, mention anybody or link anywhere. */
export function writeMark(mark: Mark): string {
  return `<!-- postil:v1 ${JSON.stringify(mark).replace(unsafe, escaped)} -->`;
}

// Outside of texts JSON uses none of these; a second hyphen could end the comment.
const unsafe = /[<>@#&]|[^\x20-\x7e]|(?<=-)-/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The marks in a text, in order, 200 at most. What is not a mark of this version is passed over; never throws. */
export function readMarks(body: string): readonly Mark[] {
  const marks: Mark[] = [];
  for (const [, json = ''] of body.matchAll(written)) {
    const read = readJsonText(json);
    const mark = read.ok ? markFrom(read.value) : null;
    if (mark !== null) marks.push(mark);
    if (marks.length === marksRead) break;
  }
  return marks;
}

const written = /<!-- postil:v1 (\{[^\r\n<>]*\}) -->/g;

/** The text as people see it: without marks, and without the blank lines that they leave. */
export function withoutMarks(body: string): string {
  return body
    .replace(/<!-- postil:v\d+ [^\r\n<>]* -->/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd();
}
