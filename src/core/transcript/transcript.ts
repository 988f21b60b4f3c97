import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { imagesOf, type Message } from '../agent/message.ts';
import { type ModelRequest, usageSchema } from '../agent/model.ts';
import { readJsonText, valueOfJson } from '../bounded.ts';
import type { RunIdentity } from '../history/memory.ts';
import type { Message as ReviewMessage } from '../messages/message.ts';
import { messageSchema } from '../messages/message-schema.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { CallDetail } from '../report/timeline.ts';
import type { StartedBy } from '../reviewing/parts.ts';
import { exactly, type Infer, listOf, objectOrNull, type Parsed, parserFor, type Schema } from '../schema.ts';
import type { Settings } from '../settings/settings.ts';

/** Raised when a line changes its meaning. */
export const transcriptVersion = 2;

/** The first line: what was reviewed, and how. */
type StartLine = StartedBy & {
  readonly type: 'start';
  readonly schema_version: number;
  /** Version of the Postil that recorded it. */
  readonly postil: string;
  /** Milliseconds since 1970, when the run began and when the recording did. */
  readonly started_at: number;
  readonly recorded_at: number;
  /** Without what may be secret. */
  readonly settings: Settings;
  readonly identity: RunIdentity | null;
  /** Whether it had a key to sign with. */
  readonly signs: boolean;
  readonly pull_request: PullRequest;
  readonly notes: readonly ReviewMessage[];
  /** The ports that the run had. */
  readonly ports: readonly string[];
};

/** One answer of a port, in the order in which they came. */
export type CallLine = {
  readonly type: 'call';
  /** Such as `repository.readFile`. */
  readonly call: string;
  /** What was asked: the arguments, or a digest of a model's request. */
  readonly key: string;
  /** Milliseconds since the recording began. */
  readonly at?: number;
  readonly milliseconds: number;
  /** Of a model's call: whose conversation it belongs to, and the messages since its last answer, tool results aside. */
  readonly batch?: string | null;
  readonly asked?: readonly { readonly role: string; readonly text: string }[];
  readonly result?: unknown;
  readonly error?: RecordedError;
};

export type RecordedError = {
  readonly name: string;
  readonly message: string;
  /** Of a model's error. */
  readonly kind?: string;
  readonly hint?: string;
  readonly retry_after?: number | null;
  readonly maybe_billed?: boolean;
};

/** The last line: what came out. */
export type EndLine = {
  readonly type: 'end';
  readonly outcome: string;
  readonly headline: string;
  readonly findings: readonly { readonly title: string; readonly where: string; readonly place: string }[];
  readonly reflection: unknown;
  /** That the review took; older recordings do not say. */
  readonly milliseconds?: number;
};

const toolLineSchema = exactly({
  type: { enum: ['tool'] },
  at: { type: 'number' },
  milliseconds: { type: 'number' },
  batch: { type: 'string' },
  name: { type: 'string' },
  arguments: { type: 'string', description: 'JSON, as the model wrote it.' },
  outcome: { type: 'string' },
  text: { type: 'string', description: 'What the model got.' },
});

/** A call of a tool: for people, as a replay makes its own. */
type ToolLine = Infer<typeof toolLineSchema>;

export type TranscriptLine = StartLine | CallLine | ToolLine | EndLine;

/** Longest transcript that is read, in characters. */
const longest = 200_000_000;

export type Transcript = {
  readonly start: StartLine;
  readonly calls: readonly CallLine[];
  /** Null for a run that did not come to its end. */
  readonly end: EndLine | null;
};

/** Reads a whole transcript, which may come from a stranger. Never throws: each problem names the line. */
export function parseTranscript(text: string): Parsed<Transcript> {
  if (text.length > longest) return refuse(`it is larger than ${longest / 1_000_000} MB`);
  const values = text.split('\n').map(parsed);
  const broken = values.indexOf('broken');
  // The last line of a run that was killed may be half a line.
  if (broken !== -1 && broken < values.length - 1) return refuse(`line ${broken + 1} is not JSON`);
  const [first, ...rest] = values.filter((value) => value !== null && value !== 'broken');
  const start = startIn(first);
  if (!start.ok) return start;
  for (const [index, value] of values.entries()) {
    const problem = hasType(value, 'call') ? callProblem(value) : null;
    if (problem !== null) return refuse(`line ${index + 1} is no answer of a port: ${problem}`);
  }
  return { ok: true, value: { start: start.value, calls: rest.filter(isCall), end: rest.find(isEnd) ?? null } };
}

function startIn(line: unknown): Parsed<StartLine> {
  if (!isStart(line)) return refuse('line 1 does not begin a transcript');
  const { schema_version: version } = line;
  if (version !== transcriptVersion) {
    return refuse(`it is of version ${String(version)}, and this Postil reads version ${transcriptVersion}`);
  }
  const parsed = parseStart(line);
  return parsed.ok ? { ok: true, value: line } : refuse(`line 1 does not begin a transcript: ${parsed.problems[0]}`);
}

const text = { type: 'string' } as const;
const milliseconds = { type: 'number', minimum: 0 } as const;
const parseStart = parserFor(
  atLeast({
    settings: atLeast({ model: text }),
    pull_request: atLeast({ mergeBase: text, head: atLeast({ sha: text }) }),
    ports: listOf(text),
    notes: listOf(messageSchema),
  }),
  { firstProblem: true },
);
const recordedCall = atLeast({ call: text, key: text, milliseconds });
const parseCall = parserFor(recordedCall, { firstProblem: true });
const parseFailedCall = parserFor(
  atLeast({ ...recordedCall.properties, error: atLeast({ name: text, message: text }) }),
  { firstProblem: true },
);
const modelMessage = atLeast({ text, toolCalls: listOf(atLeast({ id: text, name: text, arguments: text })) });
const usage = { ...usageSchema, ...objectOrNull, additionalProperties: true } as const;
const end = { enum: ['end', 'tool-calls', 'length', 'refusal', 'content-filter'] } as const;
const parseAnswer = parserFor(atLeast({ message: modelMessage, end, usage }), { firstProblem: true });
const base64 = { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' } as const;
const parseEmbedding = parserFor(atLeast({ vectors: listOf(base64), usage }), { firstProblem: true });

/** What makes a line no call; null for a call. What a model answered is checked: it is counted, paid and shown. */
function callProblem(line: object): string | null {
  const parsed = ('error' in line ? parseFailedCall : parseCall)(line);
  if (!parsed.ok) return parsed.problems[0] ?? '';
  const { call } = parsed.value;
  if ('error' in line || !call.endsWith('.answer')) return null;
  const result = (call === 'embedder.answer' ? parseEmbedding : parseAnswer)(
    'result' in line ? line.result : undefined,
  );
  return result.ok ? null : (result.problems[0] ?? '');
}

const recordedFinding = atLeast({ title: text, where: text, place: text });
const endLine = atLeast({ outcome: text, headline: text, findings: listOf(recordedFinding) });
const parseEnd = parserFor({ ...endLine, properties: { ...endLine.properties, milliseconds } }, { firstProblem: true });
const parseTool = parserFor(toolLineSchema, { firstProblem: true });
const parseModelCall = parserFor(
  atLeast({
    batch: text,
    asked: listOf(atLeast({ role: text, text })),
    result: atLeast({ message: modelMessage }),
  }),
  { firstProblem: true },
);

/** An object in which these properties are there. */
function atLeast<const P extends { readonly [name: string]: Schema }>(properties: P) {
  return { ...exactly(properties), additionalProperties: true } as const;
}

/** The commit that was reviewed, and what each call of a model and a tool was asked and answered. Never throws; reads only what it needs. */
export function callDetails(text: string): Parsed<{ readonly head: string; readonly details: readonly CallDetail[] }> {
  const start = startIn(valueOfJson(text.slice(0, text.indexOf('\n') + 1)));
  if (!start.ok) return start;
  const details: CallDetail[] = [];
  for (let from = 0; from < text.length; from = endOfLine(text, from)) {
    const detail = detailOf(text.slice(from, endOfLine(text, from)));
    if (detail !== null) details.push(detail);
  }
  return { ok: true, value: { head: start.value.pull_request.head.sha, details } };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end + 1;
}

function detailOf(line: string): CallDetail | null {
  if (line.startsWith('{"type":"tool"')) {
    const tool = parseTool(valueOfJson(line));
    if (!tool.ok) return null;
    return { kind: 'tool', batch: tool.value.batch, asked: tool.value.arguments, answered: tool.value.text };
  }
  if (!/^\{"type":"call","call":"(?:model|verifyModel)\.answer"/.test(line)) return null;
  const call = parseModelCall(valueOfJson(line));
  if (!call.ok) return null;
  const { batch, asked, result } = call.value;
  const calls = result.message.toolCalls.map((one) => `${one.name} ${one.arguments}`);
  const answered = [result.message.text, ...calls].filter((one) => one !== '').join('\n\n');
  return { kind: 'model', batch, asked: asked.map((one) => `[${one.role}]\n${one.text}`).join('\n\n'), answered };
}

function parsed(line: string): unknown {
  if (line.trim() === '') return null;
  const read = readJsonText(line);
  return read.ok ? read.value : 'broken';
}

/** What somebody asked, and how: without it a replay would look for something else. */
export function startedBy({ asked, called, isByHand, shard }: StartedBy): StartedBy {
  return { asked, called, isByHand, shard };
}

function refuse(problem: string): { readonly ok: false; readonly problems: readonly string[] } {
  return { ok: false, problems: [problem] };
}

// What the other ports answered is believed: whoever changes it changes only what they see.
function isStart(value: unknown): value is StartLine {
  return hasType(value, 'start') && ['settings', 'pull_request', 'ports', 'notes'].every((name) => name in value);
}

function isCall(value: unknown): value is CallLine {
  return hasType(value, 'call') && 'call' in value && 'key' in value && typeof value.key === 'string';
}

function isEnd(value: unknown): value is EndLine {
  return hasType(value, 'end') && parseEnd(value).ok;
}

function hasType(value: unknown, type: string): value is { readonly type: string } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type;
}

/** What a model was asked, as 32 hex digits: equal when the same would be sent. Taken after secrets were taken out, as in the recording. */
export function requestKey(request: ModelRequest, redact: (text: string) => string): string {
  const messages = request.messages.map(keyOf);
  const { tools, toolChoice, maxOutputTokens } = request;
  const asked = [messages, tools.map(({ name }) => name), toolChoice, maxOutputTokens];
  return bytesToHex(sha256(utf8ToBytes(redact(JSON.stringify(asked))))).slice(0, 32);
}

function keyOf(message: Message): readonly unknown[] {
  if (message.role === 'assistant') return [message.role, message.text, message.toolCalls];
  if (message.role === 'tool') return [message.role, message.callId, message.text];
  // Images by their digests: a replay has no bytes of them.
  const images = imagesOf(message).map(({ digest, detail }) => [digest, detail]);
  return [message.role, message.text, ...(images.length === 0 ? [] : [images])];
}
