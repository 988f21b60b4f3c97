import type { PlacedFinding } from '../../findings/finding.ts';
import { inEnglish } from '../../messages/languages.ts';
import type { ReviewReport } from '../../review/record.ts';
import { reviewInEnglish } from '../../rules/rule-texts.ts';
import type { Severity } from '../../settings/setting.ts';
import { cutLine, grouped, withoutEnd } from '../../text.ts';
import { fileAddress } from '../sections/links.ts';
import {
  groups,
  lifeNote,
  otherPlaces,
  placeLabel,
  placeNote,
  placeOf,
  severityIcons,
  severityLabel,
  suppressedLabel,
} from '../wording.ts';
import { type Html, html, inline, isAddress, more, nothing, plain, prose, within } from './page.ts';

/** Where the texts of findings may lead to. */
export type Sources = {
  /** Address of a file at the reviewed commit; null on a laptop. */
  readonly addressOf: (path: string, lines: { startLine: number; endLine: number } | null) => string | null;
  /** The call that read a file, by its number in the timeline. */
  readonly readBy: ReadonlyMap<string, number>;
};

function severityWord(severity: Severity): Html {
  return html`<span class="${severity}"><span aria-hidden="true">${severityIcons[severity]}</span> <span class="word">${inEnglish(severityLabel(severity))}</span></span>`;
}

export function sourcesOf({ pullRequest: pull, timeline }: ReviewReport): Sources {
  const root =
    pull === null || pull.repository === null || !isAddress(pull.serverUrl ?? '')
      ? null
      : `${pull.serverUrl}/${pull.repository}`;
  const readBy = new Map<string, number>();
  for (const [index, { kind, asked, outcome }] of timeline.slice(0, 1_000).entries()) {
    const [, path] = /"path":"([^"\\]+)"/.exec(asked ?? '') ?? [];
    if (kind === 'tool' && outcome === 'ok' && path !== undefined && !readBy.has(path)) readBy.set(path, index);
  }
  return {
    addressOf: (path, lines) =>
      root === null || pull === null ? null : fileAddress(root, { sha: pull.head, path, lines }),
    readBy,
  };
}

/** The first get a card with their lines, later ones a short card, the last a line: the page stays one that a browser likes to open. */
export function findingCards(found: readonly PlacedFinding[], sources: Sources): Html {
  const full = within(found, { room: 420_000, most: 300, render: (one, at) => findingCard(one, { at, sources }) });
  const start = full.shown.length;
  const short = within(full.rest, {
    room: 160_000,
    most: 300,
    render: (one, at) => findingCard({ ...withoutLines(one) }, { at: start + at, sources }),
  });
  const lines = within(short.rest, { room: 40_000, most: 300, render: line });
  const list = lines.shown.length === 0 ? nothing : html`<ul class="list card">${lines.shown}</ul>`;
  return html`${full.shown}${short.shown}${list}${more(lines.rest, 'findings: in the report file')}`;
}

function withoutLines({ hunk: _, anchor, ...finding }: PlacedFinding): PlacedFinding {
  const place = anchor.kind === 'file' ? anchor : { ...anchor, quote: '' };
  return { ...finding, anchor: place, suggestion: null, review: cutLine(finding.review, 600), evidence: '' };
}

function line(finding: PlacedFinding): Html {
  return html`<li>${severityWord(finding.severity)} ${inline(finding.title)} <span class="code soft">${shortPlace(finding)}</span></li>`;
}

function shortPlace(finding: PlacedFinding): string {
  return cutLine(placeOf(finding), 300);
}

/** Cards that are open from the start. */
const openCards = 10;

function findingCard(finding: PlacedFinding, { at, sources }: { at: number; sources: Sources }): Html {
  const { severity, category, title, path, reason, batch = '', ruleId: rule, url } = finding;
  const went = [
    ...placeNote(finding).map(inEnglish),
    ...lifeNote(finding).map(inEnglish),
    ...(reason === null ? [] : [cutLine(inEnglish(reason), 300)]).filter((text) => text !== ''),
  ];
  const open = url === null || !isAddress(url) ? nothing : html` · <a href="${url}">open</a>`;
  const body = html`${source(finding)}${prose(reviewInEnglish(finding))}${suggestion(finding)}${evidence(finding, sources)}`;
  const shown = at < openCards ? body : html`<details class="body"><summary>Details</summary>${body}</details>`;
  return html`<article class="card finding ${severity}" id="finding-${at + 1}" tabindex="-1" data-severity="${severity}" data-path="${cutLine(path, 300)}" data-batch="${cutLine(batch, 300)}" data-place="${finding.place}">
<div class="top small"><span>${severityWord(severity)} <span class="soft">${category}${rule === null ? '' : ` · ${cutLine(rule, 200)}`}</span></span>${verdict(finding)}</div>
<h3>${inline(title)}</h3>
<div class="place small">${linkedPlace(finding, sources)}<span class="soft">${went.join(' · ')}${open}</span></div>
${shown}</article>`;
}

function verdict({ verification, source: by }: PlacedFinding): Html {
  if (by === 'rule') return html`<span class="badge soft">found by a rule</span>`;
  if (verification === 'confirmed') return html`<span class="badge confirmed">✓ confirmed by verification</span>`;
  return html`<span class="badge soft">${verification === 'undecided' ? '? verification could not decide' : 'not verified'}</span>`;
}

function linkedPlace(finding: PlacedFinding, { addressOf }: Sources): Html {
  const { path, anchor } = finding;
  const text = html`<span class="code">${shortPlace(finding)}</span>`;
  const isGone = anchor.kind === 'lines' && anchor.side === 'LEFT';
  const address = isGone ? null : addressOf(path, anchor.kind === 'lines' ? anchor : null);
  return address === null || !isAddress(address) ? text : html`<a href="${address}">${text}</a>`;
}

function source(finding: PlacedFinding): Html {
  const { unplaced, hunk, anchor } = finding;
  if (unplaced !== undefined) {
    const code = unplaced.quote === null ? nothing : quoted('What it quotes:', unplaced.quote);
    return html`<p class="soft small">Unplaced: ${inline(inEnglish(unplaced.reason), 1_000)}</p>${code}`;
  }
  if (hunk !== undefined) return hunkTable(hunk, anchor);
  return quoteOf(finding) === '' ? nothing : html`<pre>${plain(quoteOf(finding))}</pre>`;
}

function quoteOf({ anchor }: PlacedFinding): string {
  return anchor.kind === 'file' ? '' : anchor.quote;
}

/** Lines of a table: more than a card shows of a stranger's report. */
const mostLines = 60;

/** The lines of a hunk with both numbers; those of the finding are marked. Closing tags are left out: there are thousands. */
function hunkTable(hunk: string, anchor: PlacedFinding['anchor']): Html {
  const [head = '', ...lines] = hunk.split('\n', mostLines);
  const start = /^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})/.exec(head);
  let [old, now] = [Number(start?.[1] ?? 1), Number(start?.[2] ?? 1)];
  const rows = lines.map((text) => {
    const sign = text[0] ?? ' ';
    const [before, after] = [sign === '+' ? null : old, sign === '-' ? null : now];
    if (before !== null && sign !== '\\') old += 1;
    if (after !== null && sign !== '\\') now += 1;
    const at = anchor.kind === 'lines' && anchor.side === 'LEFT' ? before : after;
    const marked = anchor.kind === 'lines' && at !== null && at >= anchor.startLine && at <= anchor.endLine;
    const kind = `${sign === '+' ? 'a' : sign === '-' ? 'd' : ''}${marked ? ' m' : ''}`;
    return html`<tr class="${kind}"><td>${before ?? ''}<td>${after ?? ''}<td>${plain(cutLine(text, 1_000))}`;
  });
  return html`<table class="diff"><tbody>${rows}</tbody></table>`;
}

/** As a diff: what it leaves as it is stands once. */
function suggestion(finding: PlacedFinding): Html {
  const { suggestion: text } = finding;
  if (text === null) return nothing;
  const quote = quoteOf(finding);
  const before = quote === '' ? [] : quote.split('\n', mostLines);
  const after = text === '' ? [] : text.replace(/\n$/, '').split('\n', mostLines);
  const top = same(before, after);
  const bottom = same(before.slice(top).reverse(), after.slice(top).reverse());
  const row = (kind: string, sign: string) => (line: string) =>
    html`<tr class="${kind}"><td>${sign}${plain(cutLine(line, 1_000))}`;
  const rows = [
    ...before.slice(0, top).map(row('', ' ')),
    ...before.slice(top, before.length - bottom).map(row('d', '-')),
    ...after.slice(top, after.length - bottom).map(row('a', '+')),
    ...before.slice(before.length - bottom).map(row('', ' ')),
  ];
  return html`<details${rows.length <= 8 ? { html: ' open' } : nothing}><summary>Suggested change</summary><table class="diff"><tbody>${rows}</tbody></table></details>`;
}

/** How many of the first are equal. */
function same(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((line, index) => line !== other[index]);
  return end === -1 ? Math.min(one.length, other.length) : end;
}

function evidence(finding: PlacedFinding, sources: Sources): Html {
  const { evidence: text } = finding;
  const others = otherPlaces(finding);
  if (text === '' && others.length === 0) return nothing;
  const also =
    others.length === 0 ? nothing : html`<p>Also at ${linkPlaces(others.slice(0, 50).join(', '), sources)}</p>`;
  return html`<details><summary>Evidence</summary>${prose(text, (part) => linkPlaces(part, sources))}${also}</details>`;
}

const somePlace = /([\w@~+.\-/]{3,300})((?::\d{1,7}(?:-\d{1,7})?)?)/g;

/** Places in a text: what the model read leads to the call, what has an address to the file. */
function linkPlaces(text: string, { readBy, addressOf }: Sources): Html {
  let end = 0;
  const parts: Html[] = [];
  for (const { 0: place, 1: named = '', 2: numbers = '', index } of text.matchAll(somePlace)) {
    const path = numbers === '' ? withoutEnd(named, /\./) : named;
    const call = readBy.get(path);
    const [startLine = 0, endLine = startLine] = numbers.slice(1).split('-').map(Number);
    const address = startLine > 0 && /[./]/.test(path) ? addressOf(path, { startLine, endLine }) : null;
    const target = call === undefined ? address : `#call-${call}`;
    if (target === null) continue;
    parts.push(plain(text.slice(end, index)), html`<a href="${target}">${plain(place)}</a>`);
    end = index + place.length;
  }
  return html`${parts}${plain(text.slice(end))}`;
}

/** What was found and is not raised: disproved, declined or ignored, with the reason and what proves it. */
export function notRaised(placed: readonly PlacedFinding[]): Html {
  const { shown, rest } = within(groups(placed).suppressed, { room: 60_000, most: 200, render: suppressedItem });
  if (shown.length + rest.length === 0) return nothing;
  return html`<ul class="list">${shown}</ul>${more(rest, 'in the report file')}`;
}

function suppressedItem(finding: PlacedFinding): Html {
  const { suppressed, title, reason } = finding;
  const proof = suppressed?.proof;
  return html`<li><span class="badge small">${inEnglish(suppressedLabel(suppressed?.by ?? 'people'))}</span> <b>${inline(title)}</b> <span class="code soft">${shortPlace(finding)}</span>
<div class="soft">${inline(reason === null ? '' : inEnglish(reason), 1_000)}</div>${proof === undefined ? nothing : quoted(`${proof.path} says:`, proof.quote)}</li>`;
}

function quoted(label: string, text: string): Html {
  return html`<div class="soft small">${cutLine(label, 300)}</div><pre class="proof">${plain(cutLine(text, 2_000))}</pre>`;
}

/** Findings that a person sees before anything else. */
const mostFirst = 8;
/** Fewer are seen without a list of them. */
const fewestFirst = 4;

export function fixFirst(raised: readonly PlacedFinding[]): Html {
  if (raised.length < fewestFirst) return nothing;
  const rows = raised
    .slice(0, mostFirst)
    .map(
      (one, index) =>
        html`<li>${severityWord(one.severity)}<a href="#finding-${index + 1}">${inline(one.title)}</a><span class="code soft">${shortPlace(one)}</span></li>`,
    );
  const rest = raised.slice(mostFirst);
  const all =
    rest.length === 0 ? nothing : html`<li><span></span><a href="#findings">and ${grouped(rest.length)} more</a></li>`;
  return html`<section><h2>Fix first</h2><ol class="card list first">${rows}${all}</ol></section>`;
}

/** Shown by the script: without it they would do nothing. */
export function controls(raised: readonly PlacedFinding[], { onLaptop }: { onLaptop: boolean }): Html {
  if (raised.length < 2) return nothing;
  const choice = (
    name: string,
    label: string,
    of: (one: PlacedFinding) => readonly [value: string, label: string] | null,
  ) => {
    const values = raised.map(of).filter((value) => value !== null);
    const options = [...new Map(values.map(([value, text]) => [cutLine(value, 300), text]))].slice(0, 200);
    // A choice of one is none.
    if (options.length < 2) return nothing;
    return html`<select data-filter="${name}" aria-label="${label}"><option value="">${label}</option>${options.map(([value, text]) => html`<option value="${value}">${cutLine(text, 100)}</option>`)}</select>`;
  };
  return html`<div class="controls">
${choice('severity', 'All severities', ({ severity }) => [severity, inEnglish(severityLabel(severity))])}
${choice('path', 'All files', ({ path }) => [path, path])}
${choice('batch', 'All batches', ({ batch }) => (batch === undefined ? null : [batch, batch]))}
${onLaptop ? nothing : choice('place', 'All deliveries', ({ place }) => [place, inEnglish(placeLabel(place))])}
<input type="search" data-search aria-label="Search the findings" placeholder="Search ( / )"><span class="soft" data-count role="status"></span><button type="button" data-clear hidden>No match, clear</button><span class="soft small">j k: next, previous · o: open</span></div>`;
}
