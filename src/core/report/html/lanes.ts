import type { ReviewReport, TimelineEntry } from '../../review/record.ts';
import { cutLine, dollars, duration, groupBy, grouped, plural } from '../../text.ts';
import type { CallDetail } from '../timeline.ts';
import type { Found } from './finding-card.ts';
import { type Html, html, more, nothing, plain, within } from './page.ts';

/** Batches with a lane of their own. */
const maxLanes = 40;
/** Entries that are drawn and have a row. */
const maxRows = 1_000;
/** The width of a drawing, in units of its own. */
const width = 1_000;

/** One lane per batch: bars are model calls, ticks tool calls, dots findings. Each leads to its row among the calls. */
export function lanes({ timeline, milliseconds, filesReview: found }: ReviewReport): Html {
  const entries = timeline.slice(0, maxRows);
  if (entries.length === 0) return nothing;
  const end = entries.reduce(
    (last, { at, milliseconds: long }) => Math.max(last, at + long),
    Math.max(1, milliseconds),
  );
  const raised = found.filter(({ place }) => place !== 'suppressed');
  const byId = new Map(raised.map((one, index) => [one.id, { one, index }]));
  const batches = groupBy([...entries.keys()], (index) => entries[index]?.batch ?? '');
  const first = (indexes: readonly number[]) => Math.min(...indexes.map((index) => entries[index]?.at ?? 0));
  const named = [...batches].sort((one, two) => first(one[1]) - first(two[1]));
  const drawing = { entries, end, byId };
  const shown = named.slice(0, maxLanes).map(([name, indexes]) => lane(name, indexes, drawing));
  return html`${shown}${axis(end)}${more(named.slice(maxLanes), 'batches')}${legend}
<div class="panel" data-panel hidden><button type="button" data-close>Close</button><div aria-live="polite"></div></div>`;
}

type Drawing = {
  readonly entries: readonly TimelineEntry[];
  readonly end: number;
  readonly byId: ReadonlyMap<string, { readonly one: Found; readonly index: number }>;
};

/** What is drawn later lies above. */
const order = ['model', 'wait', 'tool', 'returned', 'disproved', 'finding'] as const;

function lane(name: string, indexes: readonly number[], drawing: Drawing): Html {
  const marks = order.flatMap((kind) =>
    indexes
      .filter((index) => drawing.entries[index]?.kind === kind)
      .map((index, before, same) => mark(index, drawing, crowd(same, before, drawing))),
  );
  const short = cutLine(name, 200);
  const grid = ticks(drawing.end).map(
    (at) => html`<path class="g" d="M${((at / drawing.end) * width).toFixed(1)} 0v26"></path>`,
  );
  return html`<div class="lane"><span class="code" title="${short}">${short}</span><svg viewBox="0 0 ${width} 26" preserveAspectRatio="none" role="group" aria-label="Calls of ${short} over time">${grid}<rect class="rail" y="12.5" width="${width}" height="1"></rect>${marks}</svg></div>`;
}

/** How many of the same kind lie close before: dots of one moment stand side by side. */
function crowd(same: readonly number[], before: number, { entries, end }: Drawing): number {
  const at = (position: number) => entries[same[position] ?? 0]?.at ?? 0;
  let count = 0;
  while (before - count > 0 && count < 20 && at(before) - at(before - count - 1) < end / 150) count += 1;
  return count;
}

function mark(index: number, { entries, end, byId }: Drawing, crowded: number): Html {
  const entry = entries[index];
  if (entry === undefined) return nothing;
  const finding = entry.finding === null ? undefined : byId.get(entry.finding);
  const target = finding === undefined ? `call-${index}` : `finding-${finding.index + 1}`;
  const x = Math.min(width - 3, (entry.at / end) * width);
  return html`<a href="#${target}"><title>${told(entry)}</title>${shape(entry, { x, end, crowded, severity: finding?.one.severity ?? '' })}</a>`;
}

function shape(
  { kind, name, outcome, milliseconds }: TimelineEntry,
  { x, end, crowded, severity }: { x: number; end: number; crowded: number; severity: string },
): Html {
  const [start, long] = [x.toFixed(1), Math.max(2, (milliseconds / end) * width).toFixed(1)];
  if (kind === 'model')
    return html`<rect class="${phaseClass(name)}" x="${start}" y="7" width="${long}" height="12"></rect>`;
  if (kind === 'wait') return html`<rect class="w" x="${start}" y="10" width="${long}" height="6"></rect>`;
  if (kind === 'tool') return html`<path class="${outcome === 'ok' ? 't' : 'x'}" d="M${start} 3v20"></path>`;
  const beside = Math.min(width - 5, x + crowded * 13).toFixed(1);
  const inner = kind === 'finding' ? nothing : html`<path class="in" d="M${beside} 13v0"></path>`;
  return html`<path class="dot ${severity}" d="M${beside} 13v0"></path>${inner}`;
}

function phaseClass(phase: string): string {
  if (phase === 'verification') return 'v';
  return phase === 'review' || phase === 'single' ? 'm' : 'f';
}

/** Times on the axis: at most six, at round numbers of seconds. */
function ticks(end: number): readonly number[] {
  const step =
    [100, 200, 500, ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600].map((seconds) => seconds * 1_000)].find(
      (one) => end / one <= 6,
    ) ?? end / 6;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
}

function axis(end: number): Html {
  const times = ticks(end).map(
    (at, index) =>
      html`<text x="${((100 * at) / end).toFixed(1)}%" y="11"${index === 0 ? nothing : { html: ' text-anchor="middle"' }}>${index === 0 ? '0' : duration(at)}</text>`,
  );
  return html`<div class="lane small"><span></span><svg class="axis" aria-hidden="true">${times}</svg></div>`;
}

const legend: Html = {
  html: '<p class="legend soft small"><span><svg viewBox="0 0 14 10" aria-hidden="true"><rect class="m" width="14" height="10"/></svg> model call</span><span><svg viewBox="0 0 14 10" aria-hidden="true"><rect class="v" width="14" height="10"/></svg> verification</span><span><svg viewBox="0 0 14 10" aria-hidden="true"><rect class="f" width="14" height="10"/></svg> last and other calls</span><span><svg viewBox="0 0 14 10" aria-hidden="true"><rect class="w" y="2" width="14" height="6"/></svg> wait before a retry</span><span>│ tool call (red: failed)</span><span>● finding</span><span>○ returned or disproved</span></p>',
};

const nouns = {
  model: 'model call',
  tool: 'tool call',
  wait: 'wait before a retry',
  finding: 'finding',
  disproved: 'disproved',
  returned: 'returned to the model',
} as const;

function told({ kind, name, milliseconds, outcome, inputTokens: input, outputTokens: output }: TimelineEntry): string {
  const what = `${nouns[kind]}: ${cutLine(name, 200)}`;
  const time = kind === 'model' || kind === 'tool' || kind === 'wait' ? ` · ${duration(milliseconds)}` : '';
  const tokens = input === null ? '' : ` · ${grouped(input)} tokens in, ${grouped(output ?? 0)} out`;
  return `${what}${time}${tokens}${outcome === 'ok' || kind === 'wait' ? '' : ` · ${cutLine(outcome, 200)}`}`;
}

/** Characters of questions and answers that a page holds, and of one of them. */
const room = { all: 170_000, one: 12_000 } as const;

/** Every call: when, how long, how much; where a transcript knows it what was asked and answered. */
export function calls(timeline: readonly TimelineEntry[], details: readonly CallDetail[]): Html {
  const found = detailsFor(timeline.slice(0, maxRows), details);
  const known = found.filter((one) => one !== undefined).length;
  const most = Math.min(room.one, Math.floor(room.all / Math.max(1, 2 * known)));
  const { shown, rest } = within(timeline, {
    room: 700_000,
    most: maxRows,
    render: (entry, index) => row(entry, { index, detail: found[index], most }),
  });
  const without =
    known > 0
      ? html`<p class="soft small">Questions and answers are from the transcript, each cut at ${grouped(most)} characters.</p>`
      : html`<p class="soft small">Without a transcript (<code>transcript-file</code>) only sizes and times are known.</p>`;
  return html`<details><summary>${grouped(timeline.length)} calls and findings, in the order in which they ended</summary>${without}${shown}${more(rest, 'in the report file')}</details>`;
}

/** To each entry what the transcript says of it: the first of its batch and kind to the first, and so on. */
function detailsFor(
  timeline: readonly TimelineEntry[],
  details: readonly CallDetail[],
): readonly (CallDetail | undefined)[] {
  const keyOf = ({ kind, batch }: Pick<TimelineEntry, 'kind' | 'batch'>) => `${kind} ${batch}`;
  const queues = groupBy(details, keyOf);
  const taken = new Map<string, number>();
  return timeline.map((entry) => {
    const key = keyOf(entry);
    const next = taken.get(key) ?? 0;
    taken.set(key, next + 1);
    return queues.get(key)?.[next];
  });
}

function row(
  entry: TimelineEntry,
  { index, detail, most }: { index: number; detail: CallDetail | undefined; most: number },
): Html {
  const { batch, kind, at, milliseconds, name, asked, outcome } = entry;
  const long = kind === 'model' || kind === 'tool' || kind === 'wait' ? duration(milliseconds) : '';
  const bad = outcome === 'ok' ? nothing : html` <span class="soft">(${cutLine(outcome, 300)})</span>`;
  const what = html`<span>${nouns[kind]} <b>${cutLine(name, 200)}</b>${asked === null ? nothing : html` <span class="code soft">${cutLine(asked, 200)}</span>`}${bad}<br><span class="soft small">${cutLine(batch, 100)}</span></span>`;
  const line = html`<span class="line"><span class="number soft">${duration(at)}</span>${what}<span class="number">${long}</span><span class="number">${size(entry)}</span></span>`;
  if (detail === undefined) return html`<div class="call" id="call-${index}">${line}</div>`;
  const question = detail.asked === '' ? 'the results of the calls before' : detail.asked;
  return html`<details class="call" id="call-${index}"><summary>${line}</summary><div class="told"><p class="head">Asked</p><pre>${plain(cutLine(question, most))}</pre><p class="head">Answered</p><pre>${plain(cutLine(detail.answered, most))}</pre></div></details>`;
}

function size({ inputTokens: input, outputTokens: output, characters }: TimelineEntry): string {
  if (input !== null) return `${grouped(input)} / ${grouped(output ?? 0)} tokens`;
  return characters === null ? '' : `${grouped(characters)} ch`;
}

/** What the model asked to see, equal calls together. */
export function reads({ timeline, metrics }: ReviewReport): Html {
  const entries = timeline
    .map((entry, index) => ({ entry, index }))
    .filter(({ entry }) => entry.kind === 'tool' && !entry.name.startsWith('submit_'));
  if (entries.length === 0) return nothing;
  const same = new Map<string, typeof entries>();
  for (const one of entries) {
    const key = `${one.entry.name} ${argumentsOf(one.entry.asked)}`;
    const equal = same.get(key);
    if (equal === undefined) same.set(key, [one]);
    else equal.push(one);
    if (same.size > 500) break;
  }
  const { shown, rest } = within([...same.values()], {
    room: 30_000,
    most: 40,
    render: ([first, ...others]) => {
      if (first === undefined) return nothing;
      const { name, asked, outcome, characters } = first.entry;
      const times = others.length === 0 ? '' : `${others.length + 1}× `;
      return html`<tr><td class="code"><a href="#call-${first.index}">${cutLine(name, 100)}</a> <span class="soft">${cutLine(argumentsOf(asked), 200)}</span></td><td class="number">${times}${outcome === 'ok' ? `${grouped(characters ?? 0)} ch` : html`<b class="critical">${cutLine(outcome, 100)}</b>`}</td></tr>`;
    },
  });
  const characters = entries.reduce((sum, { entry }) => sum + (entry.characters ?? 0), 0);
  const failed = entries.filter(({ entry }) => entry.outcome !== 'ok').length;
  const sum = `${plural(entries.length, 'call')}, ${plural(characters, 'character')}${failed === 0 ? '' : `, ${grouped(failed)} failed`} in ${plural(metrics.iterations, 'iteration')}.`;
  return html`<p class="soft small">${sum}</p><table><tbody>${shown}</tbody></table>${more(rest, 'under All calls')}`;
}

/** The values of a call's arguments. */
function argumentsOf(asked: string | null): string {
  return (asked ?? '')
    .replace(/"\w+":/g, ' ')
    .replace(/[{}"]/g, '')
    .replace(/,|\bnull\b/g, ' ')
    .trim();
}

/** What the run took: by phase, by batch and by tool, and what was expected of it. */
export function spent({ metrics, estimate, batches }: ReviewReport): Html {
  const money = (cost: number | null) => (cost === null ? '' : dollars(cost));
  const row = (name: string, input: number, output: number, cost: number | null) =>
    html`<tr><td>${cutLine(name, 200)}</td><td class="number">${grouped(input)}</td><td class="number">${grouped(output)}</td><td class="number">${money(cost)}</td></tr>`;
  const table = (heads: readonly string[], rows: readonly Html[]) =>
    rows.length === 0
      ? nothing
      : html`<table><thead><tr>${heads.map((head, index) => html`<th${index === 0 ? nothing : { html: ' class="number"' }}>${head}</th>`)}</tr></thead><tbody>${rows.slice(0, 100)}</tbody></table>${more(rows.slice(100), 'in the report file')}`;
  const phases = Object.entries(metrics.phases).map(([name, use]) =>
    row(`${name} (${use.modelCalls})`, use.usage.input, use.usage.output, use.cost),
  );
  const bill = row(
    metrics.usage.estimated ? 'billed, in part estimated' : 'billed',
    metrics.usage.input,
    metrics.usage.output,
    metrics.cost,
  );
  const expected = estimate === null ? [] : [row('estimated before', estimate.input, estimate.output, estimate.cost)];
  const used = batches.filter(({ metrics: own }) => own.modelCalls > 0);
  const perBatch =
    batches.length < 2
      ? []
      : used.map(({ name, metrics: own }) => row(name, own.usage.input, own.usage.output, own.cost));
  const tools = Object.entries(metrics.tools).map(
    ([name, { calls: count, milliseconds, cut }]) =>
      html`<tr><td>${cutLine(name, 200)}</td><td class="number">${grouped(count)}</td><td class="number">${duration(milliseconds)}</td><td class="number">${cut === 0 ? '' : grouped(cut)}</td></tr>`,
  );
  const sums = ['in', 'out', 'US$'];
  return html`${table(['Phase', ...sums], phases.length === 0 ? [] : [...phases, bill, ...expected])}${table(['Batch', ...sums], perBatch)}${table(['Tool', 'calls', 'time', 'cut'], tools)}`;
}
