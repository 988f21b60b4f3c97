import pLimit from 'p-limit';
import { reasons } from '../errors.ts';
import { grouped, plural } from '../text.ts';
import { limits } from './budget.ts';
import type { StopReason, ToolOutcome } from './event.ts';
import {
  type AssistantMessage,
  type ImagePart,
  imagesMessage,
  type Message,
  type ToolMessage,
  withoutImages,
} from './message.ts';
import { costOf, type ModelAnswer } from './model.ts';
import { cutText, type PlannedCall, planTurn } from './plan-turn.ts';
import { lastCallSize, nextRequest, type Session } from './session.ts';
import { withTimeLimit } from './waiting.ts';

const callsAtOnce = 8;

/**
 * Takes in an answer that calls tools: each call gets one answer, in call order, whatever happens. Null when the
 * conversation goes on.
 */
export async function takeTurn(session: Session, answer: ModelAnswer): Promise<StopReason | null> {
  const { agent, history, meter } = session;
  const made = answer.message.toolCalls.length;
  const message = firstCalls(answer.message);
  const taken = message.toolCalls.length;
  if (taken < made) agent.emit({ type: 'calls-drop', step: meter.metrics.iterations, made, taken });
  // Of a cut answer the last call may be half a call.
  const cut = answer.end === 'length';
  if (cut) agent.emit({ type: 'answer-truncated', step: meter.metrics.iterations });
  const plan = planTurn(session, { calls: message.toolCalls, cut });
  const answers = await answerAll(session, plan.calls);
  const stop = session.submitted ? ({ reason: 'submitted' } as const) : (plan.stop ?? afterCuts(session));
  const goesOn = stop === null && session.reading;
  const notes = [...(taken < made ? [droppedNote(made)] : []), ...(goesOn ? [budgetNote(session)] : [])];
  history.append(message);
  history.append(...fitAnswers(session, { answers, note: notes.length === 0 ? null : notes.join('\n') }));
  return stop;
}

/**
 * The message with the calls that are taken: each of these gets its answer, and the history holds no others. Without the server's own items, which
 * hold them all.
 */
function firstCalls(message: AssistantMessage): AssistantMessage {
  const { callsOfAnswer } = limits;
  if (message.toolCalls.length <= callsOfAnswer) return message;
  return { ...message, toolCalls: message.toolCalls.slice(0, callsOfAnswer), raw: null };
}

function droppedNote(made: number): string {
  const { callsOfAnswer } = limits;
  return `[you made ${grouped(made)} calls at once: only the first ${callsOfAnswer} were taken, the others were dropped and not run]`;
}

/** A submission that is cut again and again at the same place will be the next time too. */
const maxCutsInVain = 2;

function afterCuts({ patience }: Session): StopReason | null {
  return patience.cutsInVain >= maxCutsInVain ? { reason: 'truncated' } : null;
}

// Answers are taken by position: ids from a server may repeat from one answer to the next.
async function answerAll(session: Session, calls: readonly PlannedCall[]): Promise<readonly AnsweredCall[]> {
  const limit = pLimit(callsAtOnce);
  return Promise.all(calls.map((planned) => limit(callTool, session, planned)));
}

/** `ran` says that the call counts in the metrics. */
type Result = {
  readonly outcome: ToolOutcome;
  readonly text: string;
  readonly images?: readonly ImagePart[];
  readonly ran?: boolean;
  /** For people. */
  readonly told?: string;
};

/** Does what was planned for one call. Never throws: every failure becomes the text that the model gets. */
async function callTool(session: Session, planned: PlannedCall): Promise<AnsweredCall> {
  const { agent, meter } = session;
  const { call } = planned;
  const start = agent.clock.now();
  agent.emit({ type: 'tool-start', step: meter.metrics.iterations, call });
  const result = await resultOf(session, planned);
  const { text, cut } = cutResult(result.text);
  const milliseconds = agent.clock.now() - start;
  if (result.ran === true) meter.noteToolResult(call.name, { milliseconds, cut });
  const answer = planned.action === 'run' && planned.warning !== null ? `${text}\n\n${planned.warning}` : text;
  agent.emit({
    type: 'tool-end',
    step: meter.metrics.iterations,
    call,
    outcome: result.outcome,
    milliseconds,
    characters: result.text.length,
    cut,
    text: answer,
    ...(result.told === undefined ? {} : { told: result.told }),
  });
  const message = { role: 'tool', callId: call.id, name: call.name, text: answer } as const;
  return { message, images: result.images ?? [] };
}

async function resultOf(session: Session, planned: PlannedCall): Promise<Result> {
  if (planned.action === 'answer') return planned;
  try {
    if (planned.action === 'take-cut') return await takeCut(session, planned);
    return await (planned.action === 'run' ? read(session, planned) : finish(session, planned));
  } catch (error) {
    const ran = planned.action !== 'take-cut';
    return { outcome: 'failed', text: `${planned.call.name} failed: ${reasons(error).join(' ')}`, ran };
  }
}

async function read(session: Session, planned: Extract<PlannedCall, { action: 'run' }>): Promise<Result> {
  const { agent, meter } = session;
  const milliseconds = agent.budget.softDeadline - agent.clock.now();
  const limit = { clock: agent.clock, milliseconds, signal: agent.signal };
  let ran = false;
  const timed = await withTimeLimit(limit, (signal) => {
    ran = true;
    meter.countToolCall(planned.call.name);
    return planned.tool.run(planned.value, signal, (used) => meter.countAttempt({ phase: 'embedding', ...used }));
  });
  if (timed.ended === 'done') {
    const given = typeof timed.value === 'string' ? { text: timed.value } : timed.value;
    return { outcome: 'ok', ...given, ran };
  }
  const reason = timed.ended === 'time' ? 'the time is used up' : 'the run was cancelled';
  return { outcome: 'failed', text: `${ran ? 'given up' : 'not run'}: ${reason}.`, ran };
}

async function takeCut({ patience }: Session, planned: Extract<PlannedCall, { action: 'take-cut' }>): Promise<Result> {
  const { call, takeCut: take } = planned;
  const text = await take(call.arguments);
  patience.cutsInVain = text === null ? patience.cutsInVain + 1 : 0;
  const told = 'cut at the output limit';
  return text === null
    ? { outcome: 'bad-arguments', text: cutText(call), told }
    : { outcome: 'refused', text, told: `${told}, its complete findings are kept` };
}

// Not limited in time: it takes in what the model found, also when the run is being cancelled.
async function finish(session: Session, planned: Extract<PlannedCall, { action: 'finish' }>): Promise<Result> {
  session.meter.countToolCall(planned.call.name);
  const { done, ...answer } = await session.agent.finish.finish(planned.value, planned.also);
  session.submitted = done && planned.isWhole;
  return { outcome: done ? 'ok' : 'refused', ...answer, ran: true };
}

type AnsweredCall = { readonly message: ToolMessage; readonly images: readonly ImagePart[] };

type Turn = { readonly answers: readonly AnsweredCall[]; readonly note: string | null };

/**
 * The answers of a turn and behind them the images they speak of, without what the last call could not be paid beside: first the
 * images, then the longest answers. Results that nobody can answer from any more would cost everything that was found before.
 */
function fitAnswers(session: Session, turn: Turn): readonly Message[] {
  const keeps = (messages: readonly Message[]) =>
    session.member.keep(lastCallSize(session, { messages, outputTokens: 0 }));
  const images = turn.answers.flatMap((answer) => answer.images);
  const shown = images.length === 0 ? [] : [imagesMessage(images)];
  const last = turn.answers.length - 1;
  const noted = (message: ToolMessage, index: number): ToolMessage =>
    turn.note === null || index < last ? message : { ...message, text: `${message.text}\n\n${turn.note}` };
  let answers = turn.answers.map(({ message }, index) => noted(message, index));
  if (shown.length > 0 && keeps([...answers, ...shown])) return [...answers, ...shown];
  const behind = shown.map((message) => withoutImages(message, 'the token budget has no room left'));
  const longestFirst = [...turn.answers.entries()].sort(
    ([, one], [, other]) => other.message.text.length - one.message.text.length,
  );
  for (const [index, { message }] of longestFirst) {
    if (keeps([...answers, ...behind])) return [...answers, ...behind];
    const text = `not shown: its ${message.text.length} characters do not fit the token budget.`;
    if (text.length >= message.text.length) break;
    answers = answers.with(index, noted({ ...message, text }, index));
  }
  keeps([...answers, ...behind]);
  return [...answers, ...behind];
}

const urgentIterations = 2;
const urgentMilliseconds = 60_000;

/** Closes the last tool result of a turn, so that the model knows what it may still use. */
function budgetNote(session: Session): string {
  const { agent, member } = session;
  const iterations = agent.limits.maxSteps - session.iterations;
  const tokens = member.available();
  const milliseconds = agent.budget.softDeadline - agent.clock.now();
  const cost = member.availableCost();
  const urgent =
    iterations <= urgentIterations || milliseconds < urgentMilliseconds || isScarce(session, { tokens, cost });
  const left = `${iterations} of ${agent.limits.maxSteps} iterations left, ${[tokensLeft(tokens), ...costLeft(cost), timeLeft(milliseconds)].join(', ')}`;
  return `[budget: ${left}${urgent ? `: call ${agent.finish.name} now or with the next call` : ''}]`;
}

/** Not enough for two more iterations and the last call. */
function isScarce(session: Session, left: { tokens: number; cost: number | null }): boolean {
  const next = session.sizeOf(nextRequest(session));
  const last = lastCallSize(session, { messages: [], outputTokens: next.output });
  const input = 2 * next.input + last.input;
  const output = 2 * next.output + last.output;
  const { price } = session.agent;
  if (left.tokens < input + output) return true;
  return left.cost !== null && price !== null && left.cost < costOf({ input, cached: 0, output }, price);
}

function tokensLeft(tokens: number): string {
  const thousands = Math.floor(tokens / 1_000);
  return thousands === 0 ? 'under 1,000 tokens' : `about ${grouped(thousands * 1_000)} tokens`;
}

function costLeft(cost: number | null): readonly string[] {
  return cost === null ? [] : [`$${(Math.floor(cost * 100) / 100).toFixed(2)}`];
}

function timeLeft(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  return minutes < 1 ? 'under a minute' : plural(minutes, 'minute');
}

/** Longest result of a tool that the model sees, in characters (OwlSight). */
export const maxResultCharacters = 30_000;

/** Cuts a long result at the end of a line and says how to get the rest. An empty one becomes words: servers refuse it. */
export function cutResult(result: string): { readonly text: string; readonly cut: boolean } {
  if (result === '') return { text: '(the result is empty)', cut: false };
  if (result.length <= maxResultCharacters) return { text: result, cut: false };
  const shown = result.slice(0, cutPosition(result));
  const note = `… cut: ${grouped(shown.length)} of ${grouped(result.length)} characters shown; ask for a line range`;
  return { text: `${shown}\n${note}`, cut: true };
}

function cutPosition(result: string): number {
  const lineEnd = result.lastIndexOf('\n', maxResultCharacters);
  if (lineEnd > 0) return lineEnd;
  // One endless line: only a pair of surrogates must stay whole.
  const lastCode = result.charCodeAt(maxResultCharacters - 1);
  return lastCode >= 0xd800 && lastCode <= 0xdbff ? maxResultCharacters - 1 : maxResultCharacters;
}
