import type { Clock } from '../agent/agent.ts';
import type { Model } from '../agent/model.ts';
import type { Images } from '../images/images.ts';
import type { Syntax } from '../languages/syntax.ts';
import type { Past } from '../memory/memory.ts';
import { type ChangedFile, hunkLines } from '../pull-request/changed-file.ts';
import type { FileContent, History, Repository, TextMatches, TextSearch } from '../repository/repository.ts';
import type { ReviewParts } from '../review-pull-request.ts';
import { previewSettings } from '../settings/parse-settings.ts';
import { plural } from '../text.ts';
import { RecordedCalls, type RecordedQuestion, replayedEmbedder } from './calls.ts';
import { requestKey, startedBy, type Transcript } from './transcript.ts';

export type Replaying = Pick<ReviewParts, 'report' | 'destinations' | 'signal'> & {
  /** Its time passes only while everybody waits, from `recorded_at` on. */
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  /** The language of a path, as the parser knows it. */
  readonly languageOf: Syntax['languageOf'];
};

export type Replay = {
  readonly parts: ReviewParts;
  /** Where the replay asked something else than the recording, one sentence each, the first first. */
  readonly divergences: () => readonly string[];
  /** The lines of the change whose credential the recording hides, such as `src/a.ts:2`: no rule finds it again. */
  readonly hidden: () => readonly string[];
};

/** The parts of a recorded run, with every port answered from the transcript, after as long as it took. */
export function replayParts(transcript: Transcript, replaying: Replaying): Replay {
  const { start } = transcript;
  const { clock, redact, report, destinations, signal, languageOf } = replaying;
  const calls = new RecordedCalls(transcript.calls, clock);
  let hidden: readonly string[] = [];
  const has = (port: string) => start.ports.includes(port);
  const parts: ReviewParts = {
    // A setting that is newer than the recording has its default.
    settings: { ...previewSettings([]), ...start.settings },
    identity: start.identity,
    signs: start.signs,
    pullRequest: start.pull_request,
    ...startedBy(start),
    notes: start.notes,
    startedAt: start.started_at,
    model: has('model') ? replayedModel('model', { calls, redact }) : null,
    verifyModel: has('verifyModel') ? replayedModel('verifyModel', { calls, redact }) : null,
    embedder: has('embedder') ? replayedEmbedder({ calls, redact }) : null,
    repository: replayedRepository(calls),
    search: has('search') ? replayedSearch(calls) : null,
    history: has('history') ? replayedHistory(calls) : null,
    past: has('past') ? replayedPast(calls) : null,
    syntax: has('syntax') ? replayedSyntax(calls, languageOf) : null,
    ...(has('images') ? { images: replayedImages(calls) } : {}),
    changes: async () => {
      const changes = await calls.answer<Awaited<ReturnType<ReviewParts['changes']>>>({ call: 'changes', key: '[]' });
      hidden = hiddenIn(changes.files);
      return changes;
    },
    clock,
    // Waits are recorded with their length, so that no chance is left.
    random: () => 0,
    report,
    destinations,
    handOver: null,
    signal,
  };
  return { parts, divergences: () => calls.divergences, hidden: () => hidden };
}

function hiddenIn(files: readonly ChangedFile[]): readonly string[] {
  return files.flatMap(({ path, hunks }) =>
    hunks.flatMap((hunk) =>
      [...hunkLines(hunk)].flatMap(({ kind, newLine, text }) =>
        kind === 'added' && text.includes('[redacted: ') ? [`${path}:${newLine}`] : [],
      ),
    ),
  );
}

const mostNamed = 3;

/** The differences as people see them: where a credential is hidden they follow from that, and none of them says so. */
export function toldDifferences(differences: readonly string[], hidden: readonly string[]): readonly string[] {
  if (differences.length === 0 || hidden.length === 0) return differences;
  const more = hidden.length > mostNamed ? ` and ${hidden.length - mostNamed} more` : '';
  const places = `${hidden.slice(0, mostNamed).join(', ')}${more}`;
  return [
    `The recording hides what was a credential at ${places}, so no rule finds it again; ${plural(differences.length, 'difference')} may follow from that.`,
  ];
}

function asked(call: string, ...args: readonly unknown[]): RecordedQuestion {
  return { call, key: JSON.stringify(args) };
}

export function replayedModel(
  name: string,
  { calls, redact }: { calls: RecordedCalls; redact: Replaying['redact'] },
): Model {
  return {
    answer: (request, signal) =>
      calls.answer({ call: `${name}.answer`, key: requestKey(request, redact), inOrder: true, signal }),
  };
}

const unknown: FileContent = { kind: 'unreadable', reason: 'not-fetched', bytes: null };

function replayedRepository(calls: RecordedCalls): Repository {
  return {
    readFile: (path, at) => calls.answer({ ...asked('repository.readFile', path, at), otherwise: unknown }),
    listFiles: (at) => calls.answer(asked('repository.listFiles', at)),
  };
}

function replayedSearch(calls: RecordedCalls): TextSearch {
  const otherwise: TextMatches = { matches: [], incomplete: 'time' };
  return { search: (query) => calls.answer({ ...asked('search.search', query), otherwise }) };
}

function replayedHistory(calls: RecordedCalls): History {
  return {
    blame: (...args) => calls.answer(asked('history.blame', ...args)),
    log: (...args) => calls.answer(asked('history.log', ...args)),
  };
}

function replayedSyntax(calls: RecordedCalls, languageOf: Syntax['languageOf']): Syntax {
  return {
    languageOf,
    parse: ({ path }) => calls.answer({ ...asked('syntax.parse', path), otherwise: null }),
    layout: ({ path }) => calls.answer({ ...asked('syntax.layout', path), otherwise: null }),
  };
}

function replayedImages(calls: RecordedCalls): Images {
  return {
    find: (path, at) => calls.answer(asked('images.find', path, at)),
    convert: (path, at) => calls.answer(asked('images.convert', path, at)),
  };
}

function replayedPast(calls: RecordedCalls): Past {
  return {
    canWrite: (login) => calls.answer(asked('past.canWrite', login)),
    relationOf: (head) => calls.answer(asked('past.relationOf', head)),
    changesBetween: (from, to) => calls.answer(asked('past.changesBetween', from, to)),
  };
}
