import { at, listAt, textAt } from '../json.ts';
import type { NormalisedRequest } from './normalise.ts';
import { bad, type Problem } from './problem.ts';
import { strictSchemaProblem } from './strict-schema.ts';

/** What both APIs check of the tools and the choice among them. */
export function toolsProblem(request: NormalisedRequest): Problem | null {
  const tools = at(request.body, 'tools');
  if (Array.isArray(tools) && tools.length === 0) {
    return bad(
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      {
        param: 'tools',
        code: 'empty_array',
      },
    );
  }
  for (const [index, tool] of listAt(request.body, 'tools').entries()) {
    const problem = toolProblem(tool, { index, api: request.api });
    if (problem !== null) return problem;
  }
  return choiceProblem(request) ?? historyProblem(request);
}

function toolProblem(tool: unknown, { index, api }: { index: number; api: 'chat' | 'responses' }): Problem | null {
  const definition = api === 'chat' ? at(tool, 'function') : tool;
  const param = api === 'chat' ? `tools[${index}].function` : `tools[${index}]`;
  if (at(tool, 'type') !== 'function') {
    return bad(`Invalid value: '${at(tool, 'type')}'. Supported values are: 'function' and 'custom'.`, {
      param: `tools[${index}].type`,
      code: 'invalid_value',
    });
  }
  const name = textAt(definition, 'name');
  if (name === '')
    return bad(`Missing required parameter: '${param}.name'.`, {
      param: `${param}.name`,
      code: 'missing_required_parameter',
    });
  if (name.length > 64) {
    return bad(
      `Invalid '${param}.name': string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`,
      { param: `${param}.name`, code: 'string_above_max_length' },
    );
  }
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
    return bad(
      `Invalid '${param}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      { param: `${param}.name`, code: 'invalid_value' },
    );
  }
  const parameters = at(definition, 'parameters');
  if (at(parameters, 'type') !== 'object') {
    return schemaProblem({
      name,
      param,
      words: `schema must be a JSON Schema of 'type: "object"', got 'type: "${at(parameters, 'type') ?? 'None'}"'.`,
    });
  }
  // Responses is strict unless told otherwise, Chat Completions only when told.
  const strict = at(definition, 'strict') ?? api === 'responses';
  const words = strict === true ? strictSchemaProblem(parameters) : null;
  return words === null ? null : schemaProblem({ name, param, words });
}

function schemaProblem({ name, param, words }: { name: string; param: string; words: string }): Problem {
  return bad(`Invalid schema for function '${name}': ${words}`, {
    param: `${param}.parameters`,
    code: 'invalid_function_parameters',
  });
}

function choiceProblem(request: NormalisedRequest): Problem | null {
  const { toolChoice, tools } = request;
  if (toolChoice === null) return null;
  if (tools.length === 0) {
    return bad("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.", {
      param: 'tool_choice',
    });
  }
  if (typeof at(request.body, 'tool_choice') === 'string') {
    if (['auto', 'none', 'required'].includes(toolChoice)) return null;
    return bad(`Invalid value: '${toolChoice}'. Supported values are: 'none', 'auto', and 'required'.`, {
      param: 'tool_choice',
      code: 'invalid_value',
    });
  }
  if (tools.includes(toolChoice)) return null;
  return bad(`Tool choice '${toolChoice}' not found in 'tools' parameter.`, { param: 'tool_choice' });
}

/** Gateways in front of other vendors insist on it. */
function historyProblem(request: NormalisedRequest): Problem | null {
  const used = request.messages.some((message) => message.calls.length > 0 || message.role === 'tool');
  if (!used || request.tools.length > 0) return null;
  return bad('Requests which include `tool_use` or `tool_result` blocks must define tools.');
}
