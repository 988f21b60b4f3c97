import { createHash } from 'node:crypto';
import { Journal } from '../../src/adapters/files/journal.ts';
import { readDiscussion } from '../../src/adapters/github/discussion.ts';
import { type Model, ModelError } from '../../src/core/agent/model.ts';
import { withoutMarks, writeMark } from '../../src/core/history/mark.ts';
import type { Past } from '../../src/core/history/memory.ts';
import { settingsDigest } from '../../src/core/history/scope.ts';
import { markKeys, withSignatures } from '../../src/core/history/signed-marks.ts';
import { surroundingsAt } from '../../src/core/history/surroundings.ts';
import { inEnglish } from '../../src/core/messages/languages.ts';
import type { ChangedFile } from '../../src/core/pull-request/changed-file.ts';
import { parsePatchText } from '../../src/core/pull-request/parse-diff.ts';
import { nothingLinked, type PullRequest } from '../../src/core/pull-request/pull-request.ts';
import { renderOutputs } from '../../src/core/report/json.ts';
import type { ReviewRecord } from '../../src/core/review/sink.ts';
import { reviewPullRequest } from '../../src/core/review-pull-request.ts';
import { parseSettings } from '../../src/core/settings/parse-settings.ts';
import { gitHubDestinations } from '../../src/run/job/github-destinations.ts';
import { FakeClock, MemoryRepository } from '../fakes/memory-repository.ts';
import { reviewParts } from '../fakes/rich-record.ts';
import { call, ScriptedModel } from '../fakes/scripted-model.ts';
import { type Commit, diffOf, historyOf } from './commits.ts';
import { clientOf, collaborators, type Hub, type OnRequest, viewer } from './hub.ts';
import type { Report, Reviewer, Seen } from './reviewer.ts';

/** The only file here that knows the sources of Postil: a run as a job has it, but that git and the model's server are in memory. */

const name = 'Review';
const repository = 'octo/spoon';
const reference = { owner: 'octo', repository: 'spoon', number: 7, serverUrl: 'https://github.example' };
const keys = markKeys(['a-key-of-the-lives-0123456789'], { repository, number: reference.number });
const render = { serverUrl: reference.serverUrl, repository, redact: (text: string) => text, name: 'Postil' };
const silent = () => undefined;
const noJournal = new Journal({
  ...{ context: render, path: '/dev/null/journal', token: '', destinations: [], startedAt: 0, now: () => 0 },
});
const usual = { 'fail-on': 'warning', verify: 'false', 'check-run': 'false', annotations: 'false' };

export type RunOptions = {
  readonly hub: Hub;
  /** 1-based, a number more with each run. */
  readonly run: number;
  readonly inputs: Readonly<Record<string, string>>;
  /** Null for a server that refuses its key. */
  readonly reviewer: Reviewer | null;
  /** Commits that nobody can read any more. */
  readonly isGone: (commit: Commit) => boolean;
  /** Rejects when the run is killed. */
  readonly killed: Promise<never>;
  readonly onRequest: OnRequest;
  /** Called before the diff is read. */
  readonly onDiff: () => Promise<void>;
};

/** One run on what is the head now. Its requests go to the hub, one after the other or side by side as it sends them. */
export async function runPostil(options: RunOptions): Promise<Report> {
  const { hub, run, inputs, reviewer, killed, onRequest, onDiff } = options;
  const { head, mergeBase, base } = hub;
  const { settings } = parseSettings([{ where: 'input', trusted: true, values: { ...usual, ...inputs } }]);
  const identity = { name, run: `${4000 + run}-1`, settings: settingsDigest(settings, { withModel: true }) };
  const client = clientOf(hub, onRequest);
  const signal = new AbortController().signal;
  const github = {
    ...client,
    mutate: client.graphql,
    ...{ isPersonal: false, signal, settleMilliseconds: 0, limitTo: silent },
  };
  const read = async () => withSignatures(await readDiscussion(github, reference), keys);
  const pullRequest: PullRequest = {
    ...{ repository, serverUrl: reference.serverUrl, number: reference.number, title: hub.pull.given.title, body: '' },
    ...{ author: 'ada', state: 'open', draft: false, labels: [], fromFork: false, commits: [], linked: nothingLinked },
    base: hub.pull.given.base,
    head: { ref: 'feature', sha: head.sha },
    mergeBase: mergeBase.sha,
    ...(await Promise.race([read(), killed])),
    ...{ discussionRead: true, missing: [] },
  };
  const files = (commit: Commit) => Object.fromEntries(commit.texts);
  const memory = new MemoryRepository(files(head), { base: files(base), mergeBase: files(mergeBase) });
  const changes = async () => {
    await onDiff();
    return { files: diffOf(mergeBase, head).map((entry) => changedFile(entry, [mergeBase, head])), missing: [] };
  };
  const past = pastOf(options);
  const code = {
    ...{ repository: memory, search: null, history: null, changes },
    ...{ changesBetween: past.changesBetween, blobs: past.blobs },
  };
  const images = { readBytes: async () => ({ kind: 'unreadable', reason: 'missing', bytes: null }) as const };
  const { destinations } = gitHubDestinations(
    {
      session: { github, lastWords: () => github, reference },
      ...{ pullRequest, keys, readDiscussion: read, currentHead: async () => hub.pull.headSha },
      code: { ...code, images, notes: [], close: async () => undefined },
      ...{ sharedLayers: [], notes: [] },
    },
    {
      ...{ settings, usual: settings, identity, asked: undefined, isAside: false, notes: [] },
      handed: { file: null, shard: null },
    },
    {
      ...{ report: silent, render, configure: silent, destinations: [], journal: noJournal },
      ...{ temporaryFolder: '', runUrl: null, close: async () => undefined },
    },
  );
  const model = modelOf(reviewer);
  const parts = reviewParts({
    ...{ settings, identity, pullRequest, past, ...code, model, destinations, signs: true, clock: new FakeClock() },
  });
  const record = await Promise.race([reviewPullRequest(parts), killed]);
  return reportOf(record, { hub, calls: model.requests.length });
}

function pastOf({ hub, isGone }: RunOptions): Past {
  const commitOf = (sha: string) => {
    const all = hub.heads.flatMap((one) => [...historyOf(one)]);
    const found = [...all, hub.mergeBase].find((one) => one.sha === sha);
    return found === undefined || isGone(found) ? null : found;
  };
  const { head } = hub;
  return {
    canWrite: async (login) => Object.entries(collaborators).some(([name, may]) => name === login && may !== 'read'),
    blobs: async (paths) => paths.map((path) => blobOf(head, path)),
    seal: async (contents, key) => (key > 0 ? null : contents.map((content) => keys.seal(content) ?? '')),
    changesBetween: async (from, to) => {
      const [one, other] = [commitOf(from), commitOf(to)];
      return one === null || other === null
        ? null
        : diffOf(one, other).map((entry) => changedFile(entry, [one, other]));
    },
  };
}

function blobOf(commit: Commit, path: string): string | null {
  const text = commit.texts.get(path);
  return text === undefined ? null : createHash('sha1').update(text).digest('hex');
}

function changedFile(
  { letter, path, oldPath, patch }: ReturnType<typeof diffOf>[number],
  [before, after]: readonly [Commit, Commit],
): ChangedFile {
  const stored = (commit: Commit, at: string) => {
    const blob = blobOf(commit, at);
    return blob === null ? null : { mode: '100644', blob };
  };
  const sides = {
    before: letter === 'A' ? null : stored(before, oldPath),
    after: letter === 'D' ? null : stored(after, path),
  };
  const hunks = parsePatchText(patch);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    ...{ path, oldPath, status: statuses[letter], kind: 'text', hunks },
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    ...{ modeChange: null, generated: false, incomplete: null, sides },
  };
}

const statuses = { A: 'added', M: 'modified', D: 'deleted', R: 'renamed' } as const;

/** Asks the reviewer in place of a server. */
function modelOf(reviewer: Reviewer | null): Model & Pick<ScriptedModel, 'requests'> {
  const requests: ScriptedModel['requests'] = [];
  return {
    requests,
    answer: async (request, signal) => {
      if (reviewer === null) throw new ModelError('authentication', 'Incorrect API key provided');
      requests.push(request);
      const text = request.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : [])).join('\n');
      const { findings, earlier } = reviewer(readPrompt(text));
      const asksFor = findings.length > 0 || earlier.some(({ state }) => state !== 'fixed');
      const submission = {
        walkthrough: [],
        files_review: findings.map((finding) => ({ ...plain, ...finding })),
        non_specific_review: null,
        earlier_findings: earlier,
        approval: asksFor
          ? { approved: false, rationale: 'Mend this first.', action: 'REQUEST_CHANGES' }
          : { approved: true, rationale: 'Nothing to mend.', action: 'APPROVE' },
      };
      return new ScriptedModel({ toolCalls: [call('submit_review', submission)] }).answer(request, signal);
    },
  };
}

const plain = {
  ...{ lines: null, side: 'RIGHT', evidence: [], severity: 'warning', category: 'bug', suggestion: null },
  ...{ also_at: [], rule_id: null, same_as: null, confidence: 0.9 },
};

/** What a prompt shows of the diff, what it asks, and what it says was said before. */
export function readPrompt(text: string): Seen {
  const rows: Seen['rows'][number][] = [];
  let path: string | null = null;
  for (const line of text.split('\n')) {
    const [, named] = /^## (\S+) (?:added|modified|deleted|renamed)\b/.exec(line) ?? [];
    if (named !== undefined) path = named;
    if (/^<\/untrusted-/.test(line)) path = null;
    const [, number, sign, code = ''] = /^\s*(\d+) ([ +-])(.*)$/.exec(line) ?? [];
    if (path === null || number === undefined) continue;
    rows.push({ path, line: Number(number), sign: sign === '+' ? '+' : sign === '-' ? '-' : ' ', text: code.trim() });
  }
  const asked = [...text.matchAll(/^\[(p-[0-9a-f]{8}(?:\.\d+)?)\] ([^\s:]+)(?::(\d+)-(\d+))?: (.*)$/gm)];
  const questions = asked.map(([, id = '', at = '', start, end, title = '']) => {
    return { id, path: at, lines: start === undefined ? null : ([Number(start), Number(end)] as const), title };
  });
  const raised = [...text.matchAll(/^\[(p-[0-9a-f]{8}(?:\.\d+)?), ([^\]]*)\] (\S+) (.*)$/gm)];
  return {
    rows,
    questions,
    raised: raised.map(([, id = '', state = '', , title = '']) => ({ id, state, title })),
    discussed: /<untrusted-\w+ discussion>\n([\s\S]*?)\n<\/untrusted-/.exec(text)?.[1] ?? '',
    forbids: /do not raise again/i.test(text),
    text,
  };
}

function reportOf(record: ReviewRecord, { hub, calls }: { hub: Hub; calls: number }): Report {
  const { review, placed, verdict } = record;
  const found = (finding: (typeof placed)[number]): Report['open'][number] => {
    const { id, knownAs, title, path, anchor, severity, alsoAt, alsoMore = 0, life, place, url, source } = finding;
    const lines = anchor.kind === 'file' ? null : { side: anchor.side, start: anchor.startLine, end: anchor.endLine };
    return { ...{ id: knownAs ?? id, title, path, lines, severity, alsoAt, alsoMore, place, url, source }, life };
  };
  const open = placed.filter(({ place }) => place !== 'suppressed');
  const declined = placed.filter(({ suppressed }) => suppressed?.by === 'people');
  const summary = hub.pull.conversation.find(({ author }) => author === viewer)?.body ?? '';
  const [heading = ''] = summary.split('\n').filter((line) => line.startsWith('### '));
  return {
    gate: verdict.gate,
    outcome: review.outcome,
    headline: inEnglish.sentences(review.headline),
    heading,
    open: open.map(found),
    declined: declined.map(found),
    ended: review.gone.map(({ mark, life }) => `${mark.title} (${life})`),
    counts: { facts: review.facts.open.length, output: Number(renderOutputs(record)['findings']), listed: open.length },
    isApproved: hub.pull.reviews.some(({ state, commit }) => state === 'APPROVED' && commit === hub.pull.headSha),
    failures: record.deliveries.filter(({ status }) => status === 'failed' || status === 'refused').map(wordsOf),
    reviewed: review.coverage.reviewed,
    calls,
  };
}

function wordsOf({ sink, reason }: ReviewRecord['deliveries'][number]): string {
  return `${sink}: ${inEnglish.sentences(reason)}`;
}

/** An answer of ours in the only thread that we opened, on the finding of this id: a line of the head excludes what it says. */
export async function evidenceIn(
  { pull, people, head }: Hub,
  about: string,
  { path, line }: { path: string; line: number },
): Promise<void> {
  const [first] = pull.threads.flatMap(({ comments }) => comments.slice(0, 1));
  if (first === undefined) return;
  const at = new Date().toISOString();
  const asked = people.reply(first.id, { author: 'grace', body: '/postil recheck' });
  const to = `PRRC_${asked}`;
  const answer = { kind: 'answer', name, run: '4500-1', commit: head.sha, at, to, verb: 'recheck', about } as const;
  const proof = { path, startLine: line, endLine: line };
  const repository = new MemoryRepository(Object.fromEntries(head.texts));
  const surroundings = surroundingsAt({ repository, syntax: null });
  const stood = async (at: number) => {
    const lines = { startLine: at, endLine: at };
    return (await surroundings.around(path, { kind: 'lines', side: 'RIGHT', ...lines, quote: '' })) ?? '';
  };
  const around = { finding: await stood(pull.threads[0]?.line ?? line), proof: await stood(line) };
  const mark = writeMark({ ...answer, verdict: 'withdrawn', proof, around }, (content) =>
    keys.sign(content, { in: 'answer', thread: first.id }),
  );
  people.reply(first.id, { author: viewer, body: `Withdrawn: line ${line} excludes it.\n\n${mark}` });
}

/** What people read of a comment of ours; null for one that says that its finding ended. */
export function wordsIn(body: string): string | null {
  return body.startsWith('<!-- postil:ended -->') ? null : withoutMarks(body);
}

/** The number of open findings in the heading of the summary comment. */
export function countIn(heading: string): number {
  const counts = [/(\d+) (?:new )?findings?\b/, /(\d+) came back/, /(\d+) still open/];
  return counts.reduce((sum, pattern) => sum + Number(pattern.exec(heading)?.[1] ?? 0), 0);
}
