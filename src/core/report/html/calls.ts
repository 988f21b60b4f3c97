import type { ReviewReport, TimelineEntry } from '../../review/record.ts';
import { cutLine, duration, groupBy, grouped, plural } from '../../text.ts';
import type { CallDetail } from '../timeline.ts';
import { type Html, html, more, nothing, plain, within } from './page.ts';

/** Entries that have a row. */
const maxRows = 1_000;

const nouns = {
  model: 'model call',
  tool: 'tool call',
  wait: 'wait before a retry',
  finding: 'finding',
  disproved: 'disproved',
  returned: 'returned to the model',
} as const;

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
  return html`<details class="call" id="call-${index}"><summary>${line}</summary><p class="head">Asked</p><pre>${plain(cutLine(question, most))}</pre><p class="head">Answered</p><pre>${plain(cutLine(detail.answered, most))}</pre></details>`;
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
