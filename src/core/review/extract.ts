import { askAgain } from '../agent/continue-agent.ts';
import type { Agent, AgentRun } from '../agent/run-agent.ts';
import { parseFinalText } from '../findings/final-text.ts';
import type { SubmitReview } from '../findings/submit-review.ts';

/** Extraction calls a batch (Cassandra's number). */
const maxAttempts = 3;

const question =
  'Your review was not submitted with submit_review. Call submit_review now with what you found: the same findings, nothing new. An empty list is fine when there are none.';

/** What takes a review that came as text. */
export type Extractable = Pick<SubmitReview, 'take'> & {
  /** Whether a request for lines is a review too, with nothing found so far. */
  readonly takesRequests?: boolean;
};

/**
 * Brings an answer in text into the schema: an accepted format is taken as it is, free text is asked for again on the same
 * conversation (the source is still in view) with submit_review alone. Hard errors and spent limits are not retried.
 */
export async function extract(agent: Agent, run: AgentRun, submit: Extractable): Promise<AgentRun> {
  if (!endedWithText(run)) return run;
  const first = await take(run.text, submit);
  if (first === 'no review') return run;
  let current: AgentRun = run;
  let taken: Taken = first;
  for (let attempt = 1; !taken.done && attempt <= maxAttempts; attempt += 1) {
    const asked = await ask(agent, current, { attempt, text: taken.text });
    if (asked.submitted) return { ...asked, stop: stopAfterText(run) };
    // What was said first is the review; a later text is at most another form of it.
    if (isHard(asked, current)) return { ...asked, text: run.text };
    taken = await takeNext(asked, { current, submit });
    current = asked;
  }
  return taken.done ? { ...current, submitted: true, stop: stopAfterText(run) } : { ...current, text: run.text };
}

type RunWithText = AgentRun & { readonly text: string };

/** After an error, a text is a beginning that nothing followed. */
function endedWithText(run: AgentRun): run is RunWithText {
  if (run.submitted || run.text === null || run.text.trim() === '') return false;
  return !['cancelled', 'model-failed', 'refused', 'context-overflow'].includes(run.stop.reason);
}

type Taken = { readonly done: boolean; readonly text: string };

async function take(text: string, submit: Extractable): Promise<Taken | 'no review'> {
  const parsed = parseFinalText(text);
  if (parsed.kind === 'submission') return submit.take(parsed.submission);
  if (parsed.kind === 'context-request') {
    return submit.takesRequests === true ? submit.take(parsed.submission) : 'no review';
  }
  // "Let me check the file…" is no review (FAILURES M10): to ask for its findings would turn it into an empty one.
  return parsed.kind === 'announcement' ? 'no review' : { done: false, text: question };
}

function ask(agent: Agent, run: AgentRun, { attempt, text }: { attempt: number; text: string }): Promise<AgentRun> {
  agent.emit({ type: 'extraction-start', attempt, maxAttempts, reason: text });
  return askAgain(agent, run, { text, phase: 'extraction' });
}

/** The call could not be made, or its error is not one that another attempt fixes: only then the reason to stop is a new one. */
function isHard(asked: AgentRun, current: AgentRun): boolean {
  return asked.stop !== current.stop;
}

/** An empty answer, a malformed call and an announcement leave the question open; a refused submission says itself what to fix. */
async function takeNext(
  asked: AgentRun,
  { current, submit }: { readonly current: AgentRun; readonly submit: Extractable },
): Promise<Taken> {
  const said = asked.text === null || asked.text === current.text ? null : await take(asked.text, submit);
  return said === null || said === 'no review' ? { done: false, text: question } : said;
}

/** An answer in text is as good as a submitted one; a limit that was reached, or a text that was cut, stays said. */
function stopAfterText(run: AgentRun): AgentRun['stop'] {
  return run.stop.reason === 'answered' ? { reason: 'submitted' } : run.stop;
}
