import { encode } from '../codec.ts';
import { fullPlaceOf, type PlacedFinding } from '../findings/finding.ts';
import { citationSchema } from '../findings/words.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Answer, Review } from '../review/review.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { outcomes } from '../review/verdict.ts';
import { reviewInEnglish } from '../rules/rule-texts.ts';
import {
  anyText,
  costOrNull,
  count,
  exactly,
  type Infer,
  listOf,
  objectOrNull,
  type Schema,
  textOrNull,
} from '../schema.ts';
import { severities } from '../settings/setting.ts';
import { answerText } from './answer.ts';
import { type Paint, renderTerminalReport } from './terminal.ts';
import { showInvisible, visibleLine } from './text.ts';

/** What a tool gives back: text, and the same as data. */
type Told = { readonly text: string; readonly data: { readonly [name: string]: unknown } };
type Redact = (text: string) => string;

const lineOrNull = { type: ['integer', 'null'], minimum: 1 } as const;
const spent = { tokens: { ...count, description: 'Input and output of all model calls.' }, cost: costOrNull };

const finding = {
  id: { ...anyText, description: 'For explain_finding.' },
  severity: { enum: severities },
  path: anyText,
  start_line: { ...lineOrNull, description: 'Null: the whole file.' },
  end_line: lineOrNull,
  title: anyText,
  review: { ...anyText, description: 'What is wrong, and when it happens.' },
  suggestion: { ...textOrNull, description: 'What could take the place of these lines.' },
  rule_id: { ...textOrNull, description: 'Of the pattern rule that found it; null: the model did.' },
} as const;

export const reviewedSchema = exactly({
  outcome: { enum: outcomes },
  headline: anyText,
  findings: listOf(exactly(finding), 'Most important first.'),
  not_reviewed: listOf(exactly({ path: anyText, reason: anyText }), 'Files that a limit or a failure left out.'),
  notes: listOf(anyText),
  ...spent,
});

export const answeredSchema = exactly({
  answer: anyText,
  not_found: { ...textOrNull, description: 'What was looked for in vain.' },
  sources: listOf(exactly({ path: anyText, start_line: lineOrNull, end_line: lineOrNull }), 'Places that show it.'),
  ...spent,
});

export const explainedSchema = exactly({
  ...finding,
  evidence: { ...anyText, description: 'What was read that proves it.' },
  citations: listOf(citationSchema, 'The places of the evidence.'),
  code: { ...textOrNull, description: 'The lines that it is about, as they were reviewed.' },
  diff: { ...textOrNull, description: 'The change around them.' },
  verification: {
    enum: ['confirmed', 'undecided', null],
    description: 'What a second look came to, where one was taken.',
  },
  answer: { ...answeredSchema, ...objectOrNull, description: 'To your question; null without one.' },
});

/** A review for a client that is a program with a model of its own. */
export function reviewedResult(record: ReviewRecord, redact: Redact): Told {
  const findings = raised(record.placed);
  const { outcome, coverage, notes, metrics } = record.review;
  const ids = findings.map((one) => `- ${one.id}: ${visibleLine(redact(`${fullPlaceOf(one)} ${one.title}`))}`);
  const list = ids.length === 0 ? '' : `\nIds for explain_finding:\n${ids.join('\n')}\n`;
  const text = `${renderTerminalReport(record, { paint: plain, redact })}${list}`;
  const left = coverage.unreviewed.map(({ path, reason }) => ({ path, reason: inEnglish(reason) }));
  const headline = inEnglish.sentences(record.review.headline);
  const told = { outcome, headline, findings: findings.map(flat), not_reviewed: left, notes: notes.map(inEnglish) };
  return { text, data: dataOf(reviewedSchema, { ...told, ...spentIn(metrics) }, redact) };
}

/** Those that people see. */
export function raised(placed: readonly PlacedFinding[]): readonly PlacedFinding[] {
  return placed.filter(({ place }) => place !== 'suppressed');
}

export function answeredResult(review: Review, answer: Answer, redact: Redact): Told {
  return { text: answerText(answer, redact), data: dataOf(answeredSchema, answered(review, answer), redact) };
}

/** One finding with all that is known of it, and what was asked about it besides. */
export function explainedResult(
  one: PlacedFinding,
  asked: { readonly review: Review; readonly answer: Answer } | null,
  redact: Redact,
): Told {
  const { anchor, evidence, citations = [], hunk = null, verification = null } = one;
  const code = anchor.kind === 'lines' ? anchor.quote : null;
  const answer = asked === null ? null : answered(asked.review, asked.answer);
  const told = { ...flat(one), evidence, citations, code, diff: hunk, verification, answer } as const;
  const cited = citations.map(({ path, lines, shows }) => `- ${path}${lines === null ? '' : `:${lines}`}: ${shows}`);
  const parts = [
    `[${one.id}] ${one.severity}, ${fullPlaceOf(one)}: ${one.title}`,
    reviewInEnglish(one),
    code === null ? '' : `Code:\n${code}`,
    evidence === '' ? '' : `Evidence: ${evidence}`,
    cited.join('\n'),
    one.suggestion === null ? '' : `Suggested in its place:\n${one.suggestion}`,
    hunk === null ? '' : `Diff:\n${hunk}`,
    asked === null ? '' : `Answer: ${answerText(asked.answer, redact)}`,
  ];
  const text = showInvisible(redact(parts.filter((part) => part !== '').join('\n\n')));
  return { text, data: dataOf(explainedSchema, told, redact) };
}

/** A question that names what it is about. */
export function questionAbout(one: PlacedFinding, question: string): string {
  const { id, severity, title } = one;
  return `${question}\n\nThis is about a finding of the review, [${id}] ${severity}, ${fullPlaceOf(one)}: ${title}\n${reviewInEnglish(one)}`;
}

function flat(finding: PlacedFinding) {
  const { id, severity, path, anchor, title, suggestion, ruleId } = finding;
  const lines = anchor.kind === 'lines' ? anchor : null;
  const place = { path, start_line: lines?.startLine ?? null, end_line: lines?.endLine ?? null };
  return { id, severity, ...place, title, review: reviewInEnglish(finding), suggestion, rule_id: ruleId };
}

function answered(review: Review, { text, notFound, places }: Answer): Infer<typeof answeredSchema> {
  const sources = places.map(({ path, startLine, endLine }) => ({ path, start_line: startLine, end_line: endLine }));
  return { answer: text, not_found: notFound, sources, ...spentIn(review.metrics) };
}

function spentIn({ usage, cost }: Review['metrics']) {
  return { tokens: usage.input + usage.output, cost };
}

function dataOf<const S extends Schema>(schema: S, value: Infer<S>, redact: Redact): Told['data'] {
  return { ...Object(encode(schema, value, (text) => showInvisible(redact(text)))) };
}

const same = (text: string) => text;
const plain: Paint = { bold: same, dim: same, red: same, yellow: same, blue: same, green: same };
