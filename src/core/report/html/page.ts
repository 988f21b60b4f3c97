import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { cutLine, grouped } from '../../text.ts';
import { showInvisible } from '../text.ts';

/** HTML that is ours: whatever a model or a pull request wrote came into it through `html`, which escapes. */
export type Html = { readonly html: string };

/** A template of HTML: every value is escaped unless it is `Html` itself. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (Html | readonly Html[] | string | number)[]
): Html {
  return { html: parts.map((part, index) => part + markup(values[index] ?? '')).join('') };
}

export const nothing: Html = { html: '' };

/** Characters of one text: a report file may come from a stranger. */
const longestText = 20_000;

function markup(value: Html | readonly Html[] | string | number): string {
  // biome-ignore lint/nursery/noBaseToString: Biome does not see that it is a number here.
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escaped(value);
  return 'html' in value ? value.html : value.map((one) => one.html).join('');
}

/** Also between quotes of an attribute. Characters that nobody sees are written out. */
function escaped(text: string): string {
  return showInvisible(cutLine(text, longestText)).replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Text between tags, never in an attribute: quotes stay, which code is full of. */
export function plain(text: string): Html {
  const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return { html: showInvisible(cutLine(text, longestText)).replace(/[&<>]/g, (sign) => signs[sign] ?? '') };
}

export function isAddress(url: string): boolean {
  return /^https?:\/\//.test(url) && url.length < 2_000;
}

/** As many as fit into so many characters of HTML, then how many more there are. Items beyond `most` are not even rendered. */
export function within<T>(
  items: readonly T[],
  { room, most, render }: { room: number; most: number; render: (item: T, index: number) => Html },
): { readonly shown: readonly Html[]; readonly rest: readonly T[] } {
  const shown: Html[] = [];
  let left = room;
  for (const [index, item] of items.slice(0, most).entries()) {
    const one = render(item, index);
    left -= one.html.length;
    if (left < 0) break;
    shown.push(one);
  }
  return { shown, rest: items.slice(shown.length) };
}

export function more(rest: readonly unknown[], noun: string): Html {
  return rest.length === 0 ? nothing : html`<p class="soft small">And ${grouped(rest.length)} more ${noun}.</p>`;
}

/** One line of a model's: code spans are the only Markdown. */
export function inline(text: string, most = 300): Html {
  return { html: spans(cutLine(text, most), plain) };
}

/** Prose of a model: paragraphs, fenced code and code spans. Every other Markdown stays as it was written. `link` may wrap what stands in it. */
export function prose(text: string, link: (text: string) => Html = plain): Html {
  const blocks = cutLine(text, longestText).split(
    /^(```[^\n\r\u2028\u2029]*\r?\n[\s\S]*?(?:^```[ \t]*$|$(?![\s\S])))/m,
  );
  return { html: blocks.map((block, index) => (index % 2 === 1 ? code(block) : paragraphs(block, link))).join('') };
}

function code(block: string): string {
  return html`<pre><code>${plain(block.replace(/^```[^\n]*\n/, '').replace(/\n?```[ \t]*$/, ''))}</code></pre>`.html;
}

function paragraphs(block: string, link: (text: string) => Html): string {
  const texts = block.split(/\n{2,}/).filter((text) => text.trim() !== '');
  return texts.map((text) => `<p>${spans(text.trim(), link)}</p>`).join('');
}

function spans(text: string, link: (text: string) => Html): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? `<code>${link(part.slice(1, -1)).html}</code>` : link(part).html))
    .join('');
}

/**
 * One page that needs nothing else. Its policy allows its own style and script alone, by their digests: whatever else got into it could neither
 * run nor load anything. A `style` attribute is not allowed either; drawings use attributes of SVG.
 */
export function page(title: string, body: Html): string {
  const policy = `default-src 'none'; style-src '${digest(style)}'; script-src '${digest(script)}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${html`<title>${cutLine(title, 300)}</title>`.html}
<style>${style}</style>
</head>
<body>
${body.html}
<script>${script}</script>
</body>
</html>
`;
}

function digest(text: string): string {
  return `sha256-${btoa(String.fromCharCode(...sha256(utf8ToBytes(text))))}`;
}

const style = `
:root { --ink:#1f2328; --soft:#59636e; --line:#d1d9e0; --page:#f6f8fa; --card:#fff; --add:#dafbe1; --del:#ffebe9; --mark:#fff3c4; --edge:#bf8700;
  --critical:#cf222e; --warning:#9a6700; --info:#0969da; --nitpick:#59636e; --model:#8250df; --check:#1a7f37; --link:#0969da; }
@media screen and (prefers-color-scheme: dark) { :root { --ink:#f0f6fc; --soft:#9198a1; --line:#3d444d; --page:#0d1117; --card:#151b23; --add:#12361f;
  --del:#4a1e1e; --mark:#4b3a08; --edge:#d29922; --critical:#ff7b72; --warning:#d29922; --info:#58a6ff; --nitpick:#9198a1; --model:#ab7df8; --check:#3fb950; --link:#58a6ff; } }
* { box-sizing:border-box; } [hidden] { display:none !important; }
body { margin:0 auto; padding:24px 16px 64px; max-width:1240px; background:var(--page); color:var(--ink);
  font:14px/1.5 -apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif; overflow-wrap:anywhere; }
h1 { font-size:24px; line-height:1.3; margin:0 0 6px; } h2 { font-size:16px; margin:28px 0 10px; } h3 { font-size:15px; margin:2px 0 4px; } .head { font-weight:600; font-size:13px; margin:10px 0 4px; } .head:first-child { margin-top:0; }
p { margin:0 0 10px; white-space:pre-line; } a { color:var(--link); } code,pre,.code { font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace; }
p code,h3 code,li code,.first code { background:var(--page); border-radius:4px; padding:1px 4px; } .verdict { font-size:15px; max-width:90ch; margin-top:10px; }
pre { background:var(--page); padding:8px; margin:0 0 10px; white-space:pre-wrap; border-radius:6px; max-height:60vh; overflow:auto; }
.soft { color:var(--soft); } .small { font-size:12px; } .list { padding-left:0; margin:0; list-style:none; } .list li { margin-bottom:6px; }
.tiles { display:grid; grid-template-columns:repeat(auto-fit,minmax(128px,1fr)); gap:10px; margin:16px 0; }
.card { background:var(--card); border:1px solid var(--line); border-radius:8px; padding:12px 14px; margin:0 0 14px; overflow-x:clip; } .card:has(table) { overflow-x:auto; }
.tiles .card { margin:0; padding:10px 14px; } .tiles b { display:block; font-size:20px; } .tiles .none b { color:var(--soft); font-weight:400; }
.share { height:4px; border-radius:2px; margin-top:6px; } .share rect { fill:var(--line); } .share .m { fill:var(--model); }
.alert { margin-top:14px; border-left:4px solid var(--edge); } .alert.failed { border-left-color:var(--critical); } .alert p:last-child { margin-bottom:0; }
.outcome { font-weight:600; font-size:12px; } .outcome.failed { color:var(--critical); } .outcome.partial,.outcome.findings { color:var(--warning); } .outcome.clean { color:var(--check); } h1 { margin-top:6px; }
.first { padding:4px 14px; } .first li { display:grid; grid-template-columns:92px minmax(0,1fr) minmax(0,auto); gap:2px 12px; padding:7px 0; margin:0; align-items:baseline; }
.first li + li { border-top:1px solid var(--line); } .first a { font-weight:600; color:var(--ink); text-decoration:none; } .first a:hover { text-decoration:underline; }
.columns { display:grid; grid-template-columns:minmax(0,1fr); gap:20px; } .columns > * { min-width:0; }
aside table { font-size:12px; } aside td,aside th { padding:3px 2px; overflow-wrap:normal; } aside td .code { overflow-wrap:anywhere; } .list li.code { margin-bottom:2px; } .wide { display:block; } .wide aside { display:grid; gap:0 20px; align-items:start; grid-template-columns:repeat(auto-fit,minmax(min(100%,320px),1fr)); }
@media (min-width:960px) { .columns:not(.wide) { grid-template-columns:minmax(0,1fr) 330px; } }
.finding { border-left:4px solid var(--nitpick); scroll-margin-top:64px; } .finding:focus { outline:2px solid var(--link); outline-offset:2px; }
.finding.critical { border-left-color:var(--critical); } .finding.warning { border-left-color:var(--warning); } .finding.info { border-left-color:var(--info); }
.critical .word,b.critical { color:var(--critical); } .warning .word,b.warning { color:var(--warning); } .info .word,b.info { color:var(--info); }
.word { font-weight:600; white-space:nowrap; } .place,.top { display:flex; justify-content:space-between; flex-wrap:wrap; gap:2px 12px; } .place { margin-bottom:8px; }
.badge { border:1px solid var(--line); border-radius:10px; padding:0 8px; } .badge.confirmed { color:var(--check); border-color:currentcolor; }
table { border-collapse:collapse; width:100%; } td,th { padding:3px 6px; text-align:left; vertical-align:top; }
th { color:var(--soft); font-weight:600; } tr + tr td { border-top:1px solid var(--line); } .number { text-align:right; white-space:nowrap; } th.number,.number .small { white-space:normal; } table + table { margin-top:12px; }
.diff { border:1px solid var(--line); margin-bottom:10px; table-layout:fixed; font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace; }
.diff td { border:0 !important; padding:0 6px; white-space:pre-wrap; } .diff .a { background:var(--add); } .diff .d { background:var(--del); }
.diff td:nth-last-child(n+2) { width:42px; padding:0 4px; text-align:right; color:var(--soft); user-select:none; }
.diff .m td { background:var(--mark); } .diff .m td:first-child { box-shadow:inset 3px 0 var(--edge); } .diff .m td:last-child { font-weight:600; }
details { margin:6px 0; } summary { cursor:pointer; color:var(--soft); } .proof { border-left:3px solid var(--line); margin:4px 0; padding:2px 8px; max-height:10em; }
.controls { display:none; gap:8px; flex-wrap:wrap; align-items:center; margin-bottom:12px; padding:8px 0; } .live .controls { display:flex; }
.live button.controls { display:inline-block; padding:5px 12px; margin:0; cursor:pointer; }
.skip { position:absolute; left:-999px; } .skip:focus { position:static; }
select,input,button { font:inherit; color:inherit; background:var(--card); border:1px solid var(--line); border-radius:6px; padding:4px 8px; max-width:100%; }
.call { border-top:1px solid var(--line); padding:3px 0; margin:0; } .call:target,.call:target summary { background:var(--mark); } .call summary { color:inherit; }
.columns .call .line { width:calc(100% - 18px); } .line { display:inline-grid; vertical-align:top; width:100%; grid-template-columns:56px minmax(0,1fr) 60px minmax(60px,auto); gap:8px; }
@media (max-width:600px) { body { padding:14px 10px 48px; } h1 { font-size:20px; } .diff td:nth-last-child(n+2) { width:28px; padding:0 2px; font-size:10px; }
  .first li { grid-template-columns:minmax(0,1fr); } .tiles { grid-template-columns:repeat(2,minmax(0,1fr)); } .line { grid-template-columns:44px minmax(0,1fr) auto; } .line > :nth-child(3) { display:none; } .walk td,.walk th { display:block; } }
@media print { body { background:#fff; max-width:none; } .live .controls { display:none; } .columns { display:block; } .card { break-inside:avoid; } pre { max-height:none; } a { color:inherit; } }
`;

const script = `
const $ = (selector, of = document) => [...of.querySelectorAll(selector)];
const all = $('.finding');
const shown = () => all.filter((one) => !one.hidden);
const filters = $('[data-filter]');
const [search] = $('[data-search]');
const [counter] = $('[data-count]');
const [clear] = $('[data-clear]');
if (clear) clear.addEventListener('click', () => { reset(); search.focus(); });
document.body.classList.add('live');
function apply() {
  const words = search.value.toLowerCase();
  for (const one of all) {
    const kept = filters.every((filter) => filter.value === '' || one.dataset[filter.dataset.filter] === filter.value);
    one.hidden = !kept || !one.textContent.toLowerCase().includes(words);
  }
  counter.textContent = shown().length + ' of ' + all.length;
  clear.hidden = shown().length > 0;
}
function reset() {
  for (const filter of filters) filter.value = '';
  search.value = '';
  apply();
}
for (const filter of filters) filter.addEventListener('change', apply);
if (search) { search.addEventListener('input', apply); apply(); }
function step(by) {
  const list = shown();
  const at = list.indexOf(document.activeElement && document.activeElement.closest('.finding'));
  const next = list[at === -1 ? (by > 0 ? 0 : list.length - 1) : Math.min(list.length - 1, Math.max(0, at + by))];
  if (next) { next.focus(); next.scrollIntoView({ block: 'nearest' }); }
}
function fold() {
  const card = document.activeElement && document.activeElement.closest('.finding');
  const folds = card ? $('details', card) : [];
  const open = folds.some((one) => !one.open);
  for (const one of folds) one.open = open;
}
for (const tile of $('[data-only]')) tile.addEventListener('click', () => {
  const [filter] = $('[data-filter=severity]');
  if (filter) { filter.value = tile.dataset.only; apply(); }
});
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) { if (event.key === 'Escape') event.target.blur(); return; }
  if (event.key === 'j') step(1);
  else if (event.key === 'k') step(-1);
  else if (event.key === 'o') fold();
  else if (event.key === '/' && search) { event.preventDefault(); search.focus(); }
});
function open() {
  const row = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (!row) return;
  if (row.hidden) reset();
  for (const fold of $('.body', row)) fold.open = true;
  for (let fold = row.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  row.scrollIntoView({ block: row.classList.contains('call') ? 'center' : 'start' });
}
addEventListener('hashchange', open);
addEventListener('beforeprint', () => { for (const one of $('.finding details')) one.open = true; });
open();
for (const copy of $('[data-copy]')) copy.addEventListener('click', async () => {
  const text = $('[data-prompt]')[0].textContent;
  try { await navigator.clipboard.writeText(text); } catch {
    const area = document.createElement('textarea');
    area.value = text; document.body.append(area); area.select(); document.execCommand('copy'); area.remove();
  }
  copy.textContent = 'Copied';
});
`;
