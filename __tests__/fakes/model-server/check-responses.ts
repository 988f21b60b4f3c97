import { at, isObject, listAt, textAt } from '../every-pair.ts';
import { inputPartsProblem } from './check-request.ts';
import {
  bad,
  emptyArray,
  invalidValue,
  missingParameter,
  type NormalisedRequest,
  nameProblem,
  namesIn,
  type Problem,
  tooLong,
} from './normalise.ts';

const parameters = namesIn(`
  include input instructions max_output_tokens max_tool_calls metadata model parallel_tool_calls
  previous_response_id prompt_cache_key reasoning safety_identifier service_tier store stream stream_options
  temperature text tool_choice tools top_p truncation user
`);

/** What each type of item must have. */
const requiredOf: Readonly<Record<string, readonly string[]>> = {
  message: ['role', 'content'],
  function_call: ['call_id', 'name', 'arguments'],
  function_call_output: ['call_id', 'output'],
  reasoning: ['id', 'summary'],
};
const itemTypes = Object.keys(requiredOf);

/** What the Responses API checks of its parameters and of the input items, apart from reasoning. */
export function responsesProblem(body: unknown): Problem | null {
  const unknown = isObject(body) ? Object.keys(body).find((name) => !parameters.includes(name)) : undefined;
  if (unknown !== undefined) return bad(`Unknown parameter: '${unknown}'.`);
  if (textAt(body, 'model') === '') return missingParameter('model');
  // The default is true: a reviewer that says nothing leaves the code on somebody's server.
  if (at(body, 'store') !== false) return bad('Store must be set to false');
  const previous = textAt(body, 'previous_response_id');
  if (previous !== '') return bad(`Previous response with id '${previous}' not found.`);
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
    return invalidValue(String(type), `input[${index}]`, itemTypes);
  }
  const required = requiredOf[type] ?? [];
  const missing = required.find((name) => at(item, name) === undefined);
  if (missing !== undefined) return missingParameter(`input[${index}].${missing}`);
  if (type === 'function_call') return nameProblem(textAt(item, 'name'), `input[${index}].name`);
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
  return invalidValue(textAt(parts[wrong], 'type'), `input[${index}].content[${wrong}]`, supported);
}

function pairingProblem(items: readonly unknown[]): Problem | null {
  const ofType = (type: string) =>
    items.flatMap((item, index) => (at(item, 'type') === type ? [{ id: textAt(item, 'call_id'), index }] : []));
  const [made, answered] = [ofType('function_call'), ofType('function_call_output')];
  const stray = answered.find((answer) => !made.some((one) => one.id === answer.id && one.index < answer.index));
  if (stray !== undefined) return bad(`No tool call found for function call output with call_id ${stray.id}.`);
  const open = made.find((one) => !answered.some((answer) => answer.id === one.id));
  if (open !== undefined) return bad(`No tool output found for function call ${open.id}.`);
  const twice = answered.find((answer, place) => answered.findIndex((one) => one.id === answer.id) !== place);
  return twice === undefined ? null : bad(`Duplicate function call output found with call_id ${twice.id}.`);
}

/** What both APIs check of the tools and the choice among them. */
export function toolsProblem(request: NormalisedRequest): Problem | null {
  const tools = at(request.body, 'tools');
  if (Array.isArray(tools) && tools.length === 0) return emptyArray('tools');
  for (const [index, tool] of listAt(request.body, 'tools').entries()) {
    const problem = toolProblem(tool, { index, api: request.api });
    if (problem !== null) return problem;
  }
  return choiceProblem(request) ?? historyProblem(request);
}

function toolProblem(tool: unknown, { index, api }: { index: number; api: 'chat' | 'responses' }): Problem | null {
  const definition = api === 'chat' ? at(tool, 'function') : tool;
  const param = api === 'chat' ? `tools[${index}].function` : `tools[${index}]`;
  const kind = String(at(tool, 'type'));
  if (kind !== 'function') return invalidValue(kind, `tools[${index}].type`, ['function', 'custom']);
  const name = textAt(definition, 'name');
  if (name === '') return missingParameter(`${param}.name`);
  if (name.length > 64) return tooLong(`${param}.name`, { text: name, most: 64 });
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) return bad(`Invalid '${param}.name': string does not match pattern.`);
  const parameters = at(definition, 'parameters');
  const type = at(parameters, 'type') ?? 'None';
  const noObject = `schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`;
  // Responses is strict unless told otherwise, Chat Completions only when told.
  const strict = at(definition, 'strict') ?? api === 'responses';
  const words = type === 'object' ? (strict === true ? strictSchemaProblem(parameters) : null) : noObject;
  return words === null ? null : bad(`Invalid schema for function '${name}': ${words}`);
}

function choiceProblem(request: NormalisedRequest): Problem | null {
  const { toolChoice, tools } = request;
  if (toolChoice === null) return null;
  if (tools.length === 0) {
    return bad("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.");
  }
  if (typeof at(request.body, 'tool_choice') === 'string') {
    const modes = ['none', 'auto', 'required'];
    return modes.includes(toolChoice) ? null : invalidValue(toolChoice, 'tool_choice', modes);
  }
  if (tools.includes(toolChoice)) return null;
  return bad(`Tool choice '${toolChoice}' not found in 'tools' parameter.`);
}

/** Gateways in front of other vendors insist on it. */
function historyProblem(request: NormalisedRequest): Problem | null {
  const used = request.messages.some((message) => message.calls.length > 0 || message.role === 'tool');
  if (!used || request.tools.length > 0) return null;
  return bad('Requests which include `tool_use` or `tool_result` blocks must define tools.');
}

/** Why a schema is not one that strict function calling takes, in OpenAI's words; null when it is. */
function strictSchemaProblem(schema: unknown, context: readonly string[] = []): string | null {
  if (!isObject(schema)) return `${place(context)}schema must be an object.`;
  for (const keyword of Object.keys(schema)) {
    if (!permitted.has(keyword)) return `${place(context)}'${keyword}' is not permitted.`;
  }
  const types = [at(schema, 'type')].flat();
  return (
    (types.includes('object') ? objectProblem(schema, context) : null) ??
    (types.includes('array') ? itemsProblem(schema, context) : null) ??
    firstProblem(listAt(schema, 'anyOf'), [...context, 'anyOf']) ??
    typeProblem(schema, context)
  );
}

const permitted = new Set(
  namesIn(`
  type description title properties required additionalProperties items enum const anyOf $ref $defs pattern
  format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems
`),
);

function objectProblem(schema: unknown, context: readonly string[]): string | null {
  const properties = at(schema, 'properties');
  const names = isObject(properties) ? Object.keys(properties) : [];
  const required = listAt(schema, 'required');
  if (at(schema, 'additionalProperties') !== false) {
    return `${place(context)}'additionalProperties' is required to be supplied and to be false.`;
  }
  const every = "'required' is required to be supplied and to be an array including every key in properties.";
  const missing = names.find((name) => !required.includes(name));
  if (missing !== undefined) return `${place(context)}${every} Missing '${missing}'.`;
  const extra = required.find((name) => typeof name !== 'string' || !names.includes(name));
  if (extra !== undefined) return `${place(context)}${every} Extra required key '${extra}' supplied.`;
  for (const name of names) {
    const problem = strictSchemaProblem(at(properties, name), [...context, 'properties', name]);
    if (problem !== null) return problem;
  }
  return null;
}

function itemsProblem(schema: unknown, context: readonly string[]): string | null {
  const items = at(schema, 'items');
  if (items === undefined) return `${place(context)}array schema missing items.`;
  return strictSchemaProblem(items, [...context, 'items']);
}

function firstProblem(schemas: readonly unknown[], context: readonly string[]): string | null {
  for (const [index, schema] of schemas.entries()) {
    const problem = strictSchemaProblem(schema, [...context, String(index)]);
    if (problem !== null) return problem;
  }
  return null;
}

function typeProblem(schema: unknown, context: readonly string[]): string | null {
  const told = ['type', 'enum', 'anyOf', '$ref', 'const'].some((keyword) => at(schema, keyword) !== undefined);
  return told ? null : `${place(context)}schema must have a 'type' key.`;
}

/** The place as a Python tuple, because that is how the server prints it. */
function place(context: readonly string[]): string {
  const names = context.map((name) => `'${name}'`).join(', ');
  return `In context=(${names}${context.length === 1 ? ',' : ''}), `;
}
