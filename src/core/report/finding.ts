import { pageLink } from '../addresses.ts';
import type { Finding } from '../findings/finding.ts';
import { parsePlace } from '../findings/words.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { reviewIn, titleIn } from '../rules/rule-texts.ts';
import { english, type Say, type Sentence } from '../words/say.ts';
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
    untrustedBlock(reviewIn(finding, form.context.say), { context: form.context, max: Math.floor(form.max * 0.5) }),
    suggestion(finding, form),
    evidence(finding, form),
    footer(finding, form),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function title(finding: Finding, { context, place }: FindingForm): string {
  const severity = severityTitle(finding.severity, context.say);
  const line = untrustedLine(titleIn(finding, context.say), context);
  // Emphasis of its own would end ours.
  const heading = /[*_]|\\$/.test(line) ? `**${severity}** · ${line}` : `**${severity} · ${line}**`;
  return place === null ? heading : `${heading}\\\n${place}`;
}

const quotedLines = 12;

function quote({ anchor, path }: Finding, { context, max }: FindingForm): string {
  if (anchor.kind === 'file') return '';
  const lines = cleanCode(anchor.quote, context.redact).split('\n');
  const { say = english } = context;
  const left = lines.length - quotedLines;
  const more = left > 0 ? `\n${say('… {n} more lines', { n: left })}` : '';
  const code = `${lines.slice(0, quotedLines).join('\n')}${more}`;
  return code.length > max * 0.15 ? '' : fenced(code, languageOf(path));
}

/** Why it stands on no line, and what the model quoted: whoever knows the code may know the line. */
function unplaced({ unplaced: why, path }: Finding, { context, max }: FindingForm): string {
  if (why === undefined) return '';
  const code = why.quote === null ? '' : cleanCode(why.quote, context.redact).slice(0, Math.floor(max * 0.1));
  const quoted = code === '' ? '' : `\n\n${fenced(code, languageOf(path))}`;
  const { say = english } = context;
  return `${say('Unplaced: {why}.', { why: untrustedLine(say.of(why.reason), context, 500) })}${quoted}`;
}

function suggestion(finding: Finding, form: FindingForm): string {
  const { say = english } = form.context;
  if (finding.suggestion === null) return '';
  const code = finding.suggestion.replaceAll('\r\n', '\n').replace(/\n$/, '');
  const clean = cleanCode(code, form.context.redact);
  if (clean.length > form.max * 0.2) return say('A suggested change was too long to show here.');
  if (form.applicable && clean === code) return fenced(code, 'suggestion');
  return code === ''
    ? say('Suggested change: remove these lines.')
    : `${say('Suggested change:')}\n\n${fenced(clean, languageOf(finding.path))}`;
}

// A pattern is its own evidence, and the footer names the rule.
function evidence(finding: Finding, { context, max }: FindingForm): string {
  if (finding.source === 'rule') return '';
  const text = untrustedBlock(finding.evidence, { context, max: Math.floor(max * 0.2) });
  if (text === '') return '';
  const { say = english } = context;
  const places = finding.citations?.length ?? 0;
  const said = [
    ...(places === 0 ? [] : [say.many(places, '{n} place cited', '{n} places cited')]),
    ...(finding.verification === undefined ? [] : [say(verified[finding.verification])]),
  ];
  return details(said.length === 0 ? say('Evidence') : say('Evidence: {what}', { what: say.listed(said) }), text);
}

const verified = {
  confirmed: 'confirmed by verification',
  undecided: 'verification could not decide',
} as const satisfies Readonly<Record<string, Sentence>>;

const placesShown = 10;

const howToAnswer =
  'Wrong? Reply "false positive" or `/postil dismiss REASON`, react with 👎, or resolve this (who may, other words: {page})';

/** Comments on lines of a fork's pull request start runs without secrets: only the conversation is heard there. */
function commandsWord({ context, pullRequest = null }: FindingForm): readonly string[] {
  if (context.hears !== true) return [];
  const { say = english } = context;
  const page = pageLink('commands.md', { say });
  if (pullRequest?.fromFork !== true) return [say('More commands: `explain`, `recheck`, `fix` ({page})', { page })];
  return [
    say('More commands, here in the conversation alone: `/postil explain LINK`, the link of this comment ({page})', {
      page,
    }),
  ];
}

function footer({ category, ruleId, alsoAt: places }: Finding, form: FindingForm): string {
  const { context, answerable = false } = form;
  const { say = english } = context;
  const rule = ruleId === null ? [] : [say('rule {id}', { id: untrustedName(ruleId, context) })];
  const also = places.length === 0 ? [] : [say('also at {places}', { places: alsoAt(places, form) })];
  const answer = answerable
    ? [say(howToAnswer, { page: pageLink('reviews.md#declining-a-finding', { say }) }), ...commandsWord(form)]
    : [];
  return `<sub>${[say(category), ...rule, ...also, ...answer].join(' · ')}</sub>`;
}

function alsoAt(places: readonly string[], { context, pullRequest = null }: FindingForm): string {
  const { say = english } = context;
  const shown = places
    .slice(0, placesShown)
    .map((place) =>
      linked(untrustedName(sayPlace(place, say), context), placeAddress(place, { context, pullRequest })),
    );
  const rest = places.length - shown.length;
  const names = say.listed(shown);
  return rest > 0 ? say('{names} and {n} more', { names, n: rest }) : names;
}

/** A rule's last one may be `and 7 more`. */
function sayPlace(place: string, say: Say): string {
  return parsePlace(place) === null ? say.of(place) : place;
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
  return linked(untrustedName(placeOf(finding, links.context.say), links.context), permalink(finding, links));
}
