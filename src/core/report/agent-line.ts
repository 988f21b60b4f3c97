import { type AgentEvent, type Phase, sentenceFor, type ToolOutcome } from '../agent/event.ts';
import type { ToolCall } from '../agent/message.ts';
import { valueOfJson } from '../bounded.ts';
import { duration, grouped, plural } from '../text.ts';
import { characters, cutText } from './text.ts';
import { type EventLine, tokensText } from './wording.ts';

/** What a log shows of the agent's run: a line for every model call and tool call, with its size and its time. */
export function agentLine(event: AgentEvent): Omit<EventLine, 'batch'> | null {
  switch (event.type) {
    case 'step-start':
      return debug(`${stepName(event)} starts, about ${grouped(event.inputEstimate)} tokens in`);
    case 'step-end':
      return { ...info(stepEnd(event)), detail: event.text === '' ? null : event.text };
    case 'tool-start':
      return debug(`↳ ${callText(event.call)} starts`);
    case 'tool-end':
      return { ...info(toolEnd(event)), detail: event.text };
    case 'call-wait':
      return info(waiting(event));
    case 'call-retry':
      return info(
        `attempt ${event.attempt} failed, the next follows in ${duration(event.waitMilliseconds)}: ${event.reason}`,
      );
    case 'answer-empty':
      return info(`the answer was empty, attempt ${event.attempt} of ${event.maxAttempts}`);
    case 'calls-drop':
      return info(
        `the answer made ${grouped(event.made)} tool calls: only the first ${event.taken} were taken, the others are dropped`,
      );
    case 'answer-truncated':
      return info('the answer was cut at the output limit');
    case 'extraction-start':
      return {
        ...info(`asks for the findings in the schema, attempt ${event.attempt} of ${event.maxAttempts}`),
        detail: event.reason,
      };
    case 'limit-reach':
      return info(sentenceFor(event.stop));
    case 'run-end':
      return debug(`${sentenceFor(event.stop)} ${plural(event.steps, 'iteration')}, ${tokensText(event.usage)}`);
  }
}

/** A tool call on one line, such as `read_file src/a.ts`: its arguments' values, at most 160 characters of them. */
export function callText(call: ToolCall): string {
  const values = argumentValues(call.arguments);
  const short = values.length > 160 ? `${cutText(values, { max: 160, measure: characters })}…` : values;
  const name = cutText(call.name, { max: 100, measure: characters });
  return short === '' ? name : `${name} ${short}`;
}

function info(text: string): Omit<EventLine, 'batch'> {
  return { level: 'info', text, detail: null };
}

function debug(text: string): Omit<EventLine, 'batch'> {
  return { level: 'debug', text, detail: null };
}

const stepNames: Readonly<Record<Phase, string>> = {
  review: 'iteration',
  single: 'the one call',
  'follow-up': 'follow-up',
  final: 'last call',
  extraction: 'extraction',
  verification: 'verification',
  reflection: 'reflection',
  embedding: 'embedding',
};

function stepName({ phase, step, maxSteps }: { phase: Phase; step: number; maxSteps?: number }): string {
  if (phase !== 'review') return stepNames[phase];
  return `${stepNames[phase]} ${step}${maxSteps === undefined ? '' : ` of ${maxSteps}`}`;
}

function waiting({ milliseconds, characters: written }: Extract<AgentEvent, { type: 'call-wait' }>): string {
  const time = duration(milliseconds);
  if (written === null) return `still waiting for the model, ${time}`;
  return `the model is writing, ${time}, ${plural(written, 'character')} so far`;
}

function stepEnd(event: Extract<AgentEvent, { type: 'step-end' }>): string {
  const ends = {
    end: '',
    'tool-calls': '',
    length: 'cut at the output limit',
    refusal: 'refused',
    'content-filter': 'filtered',
  };
  const parts = [
    stepName(event),
    tokensText(event.usage),
    event.toolCalls === 0 ? '' : plural(event.toolCalls, 'tool call'),
    ends[event.end],
    duration(event.milliseconds),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function toolEnd(event: Extract<AgentEvent, { type: 'tool-end' }>): string {
  const { call, told, outcome, characters: length, cut } = event;
  // What a submission holds is said by its findings, and what the model reads about it is not for people.
  if (told !== undefined)
    return `↳ ${callText({ ...call, arguments: '{}' })}: ${told} · ${duration(event.milliseconds)}`;
  const size = `${plural(length, 'character')}${cut ? ', cut' : ''}`;
  const parts = [`↳ ${callText(call)}`, outcome === 'ok' ? size : outcomes[outcome], duration(event.milliseconds)];
  return parts.filter((part) => part !== '').join(' · ');
}

const outcomes: Readonly<Record<Exclude<ToolOutcome, 'ok'>, string>> = {
  failed: 'failed',
  denied: 'not permitted',
  'unknown-tool': 'returned: no such tool',
  'bad-arguments': 'returned: the arguments are not valid',
  repeated: 'returned: the same call again',
  refused: 'returned',
};

function argumentValues(json: string): string {
  const value = valueOfJson(json);
  // A model's arguments need not be JSON: they are shown as they are.
  if (typeof value !== 'object' || value === null) return json;
  return Object.values(value)
    .filter((one) => one !== null && one !== '')
    .flatMap((one) => (typeof one === 'object' ? [] : [String(one)]))
    .join(' ');
}
