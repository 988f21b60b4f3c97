import { readJsonText } from '../bounded.ts';
import { type Category, categories } from '../findings/finding.ts';
import type { Side } from '../repository/repository.ts';
import { parserFor } from '../schema.ts';
import { type Severity, severities } from '../settings/setting.ts';

/** What a hidden marker in a comment of ours says of one finding: enough to know it again, nothing to act on. */
export type FindingMark = {
  readonly kind: 'finding';
  readonly name: string;
  readonly run: string;
  /** Full hash of the head that was reviewed; RIGHT lines are counted there. */
  readonly commit: string;
  /** Full hash of the merge base then; LEFT lines are counted there. */
  readonly mergeBase: string;
  /** As the diff of that commit knew it. */
  readonly path: string;
  /** Null for a matter of the whole file. */
  readonly lines: MarkedLines | null;
  readonly title: string;
  readonly severity: Severity;
  readonly category: Category;
  readonly ruleId: string | null;
};

/** A finding, and the number of the comment or review that holds it; null when that is not known. */
export type OpenMark = FindingMark & { readonly comment: number | null };

/** 1-based, inclusive. */
export type MarkedLines = {
  readonly side: Side;
  readonly startLine: number;
  readonly endLine: number;
  /** Short digests of the lines without their white space, blank lines left out, 40 at most: known again when the commit is gone. */
  readonly digests: readonly string[];
};

/** In the body of every review of ours. */
export type ReviewMark = {
  readonly kind: 'review';
  readonly name: string;
  readonly run: string;
  readonly commit: string;
  readonly settings: string;
  /** With which it was sent; older versions did not say. */
  readonly event?: 'COMMENT' | 'REQUEST_CHANGES' | 'APPROVE';
};

/** In the one summary comment that is updated in place: where the next run goes on. */
export type StickyMark = {
  readonly kind: 'sticky';
  readonly name: string;
  readonly run: string;
  /** Full hash of the last reviewed head. */
  readonly head: string;
  readonly mergeBase: string;
  /** Name of the base branch, whose rules and guidance it was reviewed by; older versions did not keep it. */
  readonly base?: string;
  readonly settings: string;
  /** Paths that should have been reviewed and were not, or whose findings could not be delivered: the next run adds them. */
  readonly unreviewed: readonly string[];
  /** Findings that no comment of ours holds: below the limits, or shown as annotations only. */
  readonly others: readonly FindingMark[];
  /** Open findings that comments of ours hold, as many as fit: they stand when somebody deletes the comment. Older versions did not keep them. */
  readonly open?: readonly OpenMark[];
  /** How many runs of this name have reviewed the pull request; older versions did not count. */
  readonly reviews?: number;
};

export type Mark = FindingMark | ReviewMark | StickyMark;

const text = { type: 'string' } as const;
const line = { type: 'integer', minimum: 1 } as const;

const findingMarkSchema = {
  type: 'object',
  required: ['kind', 'name', 'run', 'commit', 'mergeBase', 'path', 'lines', 'title', 'severity', 'category', 'ruleId'],
  properties: {
    kind: { enum: ['finding'] },
    name: text,
    run: text,
    commit: text,
    mergeBase: text,
    path: text,
    lines: {
      type: ['object', 'null'],
      required: ['side', 'startLine', 'endLine', 'digests'],
      properties: {
        side: { enum: ['RIGHT', 'LEFT'] },
        startLine: line,
        endLine: line,
        digests: { type: 'array', items: text },
      },
    },
    title: text,
    severity: { enum: severities },
    category: { enum: categories },
    ruleId: { type: ['string', 'null'] },
  },
} as const;

const parseFindingMark = parserFor(findingMarkSchema);

const parseReviewMark = parserFor({
  type: 'object',
  required: ['kind', 'name', 'run', 'commit', 'settings'],
  properties: {
    kind: { enum: ['review'] },
    name: text,
    run: text,
    commit: text,
    settings: text,
    event: { enum: ['COMMENT', 'REQUEST_CHANGES', 'APPROVE'] },
  },
});

const parseStickyMark = parserFor({
  type: 'object',
  required: ['kind', 'name', 'run', 'head', 'mergeBase', 'settings', 'unreviewed', 'others'],
  properties: {
    kind: { enum: ['sticky'] },
    name: text,
    run: text,
    head: text,
    mergeBase: text,
    base: text,
    settings: text,
    unreviewed: { type: 'array', items: text },
    others: { type: 'array', items: findingMarkSchema },
    open: {
      type: 'array',
      items: {
        ...findingMarkSchema,
        required: [...findingMarkSchema.required, 'comment'],
        properties: { ...findingMarkSchema.properties, comment: { type: ['integer', 'null'] } },
      },
    },
    reviews: { type: 'integer', minimum: 1 },
  },
});

/** Null for anything that is not a mark of this version. */
function markFrom(value: unknown): Mark | null {
  for (const parse of [parseFindingMark, parseReviewMark, parseStickyMark]) {
    const parsed = parse(value);
    if (parsed.ok) return parsed.value;
  }
  return null;
}

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
