import type { AgentEvent } from '../agent/event.ts';
import { grouped } from '../grouped.ts';
import type { ReviewEvent } from '../reporter.ts';
import type { Delivery } from '../review/sink.ts';
import { agentLine } from './agent-line.ts';
import type { EventLine } from './event-line.ts';
import { visibleLine } from './invisible.ts';
import { characters, cutText } from './limits.ts';
import { duration, plural } from './wording.ts';

/** What a log tells of an event: one line, or null where the event is of no interest to a reader. */
export function renderEvent(event: ReviewEvent): EventLine | null {
  if (event.type === 'agent-event') return ofAgent(event.bundle, event.event);
  const level = event.type === 'warning' || isTrouble(event) ? 'warning' : 'info';
  const bundle = 'bundle' in event ? visibleLine(event.bundle) : null;
  return { level, bundle, text: shortLine(sentence(event)), detail: detail(event) };
}

function ofAgent(bundle: string, event: AgentEvent): EventLine | null {
  const line = agentLine(event);
  return line === null ? null : { ...line, bundle: visibleLine(bundle), text: shortLine(line.text) };
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

function sentence(event: Exclude<ReviewEvent, { type: 'agent-event' }>): string {
  switch (event.type) {
    case 'review-start':
      return `Postil ${event.version} reviews ${event.subject} ${event.model === null ? 'by rules only' : `with ${event.model}`}, profile ${event.profile}.`;
    case 'note':
    case 'warning':
      return event.text;
    case 'files-select':
      return `${plural(event.kept.length, 'file')} to review with ${plural(event.changedLines, 'changed line')}, ${grouped(event.skipped.length)} skipped.`;
    case 'bundles-plan':
      return `${plural(event.bundles.length, 'bundle')} to review.`;
    case 'bundle-start':
      return 'The review starts.';
    case 'finding-accept':
      return `+ ${event.severity}: ${event.title} (${event.place})`;
    case 'finding-refuse':
      return `- refused: ${event.title} (${event.path}): ${event.reason}`;
    case 'bundle-end':
      return `${event.sentence} ${plural(event.findings, 'finding')}.`;
    case 'model-adjust':
      return `The model's server asked for a change: ${event.change} (${event.because})`;
    case 'delivery-end':
      return deliverySentence(event.delivery);
    case 'review-end':
      return `${event.headline} ${duration(event.milliseconds)}.`;
  }
}

function deliverySentence({ sink, status, reason, delivered, url }: Delivery): string {
  const count = delivered.length === 0 ? '' : `, ${plural(delivered.length, 'finding')}`;
  return [`${sink}: ${status}${count}.`, reason ?? '', url ?? ''].filter((part) => part !== '').join(' ');
}

function detail(event: ReviewEvent): string | null {
  if (event.type === 'files-select' && event.skipped.length > 0) {
    return event.skipped.map((file) => visibleLine(`${file.path} (${file.reason})`)).join('\n');
  }
  if (event.type === 'bundles-plan' && event.bundles.length > 0) {
    const lines = event.bundles.map(
      (bundle) =>
        `${bundle.name}: ${plural(bundle.paths.length, 'file')}, about ${grouped(bundle.estimatedTokens)} tokens: ${bundle.paths.join(', ')}`,
    );
    return lines.map(visibleLine).join('\n');
  }
  return null;
}
