import pLimit from 'p-limit';
import { reasons } from '../errors.ts';
import { grouped, plural } from '../text.ts';
import { limits } from './budget.ts';
import { append, type Conversation, lastCallSize, requestOf, sizeOf } from './conversation.ts';
import type { StopReason } from './event.ts';
import {
  type AssistantMessage,
  type ImagePart,
  imagesMessage,
  type Message,
  type ToolMessage,
  withoutImages,
} from './message.ts';
import { costOf, type ModelAnswer } from './model.ts';
import { type CallResult, type PlannedCall, planTurn } from './plan-turn.ts';

const callsAtOnce = 8;
/** A submission that is cut again and again at the same place will be the next time too. */
const maxCutsInVain = 2;

/**
 * Takes in an answer that calls tools: each call gets one answer, in call order, whatever happens. Null when the
 * conversation goes on.
 */
export async function takeTurn(conversation: Conversation, answer: ModelAnswer): Promise<StopReason | null> {
  const { agent, meter } = conversation;
  const made = answer.message.toolCalls.length;
  const message = firstCalls(answer.message);
  const taken = message.toolCalls.length;
  if (taken < made) agent.emit({ type: 'calls-drop', step: meter.metrics.iterations, made, taken });
  // Of a cut answer the last call may be half a call.
  const plan = planTurn(conversation, { calls: message.toolCalls, cut: answer.end === 'length' });
  const limit = pLimit(callsAtOnce);
  // Answers are taken by position: ids from a server may repeat from one answer to the next.
  const answers = await Promise.all(plan.calls.map((planned) => limit(answerCall, conversation, planned)));
  const stop = stopAfter(conversation, plan.stop);
  const goesOn = stop === null && conversation.offer === 'every tool';
  const notes = [...(taken < made ? [droppedNote(made)] : []), ...(goesOn ? [budgetNote(conversation)] : [])];
  append(conversation, message);
  append(conversation, ...fitAnswers(conversation, { answers, note: notes.length === 0 ? null : notes.join('\n') }));
  return stop;
}

function stopAfter({ submitted, cutsInVain }: Conversation, planned: StopReason | null): StopReason | null {
  if (submitted) return { reason: 'submitted' };
  return planned ?? (cutsInVain >= maxCutsInVain ? { reason: 'truncated' } : null);
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

/** Does what was planned for one call. Never throws: every failure becomes the text that the model gets. */
async function answerCall({ agent, meter }: Conversation, planned: PlannedCall): Promise<AnsweredCall> {
  const { call, counts, warning } = planned;
  const step = meter.metrics.iterations;
  const start = agent.clock.now();
  agent.emit({ type: 'tool-start', step, call });
  const { images = [], ...result } = await resultOf(planned);
  const { text, cut } = cutResult(result.text);
  const milliseconds = agent.clock.now() - start;
  if (counts && result.notRun !== true) meter.countToolCall(call.name, { milliseconds, cut });
  const answer = warning === undefined ? text : `${text}\n\n${warning}`;
  const size = { milliseconds, characters: result.text.length, cut };
  const told = result.told === undefined ? {} : { told: result.told };
  agent.emit({ type: 'tool-end', step, call, outcome: result.outcome, ...size, text: answer, ...told });
  return { message: { role: 'tool', callId: call.id, name: call.name, text: answer }, images };
}

async function resultOf({ call, run }: PlannedCall): Promise<CallResult> {
  try {
    return await run();
  } catch (error) {
    return { outcome: 'failed', text: `${call.name} failed: ${reasons(error).join(' ')}` };
  }
}

type AnsweredCall = { readonly message: ToolMessage; readonly images: readonly ImagePart[] };

type Turn = { readonly answers: readonly AnsweredCall[]; readonly note: string | null };

/**
 * The answers of a turn and behind them the images they speak of, without what the last call could not be paid beside: first the
 * images, then the longest answers. Results that nobody can answer from any more would cost everything that was found before.
 */
function fitAnswers(conversation: Conversation, turn: Turn): readonly Message[] {
  const keeps = (messages: readonly Message[]) => conversation.member.keep(lastCallSize(conversation, { messages }));
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
function budgetNote(conversation: Conversation): string {
  const { agent, member, callsLeft: iterations } = conversation;
  const tokens = member.available();
  const milliseconds = agent.budget.softDeadline - agent.clock.now();
  const cost = member.availableCost();
  const urgent =
    iterations <= urgentIterations || milliseconds < urgentMilliseconds || isScarce(conversation, { tokens, cost });
  const left = `${iterations} of ${agent.limits.maxSteps} iterations left, ${[tokensLeft(tokens), ...costLeft(cost), timeLeft(milliseconds)].join(', ')}`;
  return `[budget: ${left}${urgent ? `: call ${agent.finish.name} now or with the next call` : ''}]`;
}

/** Not enough for two more iterations and the last call. */
function isScarce(conversation: Conversation, left: { tokens: number; cost: number | null }): boolean {
  const next = sizeOf(conversation, requestOf(conversation));
  const last = lastCallSize(conversation, { outputTokens: next.output });
  const input = 2 * next.input + last.input;
  const output = 2 * next.output + last.output;
  const { price } = conversation.agent;
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
