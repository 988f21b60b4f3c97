import type { Clock } from '../agent/agent.ts';
import type { Model, ModelRequest } from '../agent/model.ts';
import { combineReporters, type Reporter } from '../events.ts';
import type { Images } from '../images/images.ts';
import type { Syntax } from '../languages/syntax.ts';
import type { Past } from '../memory/memory.ts';
import { placeOf } from '../report/wording.ts';
import type { History, Repository, TextSearch } from '../repository/repository.ts';
import type { Destination, ReviewRecord } from '../review/sink.ts';
import type { ReviewParts } from '../review-pull-request.ts';
import { type HideInSource, hideInSource } from '../rules/find-secrets.ts';
import { loadRules } from '../rules/load-rules.ts';
import { type Settings, withoutFiles } from '../settings/settings.ts';
import {
  type Record,
  type Redacting,
  recordedContent,
  recordedEmbedder,
  recordedFiles,
  recorder,
  same,
} from './calls.ts';
import {
  type CallLine,
  type EndLine,
  requestKey,
  startedBy,
  type TranscriptLine,
  transcriptVersion,
} from './transcript.ts';

/** The same parts, which write down what every port answers: enough to run the review again without the world. */
export function recordParts(parts: ReviewParts, unheld: Recording): ReviewParts {
  // What people wrote may hold a credential that only the rules know, and they know it from the changes.
  const held = holdBack(unheld);
  const recording = { ...unheld, ...held };
  const { clock, redact, write } = { ...parts, ...recording };
  write({
    type: 'start',
    schema_version: transcriptVersion,
    postil: recording.version,
    started_at: parts.startedAt,
    recorded_at: clock.now(),
    settings: recordedSettings(parts.settings, redact),
    identity: parts.identity,
    signs: parts.signs,
    pull_request: parts.pullRequest,
    ...startedBy(parts),
    notes: parts.notes,
    ports: portNames.filter((name) => (parts[name] ?? null) !== null),
  });
  const record = recorder({ clock, write });
  const hide = sourceHider(parts.repository, redact);
  return {
    ...parts,
    report: combineReporters(parts.report, toolCallsTo(write, clock)),
    model: recordedModel(parts.model, { name: 'model', record, redact }),
    verifyModel: recordedModel(parts.verifyModel, { name: 'verifyModel', record, redact }),
    embedder: recordedEmbedder(parts.embedder, { record, redact }),
    repository: recordedRepository(parts.repository, { record, hide }),
    search: recordedSearch(parts.search, { record, hide }),
    history: recordedHistory(parts.history, record),
    past: recordedPast(parts.past, { record, redact }),
    syntax: recordedSyntax(parts.syntax, record),
    ...(parts.images === undefined ? {} : { images: recordedImages(parts.images, record) }),
    changes: () =>
      record('changes', [], async () => {
        const changes = await parts.changes();
        held.release();
        return { given: changes, kept: { ...changes, files: recordedFiles(changes.files, redact) } };
      }),
    destinations: [...parts.destinations, transcriptEnd(recording)],
  };
}

/** Lines wait, in their order, until they are released. Finishing releases them, too, and ends the file: a late answer must not begin another. */
function holdBack({ write, finish }: Pick<Recording, 'write' | 'finish'>) {
  let waiting: TranscriptLine[] | null = [];
  let isOver = false;
  const release = () => {
    for (const line of waiting ?? []) write(line);
    waiting = null;
  };
  return {
    release,
    write: (line: TranscriptLine) => {
      if (isOver) return;
      if (waiting === null) write(line);
      else waiting.push(line);
    },
    finish: () => {
      release();
      isOver = true;
      return finish();
    },
  };
}

type Recording = {
  /** Never throws. */
  readonly write: (line: TranscriptLine) => void;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Puts everything on disk. @returns why not all is there; null when it is */
  readonly finish: () => Promise<string | null>;
  readonly path: string;
  /** Of this Postil. */
  readonly version: string;
};

const portNames = ['model', 'verifyModel', 'embedder', 'search', 'history', 'past', 'syntax', 'images'] as const;

/** Values of extra fields may be secrets, and files are this machine's. */
function recordedSettings(settings: Settings, redact: (text: string) => string): Settings {
  const extra = { extraHeaders: {}, extraQuery: {}, extraBody: {} };
  return { ...withoutFiles(settings), ...extra, baseUrl: redact(new URL(settings.baseUrl).origin) };
}

export function recordedModel(
  model: Model | null,
  { name, record, redact }: Redacting & { readonly name: string },
): Model | null {
  if (model === null) return null;
  return {
    answer: (request, signal) =>
      record(`${name}.answer`, requestKey(request, redact), async () => {
        const answered = await same(model.answer(request, signal));
        return { ...answered, batch: request.conversation ?? null, asked: askedIn(request) };
      }),
  };
}

/** Characters of a message: a prompt is as long as its batch. */
const mostAsked = 20_000;

/** What was said since the last answer. Results of tools have lines of their own. */
function askedIn({ messages }: ModelRequest): NonNullable<CallLine['asked']> {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(last + 1)
    .filter(({ role }) => role !== 'tool')
    .map(({ role, text }) => ({
      role,
      text:
        text.length <= mostAsked ? text : `${text.slice(0, mostAsked)}\n… (${text.length - mostAsked} characters more)`,
    }));
}

function toolCallsTo(write: (line: TranscriptLine) => void, clock: Clock): Reporter {
  const began = clock.now();
  return (event) => {
    if (event.type !== 'agent-event' || event.event.type !== 'tool-end') return;
    const { call, outcome, milliseconds, text } = event.event;
    const at = clock.now() - began - milliseconds;
    const { name, arguments: given } = call;
    write({ type: 'tool', at, milliseconds, batch: event.batch, name, arguments: given, outcome, text });
  };
}

/** Takes out of source what the model is not shown of it: secrets that only a rule of the team knows, in files that did not change, too. */
type HideSource = (path: string) => Promise<(text: string) => string>;

function sourceHider(repository: Repository, redact: (text: string) => string): HideSource {
  let hiding: Promise<HideInSource> | undefined;
  return async (path) => {
    // A replay reads the rules again, whose examples may look like what they find.
    if (path.startsWith('.postil/')) return redact;
    hiding ??= loadRules(repository).then(({ rules }) => hideInSource(rules));
    const hide = await hiding;
    return (text) => redact(hide(path, text));
  };
}

type Hiding = { readonly record: Record; readonly hide: HideSource };

function recordedRepository(repository: Repository, { record, hide }: Hiding): Repository {
  return {
    readFile: (path, at) =>
      record('repository.readFile', [path, at], async () => {
        const given = await repository.readFile(path, at);
        return { given, kept: recordedContent(given, await hide(path)) };
      }),
    listFiles: (at) => record('repository.listFiles', [at], () => same(repository.listFiles(at))),
  };
}

function recordedSearch(search: TextSearch | null, { record, hide }: Hiding): TextSearch | null {
  if (search === null) return null;
  return {
    search: (query) =>
      record('search.search', [query], async () => {
        const given = await search.search(query);
        const matches = given.matches.map(async (match) => ({ ...match, text: (await hide(match.path))(match.text) }));
        return { given, kept: { ...given, matches: await Promise.all(matches) } };
      }),
  };
}

function recordedHistory(history: History | null, record: Record): History | null {
  if (history === null) return null;
  return {
    blame: (...args) => record('history.blame', args, () => same(history.blame(...args))),
    log: (...args) => record('history.log', args, () => same(history.log(...args))),
  };
}

/** By the path alone: a text is parsed once, and the file is in the transcript. Layouts are asked for in their order. */
function recordedSyntax(syntax: Syntax | null, record: Record): Syntax | null {
  if (syntax === null) return null;
  return {
    languageOf: (path) => syntax.languageOf(path),
    parse: (file, limits) => record('syntax.parse', [file.path], () => same(syntax.parse(file, limits))),
    layout: (file, limits) => record('syntax.layout', [file.path], () => same(syntax.layout(file, limits))),
  };
}

/** Without the images themselves: their digests stand for them, here and in the keys of requests. */
function recordedImages(images: Images, record: Record): Images {
  return {
    find: (path, at) => record('images.find', [path, at], () => same(images.find(path, at))),
    convert: (path, at) =>
      record('images.convert', [path, at], async () => {
        const given = await images.convert(path, at);
        return { given, kept: given.kind === 'ready' ? { ...given, base64: '' } : given };
      }),
  };
}

function recordedPast(past: Past | null, { record, redact }: Redacting): Past | null {
  if (past === null) return null;
  return {
    canWrite: (login) => record('past.canWrite', [login], () => same(past.canWrite(login))),
    relationOf: (head) => record('past.relationOf', [head], () => same(past.relationOf(head))),
    changesBetween: (from, to) =>
      record('past.changesBetween', [from, to], async () => {
        const given = await past.changesBetween(from, to);
        return { given, kept: given === null ? null : recordedFiles(given, redact) };
      }),
  };
}

function transcriptEnd({ write, finish, path }: Pick<Recording, 'write' | 'finish' | 'path'>): Destination {
  const name = 'transcript-file';
  return {
    name,
    deliver: async (record) => {
      write(endLineOf(record));
      const reason = await finish();
      if (reason !== null) return { sink: name, status: 'failed', reason, delivered: [], url: null };
      return { sink: name, status: 'delivered', reason, delivered: [], url: path };
    },
  };
}

/** What a replay must come to as well: where each finding was to go, not where a server took it. */
export function endLineOf({ review, reflection }: Pick<ReviewRecord, 'review' | 'reflection'>): EndLine {
  const { outcome, headline } = review;
  const findings = review.findings.map((one) => ({ title: one.title, where: placeOf(one), place: one.place }));
  return { type: 'end', outcome, headline, findings, reflection, milliseconds: review.milliseconds };
}

/** How a replay's end differs from the recorded one, one sentence each; empty when they are the same. */
export function compareRuns(recorded: EndLine | null, replayed: EndLine): readonly string[] {
  if (recorded === null) return ['The recorded run did not come to its end.'];
  const differences: string[] = [];
  if (recorded.outcome !== replayed.outcome) {
    differences.push(`The outcome is ${replayed.outcome}; it was ${recorded.outcome}.`);
  }
  const keyOf = (finding: EndLine['findings'][number]) => JSON.stringify([finding.title, finding.where, finding.place]);
  const before = new Set(recorded.findings.map(keyOf));
  const after = new Set(replayed.findings.map(keyOf));
  for (const finding of recorded.findings) {
    if (!after.has(keyOf(finding))) differences.push(`No longer found: ${sentenceOf(finding)}.`);
  }
  for (const finding of replayed.findings) {
    if (!before.has(keyOf(finding))) differences.push(`Not found before: ${sentenceOf(finding)}.`);
  }
  return differences;
}

function sentenceOf({ title, where, place }: EndLine['findings'][number]): string {
  return `${title} (${where}, ${place})`;
}
