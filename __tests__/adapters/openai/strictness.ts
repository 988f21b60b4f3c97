import { at, isObject, listAt, textAt } from '../../fakes/json.ts';

/** What the real servers would refuse in a request of either API, in their words. */
export function problemsOf(body: unknown): readonly string[] {
  const calls = [...chatCalls(body), ...responsesCalls(body)];
  const outputs = [
    ...listAt(body, 'messages').map((message) => textAt(message, 'tool_call_id')),
    ...listAt(body, 'input').map((item) =>
      textAt(item, 'type') === 'function_call_output' ? textAt(item, 'call_id') : '',
    ),
  ].filter((id) => id !== '');
  return [
    ...calls.filter((id) => !outputs.includes(id)).map((id) => `No tool output found for function call '${id}'.`),
    ...outputs.filter((id) => !calls.includes(id)).map((id) => `No tool call found for output with id '${id}'.`),
    ...calls.filter((id, index) => calls.indexOf(id) !== index).map((id) => `Duplicate tool call id '${id}'.`),
    ...emptyMessages(body),
    ...(calls.length > 0 && at(body, 'tools') === undefined
      ? ['Tool calls in the history need tools in the request.']
      : []),
    ...listAt(body, 'tools').flatMap(looseSchema),
  ];
}

function chatCalls(body: unknown): readonly string[] {
  return listAt(body, 'messages')
    .flatMap((message) => listAt(message, 'tool_calls'))
    .map((call) => textAt(call, 'id'));
}

function responsesCalls(body: unknown): readonly string[] {
  return listAt(body, 'input')
    .filter((item) => textAt(item, 'type') === 'function_call')
    .map((item) => textAt(item, 'call_id'));
}

function emptyMessages(body: unknown): readonly string[] {
  return listAt(body, 'messages')
    .filter((message) => !hasText(message) && listAt(message, 'tool_calls').length === 0)
    .map(() => "Invalid value for 'content': expected a string, got null.");
}

/** Parts are for users: what holds images. */
function hasText(message: unknown): boolean {
  const content = at(message, 'content');
  if (typeof content === 'string') return true;
  return textAt(message, 'role') === 'user' && textAt(content, 0, 'text') !== '';
}

function looseSchema(tool: unknown): readonly string[] {
  const definition = at(tool, 'function') ?? tool;
  if (at(definition, 'strict') !== true) return [];
  const parameters = at(definition, 'parameters');
  const forbidden = /"(minimum|maximum|default|examples|minLength|maxLength|oneOf|allOf|not)":/.exec(
    JSON.stringify(parameters),
  );
  if (forbidden !== null) return [`Invalid schema for function: '${forbidden[1]}' is not permitted.`];
  const properties = at(parameters, 'properties');
  const names = isObject(properties) ? Object.keys(properties) : [];
  const required = listAt(parameters, 'required');
  const closed = at(parameters, 'additionalProperties') === false && names.every((name) => required.includes(name));
  return closed ? [] : ['Invalid schema for function: every property must be required, additionalProperties false.'];
}
