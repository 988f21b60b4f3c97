import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { imagesOf, type Message } from '../agent/message.ts';
import type { ModelRequest } from '../agent/model.ts';
import { readJsonText } from '../bounded.ts';
import type { RunIdentity } from '../memory/memory.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { Parsed } from '../schema.ts';
import type { Settings } from '../settings/settings.ts';

/** Raised when a line changes its meaning. */
export const transcriptVersion = 1;

/** The first line: what was reviewed, and how. */
type StartLine = {
  readonly type: 'start';
  readonly schema_version: typeof transcriptVersion;
  /** Version of the Postil that recorded it. */
  readonly postil: string;
  /** Milliseconds since 1970, when the run began and when the recording did. */
  readonly started_at: number;
  readonly recorded_at: number;
  /** Without what may be secret. */
  readonly settings: Settings;
  readonly identity: RunIdentity | null;
  /** Whether it had a key to sign with; older recordings do not say. */
  readonly signs?: boolean;
  readonly pull_request: PullRequest;
  readonly notes: readonly string[];
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
  readonly milliseconds: number;
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
  readonly findings: readonly EndFinding[];
  readonly reflection: unknown;
};

type EndFinding = { readonly title: string; readonly where: string; readonly place: string };

export type TranscriptLine = StartLine | CallLine | EndLine;

/** Longest transcript that is read, in characters. */
const longest = 200_000_000;

export type Transcript = {
  readonly start: StartLine;
  readonly calls: readonly CallLine[];
  /** Null for a run that did not come to its end. */
  readonly end: EndLine | null;
};

/** Reads a whole transcript. Never throws: each problem names the line. */
export function parseTranscript(text: string): Parsed<Transcript> {
  if (text.length > longest) return refuse(`it is larger than ${longest / 1_000_000} MB`);
  const values = text.split('\n').map(parsed);
  const broken = values.indexOf('broken');
  // The last line of a run that was killed may be half a line.
  if (broken !== -1 && broken < values.length - 1) return refuse(`line ${broken + 1} is not JSON`);
  const [first, ...rest] = values.filter((value) => value !== null && value !== 'broken');
  if (!isStart(first)) return refuse('line 1 does not begin a transcript');
  if (first.schema_version !== transcriptVersion) {
    return refuse(
      `it is of version ${String(first.schema_version)}, and this Postil reads version ${transcriptVersion}`,
    );
  }
  return { ok: true, value: { start: first, calls: rest.filter(isCall), end: rest.find(isEnd) ?? null } };
}

function parsed(line: string): unknown {
  if (line.trim() === '') return null;
  const read = readJsonText(line);
  return read.ok ? read.value : 'broken';
}

function refuse(problem: string): Parsed<Transcript> {
  return { ok: false, problems: [problem] };
}

// What a port answered is believed: a transcript is our own file, and whoever changes it changes only what he sees.
function isStart(value: unknown): value is StartLine {
  return hasType(value, 'start') && ['settings', 'pull_request', 'ports', 'notes'].every((name) => name in value);
}

function isCall(value: unknown): value is CallLine {
  return hasType(value, 'call') && 'call' in value && 'key' in value && typeof value.key === 'string';
}

function isEnd(value: unknown): value is EndLine {
  return hasType(value, 'end') && 'findings' in value && Array.isArray(value.findings);
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
