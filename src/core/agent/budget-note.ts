import { grouped } from '../grouped.ts';
import { lastCallSize, nextRequest, type Session } from './session.ts';

const urgentIterations = 2;
const urgentMilliseconds = 60_000;

/** Closes the last tool result of a turn, so that the model knows what it may still use. */
export function budgetNote(session: Session): string {
  const { agent, meter, member } = session;
  const iterations = agent.limits.maxSteps - meter.iterations;
  const tokens = member.available();
  const milliseconds = agent.budget.softDeadline - agent.clock.now();
  const urgent =
    iterations <= urgentIterations || milliseconds < urgentMilliseconds || tokens < tokensForTwoIterations(session);
  const left = `${iterations} of ${agent.limits.maxSteps} iterations left, ${tokensLeft(tokens)}, ${timeLeft(milliseconds)}`;
  if (!urgent) return `[budget: ${left}]`;
  return `[budget: ${left}: call ${agent.finish.name} now or with the next call]`;
}

function tokensForTwoIterations(session: Session): number {
  const next = session.sizeOf(nextRequest(session, 'review'));
  const last = lastCallSize(session, { messages: [], outputTokens: next.output });
  return 2 * (next.input + next.output) + last.input + last.output;
}

function tokensLeft(tokens: number): string {
  const thousands = Math.floor(tokens / 1_000);
  return thousands === 0 ? 'under 1,000 tokens' : `about ${grouped(thousands * 1_000)} tokens`;
}

function timeLeft(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return 'under a minute';
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
