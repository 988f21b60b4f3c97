/** What is sent to the model's server beside what Postil knows, as lines of the inputs say it; what cannot be sent is left out. */

const headerLine = /^(?<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(?<value>[\x20-\x7e\t]+)$/;
const queryLine = /^(?<name>[^=\s]+)=(?<value>.*)$/;
/** The connection's own. */
const ownHeaders: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'connection',
  'transfer-encoding',
  'expect',
  'upgrade',
]);

export type Fields = { readonly [name: string]: string };

export function readHeaders(lines: readonly string[]): Fields {
  return fieldsOf(
    lines.filter((line) => headerProblem(line) === null),
    headerLine,
  );
}

/** What is wrong with the lines; null when all can be sent. Values are not quoted: they may be secrets. */
export function headersProblem(lines: readonly string[]): string | null {
  return lines.map(headerProblem).find((problem) => problem !== null) ?? null;
}

function headerProblem(line: string): string | null {
  const name = headerLine.exec(line)?.groups?.['name'];
  if (name === undefined) return 'one header per line, such as `X-Title: Postil`';
  return ownHeaders.has(name.toLowerCase()) ? `headers other than ${name}, which belongs to the connection` : null;
}

export function readQuery(lines: readonly string[]): Fields {
  return fieldsOf(lines, queryLine);
}

export function queryProblem(lines: readonly string[]): string | null {
  return lines.every((line) => queryLine.test(line))
    ? null
    : 'one parameter per line, such as `api-version=2026-05-01`';
}

function fieldsOf(lines: readonly string[], pattern: RegExp): Fields {
  const entries = lines.map((line) => pattern.exec(line)?.groups ?? {});
  return Object.fromEntries(entries.map(({ name = '', value = '' }) => [name, value.trim()]));
}

/** A JSON object, or empty. */
export function readBody(text: string): { readonly [name: string]: unknown } {
  const value = parsed(text);
  return isRecord(value) ? value : {};
}

/** What a review is made of is not for extra fields to say. */
const ownFields = ['messages', 'input', 'tools', 'tool_choice', 'model', 'stream', 'store'];

export function bodyProblem(text: string): string | null {
  if (text === '') return null;
  const value = parsed(text);
  if (!isRecord(value)) return 'a JSON object, such as `{"provider":{"sort":"price"}}`';
  const own = ownFields.find((name) => name in value);
  return own === undefined ? null : `fields other than \`${own}\`, which Postil sets itself`;
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Shorter ones are words, which would be taken out of every text. */
const shortestSecret = 9;

/** Values that no log, file or comment may show. */
export function secretValues(settings: {
  readonly extraHeaders: Fields;
  readonly extraQuery: Fields;
}): readonly string[] {
  const values = [...Object.values(settings.extraHeaders), ...Object.values(settings.extraQuery)];
  const withoutScheme = values.map((value) => value.replace(/^(?:bearer|basic|token)\s+/i, ''));
  return [...new Set([...values, ...withoutScheme])].filter((value) => value.length >= shortestSecret);
}
