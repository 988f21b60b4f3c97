import type { AgentEvent } from '../agent/event.ts';
import type { ReviewEvent } from '../events.ts';
import { lifeMessage } from '../history/life.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Delivery } from '../review/sink.ts';
import { counted, dollars, duration, grouped, plural } from '../text.ts';
import { agentLine } from './agent-line.ts';
import type { Tone } from './sections/blocks.ts';
import { characters, cutText, visibleLine } from './text.ts';
import { type EventLine, severityLabel, tokensText } from './wording.ts';

/** What a log shows of an event: one line, or null where the event is of no interest to a reader. */
export function renderEvent(event: ReviewEvent): EventLine | null {
  if (event.type === 'agent-event') return ofAgent(event.batch, event.event);
  if (isAboutNothing(event)) return null;
  const level = event.type === 'warning' || isTrouble(event) ? 'warning' : isRoutine(event) ? 'debug' : 'info';
  const batch = 'batch' in event ? visibleLine(event.batch) : null;
  const tone = level === 'warning' ? 'warning' : toneOf(event);
  const line = { level, batch, text: shortLine(sentence(event)), detail: detail(event) } as const;
  return tone === null ? line : { ...line, tone };
}

/** Of findings by the most severe of them. */
function toneOf(event: ReviewEvent): Tone | null {
  const found = event.type === 'finding-accept' ? [event] : event.type === 'findings-list' ? event.findings : [];
  if (found.some(({ severity }) => severity === 'critical')) return 'bad';
  return found.some(({ severity }) => severity === 'warning') ? 'warning' : null;
}

function ofAgent(batch: string, event: AgentEvent): EventLine | null {
  const line = agentLine(event);
  return line === null ? null : { ...line, batch: visibleLine(batch), text: shortLine(line.text) };
}

const lineCharacters = 4_000;

// A title or a path may have megabytes.
function shortLine(text: string): string {
  if (text.length <= lineCharacters) return visibleLine(text);
  return `${visibleLine(cutText(text, { max: lineCharacters, measure: characters }))}…`;
}

function isTrouble(event: ReviewEvent): boolean {
  if (event.type === 'review-end') return event.outcome === 'failed' || event.outcome === 'partial';
  return event.type === 'delivery-end' && (event.delivery.status === 'failed' || event.delivery.status === 'refused');
}

/** Without batches there is nothing to plan and nothing to spend. */
function isAboutNothing(event: ReviewEvent): boolean {
  if (event.type === 'batches-plan') return event.batches.length === 0;
  return event.type === 'run-estimate' && event.modelCalls === 0;
}

/** What other lines tell: the findings where they are listed, and what was posted in one line for all. */
function isRoutine(event: ReviewEvent): boolean {
  if (event.type === 'delivery-end') return event.delivery.status === 'skipped' || event.delivery.reason.length === 0;
  return event.type === 'findings-list';
}

function doing({ posting, answering, planning, shard }: Extract<ReviewEvent, { type: 'review-start' }>): string {
  if (answering === true) return 'answers what was asked about';
  if (planning === true) return 'plans the review of';
  if (shard !== undefined) return `reviews shard ${shard} of`;
  return posting === true ? 'posts the review of' : 'reviews';
}

function sentence(event: Exclude<ReviewEvent, { type: 'agent-event' }>): string {
  switch (event.type) {
    case 'review-start':
      return `Postil ${event.version} ${doing(event)} ${event.subject} ${event.model === null ? 'by rules only' : `with ${event.model}, profile ${event.profile}`}.`;
    case 'note':
    case 'warning':
      return event.text;
    case 'files-select':
      return selectionSentence(event);
    case 'batches-plan':
      return `${plural(event.batches.length, 'batch')} to review.`;
    case 'batch-start':
      return 'The review starts.';
    case 'finding-accept':
      return `+ ${event.severity}: ${event.title} (${event.place})`;
    case 'run-estimate':
      return `Estimate: about ${plural(event.modelCalls, 'model call')}, ${grouped(event.input)} tokens in, ${grouped(event.output)} out${estimatedCost(event)}.`;
    case 'run-bill':
      return billSentence(event);
    case 'shares-plan':
      return sharesSentence(event);
    case 'batches-skip':
      return `${plural(event.count, 'batch')} of ${grouped(event.of)} did not start: ${event.sentence}`;
    case 'finding-dismiss':
      return `- ${event.by === 'already-there' ? 'already there' : 'disproved'}: ${event.title} (${event.place}): ${event.reason}`;
    case 'verification-end':
      return verificationSentence(event);
    case 'follow_up_requested':
      return `follow-up: asks to see ${event.file}${event.lines === '' ? '' : `:${event.lines}`}${event.reason === '' ? '' : `: ${event.reason}`}`;
    case 'follow_up_refused':
      return `follow-up not granted: ${event.reason}`;
    case 'follow_up_complete':
      return `follow-up: ${event.issues_confirmed} confirmed, ${event.issues_removed} removed, ${event.issues_added} added, ${grouped(event.extra_tokens)} tokens more.`;
    case 'reflection-end':
      return reflectionSentence(event);
    case 'finding-refuse':
      return `- unplaced: ${event.title} (${event.path}): ${event.reason}`;
    case 'batch-end':
      return event.sentence;
    case 'model-adjust':
      return `The model server requires a change: ${event.change} (${event.because})`;
    case 'delivery-end':
      return deliverySentence(event.delivery);
    case 'findings-list':
      return `${plural(event.findings.length, 'finding')}:`;
    case 'findings-post':
      return postedSentence(event);
    case 'review-end':
      return `${event.headline} ${duration(event.milliseconds)}.`;
  }
}

function selectionSentence({ kept, changedLines, skipped, unread }: EventOf<'files-select'>): string {
  const left = counted({ skipped: skipped.length, 'not reviewed': unread.length });
  const files = `${plural(kept.length, 'file')} to review with ${plural(changedLines, 'changed line')}`;
  return `${[files, ...left].join(', ')}.`;
}

function verificationSentence({ confirmed, dismissed, adjusted, already, note }: EventOf<'verification-end'>): string {
  const counts = counted({ confirmed, disproved: dismissed, adjusted, 'already there': already });
  const told = counts.length === 0 ? 'nothing decided' : counts.join(', ');
  return [`verification: ${told}.`, ...(note === null ? [] : [note])].join(' ');
}

/** Such as `Posted: 6 inline, 1 on a file, 1 in the summary.` */
function postedSentence({ places, url }: EventOf<'findings-post'>): string {
  const counts = placeNames.flatMap(([place, one, several]) => {
    const count = places[place] ?? 0;
    return count === 0 ? [] : [`${grouped(count)} ${count === 1 ? one : several}`];
  });
  const told = counts.length > 0 ? counts.join(', ') : url === null ? 'nothing' : 'no findings';
  return `Posted: ${told}.${url === null ? '' : ` ${url}`}`;
}

const placeNames = [
  ['inline', 'inline', 'inline'],
  ['file', 'on a file', 'on files'],
  ['body', "in the review's text", "in the review's text"],
  ['annotation', 'as an annotation', 'as annotations'],
  ['summary', 'in the summary', 'in the summary'],
  ['standing', 'still open from before', 'still open from before'],
] as const;

function estimatedCost({ cost, maxCost, input, output, maxTotalTokens }: EventOf<'run-estimate'>): string {
  const money = cost === null ? '' : `, ${dollars(cost)}${maxCost === null ? '' : ` of ${dollars(maxCost)}`}`;
  const above = input + output > maxTotalTokens || (cost !== null && maxCost !== null && cost > maxCost);
  return above ? `${money}: above the limit, so not everything may be reviewed` : money;
}

function billSentence({ metrics, maxTotalTokens, maxCost, milliseconds }: EventOf<'run-bill'>): string {
  const { usage, cost, modelCalls } = metrics;
  const tokens = `${grouped(usage.input + usage.output)} of ${grouped(maxTotalTokens)} tokens: ${tokensText(usage)}`;
  const money = cost === null ? [] : [`${dollars(cost)}${maxCost === null ? '' : ` of ${dollars(maxCost)}`}`];
  return [`Spent ${tokens}`, ...money, plural(modelCalls, 'model call'), duration(milliseconds)].join(' · ');
}

function sharesSentence({ batches, sure, likely, limit }: EventOf<'shares-plan'>): string {
  const setting = limit === 'tokens' ? 'max-total-tokens' : 'max-cost';
  const enough =
    sure === 0 ? 'may not be enough for one of' : `is enough for the first${sure === 1 ? '' : ` ${grouped(sure)}`} of`;
  const more = likely > sure ? `, likely for ${grouped(likely)}` : '';
  return `\`${setting}\` ${enough} ${plural(batches, 'batch')}${more}; the others start only if these leave enough.`;
}

function reflectionSentence({ confidence, quality, issues }: EventOf<'reflection-end'>): string {
  const scores = `Reflection: confidence ${confidence.toFixed(2)}, quality ${quality.toFixed(2)}.`;
  return [scores, ...issues].join(' ');
}

type EventOf<T extends ReviewEvent['type']> = Extract<ReviewEvent, { type: T }>;

function deliverySentence({ sink, status, reason, delivered, url }: Delivery): string {
  const count = delivered.length === 0 ? '' : `, ${plural(delivered.length, 'finding')}`;
  return [`${sink}: ${statuses[status]}${count}.`, inEnglish.sentences(reason), url ?? '']
    .filter((part) => part !== '')
    .join(' ');
}

const statuses: Readonly<Record<Delivery['status'], string>> = {
  delivered: 'delivered',
  skipped: 'skipped',
  refused: 'not permitted',
  failed: 'failed',
};

/** Lines of a list, and paths on a line of it: who wants the rest reads the progress file. */
const listed = 15;
const listedFindings = 50;

function detail(event: ReviewEvent): string | null {
  if (event.type === 'files-select' && event.skipped.length + event.unread.length > 0) {
    const unread = event.unread.map(({ path, reason }) => `${path} (not reviewed: ${inEnglish(reason)})`);
    const skipped = event.skipped.map(({ path, reason }) => `${path} (${inEnglish(reason)})`);
    return list([...unread, ...skipped], (line) => line);
  }
  if (event.type === 'findings-list' && event.findings.length > 0) {
    return list(event.findings, findingLine, listedFindings);
  }
  // One batch holds all files to review.
  if (event.type === 'batches-plan' && event.batches.length > 1) {
    return list(event.batches, ({ name, paths, estimatedTokens }) => {
      const more = paths.length > listed ? ` and ${grouped(paths.length - listed)} more` : '';
      const shown = `${paths.slice(0, listed).join(', ')}${more}`;
      return `${name}: ${plural(paths.length, 'file')}, about ${grouped(estimatedTokens)} tokens: ${shown}`;
    });
  }
  return null;
}

function findingLine({ severity, place, title, standing, life }: EventOf<'findings-list'>['findings'][number]): string {
  const label = `${inEnglish(severityLabel(severity))} · ${place} · ${title}`;
  if (life !== undefined) return `${label} (${inEnglish(lifeMessage(life))})`;
  return standing ? `${label} (still open from before)` : label;
}

function list<Item>(items: readonly Item[], lineOf: (item: Item) => string, most = listed): string {
  const lines = items.slice(0, most).map((item) => shortLine(lineOf(item)));
  const rest = items.length - lines.length;
  return [...lines, ...(rest > 0 ? [`… and ${grouped(rest)} more`] : [])].join('\n');
}

/** With more batches than this the log shows only the result of each, not its calls. */
const fewBatches = 20;
/** Lines about batches in all, and lines that are not about one. */
const most = { batches: 80, others: 30 } as const;

/**
 * The lines of a run, one event after the other. Where a run has many batches the log stays readable: the rest is there for who debugs, and
 * only then, since a runner stores hidden lines as well.
 */
export function logLines({ debugging }: { debugging: boolean }): (event: ReviewEvent) => readonly EventLine[] {
  let isLarge = false;
  const told = { batches: 0, others: 0 };
  return (event) => {
    if (event.type === 'batches-plan') isLarge = event.batches.length > fewBatches;
    const line = renderEvent(event);
    if (line === null) return [];
    if (!isLarge || event.type === 'review-end' || event.type === 'findings-list') return [line];
    const quiet: readonly EventLine[] = debugging ? [{ ...line, level: 'debug' }] : [];
    if (line.level === 'debug' || (line.batch !== null && event.type !== 'batch-end')) return quiet;
    const kind = line.batch === null ? 'others' : 'batches';
    told[kind] += 1;
    if (told[kind] <= most[kind]) return [line];
    return told[kind] === most[kind] + 1 ? [{ ...noticeOf(kind), level: line.level }, ...quiet] : quiet;
  };
}

function noticeOf(kind: keyof typeof most): Omit<EventLine, 'level'> {
  const what = kind === 'batches' ? 'results of batches' : 'notes and warnings';
  return { batch: null, text: `More ${what} appear with debug logging only.`, detail: null };
}
