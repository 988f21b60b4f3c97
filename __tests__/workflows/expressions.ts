import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { isObject } from '../fakes/every-pair.ts';

/** What an expression may name, by context: any other name is an error, as on GitHub. */
export type Contexts = Readonly<Record<string, unknown>>;

export type Result = 'success' | 'failure' | 'cancelled' | 'skipped';

/** A value of a workflow as GitHub evaluates it. A text that is one expression keeps the type of its result. */
export function evaluate(value: unknown, contexts: Contexts): unknown {
  if (Array.isArray(value)) return value.map((item) => evaluate(item, contexts));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, evaluate(item, contexts)]));
  }
  if (typeof value !== 'string') return value;
  const whole = /^\s*\$\{\{((?:(?!\}\}).)*)\}\}\s*$/s.exec(value)?.[1];
  if (whole !== undefined) return JSON.parse(JSON.stringify(resultOf(whole, contexts), data.replacer));
  return value.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => resultOf(expression, contexts).coerceString());
}

/** As inputs and variables are set: all of them are text. */
export function evaluateTexts(values: unknown, contexts: Contexts): Readonly<Record<string, string>> {
  const evaluated = Object.entries(isObject(values) ? values : {}).map(([name, value]) => {
    return [name, textOf(evaluate(value, contexts))];
  });
  return Object.fromEntries(evaluated);
}

export function textOf(value: unknown): string {
  return dataOf(value).coerceString();
}

/** Whether a job or step runs. Without a function that asks for the status, all before it must have succeeded. */
export function holds(condition: unknown, contexts: Contexts, before: readonly Result[]): boolean {
  const isFailed = before.includes('failure');
  const isCancelled = before.includes('cancelled');
  const status = {
    success: before.every((result) => result === 'success'),
    failure: isFailed,
    cancelled: isCancelled,
    always: true,
  };
  const text = String(condition ?? 'success()').replace(/^\s*\$\{\{(.*)\}\}\s*$/s, '$1');
  const asks = /\b(?:success|failure|cancelled|always)\s*\(\)/.test(text);
  if (!asks && !status.success) return false;
  return resultOf(`!(!(${text}))`, contexts, status).coerceString() === 'true';
}

function resultOf(expression: string, contexts: Contexts, status: Readonly<Record<string, boolean>> = {}) {
  const functions = Object.entries(status).map(([name, value]) => {
    return { name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(value) };
  });
  const { tokens } = new Lexer(expression).lex();
  const parsed = new Parser(tokens, Object.keys(contexts), functions).parse();
  const named = new data.Dictionary(...Object.entries(contexts).map(([key, value]) => ({ key, value: dataOf(value) })));
  return new Evaluator(parsed, named, new Map(functions.map((one) => [one.name, one]))).evaluate();
}

function dataOf(value: unknown): data.ExpressionData {
  return JSON.parse(JSON.stringify(value ?? null), data.reviver);
}
