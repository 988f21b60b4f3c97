import { readJsonText } from '../json-text.ts';
import type { Mark } from './mark.ts';
import { markFrom } from './mark-schema.ts';

const marksRead = 200;

/**
 * The mark as a hidden comment of Markdown, one line. Nothing in it can end the comment, mention anybody or link anywhere. `sign` is given all of
 * it as it stands there.
 */
export function writeMark(mark: Mark, sign: (content: string) => string | null = () => null): string {
  const content = JSON.stringify(mark).replace(unsafe, escaped);
  const signature = sign(content);
  return `<!-- postil:v1 ${signature === null ? content : `${content.slice(0, -1)},"signature":"${signature}"}`} -->`;
}

// Outside of texts JSON uses none of these; a second hyphen could end the comment.
const unsafe = /[<>@#&]|[^\x20-\x7e]|(?<=-)-/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The marks in a text, whoever wrote them. */
export function readMarks(body: string): readonly Mark[] {
  return readWrittenMarks(body).map(({ mark }) => mark);
}

export type WrittenMark = {
  readonly mark: Mark;
  /** The whole hidden comment. */
  readonly text: string;
  /** What was signed; `signature` is null for a mark of a run without a key, or of a version that did not sign. */
  readonly content: string;
  readonly signature: string | null;
};

/** The marks in a text as they stand there, in order, 200 at most. What is not a mark of this version is passed over; never throws. */
export function readWrittenMarks(body: string): readonly WrittenMark[] {
  const marks: WrittenMark[] = [];
  for (const [text, json = ''] of body.matchAll(written)) {
    const [, signed, signature = null] = signedContent.exec(json) ?? [];
    const content = signed === undefined ? json : `${signed}}`;
    const read = readJsonText(content);
    const mark = read.ok ? markFrom(read.value) : null;
    if (mark !== null) marks.push({ mark, text, content, signature });
    if (marks.length === marksRead) break;
  }
  return marks;
}

const signedContent = /^(.*),"signature":"([0-9a-f]{64})"\}$/;

const written = /<!-- postil:v1 (\{[^\r\n<>]*\}) -->/g;

/** The text as people see it: without marks, and without the blank lines that they leave. */
export function withoutMarks(body: string): string {
  return body
    .replace(/<!-- postil:v\d+ [^\r\n<>]* -->/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd();
}
