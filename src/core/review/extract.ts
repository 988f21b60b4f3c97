import { askAgain } from '../agent/continue-agent.ts';
import type { Agent, AgentRun } from '../agent/run-agent.ts';
import { parseFinalText } from '../findings/final-text.ts';
import type { SubmitReview } from '../findings/submit-review.ts';

/** Extraction calls a bundle (Cassandra's number). */
const maxAttempts = 3;

const question =
  'Your review was not submitted with submit_review. Call submit_review now with what you found: the same findings, nothing new. An empty list is fine when there are none.';

/**
 * Brings an answer in text into the schema: an accepted format is taken as it is, free text is asked for again on the same
 * conversation (the source is still in view) with submit_review alone. Hard errors and spent limits are not retried.
 */
export async function extract(agent: Agent, run: AgentRun, submit: SubmitReview): Promise<AgentRun> {
  let current = run;
  for (let attempt = 0; hasText(current); attempt += 1) {
    const taken = await take(current.text, submit);
    if (taken === 'no review') return current;
    if (taken.done) return { ...current, submitted: true, stop: stopAfterText(run) };
    if (attempt === maxAttempts) return current;
    const asked = await ask(agent, current, { attempt: attempt + 1, text: taken.text });
    if (asked.submitted) return { ...asked, stop: stopAfterText(run) };
    // Without a new text there is nothing to read: what was said first is kept as it is.
    if (asked.text === current.text || isHard(asked, run)) return asked;
    current = asked;
  }
  return current;
}

function ask(agent: Agent, run: AgentRun, { attempt, text }: { attempt: number; text: string }): Promise<AgentRun> {
  agent.emit({ type: 'extraction-start', attempt, maxAttempts, reason: text });
  return askAgain(agent, run, { text, phase: 'extraction' });
}

/** The call could not be made, or its error is not one that another attempt mends. */
function isHard(asked: AgentRun, run: AgentRun): boolean {
  return asked.stop.reason !== run.stop.reason;
}

type RunWithText = AgentRun & { readonly text: string };

function hasText(run: AgentRun): run is RunWithText {
  return run.text !== null && run.text.trim() !== '' && run.stop.reason !== 'cancelled';
}

type Taken = { readonly done: boolean; readonly text: string } | 'no review';

async function take(text: string, submit: SubmitReview): Promise<Taken> {
  const parsed = parseFinalText(text);
  if (parsed.kind === 'submission') return submit.take(parsed.submission);
  // "Let me check the file…" is no review (FAILURES M10): to ask for its findings would turn it into an empty one.
  return parsed.kind === 'announcement' ? 'no review' : { done: false, text: question };
}

/** An answer in text is as good as a submitted one; a limit that was reached before stays said. */
function stopAfterText(run: AgentRun): AgentRun['stop'] {
  return run.stop.reason === 'limit' || run.stop.reason === 'repeated-calls' ? run.stop : { reason: 'submitted' };
}
