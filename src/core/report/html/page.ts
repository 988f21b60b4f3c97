import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
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

function markup(value: Html | readonly Html[] | string | number): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escaped(value);
  return 'html' in value ? value.html : value.map((one) => one.html).join('');
}

/** Also between quotes of an attribute. Characters that nobody sees are written out. */
function escaped(text: string): string {
  return showInvisible(text).replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Prose of a model: paragraphs, fenced code and code spans. Every other Markdown stays as it was written. */
export function prose(text: string): Html {
  const blocks = text.split(/^(```[^\n]*\n[\s\S]*?(?:^```[ \t]*$|$(?![\s\S])))/m);
  return { html: blocks.map((block, index) => (index % 2 === 1 ? code(block) : paragraphs(block))).join('') };
}

function code(block: string): string {
  return html`<pre><code>${block.replace(/^```[^\n]*\n/, '').replace(/\n?```[ \t]*$/, '')}</code></pre>`.html;
}

function paragraphs(block: string): string {
  const texts = block.split(/\n{2,}/).filter((text) => text.trim() !== '');
  return texts.map((text) => `<p>${spans(text.trim())}</p>`).join('');
}

function spans(text: string): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? `<code>${escaped(part.slice(1, -1))}</code>` : escaped(part)))
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
${html`<title>${title}</title>`.html}
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
:root { --ink:#1f2328; --soft:#59636e; --line:#d1d9e0; --page:#f6f8fa; --card:#fff; --add:#dafbe1; --del:#ffebe9; --mark:#bf8700;
  --critical:#cf222e; --warning:#9a6700; --info:#0969da; --nitpick:#59636e; --model:#8250df; --check:#1a7f37; --link:#0969da; }
@media (prefers-color-scheme: dark) { :root { --ink:#f0f6fc; --soft:#9198a1; --line:#3d444d; --page:#0d1117; --card:#151b23; --add:#12361f;
  --del:#4a1e1e; --mark:#d29922; --critical:#ff7b72; --warning:#d29922; --info:#58a6ff; --nitpick:#9198a1; --model:#ab7df8; --check:#3fb950; --link:#58a6ff; } }
* { box-sizing:border-box; }
body { margin:0 auto; padding:24px 16px 64px; max-width:1240px; background:var(--page); color:var(--ink);
  font:14px/1.5 -apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif; overflow-wrap:anywhere; }
h1 { font-size:22px; margin:0 0 4px; } h2 { font-size:16px; margin:28px 0 10px; } h3 { font-size:15px; margin:2px 0 6px; }
p { margin:0 0 10px; } a { color:var(--link); } code,pre,.code { font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace; }
p code { background:var(--page); border-radius:4px; padding:1px 4px; }
pre { background:var(--page); padding:8px; margin:0 0 10px; white-space:pre-wrap; border-radius:6px; }
.soft { color:var(--soft); } .small { font-size:12px; }
.tiles { display:grid; grid-template-columns:repeat(auto-fit,minmax(130px,1fr)); gap:10px; margin:16px 0; padding:0; }
.card { background:var(--card); border:1px solid var(--line); border-radius:8px; padding:12px 14px; margin:0 0 14px; }
.tiles .card { margin:0; } .tiles b { display:block; font-size:20px; }
.columns { display:grid; grid-template-columns:minmax(0,1fr); gap:20px; } .columns > * { min-width:0; }
@media (min-width:960px) { .columns { grid-template-columns:minmax(0,1fr) 320px; } }
.finding { border-left:4px solid var(--nitpick); } .finding:focus { outline:2px solid var(--link); outline-offset:2px; }
.critical { border-left-color:var(--critical); } .warning { border-left-color:var(--warning); } .info { border-left-color:var(--info); }
.critical .word,b.critical { color:var(--critical); } .warning .word,b.warning { color:var(--warning); } .info .word,b.info { color:var(--info); }
.word { font-weight:600; } .place { display:flex; justify-content:space-between; flex-wrap:wrap; gap:4px 12px; margin-bottom:8px; }
table { border-collapse:collapse; width:100%; } td,th { padding:3px 6px; text-align:left; vertical-align:top; }
th { color:var(--soft); font-weight:600; } tr + tr td { border-top:1px solid var(--line); } .number { text-align:right; white-space:nowrap; }
.diff { border:1px solid var(--line); border-radius:6px; margin-bottom:10px; table-layout:fixed; } .diff td { border:0; padding:0 6px; white-space:pre-wrap; }
.diff .number { width:44px; color:var(--soft); user-select:none; } .diff .added { background:var(--add); } .diff .removed { background:var(--del); }
.diff .marked td { box-shadow:inset 0 1px var(--mark),inset 0 -1px var(--mark); } .diff .marked td:last-child { font-weight:600; }
details { margin:6px 0; } summary { cursor:pointer; color:var(--soft); } .controls { display:none; gap:8px; flex-wrap:wrap; margin-bottom:12px; }
.live .controls { display:flex; } select,input,button { font:inherit; color:inherit; background:var(--card); border:1px solid var(--line); border-radius:6px; padding:4px 8px; max-width:100%; }
svg { display:block; width:100%; height:26px; } .lane { display:grid; grid-template-columns:minmax(0,150px) minmax(0,1fr); gap:10px; align-items:center; }
.lane .code { white-space:nowrap; overflow:hidden; text-overflow:ellipsis; } .m { fill:var(--model); } .v { fill:var(--check); } .f { fill:var(--mark); }
.t { fill:var(--ink); } .x { fill:var(--critical); } .w { fill:var(--soft); opacity:.35; } .d { fill:var(--critical); stroke:var(--card); } .rail { fill:var(--line); }
.call:target td { background:var(--add); } [hidden] { display:none !important; } .list { padding-left:0; margin:0; list-style:none; } .list li { margin-bottom:4px; }
@media (max-width:600px) { .lane { grid-template-columns:1fr; gap:0; } .diff .number { width:30px; padding:0 3px; } body { padding:14px 10px 48px; } }
`;

const script = `
const all = [...document.querySelectorAll('.finding')];
const shown = () => all.filter((one) => !one.hidden);
const filters = [...document.querySelectorAll('[data-filter]')];
const search = document.querySelector('[data-search]');
const counter = document.querySelector('[data-count]');
document.body.classList.add('live');
function apply() {
  const words = search.value.toLowerCase();
  for (const one of all) {
    const kept = filters.every((filter) => filter.value === '' || one.dataset[filter.dataset.filter] === filter.value);
    one.hidden = !kept || !one.textContent.toLowerCase().includes(words);
  }
  counter.textContent = shown().length + ' of ' + all.length;
}
for (const filter of filters) filter.addEventListener('change', apply);
if (search) { search.addEventListener('input', apply); apply(); }
function step(by) {
  const list = shown();
  const at = list.indexOf(document.activeElement);
  const next = list[at === -1 ? (by > 0 ? 0 : list.length - 1) : Math.min(list.length - 1, Math.max(0, at + by))];
  if (next) { next.focus(); next.scrollIntoView({ block: 'nearest' }); }
}
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) { if (event.key === 'Escape') event.target.blur(); return; }
  if (event.key === 'j') step(1);
  else if (event.key === 'k') step(-1);
  else if (event.key === '/' && search) { event.preventDefault(); search.focus(); }
});
function open() {
  const row = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  const fold = row && row.closest('details');
  if (fold) { fold.open = true; row.scrollIntoView({ block: 'center' }); }
}
addEventListener('hashchange', open);
open();
const copy = document.querySelector('[data-copy]');
if (copy) copy.addEventListener('click', async () => {
  const text = document.querySelector('[data-prompt]').textContent;
  try { await navigator.clipboard.writeText(text); } catch {
    const area = document.createElement('textarea');
    area.value = text; document.body.append(area); area.select(); document.execCommand('copy'); area.remove();
  }
  copy.textContent = 'Copied';
});
`;
