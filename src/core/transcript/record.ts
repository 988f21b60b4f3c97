import type { Clock } from '../agent/agent.ts';
import type { Model, ModelRequest } from '../agent/model.ts';
import { combineReporters, type Reporter } from '../events.ts';
import { inEnglish } from '../messages/languages.ts';
import { verbatim } from '../messages/message.ts';
import { placeOf } from '../report/wording.ts';
import type { Repository, TextMatches } from '../repository/repository.ts';
import type { Destination, ReviewRecord } from '../review/sink.ts';
import type { ReviewParts } from '../review-pull-request.ts';
import type { CodePorts } from '../reviewing/parts.ts';
import { type HideInSource, hideInSource } from '../rules/find-secrets.ts';
import { loadRules } from '../rules/load-rules.ts';
import { type Settings, withoutFiles } from '../settings/settings.ts';
import { type Redacting, recordedContent, recordedEmbedder, recordedFiles, recorder, recordPort } from './calls.ts';
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
  const { redact, write } = recording;
  const { clock } = parts.run;
  write({
    type: 'start',
    schema_version: transcriptVersion,
    postil: recording.version,
    started_at: parts.run.startedAt,
    recorded_at: clock.now(),
    settings: recordedSettings(parts.settings, redact),
    identity: parts.identity,
    signs: parts.output.signs,
    pull_request: parts.pullRequest,
    ...startedBy(parts.trigger),
    notes: parts.trigger.notes,
    ports: portsOf(parts),
  });
  const record = recorder({ clock, write });
  const hide = sourceHider(parts.code.repository, redact);
  const { code, models, past } = parts;
  return {
    ...parts,
    output: {
      ...parts.output,
      report: combineReporters(parts.output.report, toolCallsTo(write, clock)),
      destinations: [...parts.output.destinations, transcriptEnd(recording)],
    },
    models: {
      model: recordedModel(models.model, { name: 'model', record, redact }),
      verifyModel: recordedModel(models.verifyModel, { name: 'verifyModel', record, redact }),
      embedder: recordedEmbedder(models.embedder, { record, redact }),
    },
    past:
      past &&
      recordPort('past', past, { record, kept: { changesBetween: (files) => files && recordedFiles(files, redact) } }),
    code: recordedCode(code, { record, hide, redact, onChanges: held.release }),
  };
}

/** Source without the credentials that the rules find in it. */
function recordedCode(
  { changes, repository, search, history, syntax, images }: CodePorts,
  { record, redact, hide, onChanges }: Redacting & { hide: ReturnType<typeof sourceHider>; onChanges: () => void },
): CodePorts {
  return {
    changes: () =>
      record('changes', [], async () => {
        const read = await changes();
        onChanges();
        return { given: read, kept: { ...read, files: recordedFiles(read.files, redact) } };
      }),
    repository: recordPort('repository', repository, {
      record,
      kept: { readFile: async (content, path) => recordedContent(content, await hide(path)) },
    }),
    search:
      search && recordPort('search', search, { record, kept: { search: (found) => recordedMatches(found, hide) } }),
    history: history && recordPort('history', history, { record }),
    syntax: syntax && recordPort('syntax', syntax, { record }),
    // Without the images themselves: their digests stand for them, here and in the keys of requests.
    images:
      images &&
      recordPort('images', images, {
        record,
        kept: { convert: (image) => (image.kind === 'ready' ? { ...image, base64: '' } : image) },
      }),
  };
}

/** Lines wait, in their order, until they are released. Finishing releases them, too, and ends the file: a late answer must not begin another. */
function holdBack({ write, finish }: Recording) {
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

/** Names of what may be absent. */
function portsOf({ models, code, past }: ReviewParts): readonly string[] {
  const { search, history, syntax, images } = code;
  const ports = { ...models, search, history, past, syntax, images };
  return Object.entries(ports).flatMap(([name, port]) => ((port ?? null) === null ? [] : [name]));
}

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
        const given = await model.answer(request, signal);
        return { given, kept: given, batch: request.conversation ?? null, asked: askedIn(request) };
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

async function recordedMatches(found: TextMatches, hide: HideSource): Promise<TextMatches> {
  const matches = found.matches.map(async (match) => ({ ...match, text: (await hide(match.path))(match.text) }));
  return { ...found, matches: await Promise.all(matches) };
}

function transcriptEnd({ write, finish, path }: Recording): Destination {
  const name = 'transcript-file';
  return {
    name,
    deliver: async (record) => {
      write(endLineOf(record));
      const reason = await finish();
      if (reason !== null) {
        return { sink: name, status: 'failed', reason: [verbatim(reason)], delivered: [], url: null };
      }
      return { sink: name, status: 'delivered', reason: [], delivered: [], url: path };
    },
  };
}

/** What a replay must come to as well: where each finding was to go, not where a server took it. */
export function endLineOf({ review, reflection }: ReviewRecord): EndLine {
  const { outcome } = review;
  const headline = inEnglish.sentences(review.headline);
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
