import type { Price } from '../agent/model.ts';
import { isRecord, valueOfJson } from '../bounded.ts';
import { globProblem } from '../repository/path.ts';

/** What is sent to the model's server beside what Postil knows, as lines of the inputs say it; what cannot be sent is left out. */

const headerLine = /^(?<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(?<value>[\x21-\x7e][\x20-\x7e\t]*)$/;
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

type Fields = { readonly [name: string]: string };

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
  const value = valueOfJson(text);
  return isRecord(value) ? value : {};
}

/** What a review is made of is not for extra fields to say. */
const ownFields = ['messages', 'input', 'tools', 'tool_choice', 'model', 'stream', 'store'];

export function bodyProblem(text: string): string | null {
  if (text === '') return null;
  const value = valueOfJson(text);
  if (!isRecord(value)) return 'a JSON object, such as `{"provider":{"sort":"price"}}`';
  const own = ownFields.find((name) => name in value);
  return own === undefined ? null : `fields other than \`${own}\`, which Postil sets itself`;
}

/** Shorter ones are words, which would be taken out of every text. */
const shortestSecret = 9;

/** Values that no log, file or comment may show. */
export function secretValues(settings: { extraHeaders: Fields; extraQuery: Fields }): readonly string[] {
  const values = [...Object.values(settings.extraHeaders), ...Object.values(settings.extraQuery)];
  const withoutScheme = values.map((value) => value.replace(/^(?:bearer|basic|token)\s+/i, ''));
  return [...new Set([...values, ...withoutScheme])].filter((value) => value.length >= shortestSecret);
}

/** What the config file asks of files by their paths. */
export type PathInstruction = { readonly glob: string; readonly instruction: string };

/** Lines such as `src/api/**: Every handler checks the session.`; what cannot be read is left out. */
export function readPathInstructions(lines: readonly string[]): readonly PathInstruction[] {
  return lines.flatMap((one) => parts(one) ?? []);
}

const mostShown = 60;

export function pathInstructionsProblem(lines: readonly string[]): string | null {
  const wrong = lines.find((one) => parts(one) === null);
  if (wrong === undefined) return globsProblem(readPathInstructions(lines).map(({ glob }) => glob));
  return `a glob, a colon and what to look at, such as \`src/api/**: Check the session.\`, which ${shortened(wrong)} is not`;
}

function shortened(text: string): string {
  return JSON.stringify(text.length > mostShown ? `${text.slice(0, mostShown)}…` : text);
}

/** What a list of globs may hold, when one of them is none: it would match nothing, and a review of nothing looks like a clean one. */
export function globsProblem(globs: readonly string[]): string | null {
  for (const glob of globs) {
    const problem = glob.startsWith('!') ? 'a `!` before it has no meaning here' : globProblem(glob);
    if (problem !== null) return `globs such as \`src/**\`, which ${shortened(glob)} is not: ${problem}`;
  }
  return null;
}

const line = /^(?<glob>[^:]+):\s+(?<instruction>\S.*)$/s;

/** A glob may hold spaces when something else shows that it is one: a sentence with a colon is none. */
function parts(one: string): PathInstruction | null {
  const { glob = '', instruction = '' } = line.exec(one)?.groups ?? {};
  const named = glob.trim();
  if (named === '' || /[\r\n]/.test(named) || (/\s/.test(named) && !/[/*]/.test(named))) return null;
  return { glob: named, instruction: instruction.trim() };
}

/** Why a base URL may not be used; null when it may. */
export function baseUrlProblem(text: string): string | null {
  const url = parse(text);
  const allowed = 'allowed: https, or http on loopback and private hosts';
  if (url === null) return `'base-url' is ${JSON.stringify(text)}, which is not a URL; ${allowed}.`;
  if (url.username !== '' || url.password !== '')
    return "'base-url' holds a user or password; put the key into 'api-key'.";
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:' && isPrivate(url.hostname)) return null;
  return `'base-url' is ${JSON.stringify(text)}; ${allowed}.`;
}

export function baseUrlWarning(text: string): readonly string[] {
  const url = parse(text);
  if (url?.protocol !== 'http:' || isLoopback(url.hostname)) return [];
  return [`'base-url' is plain http on ${url.hostname}: the key and the source travel unencrypted.`];
}

export function isOpenAiHost(baseUrl: string): boolean {
  return parse(baseUrl)?.hostname === 'api.openai.com';
}

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isPrivate(host: string): boolean {
  if (
    isLoopback(host) ||
    /^10(\.\d{1,3}){3}$|^192\.168(\.\d{1,3}){2}$|^172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}$/.test(host)
  )
    return true;
  if (/^\[f[cd][0-9a-f]{2}:/i.test(host)) return true;
  // A name without a dot is a service container or a host of the local network.
  return !host.includes('.') && !host.includes(':') ? true : /\.(local|internal|localhost)$/.test(host);
}

/** By the model's name. */
type Pricing = { readonly [model: string]: Price };

/** Stands for every model without a line of its own. */
const everyModel = '*';

/** Lines such as `input=1,cached=0.05,output=5`, US$ per million tokens, each with a model's name and a colon before it or for all models. */
export function parsePricing(lines: readonly string[]): {
  readonly pricing: Pricing;
  readonly problems: readonly string[];
} {
  const pricing = new Map<string, Price>();
  const problems: string[] = [];
  for (const line of lines) {
    const pieces = line.split(':');
    const start = pieces.findIndex((piece) => /^\s*[a-z]+\s*=/i.test(piece));
    const model = start === 0 ? everyModel : pieces.slice(0, start).join(':');
    const price = parsePrice(start === -1 ? '' : pieces.slice(start).join(':'));
    // biome-ignore lint/nursery/noBaseToString: Biome does not see that it is a text here.
    if (typeof price === 'string') problems.push(`${JSON.stringify(line)}: ${price}`);
    else pricing.set(model.trim(), price);
  }
  return { pricing: Object.fromEntries(pricing), problems };
}

/** What a model costs; null when no line says it. */
export function priceOf(pricing: Pricing, model: string): Price | null {
  return ownPriceOf(pricing, model) ?? ownPriceOf(pricing, everyModel);
}

/** What a model costs by a line of its own: one for all models would be far off for a model of another kind. */
export function ownPriceOf(pricing: Pricing, model: string): Price | null {
  return Object.entries(pricing).find(([name]) => name === model)?.[1] ?? null;
}

// The name of a model may hold a colon itself, as at Ollama.
const names = ['input', 'cached', 'output'];

/** A price, or what is wrong with it. */
function parsePrice(text: string): Price | string {
  const parts = new Map<string, number>();
  for (const part of text.split(',')) {
    const { name = '', amount = '' } =
      /^\s*(?<name>[a-z]+)\s*=\s*\$?(?<amount>\d+(?:\.\d+)?|\.\d+)\s*$/i.exec(part)?.groups ?? {};
    if (!names.includes(name.toLowerCase()))
      return `${JSON.stringify(part.trim())} is not input=…, cached=… or output=… with a number`;
    parts.set(name.toLowerCase(), Number(amount));
  }
  const input = parts.get('input');
  const output = parts.get('output');
  if (input === undefined || output === undefined) return 'input=… and output=… are both needed';
  return { input, cached: parts.get('cached') ?? input, output };
}

/** Jobs that GitHub starts of one matrix, at most. */
export const mostShards = 256;

export type ShardName = { readonly number: number; readonly of: number };

/** Such as `3/8`. */
export function shardName({ number, of }: ShardName): string {
  return `${number}/${of}`;
}

/** The shard that `3/8` names; null for what names none. */
export function parseShard(text: string): ShardName | null {
  const [, number, of] = (/^(\d{1,3})\/(\d{1,3})$/.exec(text.trim()) ?? []).map(Number);
  if (number === undefined || of === undefined) return null;
  return number >= 1 && number <= of && of <= mostShards ? { number, of } : null;
}

/** For `strategy.matrix` of a workflow: a list in JSON that is never empty. */
export function shardMatrix(count: number): string {
  return JSON.stringify(
    Array.from({ length: Math.max(1, count) }, (_, at) => shardName({ number: at + 1, of: Math.max(1, count) })),
  );
}
