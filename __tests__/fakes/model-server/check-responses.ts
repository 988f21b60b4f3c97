import type { ResponseCreateParams } from 'openai/resources/responses/responses';
import { at, isObject, listAt, textAt } from '../json.ts';
import { inputPartsProblem } from './check-images.ts';
import { bad, type Problem } from './problem.ts';

const parameters = [
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'model',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt_cache_key',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_p',
  'truncation',
  'user',
] as const satisfies readonly (keyof ResponseCreateParams)[];

const itemTypes = ['message', 'function_call', 'function_call_output', 'reasoning'];

/** What the Responses API checks of its parameters and of the input items, apart from reasoning. */
export function responsesProblem(body: unknown): Problem | null {
  const known: readonly string[] = parameters;
  const unknown = isObject(body) ? Object.keys(body).find((name) => !known.includes(name)) : undefined;
  if (unknown !== undefined)
    return bad(`Unknown parameter: '${unknown}'.`, { param: unknown, code: 'unknown_parameter' });
  if (textAt(body, 'model') === '')
    return bad("Missing required parameter: 'model'.", { param: 'model', code: 'missing_required_parameter' });
  // The default is true: a reviewer that says nothing leaves the code on somebody's server.
  if (at(body, 'store') !== false) return bad('Store must be set to false', { param: 'store' });
  const previous = textAt(body, 'previous_response_id');
  if (previous !== '') {
    return bad(`Previous response with id '${previous}' not found.`, {
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    });
  }
  const items = listAt(body, 'input');
  for (const [index, item] of items.entries()) {
    const problem = itemProblem(item, index);
    if (problem !== null) return problem;
  }
  return pairingProblem(items);
}

function itemProblem(item: unknown, index: number): Problem | null {
  const type = at(item, 'type') ?? 'message';
  if (typeof type !== 'string' || !itemTypes.includes(type)) {
    return bad(`Invalid value: '${type}'. Supported values are: ${itemTypes.map((one) => `'${one}'`).join(', ')}.`, {
      param: `input[${index}]`,
      code: 'invalid_value',
    });
  }
  const required =
    {
      message: ['role', 'content'],
      function_call: ['call_id', 'name', 'arguments'],
      function_call_output: ['call_id', 'output'],
      reasoning: ['id', 'summary'],
    }[type] ?? [];
  const missing = required.find((name) => at(item, name) === undefined);
  if (missing !== undefined) {
    const param = `input[${index}].${missing}`;
    return bad(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' });
  }
  if (type === 'message') return contentProblem(item, index) ?? inputPartsProblem(item, index);
  const words = 'a tool output is text here: images follow in a message of the user';
  return type === 'function_call_output' && typeof at(item, 'output') !== 'string' ? bad(words) : null;
}

function contentProblem(item: unknown, index: number): Problem | null {
  const supported =
    textAt(item, 'role') === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file'];
  const parts = listAt(item, 'content');
  const wrong = parts.findIndex((part) => !supported.includes(textAt(part, 'type')));
  if (wrong === -1) return null;
  return bad(
    `Invalid value: '${textAt(parts[wrong], 'type')}'. Supported values are: ${supported.map((one) => `'${one}'`).join(', ')}.`,
    {
      param: `input[${index}].content[${wrong}]`,
      code: 'invalid_value',
    },
  );
}

function pairingProblem(items: readonly unknown[]): Problem | null {
  const made = items.flatMap((item, index) =>
    at(item, 'type') === 'function_call' ? [{ id: textAt(item, 'call_id'), index }] : [],
  );
  const answered = items.flatMap((item, index) =>
    at(item, 'type') === 'function_call_output' ? [{ id: textAt(item, 'call_id'), index }] : [],
  );
  const stray = answered.find((answer) => !made.some((one) => one.id === answer.id && one.index < answer.index));
  if (stray !== undefined)
    return bad(`No tool call found for function call output with call_id ${stray.id}.`, { param: 'input' });
  const open = made.find((one) => !answered.some((answer) => answer.id === one.id));
  if (open !== undefined) return bad(`No tool output found for function call ${open.id}.`, { param: 'input' });
  const twice = answered.find((answer, place) => answered.findIndex((one) => one.id === answer.id) !== place);
  if (twice === undefined) return null;
  return bad(`Duplicate function call output found with call_id ${twice.id}.`, { param: 'input' });
}
