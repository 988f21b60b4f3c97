import type { Severity } from '../../settings/setting.ts';
import type { ReviewReport } from '../json-schema.ts';
import { placeLabels, severityLabels } from '../wording.ts';
import { type Html, html, nothing, prose } from './page.ts';

type Found = ReviewReport['files_review'][number];

/** A sign beside the word: no meaning by colour alone. */
export const severitySigns: Readonly<Record<Severity, string>> = {
  critical: '🔴',
  warning: '🟠',
  info: '🔵',
  nitpick: '⚪',
};

export function findingCard(finding: Found, { pull_request: pull }: ReviewReport): Html {
  const { severity, category, title, path, lines, place, reason, review, batch, rule_id: rule } = finding;
  const label = place === 'summary' ? 'summary' : placeLabels[place];
  const delivered = reason === null ? label : `${label} · ${reason}`;
  const where = html`<span class="code">${lines === null ? path : `${path}:${lines}`}</span>`;
  return html`<article class="card finding ${severity}" tabindex="-1" data-severity="${severity}" data-path="${path}" data-batch="${batch ?? ''}" data-place="${place}">
<div class="small"><span aria-hidden="true">${severitySigns[severity]}</span> <span class="word">${severityLabels[severity]}</span> <span class="soft">${category}${rule === null ? '' : ` · ${rule}`}</span></div>
<h3>${title}</h3>
<div class="place small">${where}<span class="soft">${delivered}${finding.url === null || !/^https?:\/\//.test(finding.url) ? nothing : html` · <a href="${finding.url}">open</a>`}</span></div>
${source(finding)}${prose(review)}${suggestion(finding)}${evidence(finding, pull === null ? null : pull.head)}</article>`;
}

function source(finding: Found): Html {
  if (finding.hunk !== null) return hunkTable(finding.hunk, finding);
  return finding.quote === null ? nothing : html`<pre>${finding.quote}</pre>`;
}

/** The lines of a hunk with both numbers; those of the finding are marked. */
function hunkTable(hunk: string, { side, start_line: first, line: last }: Found): Html {
  const [head = '', ...lines] = hunk.split('\n');
  const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(head);
  let [old, now] = [Number(start?.[1] ?? 1), Number(start?.[2] ?? 1)];
  const rows = lines.map((line) => {
    const sign = line[0] ?? ' ';
    const [before, after] = [sign === '+' ? null : old, sign === '-' ? null : now];
    if (before !== null && sign !== '\\') old += 1;
    if (after !== null && sign !== '\\') now += 1;
    const at = side === 'LEFT' ? before : after;
    const marked = at !== null && first !== null && last !== null && at >= first && at <= last;
    const kind = sign === '+' ? 'added' : sign === '-' ? 'removed' : '';
    return html`<tr class="${kind}${marked ? ' marked' : ''}"><td class="number">${before ?? ''}</td><td class="number">${after ?? ''}</td><td class="code">${line}</td></tr>`;
  });
  return html`<table class="diff"><tbody>${rows}</tbody></table>`;
}

function suggestion({ suggestion: text, quote }: Found): Html {
  if (text === null) return nothing;
  const row = (kind: string, sign: string) => (line: string) =>
    html`<tr class="${kind}"><td class="code">${sign}${line}</td></tr>`;
  const before = quote === null ? [] : quote.split('\n').map(row('removed', '-'));
  const after = text === '' ? [] : text.replace(/\n$/, '').split('\n').map(row('added', '+'));
  return html`<details><summary>Suggested change</summary><table class="diff"><tbody>${[...before, ...after]}</tbody></table></details>`;
}

function evidence({ evidence: text, also_at: others }: Found, head: string | null): Html {
  if (text === '' && others.length === 0) return nothing;
  const also = others.length === 0 ? nothing : html`<p>Also at ${others.join(', ')}</p>`;
  return html`<details><summary>Evidence${head === null ? '' : ` at ${head.slice(0, 7)}`}</summary>${prose(text)}${also}</details>`;
}
