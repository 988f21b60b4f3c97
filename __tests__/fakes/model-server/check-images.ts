import { at, listAt, textAt } from '../json.ts';
import { bad, type Problem } from './problem.ts';

/** The parts of a Chat message: images stand in user messages alone, tool messages hold text and nothing else. */
export function chatPartsProblem(message: unknown, index: number): Problem | null {
  const role = textAt(message, 'role');
  for (const [place, part] of listAt(message, 'content').entries()) {
    const param = `messages[${index}].content[${place}]`;
    const type = textAt(part, 'type');
    if (type === 'image_url' && role !== 'user') {
      const words = `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`;
      return bad(words, { param: `messages[${index}]`, code: 'invalid_value' });
    }
    if (type === 'text' && typeof at(part, 'text') === 'string') continue;
    if (type !== 'image_url') return unsupported(type, { param, supported: ['text', 'image_url'] });
    const image = at(part, 'image_url');
    const problem = imageProblem(textAt(image, 'url'), `${param}.image_url.url`);
    if (problem !== null) return problem;
    const wrong = detailProblem(at(image, 'detail'), `${param}.image_url.detail`);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** The parts of a message item of Responses. */
export function inputPartsProblem(item: unknown, index: number): Problem | null {
  for (const [place, part] of listAt(item, 'content').entries()) {
    const param = `input[${index}].content[${place}]`;
    if (textAt(part, 'type') !== 'input_image') continue;
    if (textAt(item, 'role') !== 'user') return unsupported('input_image', { param, supported: ['input_text'] });
    const problem = imageProblem(textAt(part, 'image_url'), `${param}.image_url`);
    if (problem !== null) return problem;
    const wrong = detailProblem(at(part, 'detail'), `${param}.detail`);
    if (wrong !== null) return wrong;
  }
  return null;
}

function detailProblem(detail: unknown, param: string): Problem | null {
  const known = ['low', 'high', 'auto'];
  return typeof detail === 'string' && known.includes(detail)
    ? null
    : unsupported(String(detail), { param, supported: known });
}

const beginnings = { png: '89504e47', jpeg: 'ffd8ff', gif: '47494638', webp: '52494646' } as const;

/** A reviewer that gives a server an address to fetch tells it what it looks at: only data is taken here. */
function imageProblem(url: string, param: string): Problem | null {
  const [, format, base64 = ''] = /^data:image\/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(url) ?? [];
  const beginning = Object.entries(beginnings).find(([name]) => name === format)?.[1];
  if (beginning === undefined || base64.length % 4 !== 0) {
    const words = `Invalid '${param}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got something else.`;
    return bad(words, { param, code: 'invalid_value' });
  }
  if (Buffer.from(base64, 'base64').toString('hex', 0, 8).startsWith(beginning)) return null;
  const words =
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].";
  return bad(words, { param, code: 'invalid_image_format' });
}

function unsupported(value: string, where: { readonly param: string; readonly supported: readonly string[] }): Problem {
  const supported = where.supported.map((one) => `'${one}'`).join(' and ');
  return bad(`Invalid value: '${value}'. Supported values are: ${supported}.`, {
    param: where.param,
    code: 'invalid_value',
  });
}
