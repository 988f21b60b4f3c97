import type { ToolCall } from '../../src/core/agent/message.ts';
import {
  type AnswerEnd,
  type Model,
  type ModelAnswer,
  type ModelRequest,
  noUsage,
  type Usage,
} from '../../src/core/agent/model.ts';
import { checkProtocol } from './loopback.ts';

/** What the model says. Left out: no text, no calls, an end that fits, no reported usage. */
export type ScriptedAnswer = {
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedCall[];
  readonly end?: AnswerEnd;
  readonly usage?: Usage;
};

/** Without an id the model numbers its calls: call_1, call_2, … */
export type ScriptedCall = { readonly name: string; readonly arguments: string; readonly id?: string };

/** An answer, an error to throw, or a function of what the model is asked. */
export type ScriptedStep =
  | ScriptedAnswer
  | Error
  | ((request: ModelRequest, signal: AbortSignal) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** A model that follows a script, throws when it runs out of it, and refuses what a real server refuses. */
export class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];
  readonly #script: ScriptedStep[];
  #calls = 0;

  constructor(...script: readonly ScriptedStep[]) {
    this.#script = [...script];
  }

  async answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    checkProtocol(request);
    const { onProgress: _onProgress, ...sent } = request;
    this.requests.push(sent);
    const step = this.#script.shift();
    if (step === undefined) throw new Error(`The script is over: request ${this.requests.length} was not expected.`);
    if (step instanceof Error) throw step;
    return this.#answerFrom(typeof step === 'function' ? await step(request, signal) : step);
  }

  #answerFrom(scripted: ScriptedAnswer): ModelAnswer {
    const toolCalls = (scripted.toolCalls ?? []).map((call): ToolCall => {
      this.#calls += 1;
      return { id: call.id ?? `call_${this.#calls}`, name: call.name, arguments: call.arguments };
    });
    const end = scripted.end ?? (toolCalls.length > 0 ? 'tool-calls' : 'end');
    const message = { role: 'assistant', text: scripted.text ?? '', toolCalls, raw: null } as const;
    return { message, end, usage: scripted.usage ?? null };
  }
}

/** A tool call with these arguments, as JSON. */
export function call(name: string, argumentsOfCall: unknown): ScriptedCall {
  return { name, arguments: JSON.stringify(argumentsOfCall) };
}

export function usage(input: number, output: number): Usage {
  return { ...noUsage, input, output };
}
