import { Budget } from '../../../src/core/agent/budget.ts';
import type { AgentEvent } from '../../../src/core/agent/event.ts';
import type { Message } from '../../../src/core/agent/message.ts';
import { Meter } from '../../../src/core/agent/meter.ts';
import type { Model } from '../../../src/core/agent/model.ts';
import { type Agent, type AgentLimits, type AgentRun, runAgent } from '../../../src/core/agent/run-agent.ts';
import type { FinishingTool, Tool, ToolResult } from '../../../src/core/agent/tool.ts';
import { ToolError } from '../../../src/core/errors.ts';
import { exactly, parserFor } from '../../../src/core/schema.ts';
import { defineTool } from '../../../src/core/tools/sources.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, type ScriptedAnswer, ScriptedModel, type ScriptedStep } from '../../fakes/scripted-model.ts';

export const opening: readonly Message[] = [
  { role: 'system', text: 'You answer questions about files.' },
  { role: 'user', text: 'What is in a.ts?' },
];

/** A character is a token, so that sizes can be counted by eye. */
export const characters = (text: string): number => text.length;

/** Four characters are a token, as is usual. */
export const quarter = (text: string): number => Math.ceil(text.length / 4);

export type TestAgent = Agent & {
  readonly clock: FakeClock;
  readonly budget: Budget;
  readonly events: AgentEvent[];
};

export type Given = Partial<Omit<Agent, 'model' | 'clock' | 'budget' | 'limits'>> & {
  readonly model: Model;
  readonly clock?: FakeClock;
  readonly budget?: Budget;
  /** Limits of a budget of its own. */
  readonly within?: BudgetLimits;
  readonly limits?: Partial<AgentLimits>;
};

/** An agent with ample limits, over two files. */
export function agentWith({ clock = new FakeClock(), within = {}, limits, ...given }: Given): TestAgent {
  const events: AgentEvent[] = [];
  return {
    tools: [readFile()],
    finish: submit(),
    policy: () => ({ allowed: true }),
    price: null,
    budget: budgetOf(clock, within),
    meter: new Meter(),
    random: () => 0,
    emit: (event) => void events.push(event),
    estimateTokens: characters,
    signal: new AbortController().signal,
    ...given,
    limits: { maxSteps: 5, stepOutputTokens: 1_000, lastOutputTokens: 2_000, callMilliseconds: 60_000, ...limits },
    clock,
    events,
  };
}

export function run(agent: TestAgent): Promise<AgentRun> {
  return agent.clock.drive(runAgent(agent, opening));
}

/** The answer of a model that reads a file, or submits. */
export const reads = (path: string, more: ScriptedAnswer = {}) => ({
  toolCalls: [call('read_file', { path })],
  ...more,
});
export const submits = (answer = 'x', more: ScriptedAnswer = {}) => ({
  toolCalls: [call('submit', { answer })],
  ...more,
});

/** What comes of a run in which the model says this, one answer after the other. */
export async function runOf(script: readonly ScriptedStep[], given: Omit<Given, 'model'> = {}) {
  const model = new ScriptedModel(...script);
  const agent = agentWith({ ...given, model });
  const result = await run(agent);
  return { ...result, texts: toolTexts(result.messages), result, requests: model.requests, agent };
}

type BudgetLimits = Partial<Record<'maxTokens' | 'maxCost' | 'softDeadline' | 'hardDeadline', number>>;

export function budgetOf(clock: FakeClock, limits: BudgetLimits): Budget {
  const { maxTokens = 1_000_000, maxCost = null, softDeadline = 600_000, hardDeadline = 700_000 } = limits;
  return new Budget({ maxTokens, maxCost, softDeadline, hardDeadline, now: clock.now });
}

const files: Readonly<Record<string, string>> = { 'a.ts': 'one\ntwo', 'b.ts': 'three' };

export function readFile(read: (path: string, signal: AbortSignal) => Promise<ToolResult> = fromFiles): Tool {
  return defineTool({
    name: 'read_file',
    description: 'Read a file.',
    parameters: exactly({ path: { type: 'string' }, side: { type: ['string', 'null'] } }),
    path: 'path',
    run: ({ path }, signal) => read(path, signal),
  });
}

async function fromFiles(path: string): Promise<string> {
  const text = files[path];
  if (text === undefined) throw new ToolError(`There is no file ${path}.`);
  return text;
}

/** Accepts an answer unless it is in `refused`. */
export function submit(refused: readonly string[] = []): FinishingTool & { readonly accepted: string[] } {
  const parameters = exactly({ answer: { type: 'string' } });
  const parse = parserFor(parameters);
  const accepted: string[] = [];
  return {
    name: 'submit',
    description: 'Give the answer.',
    parameters,
    parse,
    finish: async (value, also = []) => {
      const answers = [value, ...also].map((one) => {
        const parsed = parse(one);
        if (!parsed.ok) throw new Error('arguments that were not parsed');
        return parsed.value.answer;
      });
      const bad = answers.find((answer) => refused.includes(answer));
      if (bad !== undefined) return { done: false, text: `"${bad}" is no answer.` };
      accepted.push(answers.join(', '));
      return { done: true, text: 'Thank you.' };
    },
    accepted,
  };
}

/** The answers that the model got, in order. */
export function toolTexts(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
}

/** The events of one type. */
export function eventsOf<T extends AgentEvent['type']>(agent: TestAgent, type: T): Extract<AgentEvent, { type: T }>[] {
  return agent.events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}
