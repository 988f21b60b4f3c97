import { grouped } from '../grouped.ts';
import { costOf } from './price.ts';
import { lastCallSize, nextRequest, type Session } from './session.ts';

const urgentIterations = 2;
const urgentMilliseconds = 60_000;

/** Closes the last tool result of a turn, so that the model knows what it may still use. */
export function budgetNote(session: Session): string {
  const { agent, meter, member } = session;
  const iterations = agent.limits.maxSteps - meter.iterations;
  const tokens = member.available();
  const milliseconds = agent.budget.softDeadline - agent.clock.now();
  const cost = member.availableCost();
  const urgent =
    iterations <= urgentIterations || milliseconds < urgentMilliseconds || isScarce(session, { tokens, cost });
  const left = `${iterations} of ${agent.limits.maxSteps} iterations left, ${[tokensLeft(tokens), ...costLeft(cost), timeLeft(milliseconds)].join(', ')}`;
  if (!urgent) return `[budget: ${left}]`;
  return `[budget: ${left}: call ${agent.finish.name} now or with the next call]`;
}

/** Not enough for two more iterations and the last call. */
function isScarce(session: Session, left: { readonly tokens: number; readonly cost: number | null }): boolean {
  const next = session.sizeOf(nextRequest(session, 'review'));
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
  if (minutes < 1) return 'under a minute';
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
