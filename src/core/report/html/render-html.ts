import type { PlacedFinding } from '../../findings/finding.ts';
import { inEnglish } from '../../messages/languages.ts';
import { countReviewed } from '../../review/headline.ts';
import type { ReviewReport } from '../../review/record.ts';
import type { ReviewRecord } from '../../review/sink.ts';
import { severities } from '../../settings/setting.ts';
import { counted, cutLine, dollars, duration, grouped, plural } from '../../text.ts';
import { recordFrom } from '../json.ts';
import { type Block, listOf, proseOf, tableOf } from '../sections/blocks.ts';
import { costBlocks } from '../sections/cost.ts';
import { rootOf } from '../sections/links.ts';
import {
  filesBy,
  fixPrompt,
  generalWords,
  notes,
  notReviewed,
  partsOfHeadline,
  undelivered,
  whatChanges,
} from '../sections/sections.ts';
import type { CallDetail } from '../timeline.ts';
import { groups, severityIcons, severityLabel } from '../wording.ts';
import { calls, reads } from './calls.ts';
import { controls, findingCards, fixFirst, notRaised, sourcesOf } from './finding-card.ts';
import { type Html, html, inline, isAddress, nothing, page, plain, prose } from './page.ts';
import { printHtml } from './print-html.ts';

/**
 * The report as one page that needs nothing else: no network, no script from elsewhere; readable without JavaScript. `details` are what a
 * transcript says of the calls. However large the report, the page stays within about 2 MB: it says what it leaves out.
 */
export function renderHtml(report: ReviewReport, details: readonly CallDetail[] = []): string {
  const { record } = recordFrom(report);
  const { review, placed, deliveries } = record;
  const { open } = groups(placed);
  const { timeline } = report;
  const onLaptop = review.pullRequest?.number === null;
  return page(
    `${inEnglish.sentences(review.headline)} – Postil`,
    html`<a class="skip" href="#findings">Skip to the findings</a>
<header>${headline(record)}${about(record, report)}</header>
<main>${alert([...notReviewed(review.coverage), ...undelivered(deliveries, inEnglish)], review.outcome)}${tiles(record)}${copyButton(open)}${fixFirst(open)}
<div class="columns${open.length === 0 ? ' wide' : ''}"><div>
<h2 id="findings">Findings</h2>${controls(open, { onLaptop })}
${open.length === 0 ? html`<p class="card">${nothingRaised(record)}</p>` : findingCards(open, sourcesOf(report))}
${section('Found, not raised', notRaised(placed))}
${section('What changed', printHtml(whatChanges(review.walkthrough, inEnglish)))}
${section('In the reviewer’s words', html`${printHtml(generalWords(review, inEnglish))}${reflection(record)}`)}
${timeline.length === 0 ? nothing : section('All calls', calls(timeline, details))}
${prompt(open)}
</div><aside>
${section('What the model read', reads(report))}
${section('What it took', printHtml(costBlocks(review)))}
${onLaptop ? nothing : section('Where it was delivered', printHtml(delivered(record)))}
${section('Files', printHtml(filesBy(review.coverage, { most: 200, t: inEnglish })))}
${section('Notes', printHtml(notes(record, inEnglish)))}
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

function headline({ review }: ReviewRecord): Html {
  const { outcome, limits, coverage } = review;
  const rulesOnly = outcome === 'skipped' && limits.model === null && coverage.reviewed.length > 0;
  const { title, rest } = partsOfHeadline(cutLine(inEnglish.sentences(review.headline), 2_000));
  const explanation = rest.length === 0 ? nothing : html`<div class="verdict">${printHtml(rest)}</div>`;
  return html`<span class="badge outcome ${outcome}">${rulesOnly ? '– Rules only' : outcomeWords[outcome]}</span><h1>${inline(title, 500)}</h1>${explanation}`;
}

function about({ review }: ReviewRecord, { postil, startedAt: started, runUrl: run }: ReviewReport): Html {
  const { pullRequest, limits, rationale } = review;
  const facts = [
    ...(pullRequest === null
      ? []
      : [
          html`${change(pullRequest)}“${cutLine(pullRequest.title, 300)}”`,
          html`<span class="code">${pullRequest.mergeBase.slice(0, 7)}…${pullRequest.head.sha.slice(0, 7)}</span>`,
        ]),
    html`${cutLine(limits.model ?? 'no model', 200)}`,
    html`${cutLine(limits.profile, 100)}`,
    html`Postil ${cutLine(postil, 100)}`,
    html`${started?.replace(/\.\d+Z$/, 'Z').replace('T', ' ') ?? ''}`,
    run === null ? nothing : link(run, 'The run'),
  ];
  const told = facts
    .filter(({ html: text }) => text.trim() !== '')
    .map((fact, index) => (index === 0 ? fact : html` · ${fact}`));
  const verdict = rationale === '' ? nothing : html`<div class="verdict">${prose(rationale)}</div>`;
  return html`<div class="soft">${told}</div>${verdict}`;
}

function change(pullRequest: NonNullable<ReviewRecord['review']['pullRequest']>): Html {
  const { repository, number } = pullRequest;
  if (repository === null) return nothing;
  const root = rootOf(pullRequest);
  const label = `${repository}${number === null ? '' : `#${number}`}`;
  return html`${link(root === null || number === null ? null : `${root}/pull/${number}`, label)} `;
}

function link(url: string | null, label: string): Html {
  const text = cutLine(label, 300);
  return url === null || !isAddress(url) ? html`${text}` : html`<a href="${url}">${text}</a>`;
}

/** What a person must know before the findings. */
function alert(blocks: readonly Block[], outcome: string): Html {
  if (blocks.length === 0) return nothing;
  return html`<div class="card alert${outcome === 'failed' ? ' failed' : ''}" role="note">${printHtml(blocks)}</div>`;
}

function tiles({ review, placed }: ReviewRecord): Html {
  const { coverage, metrics, limits, milliseconds } = review;
  const { open } = groups(placed);
  const { reviewed, whole } = countReviewed(coverage);
  const { usage, cost, modelCalls, toolCalls } = metrics;
  const tokens = usage.input + usage.output;
  const percent = (part: number, all: number) => (all === 0 ? 0 : Math.round((100 * part) / all));
  const isPriced = limits.maxCost !== null && cost !== null;
  const share = isPriced ? percent(cost, limits.maxCost) : percent(tokens, limits.maxTotalTokens);
  const limit = isPriced ? dollars(limits.maxCost) : `${grouped(limits.maxTotalTokens)} tokens`;
  const used = cost === null ? 'tokens' : `${grouped(tokens)} tokens`;
  const left = counted({ 'not reviewed': whole - reviewed, skipped: coverage.skipped.length });
  // Of a run that failed before its first answer there is nothing to count.
  const isUsed = limits.model !== null && tokens > 0;
  const ofModel = isUsed
    ? [
        tile(cost === null ? grouped(tokens) : dollars(cost), `${used}, ${share} % of ${limit}`, bar(share)),
        tile(`${percent(usage.cached, usage.input)} %`, 'of the input was cached'),
      ]
    : limits.model === null
      ? [tile('no model', 'no tokens, no cost')]
      : [];
  const ofFindings =
    open.length > 0
      ? severities.map((severity) => severityTile(severity, open.filter((one) => one.severity === severity).length))
      : review.outcome === 'failed'
        ? []
        : [tile('0', 'findings')];
  return html`<div class="tiles">${ofFindings}
${tile(`${grouped(reviewed)}/${grouped(whole)}`, `files reviewed${left.map((text) => `, ${text}`).join('')}`)}
${ofModel}${tile(duration(milliseconds), isUsed ? `${plural(modelCalls, 'model call')}, ${plural(toolCalls, 'tool call')}` : 'in all')}</div>`;
}

function severityTile(severity: PlacedFinding['severity'], count: number): Html {
  const label = html`<span aria-hidden="true">${severityIcons[severity]}</span> ${inEnglish(severityLabel(severity))}`;
  if (count === 0) return html`<div class="card none"><b>0</b><span class="soft small">${label}</span></div>`;
  return html`<div class="card"><b class="${severity}">${grouped(count)}</b><a class="small" href="#findings" data-only="${severity}">${label}</a></div>`;
}

function tile(value: string, label: string, under: Html = nothing): Html {
  return html`<div class="card"><b>${value}</b><span class="soft small">${label}</span>${under}</div>`;
}

function bar(percent: number): Html {
  return html`<svg class="share" viewBox="0 0 100 4" width="100%" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="4"></rect><rect class="m" width="${Math.min(100, Math.max(1, percent))}" height="4"></rect></svg>`;
}

function nothingRaised({ review: { coverage, limits, outcome } }: ReviewRecord): string {
  const reviewed = plural(coverage.reviewed.length, 'file');
  if (outcome === 'failed') return 'The review failed, so nothing can be said about this change.';
  if (limits.model === null && coverage.reviewed.length > 0) {
    return `Rules only: nothing matched in ${reviewed}. No model reviewed this.`;
  }
  if (outcome === 'skipped') return 'Nothing was reviewed.';
  return `No findings in ${reviewed} reviewed${coverage.unreviewed.length === 0 ? '' : `, ${grouped(coverage.unreviewed.length)} not reviewed`}.`;
}

function reflection({ reflection: judged }: ReviewRecord): Html {
  if (judged === null) return nothing;
  const { confidence, quality, issues } = judged;
  return printHtml([
    ...proseOf(`The model on its own review: confidence ${confidence.toFixed(2)}, quality ${quality.toFixed(2)}.`, 200),
    ...listOf(issues.slice(0, 10).map((said) => [{ said, max: 500 }])),
  ]);
}

function delivered({ deliveries }: ReviewRecord): readonly Block[] {
  const rows = deliveries
    .slice(0, 100)
    .map(
      ({ sink, status, reason, url }) =>
        [
          [{ linked: [{ said: sink, max: 200 }], to: url }],
          [
            status === 'refused' ? 'not permitted' : status,
            ...(reason.length === 0
              ? []
              : ([{ lineBreak: true }, { small: [[{ said: inEnglish.sentences(reason), max: 500 }]] }] as const)),
          ],
        ] as const,
    );
  return tableOf(['Where', 'Status'], rows);
}

function copyButton(open: readonly PlacedFinding[]): Html {
  if (open.length === 0) return nothing;
  return html`<button type="button" data-copy class="controls">Copy the findings as a prompt</button>`;
}

function prompt(open: readonly PlacedFinding[]): Html {
  if (open.length === 0) return nothing;
  const text = fixPrompt(open.slice(0, 200).map((one) => ({ ...one, review: cutLine(one.review, 2_000) })));
  const shown = text.match(/[\s\S]{1,20000}/g)?.slice(0, 6) ?? [];
  return html`<section><h2>Fix with an agent</h2><div class="card"><details><summary>The prompt</summary><pre data-prompt>${shown.map(plain)}</pre></details></div></section>`;
}
