import { at, isObject, listAt, textAt } from '../every-pair.ts';
import type { Reply } from '../loopback.ts';
import { type DiffFile, hunkIndex } from './changed-files.ts';
import { pageOf } from './render-rest.ts';
import { type Call, invalidRequest, json, notFound, page, type RestShape, type Route, route } from './route.ts';
import type { Side, StoredCheckRun, StoredThread } from './store.ts';

export const checkRoutes: readonly Route[] = [
  route('POST /check-runs', ['checks: write'], createCheckRun),
  route('PATCH /check-runs/:id', ['checks: write'], updateCheckRun),
  route('GET /check-runs/:id', ['checks: read'], getCheckRun),
  route('GET /commits/:sha/check-runs', ['checks: read'], listCheckRuns),
];

function createCheckRun(call: Call): Reply {
  const sha = textAt(call.body, 'head_sha');
  const missing = ['name', 'head_sha'].find((name) => textAt(call.body, name) === '');
  if (missing !== undefined) return invalidRequest(`"${missing}" wasn't supplied.`);
  const isKnown = call.store.pulls.some((pull) => [pull.headSha, ...pull.earlierHeads].includes(sha));
  if (!isKnown) return invalidRequest(`No commit found for SHA: ${sha}`);
  const reply = change(call, { id: call.store.nextId(), content: {}, annotations: [] });
  return reply.status === 200 ? { ...reply, status: 201 } : reply;
}

function updateCheckRun(call: Call): Reply {
  const run = findCheckRun(call);
  return run === undefined ? notFound() : change(call, run);
}

/** Annotations are appended; everything else replaces. */
function change(call: Call, run: StoredCheckRun): Reply {
  const problem = problemIn(call.body);
  if (problem !== null) return invalidRequest(problem);
  if (isObject(call.body)) Object.assign(run.content, call.body);
  if (typeof run.content['conclusion'] === 'string') run.content['status'] = 'completed';
  run.annotations.push(...listAt(call.body, 'output', 'annotations'));
  const { checkRuns } = call.store;
  if (!checkRuns.includes(run)) checkRuns.push(run);
  return json(200, renderCheckRun(call, run));
}

function getCheckRun(call: Call): Reply {
  const run = findCheckRun(call);
  return run === undefined ? notFound() : json(200, renderCheckRun(call, run));
}

function listCheckRuns(call: Call): Reply {
  const name = call.query.get('check_name');
  const runs = call.store.checkRuns.filter(
    ({ content }) => content['head_sha'] === call.names['sha'] && (name === null || content['name'] === name),
  );
  const reply = page(call, runs, (run) => renderCheckRun(call, run));
  return { ...reply, body: JSON.stringify({ total_count: runs.length, check_runs: JSON.parse(String(reply.body)) }) };
}

function findCheckRun(call: Call): StoredCheckRun | undefined {
  return call.store.checkRuns.find((one) => String(one.id) === call.names['id']);
}

/** What the checks API refuses, in its words as far as they are known; null when it takes the request. */
function problemIn(body: unknown): string | null {
  const annotations = listAt(body, 'output', 'annotations');
  if (annotations.length > 50) {
    return `No subschema in "anyOf" matched.\nNo more than 50 items are allowed; ${annotations.length} were supplied.`;
  }
  for (const name of ['summary', 'text']) {
    const { length } = textAt(body, 'output', name);
    if (length > 65_535) return `Only 65535 characters are allowed; ${length} were supplied.`;
  }
  if (isObject(at(body, 'output')) && typeof at(body, 'output', 'summary') !== 'string') {
    return `"summary" wasn't supplied.`;
  }
  if (textAt(body, 'output', 'title').length > 255) return 'Only 255 characters are allowed in a title.';
  return endProblem(body) ?? annotations.map(annotationProblem).find((problem) => problem !== null) ?? null;
}

const statuses: readonly unknown[] = [undefined, 'queued', 'in_progress', 'completed'];
// GitHub alone may say `stale`.
const conclusions = ['action_required', 'cancelled', 'failure', 'neutral', 'success', 'skipped', 'timed_out'];

function endProblem(body: unknown): string | null {
  const conclusion = at(body, 'conclusion');
  if (!statuses.includes(at(body, 'status'))) return `${at(body, 'status')} is not a status.`;
  if (typeof conclusion === 'string')
    return conclusions.includes(conclusion) ? null : `${conclusion} is no conclusion.`;
  return at(body, 'status') === 'completed' ? `"conclusion" wasn't supplied.` : null;
}

function annotationProblem(annotation: unknown): string | null {
  const missing = ['path', 'annotation_level', 'message'].find((name) => textAt(annotation, name) === '');
  if (missing !== undefined) return `"${missing}" wasn't supplied.`;
  if (!['notice', 'warning', 'failure'].includes(textAt(annotation, 'annotation_level'))) return 'No such level.';
  const [start, end] = [at(annotation, 'start_line'), at(annotation, 'end_line')];
  if (typeof start !== 'number' || typeof end !== 'number' || start < 1 || end < start) return 'No such lines.';
  if (textAt(annotation, 'title').length > 255) return 'Only 255 characters are allowed in a title.';
  const isLong = ['message', 'raw_details'].some((name) => Buffer.byteLength(textAt(annotation, name)) > 65_536);
  return isLong ? 'A message and its details have at most 64 KB.' : null;
}

function renderCheckRun({ store }: Call, { id, content, annotations }: StoredCheckRun): RestShape<'check-run'> {
  return {
    id,
    external_id: textAt(content, 'external_id') || null,
    html_url: pageOf(store.world, `/runs/${id}`),
    status: content['status'] === 'completed' ? 'completed' : 'in_progress',
    output: { annotations_count: annotations.length },
  };
}

export type Anchor = Pick<StoredThread, 'path' | 'side' | 'line' | 'startLine'>;

/** `field` is GitHub's name of the value, without `pull_request_review_thread.` in front. */
type AnchorProblem = { readonly field: string; readonly words: string };

type CheckedAnchor =
  | { readonly ok: true; readonly anchor: Anchor }
  | { readonly ok: false; readonly problems: readonly AnchorProblem[] };

const offDiff: AnchorProblem = { field: 'line', words: 'must be part of the diff' };
const sameHunk: AnchorProblem = { field: 'start_line', words: 'must be part of the same hunk as the line.' };
const noHunk: AnchorProblem = { field: 'diff_hunk', words: "can't be blank" };

/** What GitHub checks of a comment's place, against a three-dot diff. */
export function checkAnchor(files: readonly DiffFile[], comment: unknown): CheckedAnchor {
  const path = textAt(comment, 'path');
  const file = files.find((one) => one.filename === path);
  if (file === undefined) return refused({ field: 'path', words: 'is invalid' }, noHunk);
  const line = at(comment, 'line');
  const side = sideOf(at(comment, 'side'));
  const hunk = typeof line === 'number' ? hunkIndex(file.hunks, { side, line }) : -1;
  const start = at(comment, 'start_line') ?? null;
  if (typeof line !== 'number' || (start === null && hunk === -1)) return refused(offDiff, noHunk);
  if (start === null) return { ok: true, anchor: { path, side, line, startLine: null } };
  if (typeof start !== 'number' || start >= line) {
    return refused({ field: 'start_line', words: 'must precede the end line.' });
  }
  if (hunk === -1) return refused(offDiff, sameHunk, noHunk);
  const startSide = sideOf(at(comment, 'start_side') ?? side);
  if (hunkIndex(file.hunks, { side: startSide, line: start }) !== hunk) return refused(sameHunk);
  return { ok: true, anchor: { path, side, line, startLine: start } };
}

/** One sentence, as the reviews API joins them. */
export function sentenceOf(problems: readonly AnchorProblem[]): string {
  const clauses = problems.map(
    ({ field, words }) => `Pull request review thread ${field.replaceAll('_', ' ')} ${words}`,
  );
  if (clauses.length < 3) return clauses.join(' and ');
  return `${clauses.slice(0, -1).join(', ')}, and ${clauses.at(-1)}`;
}

/** What a comment of a review may hold. */
export const commentNames = ['path', 'position', 'body', 'line', 'side', 'start_line', 'start_side'];

/** Names that GitHub's schema of a comment does not know make the whole request invalid. */
export function unknownNames(value: unknown, known: readonly string[]): readonly string[] {
  return isObject(value) ? Object.keys(value).filter((name) => !known.includes(name)) : [];
}

function refused(...problems: readonly AnchorProblem[]): CheckedAnchor {
  return { ok: false, problems };
}

function sideOf(value: unknown): Side {
  return value === 'LEFT' ? 'LEFT' : 'RIGHT';
}
