import { changedFile, FakeClock, MemoryRepository } from '../__tests__/fakes/memory-repository.ts';
import { reviewParts } from '../__tests__/fakes/rich-record.ts';
import { estimateTokens } from '../src/core/agent/estimate.ts';
import type { Model, ModelRequest } from '../src/core/agent/model.ts';
import { inEnglish } from '../src/core/messages/languages.ts';
import { reviewPullRequest } from '../src/core/review-pull-request.ts';
import { codeLines } from './code-text.ts';
import type { Row } from './row.ts';

/** A server as people have them: milliseconds to the first token, and tokens a second. */
const server = { firstToken: 1_200, read: 6_000, written: 80 } as const;
/** What a cached token costs of a fresh one, and a fresh one where the server writes it to its cache. */
const price = { cached: 0.1, written: 1.25 } as const;

/**
 * What a person waits for with a model that answers as capable readers did: two turns that read, in four and three calls, then one finding for four
 * files and one line of the walkthrough for four, then the verification. The time is the server's alone: it passes by the clock of the test.
 */
export async function latency(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const files of [1, 16, 40, 60]) rows.push(...(await waitFor(files)));
  return rows;
}

async function waitFor(count: number): Promise<readonly Row[]> {
  const paths = Array.from({ length: count }, (_, at) => `src/part-${Math.floor(at / 5)}/file-${at + 10}.ts`);
  const textOf = (at: number) => codeLines({ seed: at, count: 40 });
  const files = paths.map((path, at) =>
    changedFile(path, { additions: 40, lines: textOf(at).map((line) => `+${line}`) }),
  );
  const repository = new MemoryRepository(
    Object.fromEntries(paths.map((path, at) => [path, `${textOf(at).join('\n')}\n`])),
  );
  const clock = new FakeClock();
  const model = new PatientModel(clock, paths);
  const parts = reviewParts({ repository, model, clock, changes: async () => ({ files, missing: [] }) });
  const { review } = await clock.drive(reviewPullRequest(parts));
  if (review.coverage.reviewed.length !== count)
    throw new Error(
      `${review.coverage.reviewed.length} of ${count} files were reviewed: ${inEnglish.sentences(review.headline)}`,
    );
  const named = `${count} ${count === 1 ? 'file' : 'files'}`;
  const row = (measure: string, measured: number, unit: Row['unit']): Row => ({
    measure,
    measured,
    unit,
    promised: null,
  });
  return [
    row(`${named}: wait`, clock.now() / 1_000, 's'),
    row('  all calls one after the other', model.spent / 1_000, 's'),
    row('  conversations', review.batches.length, 'calls'),
    row('  calls', model.calls, 'calls'),
    row('  tokens written', model.written, 'tokens'),
    row('  tokens billed', model.billed, 'tokens'),
  ];
}

/** Waits by the clock as long as a server would take, and answers as capable readers did. */
export class PatientModel implements Model {
  calls = 0;
  written = 0;
  billed = 0;
  /** Milliseconds of all calls. */
  spent = 0;
  readonly #clock: FakeClock;
  readonly #count: (text: string) => number;
  readonly #paths: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #earlier: string[] = [];

  constructor(clock: FakeClock, paths: readonly string[], count = estimateTokens) {
    this.#count = count;
    this.#clock = clock;
    this.#paths = paths;
    this.#known = new Set(paths);
  }

  async answer(request: ModelRequest, signal: AbortSignal) {
    this.calls += 1;
    const call = this.#callsOf(request);
    const prompt = promptOf(request.messages);
    const read = this.#count(prompt);
    const written = call.reduce((sum, { arguments: text }) => sum + estimateTokens(text), 0);
    const cached = read * (commonPrefix(prompt, this.#earlier) / prompt.length);
    this.#earlier.push(prompt);
    // What was sent long ago is not in a cache any more.
    if (this.#earlier.length > mostCached) this.#earlier.shift();
    const fresh = read - cached;
    this.billed += Math.round(fresh * price.written + cached * price.cached);
    this.written += written;
    const first = server.firstToken + (1_000 * read) / server.read;
    const rest = (1_000 * written) / server.written;
    this.spent += first + rest;
    await this.#clock.wait(first, signal);
    request.onProgress?.(1);
    await this.#clock.wait(rest, signal);
    const usage = { input: read, cached: Math.round(cached), output: written, thinking: 0, estimated: false };
    return { message: { role: 'assistant', text: '', toolCalls: call, raw: null }, end: 'tool-calls', usage } as const;
  }

  #callsOf({ messages, tools }: ModelRequest) {
    const own = (name: string, value: object, at = 0) => ({
      id: `call_${this.calls}_${at}`,
      name,
      arguments: JSON.stringify(value),
    });
    const prompt = promptOf(messages);
    if (tools.some(({ name }) => name === 'submit_verification')) {
      const confirmed = [...prompt.matchAll(/finding #(\d+)/g)].map(([, number]) => Number(number));
      return [own('submit_verification', { confirmed, drop_suggestion: [], verdicts: [] })];
    }
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const paths = partOf(prompt).filter((path) => this.#known.has(path));
    if (turn < reads.length && tools.length > 1) {
      return Array.from({ length: reads[turn] ?? 0 }, (_, at) =>
        own(
          'read_file_lines',
          { path: this.#paths[(this.calls + at) % this.#paths.length], start_line: 1 + turn, end_line: 40 },
          at,
        ),
      );
    }
    return [own('submit_review', reviewOf(paths))];
  }
}

const mostCached = 100;

/** Calls of each turn that reads. */
const reads = [4, 3];
const filesOfOne = 4;

function promptOf(messages: ModelRequest['messages']): string {
  return messages.map(({ text }) => text).join('\n');
}

/** What the conversation is to review: its part, where the whole diff stands before it, else the diff that it sees. */
function partOf(prompt: string): readonly string[] {
  const part = prompt.indexOf('# Your part');
  const named =
    part === -1
      ? prompt.match(/^src\/\S+(?= (?:modified|added)$)/gm)
      : prompt.slice(part).match(/src\/part-\d+\/file-\d+\.ts/g);
  return [...new Set(named ?? [])];
}

const words = (count: number) =>
  'the second request is answered before the first one was written to the log of '
    .repeat(9)
    .split(' ')
    .slice(0, count)
    .join(' ');

function reviewOf(paths: readonly string[]) {
  const groups = Array.from({ length: Math.ceil(paths.length / filesOfOne) }, (_, at) =>
    paths.slice(filesOfOne * at, filesOfOne * (at + 1)),
  );
  return {
    walkthrough: groups.map((group) => ({ paths: group, changes: words(12), checked: words(15) })),
    files_review: groups.flatMap(([path], at) => (path === undefined ? [] : [finding(path, at)])),
    non_specific_review: null,
    approval: { approved: false, rationale: words(20), action: 'REQUEST_CHANGES' },
  };
}

function finding(path: string, at: number) {
  const evidence = [{ path, side: 'RIGHT', lines: '3-9', shows: words(12) }];
  const said = {
    title: `${words(9)} ${at}`,
    review: words(60),
    severity: 'warning',
    category: 'bug',
    suggestion: null,
  };
  return {
    path,
    quote: codeLines({ seed: numberOf(path) - 10, count: 4 })[3],
    lines: '4',
    side: 'RIGHT',
    evidence,
    ...said,
    also_at: [],
    confidence: 0.9,
  };
}

function numberOf(path: string): number {
  return Number(/file-(\d+)/.exec(path)?.[1]);
}

function commonPrefix(prompt: string, earlier: readonly string[]): number {
  return Math.max(0, ...earlier.map((other) => commonLength(prompt, other)));
}

function commonLength(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}
