import { at, isObject, listAt, textAt } from '../every-pair.ts';
import { bad, emptyArray, invalidValue, nameProblem, namesIn, type Problem, tooLong } from './normalise.ts';

const parameters = namesIn(`
  messages model frequency_penalty logprobs max_completion_tokens max_tokens metadata n parallel_tool_calls
  presence_penalty prompt_cache_key reasoning_effort response_format safety_identifier seed service_tier stop
  store stream stream_options temperature tool_choice tools top_p user verbosity
`);

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

/** What Chat Completions checks of its parameters and of the history. */
export function chatProblem(body: unknown): Problem | null {
  const unknown = isObject(body) ? Object.keys(body).find((name) => !parameters.includes(name)) : undefined;
  if (unknown !== undefined) return bad(`Unrecognized request argument supplied: ${unknown}`);
  if (textAt(body, 'model') === '') return bad('you must provide a model parameter');
  if (at(body, 'stream_options') !== undefined && at(body, 'stream') !== true) {
    return bad("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  }
  const messages = listAt(body, 'messages');
  if (messages.length === 0) return emptyArray('messages');
  for (const [index, message] of messages.entries()) {
    const problem =
      messageProblem(message, index) ?? chatPartsProblem(message, index) ?? pairingProblem(messages, index);
    if (problem !== null) return problem;
  }
  return null;
}

function messageProblem(message: unknown, index: number): Problem | null {
  const role = textAt(message, 'role');
  const content = at(message, 'content');
  const toolCalls = at(message, 'tool_calls');
  if (!roles.includes(role)) return invalidValue(role, `messages[${index}].role`, roles);
  if (Array.isArray(toolCalls) && toolCalls.length === 0) return emptyArray(`messages[${index}].tool_calls`);
  const mayBeEmpty = role === 'assistant' && (toolCalls !== undefined || typeof at(message, 'refusal') === 'string');
  if (typeof content === 'string' || (Array.isArray(content) && content.length > 0) || mayBeEmpty) return null;
  return bad(`Invalid value for 'content': expected a string, got ${content === null ? 'null' : typeof content}.`);
}

/** Every call is answered once, right behind the message that made it. */
function pairingProblem(messages: readonly unknown[], index: number): Problem | null {
  const message = messages[index];
  if (textAt(message, 'role') === 'tool') return strayProblem(messages, index);
  const ids = listAt(message, 'tool_calls').map((one) => textAt(one, 'id'));
  const long = ids.findIndex((id) => id.length > 40);
  if (long !== -1) return tooLong(`messages[${index}].tool_calls[${long}].id`, { text: ids[long] ?? '', most: 40 });
  for (const [place, call] of listAt(message, 'tool_calls').entries()) {
    const problem = nameProblem(
      textAt(call, 'function', 'name'),
      `messages[${index}].tool_calls[${place}].function.name`,
    );
    if (problem !== null) return problem;
  }
  const answers = answersAfter(messages, index);
  const open = ids.filter((id) => !answers.includes(id));
  if (open.length > 0) {
    return bad(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`,
    );
  }
  const twice = answers.find((id, place) => answers.indexOf(id) !== place);
  if (twice === undefined) return null;
  return bad(`Duplicate value for 'tool_call_id' of '${twice}' in message[${index + 1 + answers.lastIndexOf(twice)}]`);
}

function answersAfter(messages: readonly unknown[], index: number): readonly string[] {
  const following = messages.slice(index + 1);
  const end = following.findIndex((one) => textAt(one, 'role') !== 'tool');
  return following.slice(0, end === -1 ? following.length : end).map((one) => textAt(one, 'tool_call_id'));
}

function strayProblem(messages: readonly unknown[], index: number): Problem | null {
  const maker = messages.slice(0, index).findLast((one) => textAt(one, 'role') !== 'tool');
  const ids = listAt(maker, 'tool_calls').map((one) => textAt(one, 'id'));
  if (ids.includes(textAt(messages[index], 'tool_call_id'))) return null;
  return bad(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  );
}

/** The parts of a Chat message: images stand in user messages alone, tool messages hold text and nothing else. */
function chatPartsProblem(message: unknown, index: number): Problem | null {
  const role = textAt(message, 'role');
  for (const [place, part] of listAt(message, 'content').entries()) {
    const param = `messages[${index}].content[${place}]`;
    const type = textAt(part, 'type');
    if (type === 'image_url' && role !== 'user') {
      return bad(
        `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
      );
    }
    if (type === 'text' && typeof at(part, 'text') === 'string') continue;
    if (type !== 'image_url') return invalidValue(type, param, ['text', 'image_url']);
    const problem = imageProblem(at(part, 'image_url', 'url'), at(part, 'image_url', 'detail'), `${param}.image_url`);
    if (problem !== null) return problem;
  }
  return null;
}

/** The parts of a message item of Responses. */
export function inputPartsProblem(item: unknown, index: number): Problem | null {
  for (const [place, part] of listAt(item, 'content').entries()) {
    const param = `input[${index}].content[${place}]`;
    if (textAt(part, 'type') !== 'input_image') continue;
    if (textAt(item, 'role') !== 'user') return invalidValue('input_image', param, ['input_text']);
    const problem = imageProblem(at(part, 'image_url'), at(part, 'detail'), param);
    if (problem !== null) return problem;
  }
  return null;
}

const beginnings = { png: '89504e47', jpeg: 'ffd8ff', gif: '47494638', webp: '52494646' } as const;
const details = ['low', 'high', 'auto'];

/** A reviewer that gives a server an address to fetch tells it what it looks at: only data is taken here. */
function imageProblem(url: unknown, detail: unknown, param: string): Problem | null {
  const data = /^data:image\/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(String(url));
  const [, format, base64 = ''] = data ?? [];
  const beginning = Object.entries(beginnings).find(([name]) => name === format)?.[1];
  if (beginning === undefined || base64.length % 4 !== 0) {
    return bad(
      `Invalid '${param}'. Expected a base64-encoded data URL with an image MIME type, but got something else.`,
    );
  }
  if (!Buffer.from(base64, 'base64').toString('hex', 0, 8).startsWith(beginning)) {
    return bad('You uploaded an unsupported image. Please make sure your image is valid.');
  }
  return details.includes(String(detail)) ? null : invalidValue(String(detail), `${param}.detail`, details);
}
