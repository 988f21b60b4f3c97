import { countReviewed } from '../../review/headline.ts';
import type { ReviewReport } from '../../review/record.ts';
import { severities } from '../../settings/setting.ts';
import { counted, cutLine, dollars, duration, groupBy, grouped, plural } from '../../text.ts';
import { fixPrompt } from '../findings-table.ts';
import type { CallDetail } from '../timeline.ts';
import { severityIcons, severityLabels } from '../wording.ts';
import {
  controls,
  type Found,
  findingCards,
  fixFirst,
  isAddress,
  notRaised,
  placeOf,
  sourcesOf,
} from './finding-card.ts';
import { calls, lanes, reads, spent } from './lanes.ts';
import { type Html, html, inline, more, nothing, page, plain, prose, within } from './page.ts';

/**
 * The report as one page that needs nothing else: no network, no script from elsewhere; readable without JavaScript. `details` are what a
 * transcript says of the calls. However large the report, the page stays within about 2 MB: it says what it leaves out.
 */
export function renderHtml(report: ReviewReport, details: readonly CallDetail[] = []): string {
  const raised = report.filesReview.filter(({ place }) => place !== 'suppressed');
  const { timeline } = report;
  return page(
    `${report.headline} – Postil`,
    html`<header>${headline(report)}${about(report)}</header>
<main>${alerts(report)}${tiles(report, raised)}${fixFirst(raised)}
${section('Timeline', lanes(report))}
<div class="columns${raised.length === 0 ? ' wide' : ''}"><div>
<h2 id="findings">Findings</h2>${controls(raised)}
${raised.length === 0 ? html`<p class="card">${nothingRaised(report)}</p>` : findingCards(raised, sourcesOf(report))}
${section('Found, not raised', notRaised(report))}
${section('What changed', walkthrough(report))}
${section('In the reviewer’s words', words(report))}
${timeline.length === 0 ? nothing : section('All calls', calls(timeline, details))}
${agent(raised)}
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

const outcomeWords = {
  clean: '✓ Clean',
  findings: '● Findings',
  partial: '◐ Partial',
  skipped: '– Not reviewed',
  failed: '✗ Failed',
} as const;

/** The first sentence is the title, what follows explains it. */
function headline({ outcome, headline: text, limits: { model }, coverage }: ReviewReport): Html {
  const rulesOnly = outcome === 'skipped' && model === null && coverage.reviewed.length > 0;
  const [first = '', ...rest] = cutLine(text, 2_000).split(/(?<=[.!?])\s+/);
  const explanation = rest.length === 0 ? nothing : html`<p class="verdict">${inline(rest.join(' '), 2_000)}</p>`;
  return html`<span class="badge outcome ${outcome}">${rulesOnly ? '– Rules only' : outcomeWords[outcome]}</span><h1>${inline(first, 500)}</h1>${explanation}`;
}

function about({
  pullRequest: pull,
  limits: { model, profile },
  postil,
  startedAt: started,
  runUrl: run,
  ...rest
}: ReviewReport): Html {
  const facts = [
    pull === null
      ? nothing
      : html`${link(addressOf(pull), `${pull.repository ?? ''}${pull.number === null ? '' : `#${pull.number}`}`)} ${cutLine(pull.title, 300)}`,
    pull === null ? nothing : html`<span class="code">${pull.mergeBase.slice(0, 7)}…${pull.head.slice(0, 7)}</span>`,
    html`${cutLine(model ?? 'no model', 200)}`,
    html`${cutLine(profile, 100)}`,
    html`Postil ${cutLine(postil, 100)}`,
    html`${started?.replace(/\.\d+Z$/, 'Z').replace('T', ' ') ?? ''}`,
    run === null ? nothing : link(run, 'The run'),
  ];
  const told = facts
    .filter(({ html: text }) => text.trim() !== '')
    .map((fact, index) => (index === 0 ? fact : html` · ${fact}`));
  const verdict =
    rest.approval.rationale === '' ? nothing : html`<div class="verdict">${prose(rest.approval.rationale)}</div>`;
  return html`<div class="soft">${told}</div>${verdict}`;
}

function addressOf({ serverUrl: server, repository, number }: NonNullable<ReviewReport['pullRequest']>): string | null {
  return server === null || repository === null || number === null ? null : `${server}/${repository}/pull/${number}`;
}

function link(url: string | null, label: string): Html {
  const text = cutLine(label, 300);
  return url === null || !isAddress(url) ? html`${text}` : html`<a href="${url}">${text}</a>`;
}

/** What a person must know before the findings: what was not reviewed, and what did not arrive. */
function alerts({ outcome, headline: said, coverage, deliveries, batches, notes }: ReviewReport): Html {
  const cut = batches.filter(({ gap, reviewed }) => gap !== null && reviewed);
  const lines = [
    ...[...groupBy(coverage.unreviewed, ({ reason }) => reason)].map(([reason, same]) => {
      const why = said.includes(reason) ? '' : ` (${reason.replace(/\.$/, '')})`;
      return `Not reviewed${why}: ${named(same.map(({ path }) => path))}.`;
    }),
    ...coverage.missing,
    ...cut.map(({ name, gap }) => `Batch ${name} was cut short: ${gap}`),
    ...deliveries
      .filter(({ status }) => status === 'failed' || status === 'refused')
      .map(({ sink, reason }) => `${sink}: ${reason ?? 'failed'}`),
    ...notes,
  ];
  if (lines.length === 0) return nothing;
  const kind = outcome === 'failed' ? ' failed' : '';
  const shown = lines.slice(0, 12).map((text) => html`<p>${inline(text, 1_000)}</p>`);
  return html`<div class="card alert${kind}" role="note">${shown}${more(lines.slice(12), 'notes: in the report file')}</div>`;
}

function named(paths: readonly string[]): string {
  const shown = paths
    .slice(0, 5)
    .map((path) => cutLine(path, 200))
    .join(', ');
  return paths.length <= 5 ? shown : `${shown} and ${grouped(paths.length - 5)} more`;
}

function tiles({ coverage, metrics, limits, milliseconds }: ReviewReport, raised: readonly Found[]): Html {
  const { model } = limits;
  const tokens = metrics.usage.input + metrics.usage.output;
  const { reviewed, whole } = countReviewed(coverage);
  const percent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((100 * part) / whole));
  const share =
    limits.maxCost !== null && metrics.cost !== null
      ? percent(metrics.cost, limits.maxCost)
      : percent(tokens, limits.maxTotalTokens);
  const limit =
    limits.maxCost !== null && metrics.cost !== null
      ? dollars(limits.maxCost)
      : `${grouped(limits.maxTotalTokens)} tokens`;
  const left = counted({ 'not reviewed': whole - reviewed, skipped: coverage.skipped.length });
  const ofModel =
    model === null || metrics.modelCalls === 0
      ? [tile('no model', 'no tokens, no cost')]
      : [
          tile(
            metrics.cost === null ? grouped(tokens) : dollars(metrics.cost),
            metrics.cost === null
              ? `tokens, ${share} % of ${limit}`
              : `${grouped(tokens)} tokens, ${share} % of ${limit}`,
            bar(share),
          ),
          tile(`${percent(metrics.usage.cached, metrics.usage.input)} %`, 'of the input was cached'),
        ];
  return html`<div class="tiles">${raised.length === 0 ? tile('0', 'findings') : severities.map((severity) => severityTile(severity, raised.filter((one) => one.severity === severity).length))}
${tile(`${grouped(reviewed)}/${grouped(whole)}`, `files reviewed${left.map((text) => `, ${text}`).join('')}`)}
${ofModel}${tile(duration(milliseconds), `${plural(metrics.modelCalls, 'model call')}, ${plural(metrics.toolCalls, 'tool call')}`)}</div>`;
}

function severityTile(severity: Found['severity'], count: number): Html {
  const label = html`<span aria-hidden="true">${severityIcons[severity]}</span> ${severityLabels[severity]}`;
  if (count === 0) return html`<div class="card none"><b>0</b><span class="soft small">${label}</span></div>`;
  return html`<div class="card"><b class="${severity}">${grouped(count)}</b><a class="small" href="#findings" data-only="${severity}">${label}</a></div>`;
}

function tile(value: string, label: string, under: Html = nothing): Html {
  return html`<div class="card"><b>${value}</b><span class="soft small">${label}</span>${under}</div>`;
}

function bar(percent: number): Html {
  return html`<svg class="share" viewBox="0 0 100 4" width="100%" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="4"></rect><rect class="m" width="${Math.min(100, Math.max(1, percent))}" height="4"></rect></svg>`;
}

function nothingRaised({ coverage, limits: { model }, outcome }: ReviewReport): string {
  const reviewed = plural(coverage.reviewed.length, 'file');
  if (outcome === 'failed') return 'The review failed, so nothing can be said about this change.';
  if (model === null && coverage.reviewed.length > 0) {
    return `Rules only: nothing matched in ${reviewed}. No model reviewed this.`;
  }
  if (outcome === 'skipped') return 'Nothing was reviewed.';
  return `No findings in ${reviewed} reviewed${coverage.unreviewed.length === 0 ? '' : `, ${grouped(coverage.unreviewed.length)} not reviewed`}.`;
}

function walkthrough({ walkthrough: notes }: ReviewReport): Html {
  if (notes.length === 0) return nothing;
  const { shown, rest } = within(notes, {
    room: 60_000,
    most: 300,
    render: ({ path, changes, checked }) =>
      html`<tr><td class="code">${cutLine(path, 300)}</td><td>${cutLine(changes, 500)}</td><td>${cutLine(checked, 500)}</td></tr>`,
  });
  return html`<table class="walk"><thead><tr><th>File</th><th>What changes</th><th>What was checked</th></tr></thead><tbody>${shown}</tbody></table>${more(rest, 'files')}`;
}

function words({ nonSpecificReview: general, rawFreeText: free, reflection }: ReviewReport): Html {
  const judged =
    reflection === null
      ? nothing
      : html`<p class="soft">The model on its own review: confidence ${reflection.confidence.toFixed(2)}, quality ${reflection.quality.toFixed(2)}.</p><ul>${reflection.issues.slice(0, 10).map((issue) => html`<li>${cutLine(issue, 500)}</li>`)}</ul>`;
  const unread =
    free === null
      ? nothing
      : html`<p class="soft">It could not be brought into findings, so none of it was posted:</p>${prose(free)}`;
  return html`${general === null ? nothing : prose(general)}${unread}${judged}`;
}

function delivered({ deliveries }: ReviewReport): Html {
  const rows = deliveries.slice(0, 100).map(({ sink, status, reason, delivered: { length }, url }) => {
    const count = length === 0 ? '' : ` · ${length}`;
    const open = url !== null && isAddress(url) ? html` · ${link(url, 'open')}` : nothing;
    return html`<tr><td>${cutLine(sink, 200)}${open}</td><td>${status === 'refused' ? 'not permitted' : status}${count}${reason === null ? nothing : html`<br><span class="soft small">${cutLine(reason, 500)}</span>`}</td></tr>`;
  });
  return rows.length === 0 ? nothing : html`<table><tbody>${rows}</tbody></table>`;
}

function files({ coverage }: ReviewReport): Html {
  const left = [...coverage.unread, ...coverage.unreviewed];
  const groups = [
    ...[...groupBy(left, ({ reason }) => reason)].map(([reason, same]) => ({
      reason: `✗ Not reviewed: ${reason}`,
      paths: same.map(({ path }) => path),
    })),
    { reason: '✓ Reviewed', paths: coverage.reviewed },
    { reason: '✓ Reviewed by an earlier run', paths: coverage.earlier },
    { reason: '– Skipped', paths: coverage.skipped.map(({ path, reason }) => `${path} (${reason})`) },
  ].filter(({ paths }) => paths.length > 0);
  const { shown, rest } = within(groups, { room: 80_000, most: 40, render: fileGroup });
  return html`${shown}${more(rest, 'reasons, in the report file')}`;
}

function fileGroup({ reason, paths }: { reason: string; paths: readonly string[] }): Html {
  const { shown, rest } = within(paths, {
    room: 25_000,
    most: 200,
    render: (path) => html`<li class="code">${cutLine(path, 300)}</li>`,
  });
  const [top, below] = [shown.slice(0, 12), shown.slice(12)];
  const fold =
    below.length === 0
      ? nothing
      : html`<details><summary>${grouped(below.length)} more</summary><ul class="list">${below}</ul></details>`;
  return html`<p class="head">${cutLine(reason, 300)} <span class="soft">(${grouped(paths.length)})</span></p><ul class="list">${top}</ul>${fold}${more(rest, 'files')}`;
}

function agent(raised: readonly Found[]): Html {
  if (raised.length === 0) return nothing;
  const text = fixPrompt(
    raised.slice(0, 200).map((one) => ({ ...one, place: placeOf(one), review: cutLine(one.review, 2_000) })),
  );
  const shown = text.match(/[\s\S]{1,20000}/g)?.slice(0, 6) ?? [];
  return html`<section><h2>Fix with an agent</h2><div class="card"><button type="button" data-copy class="controls">Copy the findings as a prompt</button>
<details><summary>The prompt</summary><pre data-prompt>${shown.map(plain)}</pre></details></div></section>`;
}
