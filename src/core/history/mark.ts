import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { readJsonText } from '../bounded.ts';
import { type Infer, parserFor } from '../schema.ts';
import { categories, severities } from '../settings/setting.ts';
import { linesSchema } from './state.ts';

const text = { type: 'string' } as const;
const line = { type: 'integer', minimum: 1 } as const;
/** What every mark says. */
const ours = ['kind', 'name', 'run'] as const;

/** What a hidden marker in a comment of ours says of its finding: enough to know it again where the state is lost. */
const findingMarkSchema = {
  type: 'object',
  required: [
    ...ours,
    'state',
    'id',
    'commit',
    'mergeBase',
    'path',
    'lines',
    'title',
    'severity',
    'category',
    'ruleId',
    'source',
  ],
  properties: {
    kind: { enum: ['finding'] },
    name: text,
    run: text,
    /** The number of the state that knows it first: one that is older is not believed. */
    state: line,
    /** Stays the same for as long as the finding is known, wherever it goes. */
    id: text,
    /** Full hash of the head that was reviewed; RIGHT lines are counted there. */
    commit: text,
    /** Full hash of the merge base then; LEFT lines are counted there. */
    mergeBase: text,
    /** As the diff of that commit knew it. */
    path: text,
    /** What it was called at the merge base, where that is another name. */
    oldPath: text,
    /** 1-based, inclusive; null for a matter of the whole file. */
    lines: { ...linesSchema, type: ['object', 'null'] },
    title: text,
    severity: { enum: severities },
    category: { enum: categories },
    ruleId: { type: ['string', 'null'] },
    /** Who made it. */
    source: { enum: ['model', 'rule'] },
    /** Its code was not found; left out where it was. */
    unplaced: { type: 'boolean' },
    /** Digest of the definition around it then; left out where it could not be read. */
    around: text,
  },
} as const;

/** In the body of every review of ours. */
const reviewMarkSchema = {
  type: 'object',
  required: [...ours, 'state', 'commit', 'settings', 'event'],
  properties: {
    kind: { enum: ['review'] },
    name: text,
    run: text,
    commit: text,
    settings: text,
    /** The number of the state that belongs to it. */
    state: line,
    /** With which it was sent. */
    event: { enum: ['COMMENT', 'REQUEST_CHANGES', 'APPROVE'] },
  },
} as const;

/** In the one summary comment that is updated in place: what is known of the pull request. */
const stateMarkSchema = {
  type: 'object',
  required: [...ours, 'number', 'head', 'data'],
  properties: {
    kind: { enum: ['state'] },
    name: text,
    run: text,
    /** Counts the states that were written, from 1. */
    number: line,
    /** Full hash of the last reviewed head. */
    head: text,
    /** See `unpackState`; null where a run without a key wrote it. */
    data: { type: ['string', 'null'] },
  },
} as const;

/** In every answer of ours to a comment. */
const answerMarkSchema = {
  type: 'object',
  required: [...ours, 'commit', 'at', 'to', 'verb'],
  properties: {
    kind: { enum: ['answer'] },
    name: text,
    run: text,
    /** Full hash of the head that it speaks for. */
    commit: text,
    /** When it was given, ISO 8601. */
    at: text,
    /** The comment that asked: what GitHub's graph knows it by. */
    to: text,
    verb: text,
    /** The id of the finding that it is about. */
    about: text,
    /** What it makes of that finding. */
    verdict: { enum: ['stands', 'withdrawn', 'fixed'] },
    /** The lines of source that prove it, 1-based, inclusive, at `commit`. */
    proof: {
      type: 'object',
      required: ['path', 'startLine', 'endLine'],
      properties: { path: text, startLine: line, endLine: line },
    },
    /** Digests of the definitions around the finding and around the proof: it holds for as long as both are the same. */
    around: { type: 'object', required: ['finding', 'proof'], properties: { finding: text, proof: text } },
  },
} as const;

export type FindingMark = Infer<typeof findingMarkSchema>;
export type MarkedLines = NonNullable<FindingMark['lines']>;
export type ReviewMark = Infer<typeof reviewMarkSchema>;
export type StateMark = Infer<typeof stateMarkSchema>;
export type AnswerMark = Infer<typeof answerMarkSchema>;
export type Mark = FindingMark | ReviewMark | StateMark | AnswerMark;

const parsers = [
  parserFor(findingMarkSchema),
  parserFor(reviewMarkSchema),
  parserFor(stateMarkSchema),
  parserFor(answerMarkSchema),
];

/** Null for anything that is not a mark of this version. */
function markFrom(value: unknown): Mark | null {
  for (const parse of parsers) {
    const parsed = parse(value);
    if (parsed.ok) return parsed.value;
  }
  return null;
}

/** The first hex digits of the SHA-256 of a text. */
export function digestOf(text: string, digits: number): string {
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, digits);
}

const marksRead = 200;

/**
 * The mark as a hidden comment of Markdown, one line. Nothing in it can end the comment, mention anybody or link anywhere. `sign` is given all of
 * it as it stands there.
 */
export function writeMark(mark: Mark, sign: (content: string) => string | null = () => null): string {
  const content = writtenJson(mark);
  const signature = sign(content);
  return `<!-- postil:v2 ${signature === null ? content : `${content.slice(0, -1)},"signature":"${signature}"}`} -->`;
}

/** As a value stands in a mark: longer than its JSON where its texts are not English. */
export function writtenJson(value: unknown): string {
  return JSON.stringify(value).replace(unsafe, escaped);
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
  /** What was signed; `signature` is null for a mark of a run without a key. */
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

const written = /<!-- postil:v2 (\{[^\r\n<>]*\}) -->/g;

/** What the summary comment begins with while its state is older than the last run: one paragraph, known by its first line. */
const noticeMark = '<!-- postil:not-reviewed -->';

/** The summary comment under this paragraph, in place of any that stood there. */
export function withNotice(body: string, paragraph: string): string {
  return `${noticeMark}\n${paragraph}\n\n${withoutNotice(body)}`;
}

/** The summary comment as the last run wrote it that reviewed something. */
export function withoutNotice(body: string): string {
  if (!body.startsWith(noticeMark)) return body;
  const end = /\r?\n\r?\n/.exec(body);
  return end === null ? body : body.slice(end.index + end[0].length);
}

/** The text as people see it: without marks, and without the blank lines that they leave. */
export function withoutMarks(body: string): string {
  return body
    .replace(/<!-- postil:v\d+ [^\r\n<>]* -->/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd();
}
