import { pageLink } from '../addresses.ts';
import type { Finding } from '../findings/finding.ts';
import { inEnglish } from '../messages/languages.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { reviewIn, titleIn } from '../rules/rule-texts.ts';
import { untrustedBlock, untrustedLine, untrustedName } from './sanitise.ts';
import { cleanCode } from './sanitise-phrasing.ts';
import { type Links, permalink, placeAddress } from './sections/links.ts';
import { details, fenced, linked } from './text.ts';
import { placeOf, type RenderContext, severityTitle } from './wording.ts';

type FindingForm = {
  readonly context: RenderContext;
  /** Links its other places; they stand without a link where it is left out. */
  readonly pullRequest?: PullRequest | null;
  /** Characters for the whole text, about; 600 at least. */
  readonly max: number;
  /** Markdown below the title that says where it is; null where the place says it. */
  readonly place: string | null;
  /** True where GitHub can apply the suggestion: on the lines themselves. */
  readonly applicable?: boolean;
  /** True where people can decline it by an answer. */
  readonly answerable?: boolean;
};

/** One finding as people read it, wherever it is posted. */
export function renderFinding(finding: Finding, form: FindingForm): string {
  const parts = [
    title(finding, form),
    form.place === null ? '' : quote(finding, form),
    unplaced(finding, form),
    untrustedBlock(reviewIn(finding, form.context.t), { context: form.context, max: Math.floor(form.max * 0.5) }),
    suggestion(finding, form),
    evidence(finding, form),
    footer(finding, form),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function title(finding: Finding, { context, place }: FindingForm): string {
  const severity = severityTitle(finding.severity, context.t);
  const line = untrustedLine(titleIn(finding, context.t), context);
  // Emphasis of its own would end ours.
  const heading = /[*_]|\\$/.test(line) ? `**${severity}** · ${line}` : `**${severity} · ${line}**`;
  return place === null ? heading : `${heading}\\\n${place}`;
}

const quotedLines = 12;

function quote({ anchor, path }: Finding, { context, max }: FindingForm): string {
  if (anchor.kind === 'file') return '';
  const lines = cleanCode(anchor.quote, context.redact).split('\n');
  const { t = inEnglish } = context;
  const left = lines.length - quotedLines;
  const more = left > 0 ? `\n${t({ code: 'quote.more-lines', count: left })}` : '';
  const code = `${lines.slice(0, quotedLines).join('\n')}${more}`;
  return code.length > max * 0.15 ? '' : fenced(code, languageOf(path));
}

/** Why it stands on no line, and what the model quoted: whoever knows the code may know the line. */
function unplaced({ unplaced: why, path }: Finding, { context, max }: FindingForm): string {
  if (why === undefined) return '';
  const code = why.quote === null ? '' : cleanCode(why.quote, context.redact).slice(0, Math.floor(max * 0.1));
  const quoted = code === '' ? '' : `\n\n${fenced(code, languageOf(path))}`;
  const { t = inEnglish } = context;
  return `${t({ code: 'finding.unplaced', why: untrustedLine(t(why.reason), context, 500) })}${quoted}`;
}

function suggestion(finding: Finding, form: FindingForm): string {
  const { t = inEnglish } = form.context;
  if (finding.suggestion === null) return '';
  const code = finding.suggestion.replaceAll('\r\n', '\n').replace(/\n$/, '');
  const clean = cleanCode(code, form.context.redact);
  if (clean.length > form.max * 0.2) return t({ code: 'suggestion.too-long' });
  if (form.applicable && clean === code) return fenced(code, 'suggestion');
  return code === ''
    ? t({ code: 'suggestion.remove' })
    : `${t({ code: 'suggestion.title' })}\n\n${fenced(clean, languageOf(finding.path))}`;
}

// A pattern is its own evidence, and the footer names the rule.
function evidence(finding: Finding, { context, max }: FindingForm): string {
  if (finding.source === 'rule') return '';
  const text = untrustedBlock(finding.evidence, { context, max: Math.floor(max * 0.2) });
  if (text === '') return '';
  const { t = inEnglish } = context;
  const places = finding.citations?.length ?? 0;
  const said = [
    ...(places === 0 ? [] : [t({ code: 'evidence.places', count: places })]),
    ...(finding.verification === undefined ? [] : [t({ code: `evidence.${finding.verification}` })]),
  ];
  return details(said.length === 0 ? t({ code: 'evidence' }) : t({ code: 'evidence.of', what: t.listed(said) }), text);
}

const placesShown = 10;

/** Comments on lines of a fork's pull request start runs without secrets: only the conversation is heard there. */
function commandsWord({ context, pullRequest = null }: FindingForm): readonly string[] {
  if (context.hears !== true) return [];
  const { t = inEnglish } = context;
  const page = pageLink('commands.md', t);
  if (pullRequest?.fromFork !== true) return [t({ code: 'finding.more-commands', page })];
  return [t({ code: 'finding.more-commands-fork', page })];
}

function footer(finding: Finding, form: FindingForm): string {
  const { category, ruleId } = finding;
  const { context, answerable = false } = form;
  const { t = inEnglish } = context;
  const rule = ruleId === null ? [] : [t({ code: 'finding.rule', id: untrustedName(ruleId, context) })];
  const also = finding.alsoAt.length === 0 ? [] : [t({ code: 'finding.also-at', places: alsoAt(finding, form) })];
  const answer = answerable
    ? [t({ code: 'finding.how-to-answer', page: pageLink('reviews.md#declining-a-finding', t) }), ...commandsWord(form)]
    : [];
  return `<sub>${[t({ code: `category.${category}` }), ...rule, ...also, ...answer].join(' · ')}</sub>`;
}

function alsoAt({ alsoAt: places, alsoMore = 0 }: Finding, { context, pullRequest = null }: FindingForm): string {
  const { t = inEnglish } = context;
  const shown = places
    .slice(0, placesShown)
    .map((place) => linked(untrustedName(place, context), placeAddress(place, { context, pullRequest })));
  const rest = places.length - shown.length + alsoMore;
  const names = t.listed(shown);
  return rest > 0 ? t({ code: 'names.and-more', names, count: rest }) : names;
}

// For highlighting only: an unknown name does no harm.
function languageOf(path: string): string {
  return /\.([a-z0-9]{1,10})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** Characters of one comment, about; GitHub takes 65,536. */
const commentCharacters = 20_000;

/** Hidden marks behind a text of ours, from an empty line on; empty where nothing is remembered. `words` is the comment; null for a review's body. */
export type Marks = (finding: Finding, words: string | null) => string;

export type CommentForm = Pick<FindingForm, 'context' | 'pullRequest'> & { readonly marks: Marks };

/** The comment on the lines that a finding is about, with a suggestion to apply where it covers exactly these lines. */
export function renderComment(finding: Finding, { marks, ...form }: CommentForm): string {
  const { context } = form;
  const text = renderFinding(finding, {
    ...form,
    max: commentCharacters,
    place: null,
    applicable: isApplicable(finding),
    answerable: isAnswerable(context),
  });
  return `${text}${marks(finding, text)}`;
}

/** The comment on a file as a whole: it says itself which lines it is about, where it is about lines. */
export function renderFileComment(finding: Finding, { links, marks }: { links: Links; marks: Marks }): string {
  const { context } = links;
  const place = finding.anchor.kind === 'file' ? null : linkedPlace(finding, links);
  const answerable = isAnswerable(context);
  const text = renderFinding(finding, { ...links, max: commentCharacters, place, answerable });
  return `${text}${marks(finding, text)}`;
}

/** Without a key nobody could tell whether an answer is to a comment of ours, so none counts. */
function isAnswerable({ keys }: RenderContext): boolean {
  return keys?.signs === true;
}

/** Longer suggestions are read, not clicked; lines replaced and lines put there. */
const suggestedLines = 10;

/** GitHub replaces exactly the lines of the comment, on the new side. */
function isApplicable({ anchor, suggestion, narrowed }: Finding): boolean {
  if (anchor.kind === 'file' || anchor.side === 'LEFT' || suggestion === null || narrowed === true) return false;
  const replaced = anchor.endLine - anchor.startLine + 1;
  return replaced <= suggestedLines && suggestion.split('\n').length <= suggestedLines;
}

/** `src/a.ts:10-12` as code, linked where there is something to link to. */
export function linkedPlace(finding: Finding, links: Links): string {
  return linked(untrustedName(placeOf(finding, links.context.t), links.context), permalink(finding, links));
}
