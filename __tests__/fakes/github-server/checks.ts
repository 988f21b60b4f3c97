import { at, isObject, listAt, textAt } from '../every-pair.ts';
import type { Reply } from '../loopback.ts';
import { type DiffFile, hunkIndex } from './changed-files.ts';
import { pageOf } from './render-rest.ts';
import { type Call, invalidRequest, json, notFound, page, type RestShape, type Route } from './route.ts';
import type { Side, StoredCheckRun } from './store.ts';

const read = [{ permission: 'checks', level: 'read' }] as const;
const write = [{ permission: 'checks', level: 'write' }] as const;

export const checkRoutes: readonly Route[] = [
  { method: 'POST', pattern: /^\/check-runs$/, needs: write, handle: createCheckRun },
  { method: 'PATCH', pattern: /^\/check-runs\/(?<id>\d+)$/, needs: write, handle: updateCheckRun },
  { method: 'GET', pattern: /^\/check-runs\/(?<id>\d+)$/, needs: read, handle: getCheckRun },
  { method: 'GET', pattern: /^\/commits\/(?<ref>[0-9a-f]{40})\/check-runs$/, needs: read, handle: listCheckRuns },
];

function createCheckRun(call: Call): Reply {
  for (const name of ['name', 'head_sha']) {
    if (textAt(call.body, name) === '') return invalidRequest(`"${name}" wasn't supplied.`);
  }
  const isKnown = call.store.pulls.some((pull) =>
    [pull.headSha, ...pull.earlierHeads].includes(textAt(call.body, 'head_sha')),
  );
  if (!isKnown) return invalidRequest(`No commit found for SHA: ${textAt(call.body, 'head_sha')}`);
  const problem = problemIn(call.body);
  if (problem !== null) return invalidRequest(problem);
  const run = { id: call.store.nextId(), content: {}, annotations: [] };
  change(run, call.body);
  call.store.checkRuns.push(run);
  return json(201, renderCheckRun(call, run));
}

function updateCheckRun(call: Call): Reply {
  const run = findCheckRun(call);
  if (run === undefined) return notFound();
  const problem = problemIn(call.body);
  if (problem !== null) return invalidRequest(problem);
  change(run, call.body);
  return json(200, renderCheckRun(call, run));
}

function getCheckRun(call: Call): Reply {
  const run = findCheckRun(call);
  return run === undefined ? notFound() : json(200, renderCheckRun(call, run));
}

function listCheckRuns(call: Call): Reply {
  const name = call.query.get('check_name');
  const runs = call.store.checkRuns.filter(
    ({ content }) => content['head_sha'] === call.names['ref'] && (name === null || content['name'] === name),
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
  for (const name of ['path', 'annotation_level', 'message']) {
    if (textAt(annotation, name) === '') return `"${name}" wasn't supplied.`;
  }
  if (!['notice', 'warning', 'failure'].includes(textAt(annotation, 'annotation_level'))) return 'No such level.';
  const [start, end] = [at(annotation, 'start_line'), at(annotation, 'end_line')];
  if (typeof start !== 'number' || typeof end !== 'number' || start < 1 || end < start) return 'No such lines.';
  if (textAt(annotation, 'title').length > 255) return 'Only 255 characters are allowed in a title.';
  const isLong = ['message', 'raw_details'].some((name) => Buffer.byteLength(textAt(annotation, name)) > 65_536);
  return isLong ? 'A message and its details have at most 64 KB.' : null;
}

/** PATCH appends annotations; everything else replaces. */
function change(run: StoredCheckRun, body: unknown): void {
  if (isObject(body)) Object.assign(run.content, body);
  if (typeof run.content['conclusion'] === 'string') run.content['status'] = 'completed';
  run.annotations.push(...listAt(body, 'output', 'annotations'));
}

function renderCheckRun({ store }: Call, { id, content, annotations }: StoredCheckRun): RestShape<'check-run'> {
  return {
    id,
    head_sha: textAt(content, 'head_sha'),
    name: textAt(content, 'name'),
    external_id: textAt(content, 'external_id') || null,
    html_url: pageOf(store.world, `/runs/${id}`),
    status: content['status'] === 'completed' ? 'completed' : 'in_progress',
    output: {
      title: textAt(content, 'output', 'title'),
      summary: textAt(content, 'output', 'summary'),
      annotations_count: annotations.length,
    },
  };
}

export type Anchor = {
  readonly path: string;
  readonly side: Side;
  readonly line: number;
  readonly startLine: number | null;
};

/** `field` is GitHub's name of the value, without `pull_request_review_thread.` in front. */
type AnchorProblem = { readonly field: string; readonly words: string };

type CheckedAnchor =
  | { readonly ok: true; readonly anchor: Anchor }
  | { readonly ok: false; readonly problems: readonly AnchorProblem[] };

const noHunk: AnchorProblem = { field: 'diff_hunk', words: "can't be blank" };

/** What GitHub checks of a comment's place, against a three-dot diff. */
export function checkAnchor(files: readonly DiffFile[], comment: unknown): CheckedAnchor {
  const path = textAt(comment, 'path');
  const file = files.find((one) => one.filename === path);
  if (file === undefined) return refused({ field: 'path', words: 'is invalid' }, noHunk);
  const line = at(comment, 'line');
  if (typeof line !== 'number' || line < 1)
    return refused({ field: 'line', words: 'must be part of the diff' }, noHunk);
  const side = sideOf(at(comment, 'side'));
  const hunk = hunkIndex(file.hunks, { side, line });
  const start = at(comment, 'start_line');
  if (start === undefined || start === null) {
    if (hunk === -1) return refused({ field: 'line', words: 'must be part of the diff' }, noHunk);
    return { ok: true, anchor: { path, side, line, startLine: null } };
  }
  if (typeof start !== 'number' || start >= line) {
    return refused({ field: 'start_line', words: 'must precede the end line.' });
  }
  const startHunk = hunkIndex(file.hunks, { side: sideOf(at(comment, 'start_side') ?? side), line: start });
  if (hunk === -1) {
    return refused({ field: 'line', words: 'must be part of the diff' }, sameHunk, noHunk);
  }
  if (startHunk !== hunk) return refused(sameHunk);
  return { ok: true, anchor: { path, side, line, startLine: start } };
}

const sameHunk: AnchorProblem = { field: 'start_line', words: 'must be part of the same hunk as the line.' };

/** One sentence, as the reviews API joins them. */
export function sentenceOf(problems: readonly AnchorProblem[]): string {
  const clauses = problems.map(
    ({ field, words }) => `Pull request review thread ${field.replaceAll('_', ' ')} ${words}`,
  );
  if (clauses.length < 3) return clauses.join(' and ');
  return `${clauses.slice(0, -1).join(', ')}, and ${clauses.at(-1)}`;
}

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
