import { severities } from '../../settings/setting.ts';
import { dollars, duration, grouped, plural } from '../../text.ts';
import { fixPrompt } from '../findings-table.ts';
import type { ReviewReport } from '../json-schema.ts';
import { severityLabels } from '../wording.ts';
import { findingCard } from './finding-card.ts';
import { calls, lanes } from './lanes.ts';
import { type Html, html, nothing, page } from './page.ts';

/** The report as one page that needs nothing else: no network, no script from elsewhere; readable without JavaScript. */
export function renderHtml(report: ReviewReport): string {
  const raised = report.files_review.filter(({ place }) => place !== 'suppressed');
  return page(
    `${report.headline} – Postil`,
    html`<header><h1>${report.headline}</h1>${about(report)}</header>
<main>${tiles(report)}
${section('Timeline', lanes(report.timeline, report.milliseconds))}
<div class="columns"><div>
<h2 id="findings">Findings</h2>${controls(report)}
${raised.length === 0 ? html`<p class="soft">${nothingRaised(report)}</p>` : raised.map((finding) => findingCard(finding, report))}
${notRaised(report)}
${report.timeline.length === 0 ? nothing : section('All calls', calls(report.timeline))}
${prompt(report)}
</div><aside>
${section('What the model read', reads(report))}
${section('Where the tokens went', spent(report))}
${section('Where it was delivered', delivered(report))}
${section('Files', files(report))}
</aside></div></main>`,
  );
}

function section(title: string, body: Html): Html {
  return body.html === '' ? nothing : html`<section><h2>${title}</h2><div class="card">${body}</div></section>`;
}

function about({
  pull_request: pull,
  model,
  profile,
  postil,
  started_at: started,
  run_url: run,
  ...rest
}: ReviewReport): Html {
  const named =
    pull === null ? '' : `${pull.repository ?? ''}${pull.number === null ? '' : `#${pull.number}`} ${pull.title}`;
  const commits = pull === null ? '' : `${pull.merge_base.slice(0, 7)}…${pull.head.slice(0, 7)}`;
  const facts = [
    named.trim(),
    commits,
    model ?? 'no model',
    profile,
    `Postil ${postil}`,
    started?.replace(/\.\d+Z$/, 'Z') ?? '',
  ];
  const verdict = rest.approval.rationale === '' ? nothing : html`<p>${rest.approval.rationale}</p>`;
  return html`<p class="soft">${facts.filter((fact) => fact !== '').join(' · ')}${link(run, 'The run')}</p>${verdict}`;
}

function link(url: string | null, label: string): Html {
  return url === null || !/^https?:\/\//.test(url) ? nothing : html` · <a href="${url}">${label}</a>`;
}

function tiles({ files_review: found, coverage, metrics, limits, milliseconds }: ReviewReport): Html {
  const count = (severity: string) =>
    found.filter((one) => one.severity === severity && one.place !== 'suppressed').length;
  const { reviewed, unreviewed, unread, skipped } = coverage;
  const selected = reviewed.length + unreviewed.length + unread.length;
  const cached = metrics.input_tokens === 0 ? 0 : Math.round((100 * metrics.cached_tokens) / metrics.input_tokens);
  const share = Math.round((100 * metrics.total_tokens) / Math.max(1, limits.max_total_tokens));
  return html`<div class="tiles">${severities.map((severity) => tile(count(severity), severityLabels[severity].toLowerCase(), severity))}
${tile(`${reviewed.length}/${selected}`, `files reviewed, ${skipped.length} skipped, ${unread.length} not read`)}
${tile(metrics.cost === null ? grouped(metrics.total_tokens) : dollars(metrics.cost), `${grouped(metrics.total_tokens)} of ${grouped(limits.max_total_tokens)} tokens (${share} %), ${cached} % cached`)}
${tile(duration(milliseconds), `${plural(metrics.model_calls, 'model call')}, ${plural(metrics.tool_calls, 'tool call')}`)}</div>`;
}

function tile(value: string | number, label: string, kind = ''): Html {
  return html`<div class="card"><b class="${kind}">${value}</b><span class="soft small">${label}</span></div>`;
}

function nothingRaised({ coverage }: ReviewReport): string {
  return `Nothing was found in ${plural(coverage.reviewed.length, 'reviewed file')}.`;
}

/** Shown by the script: without it they would do nothing. */
function controls({ files_review: found }: ReviewReport): Html {
  if (found.length === 0) return nothing;
  const choice = (name: string, label: string, values: readonly string[]) =>
    html`<select data-filter="${name}" aria-label="${label}"><option value="">${label}</option>${[...new Set(values)].map((value) => html`<option>${value}</option>`)}</select>`;
  const raised = found.filter(({ place }) => place !== 'suppressed');
  return html`<div class="controls">${choice(
    'severity',
    'Every severity',
    raised.map(({ severity }) => severity),
  )}
${choice(
  'path',
  'Every file',
  raised.map(({ path }) => path),
)}
${choice(
  'batch',
  'Every batch',
  raised.flatMap(({ batch }) => batch ?? []),
)}
${choice(
  'place',
  'Every place',
  raised.map(({ place }) => place),
)}
<input type="search" data-search aria-label="Search the findings" placeholder="Search ( / )"><span class="soft" data-count></span><span class="soft small">j and k step through</span></div>`;
}

function notRaised({ files_review: found, refused }: ReviewReport): Html {
  const suppressed = found.filter(({ place }) => place === 'suppressed');
  if (suppressed.length + refused.length === 0) return nothing;
  const item = (title: string, place: string, reason: string) =>
    html`<li><b>${title}</b> <span class="code">${place}</span><br><span class="soft">${reason}</span></li>`;
  return section(
    'Found, not raised',
    html`<ul class="list">${suppressed.map((one) => item(one.title, placeOf(one), one.reason ?? ''))}${refused.map((one) => item(one.title, one.path, `unplaced: ${one.reason}`))}</ul>`,
  );
}

function placeOf({ path, lines }: { path: string; lines: string | null }): string {
  return lines === null ? path : `${path}:${lines}`;
}

function reads({ timeline }: ReviewReport): Html {
  const read = timeline.filter(({ kind, name }) => kind === 'tool' && !name.startsWith('submit_'));
  const rows = read
    .slice(0, 60)
    .map(
      ({ name, asked, outcome, characters }) =>
        html`<tr><td class="code">${name} <span class="soft">${words(asked)}</span></td><td class="number">${outcome === 'ok' ? `${grouped(characters ?? 0)} ch` : outcome}</td></tr>`,
    );
  const rest =
    read.length > 60
      ? html`<p class="soft small">And ${grouped(read.length - 60)} more, under All calls.</p>`
      : nothing;
  return rows.length === 0 ? nothing : html`<table><tbody>${rows}</tbody></table>${rest}`;
}

/** The values of a call's arguments. */
export function words(asked: string | null): string {
  return (asked ?? '')
    .replace(/"\w+":/g, ' ')
    .replace(/[{}"]/g, '')
    .replace(/,|\bnull\b/g, ' ')
    .trim();
}

function spent({ metrics, estimate, batches }: ReviewReport): Html {
  const money = (cost: number | null) => (cost === null ? '' : dollars(cost));
  const row = (name: string, input: number, output: number, cost: number | null) =>
    html`<tr><td>${name}</td><td class="number">${grouped(input)}</td><td class="number">${grouped(output)}</td><td class="number">${money(cost)}</td></tr>`;
  const table = (title: string, rows: readonly Html[]) =>
    rows.length === 0
      ? nothing
      : html`<table><thead><tr><th>${title}</th><th class="number">in</th><th class="number">out</th><th class="number">US$</th></tr></thead><tbody>${rows}</tbody></table>`;
  const phases = Object.entries(metrics.phases).map(([name, use]) =>
    row(`${name} (${use.model_calls})`, use.input_tokens, use.output_tokens, use.cost),
  );
  const total = row('all', metrics.input_tokens, metrics.output_tokens, metrics.cost);
  const expected =
    estimate === null ? [] : [row('estimated before', estimate.input_tokens, estimate.output_tokens, estimate.cost)];
  const perBatch =
    batches.length < 2
      ? []
      : batches.map(({ name, metrics: own }) => row(name, own.input_tokens, own.output_tokens, own.cost));
  return html`${table('Phase', phases.length === 0 ? [] : [...phases, total, ...expected])}${table('Batch', perBatch)}`;
}

function delivered({ deliveries }: ReviewReport): Html {
  const rows = deliveries.map(({ sink, status, reason, findings, url }) => {
    const count = findings.length === 0 ? '' : ` · ${findings.length}`;
    return html`<tr><td>${sink}${link(url, 'open')}</td><td>${status}${count}${reason === null ? nothing : html`<br><span class="soft small">${reason}</span>`}</td></tr>`;
  });
  return rows.length === 0 ? nothing : html`<table><tbody>${rows}</tbody></table>`;
}

function files({ coverage }: ReviewReport): Html {
  const item = (sign: string, path: string, reason = '') =>
    html`<li>${sign} <span class="code">${path}</span> <span class="soft small">${reason}</span></li>`;
  const left = [...coverage.unread, ...coverage.unreviewed];
  return html`<ul class="list">${coverage.reviewed.map((path) => item('✓', path))}${left.map(({ path, reason }) => item('✗', path, `not reviewed: ${reason}`))}${coverage.earlier.map((path) => item('✓', path, 'reviewed by an earlier run'))}${coverage.skipped.map(({ path, reason }) => item('–', path, reason))}${coverage.missing.map((text) => item('✗', '', text))}</ul>`;
}

/** All open findings for an agent that is to fix them: plain text, which nothing executes. */
function prompt({ files_review: found }: ReviewReport): Html {
  const open = found.filter(({ place }) => place !== 'suppressed');
  if (open.length === 0) return nothing;
  const text = fixPrompt(open.map((one) => ({ ...one, place: placeOf(one) })));
  return html`<section><h2>Fix with an agent</h2><div class="card"><button type="button" data-copy class="controls">Copy the findings as a prompt</button>
<details><summary>The prompt</summary><pre data-prompt>${text}</pre></details></div></section>`;
}
