import { duration, grouped } from '../../text.ts';
import type { TimelineEntry } from '../metrics-schema.ts';
import { type Html, html, nothing } from './page.ts';

/** Batches with a lane of their own. */
const maxLanes = 40;
/** Rows of the table of calls. */
const maxRows = 1_500;
/** The width of a drawing, in units of its own. */
const width = 1_000;

/** One lane per batch: bars are model calls, ticks tool calls, dots findings. Each leads to its row among the calls. */
export function lanes(entries: readonly TimelineEntry[], milliseconds: number): Html {
  if (entries.length === 0) return nothing;
  const end = Math.max(1, milliseconds, ...entries.map(({ at, milliseconds: long }) => at + long));
  const names = [...new Set(entries.map(({ batch }) => batch))];
  const shown = names.slice(0, maxLanes).map((name) => lane(name, entries, end));
  const more =
    names.length > maxLanes
      ? html`<p class="soft small">And ${grouped(names.length - maxLanes)} more batches.</p>`
      : nothing;
  return html`${shown}${more}<p class="soft small">Bars: model calls (violet: review, green: verification, yellow: others). Ticks: tool calls (red: failed). Dots: findings. 0 to ${duration(end)}.</p>`;
}

function lane(name: string, entries: readonly TimelineEntry[], end: number): Html {
  const marks = entries
    .slice(0, maxRows)
    .map((entry, index) => (entry.batch === name ? mark(entry, index, end) : nothing));
  return html`<div class="lane"><span class="code" title="${name}">${name}</span><svg viewBox="0 0 ${width} 26" preserveAspectRatio="none" role="img" aria-label="Calls of ${name} over time"><rect class="rail" x="0" y="12.5" width="${width}" height="1"></rect>${marks}</svg></div>`;
}

function mark(entry: TimelineEntry, index: number, end: number): Html {
  const x = ((entry.at / end) * width).toFixed(1);
  const long = Math.max(2, (entry.milliseconds / end) * width).toFixed(1);
  return html`<a href="#call-${index}"><title>${told(entry)}</title>${shape(entry, x, long)}</a>`;
}

function shape({ kind, name, outcome }: TimelineEntry, x: string, long: string): Html {
  if (kind === 'model')
    return html`<rect class="${phaseClass(name)}" x="${x}" y="7" width="${long}" height="12" rx="2"></rect>`;
  if (kind === 'wait') return html`<rect class="w" x="${x}" y="7" width="${long}" height="12"></rect>`;
  if (kind === 'tool')
    return html`<rect class="${outcome === 'ok' ? 't' : 'x'}" x="${x}" y="2" width="2" height="22"></rect>`;
  return html`<rect class="d" x="${x}" y="9" width="6" height="8" rx="3"></rect>`;
}

function phaseClass(phase: string): string {
  if (phase === 'verification') return 'v';
  return phase === 'review' || phase === 'single' ? 'm' : 'f';
}

function told({
  kind,
  name,
  milliseconds,
  outcome,
  input_tokens: input,
  output_tokens: output,
}: TimelineEntry): string {
  const tokens = input === null ? '' : `, ${grouped(input)} tokens in, ${grouped(output ?? 0)} out`;
  return `${kind} ${name}: ${duration(milliseconds)}${tokens}${outcome === 'ok' ? '' : `, ${outcome}`}`;
}

/** Every call: what was asked, how long it took, how much came back. */
export function calls(entries: readonly TimelineEntry[]): Html {
  const rows = entries.slice(0, maxRows).map((entry, index) => {
    const {
      batch,
      kind,
      at,
      milliseconds,
      name,
      asked,
      outcome,
      characters,
      input_tokens: input,
      output_tokens: output,
    } = entry;
    const size =
      input === null
        ? characters === null
          ? ''
          : `${grouped(characters)} ch`
        : `${grouped(input)} / ${grouped(output ?? 0)} tokens`;
    return html`<tr class="call" id="call-${index}"><td class="number">${duration(at)}</td><td>${kind}<br><span class="soft small">${batch}</span></td><td>${name}${asked === null ? nothing : html` <span class="code soft">${asked}</span>`}${outcome === 'ok' ? nothing : html` <span class="soft">(${outcome})</span>`}</td><td class="number">${kind === 'finding' ? '' : duration(milliseconds)}</td><td class="number">${size}</td></tr>`;
  });
  return html`<details><summary>${grouped(entries.length)} calls and findings, in the order in which they ended</summary><table><tbody>${rows}</tbody></table></details>`;
}
