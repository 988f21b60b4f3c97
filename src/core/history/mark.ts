import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { readJsonText } from '../bounded.ts';
import { type Infer, listOf, parserFor } from '../schema.ts';
import { categories, severities } from '../settings/setting.ts';
import { lives } from './life.ts';
import { readingsSchema } from './receipts.ts';

const text = { type: 'string' } as const;
const line = { type: 'integer', minimum: 1 } as const;
/** What every mark says. */
const ours = ['kind', 'name', 'run'] as const;

/** What a hidden marker in a comment of ours says of one finding: enough to know it again, nothing to act on. */
const findingMarkSchema = {
  type: 'object',
  required: [...ours, 'commit', 'mergeBase', 'path', 'lines', 'title', 'severity', 'category', 'ruleId', 'source'],
  properties: {
    kind: { enum: ['finding'] },
    name: text,
    run: text,
    /** Full hash of the head that was reviewed; RIGHT lines are counted there. */
    commit: text,
    /** Full hash of the merge base then; LEFT lines are counted there. */
    mergeBase: text,
    /** As the diff of that commit knew it. */
    path: text,
    /** 1-based, inclusive; null for a matter of the whole file. */
    lines: {
      type: ['object', 'null'],
      required: ['side', 'startLine', 'endLine', 'digests'],
      properties: {
        side: { enum: ['RIGHT', 'LEFT'] },
        startLine: line,
        endLine: line,
        /** Short digests of the lines, blank ones left out, 40 at most: known again when the commit is gone. */
        digests: listOf(text),
      },
    },
    title: text,
    severity: { enum: severities },
    category: { enum: categories },
    ruleId: { type: ['string', 'null'] },
    /** Stays the same for as long as the finding is known, wherever it goes; left out in the run that made it. */
    id: text,
    /** Who made it. */
    source: { enum: ['model', 'rule'] },
    /** Its code was not found; left out where it was. */
    unplaced: { type: 'boolean' },
    /** What became of it, in the summary comment alone; `open` when it is left out. */
    life: { enum: lives },
  },
} as const;

const heldMarkSchema = {
  ...findingMarkSchema,
  required: [...findingMarkSchema.required, 'comment'],
  properties: {
    ...findingMarkSchema.properties,
    /** The number of the comment or review that holds it; null when that is not known. */
    comment: { type: ['integer', 'null'] },
    /** Of one that ended: its own lines stayed as they were, and what is around them ended it. */
    isIntact: { type: 'boolean' },
  },
} as const;

/** In the body of every review of ours. */
const reviewMarkSchema = {
  type: 'object',
  required: [...ours, 'commit', 'settings', 'event'],
  properties: {
    kind: { enum: ['review'] },
    name: text,
    run: text,
    commit: text,
    settings: text,
    /** With which it was sent. */
    event: { enum: ['COMMENT', 'REQUEST_CHANGES', 'APPROVE'] },
  },
} as const;

/** In the one summary comment that is updated in place: where the next run goes on. */
const stickyMarkSchema = {
  type: 'object',
  required: [...ours, 'head', 'mergeBase', 'base', 'settings', 'unreviewed', 'others', 'ended', 'reviews'],
  properties: {
    kind: { enum: ['sticky'] },
    name: text,
    run: text,
    /** Full hash of the last reviewed head. */
    head: text,
    mergeBase: text,
    /** Name of the base branch, whose rules and guidance it was reviewed by. */
    base: text,
    settings: text,
    /** Paths of which not everything is proven, or whose findings could not be delivered: the next run adds them. */
    unreviewed: listOf(text),
    /** What was reviewed whole; left out where nothing was. */
    readings: readingsSchema,
    /** Findings that no comment of ours holds: below the limits, or shown as annotations only. */
    others: listOf(findingMarkSchema),
    /** Open findings that comments of ours hold, or should, as many as fit: where there is none they are said again. Left out where there are none. */
    open: listOf(heldMarkSchema),
    /** Lines of the walkthrough, as many as fit: they hold while no push touches any of their files. Left out where there are none. */
    walkthrough: {
      type: 'array',
      items: {
        type: 'object',
        required: ['paths', 'changes', 'checked'],
        properties: { paths: listOf(text), changes: text, checked: text },
      },
    },
    /** Findings that were fixed, gone with their file or declined, as many as fit: known again when their code comes back. */
    ended: listOf(heldMarkSchema),
    /** How many runs of this name have reviewed the pull request. */
    reviews: line,
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
  },
} as const;

export type FindingMark = Infer<typeof findingMarkSchema>;
export type HeldFindingMark = Infer<typeof heldMarkSchema>;
export type MarkedLines = NonNullable<FindingMark['lines']>;
export type ReviewMark = Infer<typeof reviewMarkSchema>;
export type StickyMark = Infer<typeof stickyMarkSchema>;
export type AnswerMark = Infer<typeof answerMarkSchema>;
export type Mark = FindingMark | ReviewMark | StickyMark | AnswerMark;

const parsers = [
  parserFor(findingMarkSchema),
  parserFor(reviewMarkSchema),
  parserFor(stickyMarkSchema),
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
  return `<!-- postil:v1 ${signature === null ? content : `${content.slice(0, -1)},"signature":"${signature}"}`} -->`;
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

const written = /<!-- postil:v1 (\{[^\r\n<>]*\}) -->/g;

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
