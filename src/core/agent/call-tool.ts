import { reasons } from '../errors.ts';
import { cutResult } from './cut-result.ts';
import type { ToolOutcome } from './event.ts';
import type { ImagePart } from './image-part.ts';
import { cutText, type PlannedCall } from './plan-turn.ts';
import type { Session } from './session.ts';
import { withTimeLimit } from './time-limit.ts';

/** `ran` says that the call counts in the metrics. */
type Result = {
  readonly outcome: ToolOutcome;
  readonly text: string;
  readonly images?: readonly ImagePart[];
  readonly ran?: boolean;
};

export type ToolAnswer = { readonly text: string; readonly images: readonly ImagePart[] };

/** Does what was planned for one call. Never throws: every failure becomes the text that the model gets. */
export async function callTool(session: Session, planned: PlannedCall): Promise<ToolAnswer> {
  const { agent, meter } = session;
  const { call } = planned;
  const start = agent.clock.now();
  agent.emit({ type: 'tool-start', step: meter.iterations, call });
  const result = await resultOf(session, planned);
  const { text, cut } = cutResult(result.text);
  const milliseconds = agent.clock.now() - start;
  if (result.ran === true) meter.noteToolResult(call.name, { milliseconds, cut });
  const answer = planned.action === 'run' && planned.warning !== null ? `${text}\n\n${planned.warning}` : text;
  agent.emit({
    type: 'tool-end',
    step: meter.iterations,
    call,
    outcome: result.outcome,
    milliseconds,
    characters: result.text.length,
    cut,
    text: answer,
  });
  return { text: answer, images: result.images ?? [] };
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
  return text === null ? { outcome: 'bad-arguments', text: cutText(call) } : { outcome: 'refused', text };
}

// Not limited in time: it takes in what the model found, also when the run is being cancelled.
async function finish(session: Session, planned: Extract<PlannedCall, { action: 'finish' }>): Promise<Result> {
  session.meter.countToolCall(planned.call.name);
  const { done, text } = await session.agent.finish.finish(planned.value);
  session.submitted = done;
  return { outcome: done ? 'ok' : 'refused', text, ran: true };
}
