import type { Finding, PlacedFinding } from '../findings/finding.ts';
import { parsePlace } from '../findings/words.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Message } from '../messages/message.ts';
import type { Translator } from '../messages/translator.ts';
import type { Review } from '../review/review.ts';
import type { Delivered } from '../review/sink.ts';
import { reviewIn, titleIn } from '../rules/rule-texts.ts';
import type { Severity } from '../settings/setting.ts';
import { firstSentences, plural } from '../text.ts';
import { characters, cutText, type Limit, neutralise, showInvisible, visibleLine } from './text.ts';
import { linesOf, severityTitle } from './wording.ts';

export type AnnotationLevel = 'error' | 'warning' | 'notice';

/** A check annotation as a workflow command takes it: plain text, no columns, the end never before the start. */
export type Annotation = {
  readonly findingId: string;
  readonly level: AnnotationLevel;
  readonly title: string;
  readonly message: string;
  readonly path: string;
  /** 1-based lines of the file at head; null for a matter of the whole file, or of lines that are gone. */
  readonly lines: { readonly start: number; readonly end: number } | null;
};

type Annotations = {
  readonly annotations: readonly Annotation[];
  readonly leftOut: readonly { readonly findingId: string; readonly reason: Message }[];
};

/** The runner keeps so many of each level for a step and drops the others without a word. */
const perLevel = 10;
/** Of the one sentence: some write a page without a full stop. */
const sentenceLimit = { max: 500, measure: characters };
/** What the checks API takes as a title. */
const titleLimit = { max: 255, measure: characters };

type Form = {
  readonly redact: (text: string) => string;
  /** Where findings were posted already. */
  readonly posted: readonly Delivered[];
  readonly t?: Translator | undefined;
};

const noForm: Form = { redact: (text) => text, posted: [] };

/** The findings that are meant to be posted, most important first, as annotations; the rest is reported in the summary. */
export function renderAnnotations(review: Review, form: Form = noForm): Annotations {
  const annotations: Annotation[] = [];
  const leftOut: { findingId: string; reason: Message }[] = [];
  const room = (level: AnnotationLevel) => perLevel - annotations.filter((one) => one.level === level).length;
  const findings = told(review);
  for (const finding of findings) {
    const level = levels[finding.severity];
    if (room(level) > 0) annotations.push(annotationOf(finding, form));
    else {
      const reason: Message = { code: 'annotation.most', max: perLevel, level };
      leftOut.push({ findingId: finding.id, reason });
    }
  }
  // Other places come where every finding has its first.
  for (const other of findings.flatMap((finding) => othersOf(finding, form))) {
    if (room(other.level) > 0) annotations.push(other);
  }
  return { annotations, leftOut };
}

function told({ findings }: Review): readonly PlacedFinding[] {
  return findings.filter(({ place }) => place !== 'summary' && place !== 'suppressed');
}

const levels: Readonly<Record<Severity, AnnotationLevel>> = {
  critical: 'error',
  warning: 'warning',
  info: 'notice',
  nitpick: 'notice',
};

/** One finding as an annotation. A standing one is annotated too, because annotations belong to a commit. */
function annotationOf(finding: PlacedFinding, form: Form): Annotation {
  const title = `${severityTitle(finding.severity, form.t)} · ${titleIn(finding, form.t)}`;
  return {
    findingId: finding.id,
    level: levels[finding.severity],
    title: shortened(visibleLine(form.redact(title)), titleLimit),
    message: messageOf(finding, form),
    path: finding.path,
    lines: linesAtHead(finding),
  };
}

/** Beyond these the comment lists the rest. */
const mostPlaces = 50;

/** The same at each other place of a finding of the model; what a rule leaves out beyond its most is said once. */
function othersOf(finding: PlacedFinding, form: Form): readonly Annotation[] {
  if (finding.source === 'rule') return [];
  return finding.alsoAt.slice(0, mostPlaces).flatMap((place) => {
    const named = parsePlace(place);
    const annotation = annotationOf({ ...finding, anchor: { kind: 'file' } }, form);
    return named === null ? [] : [{ ...annotation, path: named.path, lines: named.range }];
  });
}

/** The lines of a finding; for removed ones that which stands in their place. Null for a matter of the whole file, and where the file is gone. */
export function linesAtHead({ anchor, lineAtHead: line }: Finding): Annotation['lines'] {
  if (anchor.kind === 'file') return null;
  if (anchor.side === 'RIGHT') return { start: anchor.startLine, end: Math.max(anchor.startLine, anchor.endLine) };
  return line === undefined ? null : { start: line, end: line };
}

/** What it is about in a sentence, and where the whole of it can be read: these lines are read by people who never open the review. */
function messageOf(finding: PlacedFinding, { redact, posted, t = inEnglish }: Form): string {
  const { anchor } = finding;
  const removed = anchor.kind === 'lines' && anchor.side === 'LEFT';
  const place = removed ? t({ code: 'annotation.removed-lines', lines: linesOf(anchor) ?? '' }) : '';
  const sentence = shortened(showInvisible(firstSentences(redact(reviewIn(finding, t)))), sentenceLimit);
  return `${t.joined([place, sentence])}\n\n${whereWhole(finding, posted, t)}`;
}

function whereWhole({ id, place, url }: PlacedFinding, posted: readonly Delivered[], t: Translator): string {
  if (place === 'standing') {
    return url === null ? t({ code: 'annotation.raised-earlier' }) : t({ code: 'annotation.raised-before', url });
  }
  const there = posted.find(({ findingId }) => findingId === id);
  if (there === undefined) return t({ code: 'annotation.in-summary' });
  if (there.url === null) return t({ code: 'annotation.in-review' });
  return t({ code: 'annotation.in-full', url: there.url });
}

/** The text, or as much of its start as fits with an ellipsis behind it. */
function shortened(text: string, { max, measure }: Pick<Limit, 'max' | 'measure'>): string {
  if (measure(text) <= max) return text;
  return `${cutText(text, { max: max - measure('…'), measure }).trimEnd()}…`;
}

type Command = {
  readonly message: string;
  readonly properties: {
    readonly title: string;
    readonly file?: string;
    readonly startLine?: number;
    readonly endLine?: number;
  };
};

/** An annotation as a workflow command, whose text the runner prints and does not obey. */
export function commandOf({ message, title, path, lines }: Annotation): Command {
  // A path goes into the command as it is: one that could act in a log is reported in the message instead.
  const isPlain = neutralise(path) === path && !path.includes('\n');
  if (!isPlain) {
    return { message: neutralise(`${visibleLine(path)}\n\n${message}`), properties: { title: neutralise(title) } };
  }
  const place = lines === null ? {} : { startLine: lines.start, endLine: lines.end };
  return { message: neutralise(message), properties: { title: neutralise(title), file: path, ...place } };
}

/** The annotations as text, a command a line, for a runner that reads this output. */
export function renderCommands(review: Review, redact: (text: string) => string): string {
  const { annotations, leftOut } = renderAnnotations(review, { ...noForm, redact });
  const [first] = leftOut;
  const more =
    first === undefined ? [] : [`${plural(leftOut.length, 'finding')} left out: ${inEnglish(first.reason)}.`];
  return [...annotations.map(commandLine), ...more].map((line) => `${line}\n`).join('');
}

// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
function commandLine(annotation: Annotation): string {
  const { message, properties } = commandOf(annotation);
  const { title, file, startLine: line, endLine } = properties;
  const parts = Object.entries({ file, line, endLine, title }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`],
  );
  return `::${annotation.level} ${parts.join(',')}::${escaped(message)}`;
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** An annotation as the checks API takes it: always on a line, and all of them. */
export type CheckAnnotation = Omit<Annotation, 'level' | 'lines'> & {
  readonly level: 'failure' | 'warning' | 'notice';
  readonly startLine: number;
  readonly endLine: number;
};

/** The findings that are meant for people, most important first: a check has no limit a level, it takes them in pages. */
export function renderCheckAnnotations(review: Review, form: Form = noForm): readonly CheckAnnotation[] {
  const all = told(review).flatMap((finding) => [annotationOf(finding, form), ...othersOf(finding, form)]);
  return all.map(({ level, lines, ...annotation }) => {
    const { start, end } = lines ?? { start: 1, end: 1 };
    return { ...annotation, level: level === 'error' ? 'failure' : level, startLine: start, endLine: end };
  });
}
