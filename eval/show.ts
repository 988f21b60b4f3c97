import type { Amount } from '../src/core/agent/budget.ts';
import { type Html, html, nothing, page } from '../src/core/report/html/page.ts';
import { visibleLine } from '../src/core/report/text.ts';
import { dollars, duration, groupBy, grouped, plural } from '../src/core/text.ts';
import type { EvalLimits } from './budget.ts';
import { placeText } from './match.ts';
import { type CaseResult, lateOf, lateText } from './readings.ts';
import { compare, type Interval, summarise, type Tally } from './statistics.ts';

export type Arm = {
  /** Name of the configuration. */
  readonly label: string;
  readonly model: string;
  readonly profile: string;
  readonly results: readonly CaseResult[];
  /** Cases that were not reviewed, or not to the end, because the evaluation ended before. */
  readonly notRun: readonly string[];
};

export type Evaluation = {
  readonly postil: string;
  /** One, or the two that are compared. */
  readonly arms: readonly Arm[];
  /** Lines that a finding may lie beside a golden. */
  readonly tolerance: number;
  /** The model that judged what no place paired; null when the place alone decided. */
  readonly judge: string | null;
  /** True when the answers came from transcripts. */
  readonly replayed: boolean;
  readonly drafts: readonly string[];
  /** By all reviews and the judge. */
  readonly used: Amount & EvalLimits;
  /** Why not every case was run; null when every one was. */
  readonly stopped: 'interrupted' | 'tokens' | 'cost' | null;
};

/** `name: 1 of 1 found, 2 findings without a defect`, and the notes. */
export function caseLine({ of, tally, notes }: CaseResult): string {
  return `${of.name}: ${outcomeOf(tally)}${notes.length === 0 ? '' : `. ${notes.join(' ')}`}`;
}

function outcomeOf({ unmeasured, goldens, findings, matched }: Tally): string {
  if (unmeasured !== null) return `not measured. ${unmeasured}`;
  const wrong = findings - matched;
  if (goldens === 0) return `clean, ${wrong === 0 ? 'silent' : plural(wrong, 'finding')}`;
  return `${matched} of ${goldens} found${wrong === 0 ? '' : `, ${plural(wrong, 'finding')} without a defect`}`;
}

const ranks = { critical: 0, warning: 1, info: 2 } as const;

/** What a case is a reason for: a defect that was missed, or no number at all; a finding without a defect; nothing. */
function rankOf({ tally }: CaseResult): keyof typeof ranks {
  if (tally.unmeasured !== null || tally.matched < tally.goldens) return 'critical';
  return tally.findings > tally.matched ? 'warning' : 'info';
}

function worstFirst(results: readonly CaseResult[]): readonly CaseResult[] {
  return results.toSorted((one, other) => ranks[rankOf(one)] - ranks[rankOf(other)]);
}

/** A line for each case; those that are not measured for the same reason share one. */
function caseLines(results: readonly CaseResult[]): readonly string[] {
  const alike = groupBy(worstFirst(results), ({ of, tally }) => tally.unmeasured ?? `measured: ${of.name}`);
  return [...alike].flatMap(([why, group]) => {
    if (group.length === 1) return group.map(caseLine);
    return [`${group.length} cases: not measured. ${why} ${group.map(({ of }) => of.name).join(', ')}`];
  });
}

const labels = {
  precision: 'Precision',
  recall: 'Recall',
  f1: 'F1',
  silent: 'Clean cases that stay silent',
  findings: 'Findings per case',
  tokens: 'Tokens per case',
  billed: 'Billed tokens per case',
  cost: 'Cost per case',
  seconds: 'Time per case',
};

const measuredIn = ({ results }: Arm) => results.filter(({ tally }) => tally.unmeasured === null);
const talliesOf = (arm: Arm) => measuredIn(arm).map(({ tally }) => tally);

function differenceOf([first, second]: readonly Arm[]): ReturnType<typeof compare> | null {
  if (first === undefined || second === undefined) return null;
  return compare(talliesOf(first), talliesOf(second));
}

type Cell = { readonly value: string; readonly interval: string };

/** The measures as rows, with a cell for each configuration, and for what B has more than A. */
function rowsOf({ arms }: Evaluation): readonly { readonly label: string; readonly cells: readonly Cell[] }[] {
  const columns = arms.map((arm) => summarise(talliesOf(arm)));
  const difference = differenceOf(arms)?.measures;
  return Object.entries(labels).flatMap(([measure, label]) => {
    const cells = columns.map((column) => cell(measure, column[measure] ?? null, plain));
    if (columns.every((column) => column[measure] === null)) return [];
    return { label, cells: difference ? [...cells, cell(measure, difference[measure] ?? null, signed)] : cells };
  });
}

function cell(measure: string, interval: Interval | null, form: typeof plain): Cell {
  if (interval === null) return { value: '–', interval: '' };
  const { value, low, high } = interval;
  return { value: form(measure, value), interval: `${form(measure, low)} to ${form(measure, high)}` };
}

function plain(measure: string, value: number): string {
  switch (measure) {
    case 'tokens':
    case 'billed':
      return grouped(Math.round(value));
    case 'cost':
      return dollars(value);
    case 'seconds':
      return value < 60 ? `${value.toFixed(1)} s` : duration(value * 1_000);
    default:
      return value.toFixed(2);
  }
}

function signed(measure: string, value: number): string {
  const written = plain(measure, Math.abs(value));
  const sign = written === plain(measure, 0) ? '' : value < 0 ? '-' : '+';
  return `${sign}${written}`;
}

/** One line: how many cases there are, and what they are. */
function countsOf(arm: Arm): string {
  const tallies = talliesOf(arm);
  const clean = tallies.filter(({ goldens }) => goldens === 0).length;
  const goldens = tallies.reduce((sum, tally) => sum + tally.goldens, 0);
  return `${tallies.length} of ${plural(arm.results.length + arm.notRun.length, 'case')} measured: ${plural(goldens, 'known defect')}, ${plural(clean, 'clean case')}`;
}

function basis({ arms, judge, tolerance, replayed }: Evaluation): string {
  const isFirst = lateNotes(arms).length > 0 ? '; of the first reading of each case' : '';
  const matched = `a finding matches a defect at most ${plural(tolerance, 'line')} away`;
  return `95 % bootstrap intervals over the cases; ${matched}${judge === null ? '' : `, others by ${judge}`}${isFirst}${replayed ? '; answers from transcripts' : ''}.`;
}

function lateNotes(arms: readonly Arm[]): readonly string[] {
  return arms.flatMap(({ label, results }) => {
    const late = lateOf(results);
    return late === null ? [] : `${arms.length > 1 ? `${label}: ` : ''}${lateText(late)}`;
  });
}

/** What was used of the limits, and why the evaluation ended before all cases were run. */
function endNotes({ arms, stopped, used }: Evaluation): readonly string[] {
  const { tokens, cost, maxTokens, maxCost } = used;
  const ofTokens = `${grouped(tokens)} of ${grouped(maxTokens ?? 0)} tokens`;
  const ofCost = `${dollars(cost)} of ${dollars(maxCost ?? 0)}`;
  const parts = [...(maxTokens === null ? [] : [ofTokens]), ...(maxCost === null ? [] : [ofCost])];
  const usedText = parts.length === 0 ? [] : [`Used ${parts.join(' and ')} in all.`];
  const names = [...new Set(arms.flatMap(({ notRun }) => notRun))];
  if (stopped === null || names.length === 0) return usedText;
  const why = {
    interrupted: 'Interrupted.',
    tokens: `Stopped at ${ofTokens}: the next call might not fit.`,
    cost: `Stopped at ${ofCost}: the next call might cost more than is left.`,
  }[stopped];
  const not = arms.length > 1 ? 'not finished with both' : 'not finished';
  const stopText = `${why} ${plural(names.length, 'case')} ${not}: ${names.join(', ')}. All numbers are of those that were.`;
  return [...usedText, stopText];
}

const columnNames = (arms: readonly Arm[]) => [
  ...arms.map(({ label }) => label),
  ...(arms.length > 1 ? ['B - A'] : []),
];

/** What `postil eval` prints. */
export function evalText(evaluation: Evaluation): string {
  const { arms, drafts } = evaluation;
  const rows = rowsOf(evaluation);
  const table = [
    ['', ...columnNames(arms).flatMap((name) => [name, '95 %'])],
    ...rows.map(({ label, cells }) => [label, ...cells.flatMap(({ value, interval }) => [value, interval])]),
  ];
  const widthOf = (column: number) => Math.max(...table.map((row) => row[column]?.length ?? 0));
  const aligned = (text: string, column: number) =>
    column % 2 === 1 ? text.padStart(widthOf(column)) : text.padEnd(widthOf(column));
  const lines = rows.length === 0 ? [] : [...table.map((row) => row.map(aligned).join('  ').trimEnd()), ''];
  const cases = arms.flatMap((arm) => [
    '',
    `${arm.label}: ${countsOf(arm)} (${arm.model}, ${arm.profile}).`,
    ...caseLines(arm.results).map((line) => `  ${visibleLine(line)}`),
  ]);
  const notRun = drafts.length === 0 ? [] : ['', `Drafts, not run: ${drafts.map(visibleLine).join(', ')}.`];
  const notes = [...(rows.length === 0 ? [] : [basis(evaluation)]), ...lateNotes(arms), ...endNotes(evaluation)].map(
    visibleLine,
  );
  return `${[...lines, ...notes, ...cases, ...notRun].join('\n')}\n`;
}

/** What `--format json` prints. */
export function evalJson({ arms, used, ...evaluation }: Evaluation): object {
  return {
    schema_version: 1,
    ...evaluation,
    used: { tokens: used.tokens, cost: used.cost },
    limits: { tokens: used.maxTokens, cost: used.maxCost },
    configurations: arms.map((arm) => ({
      label: arm.label,
      model: arm.model,
      profile: arm.profile,
      measured: measuredIn(arm).length,
      not_run: arm.notRun,
      measures: summarise(talliesOf(arm)),
      late: lateOf(arm.results),
      cases: arm.results.map(caseJson),
    })),
    difference: differenceOf(arms),
  };
}

function caseJson({ of, tally, raised, pairs, notes, later }: CaseResult): object {
  return {
    name: of.name,
    language: of.language,
    not_measured: tally.unmeasured,
    notes,
    goldens: of.goldens.map((golden, index) => {
      const pair = pairs.find((one) => one.golden === index);
      return { ...golden, found_by: pair === undefined ? null : { finding: pair.finding, by: pair.by } };
    }),
    findings: raised.map(({ title, severity, spots }) => ({ title, severity, places: spots.map(placeText) })),
    tokens: tally.tokens,
    billed_tokens: tally.billed,
    cost: tally.cost,
    seconds: tally.seconds,
    later: later.map(caseJson),
  };
}

/** The same as one page that needs nothing else. */
export function evalPage(evaluation: Evaluation): string {
  const { arms, postil } = evaluation;
  const title = `Evaluation of ${arms.map(({ label }) => label).join(' and ')}`;
  const notes = endNotes(evaluation).map((note) => html`<p class="card alert">${note}</p>`);
  const rows = rowsOf(evaluation).map(({ label, cells }) => {
    const shown = cells.map(
      ({ value, interval }) =>
        html`<td class="number"><b>${value}</b><br><span class="soft small">${interval}</span></td>`,
    );
    return html`<tr><td>${label}</td>${shown}</tr>`;
  });
  const cases = arms.map((arm) => {
    const about = html`<p class="soft">${countsOf(arm)} · ${arm.model} · ${arm.profile}</p>`;
    return html`<section><h2>Cases of ${arm.label}</h2>${about}${worstFirst(arm.results).map(caseCard)}</section>`;
  });
  return page(
    `${title} – Postil`,
    html`<header><h1>${title}</h1><p class="soft">Postil ${postil} · ${[basis(evaluation), ...lateNotes(arms)].join(' ')}</p></header>
<main>${notes}<section><h2>Measures</h2><div class="card"><table>
<tr><th>Measure</th>${columnNames(arms).map((name) => html`<th class="number">${name}</th>`)}</tr>
${rows}</table></div></section>
${cases}</main>`,
  );
}

function caseCard(result: CaseResult): Html {
  const { of, tally, raised, pairs, notes } = result;
  const goldens = of.goldens.map(({ path, start, end, description }, index) => {
    const pair = pairs.find((one) => one.golden === index);
    const place = html`<span class="code">${placeText({ path, lines: [start, end] })}</span> ${description}`;
    if (pair === undefined) return html`<li><b class="critical">missed</b>: ${place}</li>`;
    const title = raised[pair.finding]?.title ?? '';
    return html`<li><b class="info">found</b> by ${pair.by} as “${title}”: ${place}</li>`;
  });
  const wrong = raised.filter((_, index) => !pairs.some(({ finding }) => finding === index));
  const others = wrong.map(({ title, spots }) => {
    const place = spots.slice(0, 1).map(placeText).join('');
    return html`<li><b class="warning">without a defect</b>: <span class="code">${place}</span> ${title}</li>`;
  });
  const facts = [of.language, `${grouped(tally.tokens)} tokens`, duration(tally.seconds * 1_000)];
  const isMeasured = tally.unmeasured === null;
  const about = isMeasured ? facts.filter((fact) => fact !== '').join(' · ') : of.language;
  return html`<article class="card finding ${rankOf(result)}" tabindex="0"><div class="place"><b>${of.name}</b><span class="soft small">${about}</span></div>
<p>${outcomeOf(tally)}</p>${notes.map((note) => html`<p class="soft small">${note}</p>`)}
${isMeasured ? html`<ul class="list">${[...goldens, ...others]}</ul>` : nothing}</article>`;
}
