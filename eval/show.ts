import type { Amount } from '../src/core/agent/budget.ts';
import { type Html, html, nothing, page } from '../src/core/report/html/page.ts';
import { visibleLine } from '../src/core/report/text.ts';
import { dollars, duration, grouped, plural } from '../src/core/text.ts';
import type { EvalLimits } from './budget.ts';
import { type CaseResult, caseLine, caseLines, rankOf, worstFirst } from './case-lines.ts';
import { placeText, type Raised } from './match.ts';
import { compare, type Interval, type Measure, measures, summarise } from './statistics.ts';

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

const labels: { readonly [M in Measure]: string } = {
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

type Row = { readonly label: string; readonly cells: readonly (readonly [value: string, interval: string])[] };

/** The measures as rows: a value and its interval for each configuration, and for what B has more than A. */
function rowsOf({ arms }: Evaluation): readonly Row[] {
  const difference = differenceOf(arms);
  const columns = arms.map((arm) => summarise(talliesOf(arm)));
  return measures
    .filter((measure) => columns.some((column) => column[measure] !== null))
    .map((measure) => ({
      label: labels[measure],
      cells: [
        ...columns.map((column) => cell(measure, column[measure], plain)),
        ...(difference === null ? [] : [cell(measure, difference.measures[measure], signed)]),
      ],
    }));
}

type Form = (measure: Measure, value: number) => string;

function cell(measure: Measure, interval: Interval, form: Form): Row['cells'][number] {
  if (interval === null) return ['–', ''];
  const { value, low, high } = interval;
  return [form(measure, value), `${form(measure, low)} to ${form(measure, high)}`];
}

function plain(measure: Measure, value: number): string {
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

function signed(measure: Measure, value: number): string {
  const written = plain(measure, Math.abs(value));
  const sign = written === plain(measure, 0) ? '' : value < 0 ? '-' : '+';
  return `${sign}${written}`;
}

/** One line: how many cases there are, and what they are. */
function countsOf(arm: Arm): string {
  const measured = measuredIn(arm);
  const clean = measured.filter(({ of }) => of.goldens.length === 0).length;
  const goldens = measured.reduce((sum, { of }) => sum + of.goldens.length, 0);
  return `${measured.length} of ${plural(arm.results.length + arm.notRun.length, 'case')} measured: ${plural(goldens, 'known defect')}, ${plural(clean, 'clean case')}`;
}

function basis({ judge, tolerance, replayed }: Evaluation): string {
  const matched = `a finding matches a defect at most ${plural(tolerance, 'line')} away`;
  return `95 % bootstrap intervals over the cases; ${matched}${judge === null ? '' : `, others by ${judge}`}${replayed ? '; answers from transcripts' : ''}.`;
}

/** Why the evaluation ended before all cases were run, and what the numbers are of; null when they all were. */
function stopText({ arms, stopped, used }: Evaluation): string | null {
  if (stopped === null) return null;
  const why = {
    interrupted: 'Interrupted.',
    tokens: `Stopped at ${grouped(used.tokens)} of ${grouped(used.maxTokens ?? 0)} tokens: the next call might not fit.`,
    cost: `Stopped at ${dollars(used.cost)} of ${dollars(used.maxCost ?? 0)}: the next call might cost more than is left.`,
  }[stopped];
  const names = [...new Set(arms.flatMap(({ notRun }) => notRun))];
  if (names.length === 0) return null;
  const not = arms.length > 1 ? 'not finished with both' : 'not finished';
  return `${why} ${plural(names.length, 'case')} ${not}: ${names.join(', ')}. All numbers are of those that were.`;
}

/** What was used of the limits; null where there are none. */
function usedText({ used }: Evaluation): string | null {
  const { tokens, cost, maxTokens, maxCost } = used;
  const parts = [
    ...(maxTokens === null ? [] : [`${grouped(tokens)} of ${grouped(maxTokens)} tokens`]),
    ...(maxCost === null ? [] : [`${dollars(cost)} of ${dollars(maxCost)}`]),
  ];
  return parts.length === 0 ? null : `Used ${parts.join(' and ')} in all.`;
}

/** What `postil eval` prints. */
export function evalText(evaluation: Evaluation): string {
  const { arms, drafts } = evaluation;
  const rows = rowsOf(evaluation);
  const header = ['', ...arms.flatMap(({ label }) => [label, '95 %']), ...(arms.length > 1 ? ['B - A', '95 %'] : [])];
  const table = [header, ...rows.map(({ label, cells }) => [label, ...cells.flat()])];
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((text, column) => (column % 2 === 1 ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  const cases = arms.flatMap((arm) => [
    '',
    `${arm.label}: ${countsOf(arm)} (${arm.model}, ${arm.profile}).`,
    ...caseLines(arm.results).map((line) => `  ${visibleLine(line)}`),
  ]);
  const notes = [usedText(evaluation), stopText(evaluation)].filter((text) => text !== null);
  const notRun = drafts.length === 0 ? [] : ['', `Drafts, not run: ${drafts.map(visibleLine).join(', ')}.`];
  return `${[...(rows.length === 0 ? [] : [...lines, '', basis(evaluation)]), ...notes.map(visibleLine), ...cases, ...notRun].join('\n')}\n`;
}

/** What `--format json` prints. */
export function evalJson(evaluation: Evaluation): object {
  const { arms, postil, tolerance, judge, replayed, drafts, stopped, used } = evaluation;
  return {
    schema_version: 1,
    postil,
    tolerance,
    judge,
    replayed,
    drafts,
    stopped,
    used: { tokens: used.tokens, cost: used.cost },
    limits: { tokens: used.maxTokens, cost: used.maxCost },
    configurations: arms.map((arm) => ({
      label: arm.label,
      model: arm.model,
      profile: arm.profile,
      measured: measuredIn(arm).length,
      not_run: arm.notRun,
      measures: summarise(talliesOf(arm)),
      cases: arm.results.map(caseJson),
    })),
    difference: differenceOf(arms),
  };
}

function caseJson({ of, tally, raised, pairs, notes }: CaseResult): object {
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
  };
}

/** The same as one page that needs nothing else. */
export function evalPage(evaluation: Evaluation): string {
  const { arms } = evaluation;
  const title = arms.map(({ label }) => label).join(' and ');
  const stop = stopText(evaluation);
  return page(
    `Evaluation of ${title} – Postil`,
    html`<header><h1>Evaluation of ${title}</h1><p class="soft">Postil ${evaluation.postil} · ${basis(evaluation)} ${usedText(evaluation) ?? ''}</p></header>
<main>${stop === null ? nothing : html`<p class="card alert">${stop}</p>`}
<section><h2>Measures</h2><div class="card">${measuresTable(evaluation)}</div></section>
${arms.map(armCases)}</main>`,
  );
}

function armCases(arm: Arm): Html {
  const about = html`<p class="soft">${countsOf(arm)} · ${arm.model} · ${arm.profile}</p>`;
  return html`<section><h2>Cases of ${arm.label}</h2>${about}${worstFirst(arm.results).map(caseCard)}</section>`;
}

function measuresTable(evaluation: Evaluation): Html {
  const names = [...evaluation.arms.map(({ label }) => label), ...(evaluation.arms.length > 1 ? ['B - A'] : [])];
  return html`<table><tr><th>Measure</th>${names.map((name) => html`<th class="number">${name}</th>`)}</tr>
${rowsOf(evaluation).map(
  ({ label, cells }) =>
    html`<tr><td>${label}</td>${cells.map(([value, interval]) => html`<td class="number"><b>${value}</b><br><span class="soft small">${interval}</span></td>`)}</tr>`,
)}</table>`;
}

function caseCard(result: CaseResult): Html {
  const { of, tally, raised, pairs, notes } = result;
  const facts = [of.language, `${grouped(tally.tokens)} tokens`, duration(tally.seconds * 1_000)];
  const about = tally.unmeasured === null ? facts.filter((fact) => fact !== '').join(' · ') : of.language;
  const wrong = raised.filter((_, index) => !pairs.some(({ finding }) => finding === index));
  return html`<article class="card finding ${rankOf(result)}" tabindex="0"><div class="place"><b>${of.name}</b><span class="soft small">${about}</span></div>
<p>${caseLine({ ...result, notes: [] }).slice(of.name.length + 2)}</p>${notes.map((note) => html`<p class="soft small">${note}</p>`)}
<ul class="list">${tally.unmeasured === null ? [...of.goldens.map((_, index) => goldenLine(result, index)), ...wrong.map(wrongLine)] : []}</ul></article>`;
}

function goldenLine({ of, raised, pairs }: CaseResult, index: number): Html {
  const golden = of.goldens[index];
  if (golden === undefined) return nothing;
  const pair = pairs.find((one) => one.golden === index);
  const finding = pair === undefined ? undefined : raised[pair.finding];
  const place = placeText({ path: golden.path, lines: [golden.start, golden.end] });
  const found =
    finding === undefined
      ? html`<b class="critical">missed</b>`
      : html`<b class="info">found</b> by ${pair?.by ?? ''} as “${finding.title}”`;
  return html`<li>${found}: <span class="code">${place}</span> ${golden.description}</li>`;
}

function wrongLine({ title, spots }: Raised): Html {
  return html`<li><b class="warning">without a defect</b>: <span class="code">${spots.slice(0, 1).map(placeText).join('')}</span> ${title}</li>`;
}
