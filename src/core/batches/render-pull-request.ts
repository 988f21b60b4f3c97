import type { Memory } from '../history/memory.ts';
import { withoutBlock } from '../history/own-block.ts';
import { type Standing, scopeOf } from '../history/scope.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { HeadCheck, Linked, LinkedIssue, PullRequest } from '../pull-request/pull-request.ts';
import { shown } from '../repository/shown.ts';
import { type Fence, quotedLine, quotedText } from './render-batch.ts';
import { renderDiscussion, renderEarlierFindings } from './render-history.ts';

/** Of what is linked, so much: characters, but for the numbers of issues and checks. */
const linkedLimits = { issues: 5, title: 300, body: 2_000, allIssues: 5_000, checks: 20, check: 150 } as const;

/** The issues that the pull request closes; empty when there are none. */
export function renderIssues({ issues, otherIssues }: Linked, fence: Fence): string {
  if (issues.length === 0) return '';
  const listed = issues.slice(0, linkedLimits.issues);
  const left = issues.length - listed.length + otherIssues;
  const more = left === 0 ? '' : ` (${left} more ${left === 1 ? 'is' : 'are'} not shown)`;
  const text = cutAll(listed.map(renderIssue).join('\n\n'));
  return `Issues that it closes${more}: does the change do what they ask?\n${fence('issues', text)}`;
}

function renderIssue({ repository, number, title, body }: LinkedIssue): string {
  const heading = `${quotedLine(repository, linkedLimits.title)}#${number} ${quotedLine(title, linkedLimits.title)}`;
  const indented = quotedText(body, linkedLimits.body).split('\n').join('\n  ');
  return indented === '' ? heading : `${heading}\n  ${indented}`;
}

// Already without secrets: what is cut here needs no second look.
function cutAll(text: string): string {
  return text.length <= linkedLimits.allIssues ? text : `${text.slice(0, linkedLimits.allIssues).trimEnd()} … [cut]`;
}

/** What CI says of the head, failures by name; empty when nothing is known. */
export function renderChecks({ checks, unreadChecks }: Linked, fence: Fence): string {
  if (checks === null || (checks.length === 0 && unreadChecks === undefined)) return '';
  const failed = checks.filter(({ state }) => state === 'failed');
  const passed = checks.filter(({ state }) => state === 'passed').length;
  const counts = [
    ...(failed.length === 0 ? [] : [`${failed.length} failed`]),
    ...(passed === 0 ? [] : [`${passed} passed`]),
    ...(failed.length + passed === checks.length ? [] : [`${checks.length - failed.length - passed} not finished`]),
  ];
  const summary = `CI at this commit: ${counts.join(', ')}${renderUnread(checks.length, unreadChecks)}.`;
  if (failed.length === 0) return summary;
  const rest = failed.length - linkedLimits.checks;
  const lines = [...failed.slice(0, linkedLimits.checks).map(renderCheck), ...(rest > 0 ? [`… and ${rest} more`] : [])];
  return `${summary} Failed:\n${fence('checks', lines.join('\n'))}`;
}

/** A few hundred that passed say nothing of the others: what GitHub makes of all stands beside their number. */
function renderUnread(read: number, unread: Linked['unreadChecks']): string {
  if (unread === undefined) return '';
  const { count, rollup } = unread;
  return `${read === 0 ? 'none read' : ''} of ${read + count} checks; ${count} were not read, and for all together GitHub says: ${rollupWords[rollup]}`;
}

const rollupWords = { failed: 'failed', passed: 'passed', unfinished: 'not finished' } as const;

function renderCheck({ name, workflow, conclusion }: HeadCheck): string {
  const of = workflow === null ? '' : ` (${quotedLine(workflow, linkedLimits.check)})`;
  return `${quotedLine(name, linkedLimits.check)}${of}: ${conclusion}`;
}

/** Characters: what people write to the reviewer must not crowd out the diff. */
const limits = { title: 300, body: 6_000, commits: 3_000, files: 300, layer: 100, again: 50, beneath: 10 } as const;

type Discussing = {
  readonly fence: Fence;
  readonly memory: Memory;
  /** What of the change was reviewed before; left out where a comment is answered. */
  readonly standing?: Standing | undefined;
  /** False where a comment is answered: then our earlier answers are part of what was said. */
  readonly isReview?: boolean;
};

/** What is the same for every batch of a pull request: who says what about the change, and which files it touches. */
export function renderPullRequest(
  pullRequest: PullRequest,
  files: readonly ChangedFile[],
  { fence, memory, standing, isReview = true }: Discussing,
): string {
  const history = { fence, prior: memory.prior, isReview };
  const parts = [
    '# The pull request',
    described(pullRequest, fence),
    renderStack(pullRequest, fence),
    renderIssues(pullRequest.linked, fence),
    commits(pullRequest, fence),
    renderChecks(pullRequest.linked, fence),
    renderEarlierFindings(history),
    renderDiscussion(pullRequest, history),
    standing === undefined ? '' : scopeNote(standing, fence),
    // A single one is named by its diff.
    files.length === 1 ? '' : `Changed files (${files.length}):\n${fence('paths', fileList(files))}`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function described({ title, body: written }: PullRequest, fence: Fence): string {
  const words = quotedLine(title, limits.title);
  const body = withoutBlock(written);
  if (body.trim() === '') return fence('title', words);
  return fence('title and description', `${words}\n\n${quotedText(body, limits.body)}`);
}

/** The layers below are code like any other, which somebody else reviews; empty when there are none. */
function renderStack({ stack }: PullRequest, fence: Fence): string {
  if (stack === undefined || stack.below.length === 0) return '';
  const { base, below } = stack;
  const layers = below.map(({ number, title }) => `#${number} ${quotedLine(title, limits.layer)}`);
  const listed = [`on ${quotedLine(base.ref, limits.layer)}`, ...layers].join('\n');
  return `This is layer ${below.length + 1} of a stack of pull requests. Those below it, the lowest first, are given and reviewed on their own: judge only this layer's diff.\n${fence('stack', listed)}`;
}

function commits({ title, body, commits: all }: PullRequest, fence: Fence): string {
  // One commit mostly repeats the title and description.
  const told = `${title}\n${withoutBlock(body)}`;
  const [only] = all;
  // A message that is longer than what is shown of the description is not looked up line by line.
  const isTold =
    all.length === 1 &&
    only !== undefined &&
    only.message.length <= limits.body &&
    only.message.split('\n').every((part) => told.includes(part.trim()));
  if (all.length === 0 || isTold) return '';
  const messages = all.map(({ message }) => `- ${message.trim().split('\n').join('\n  ')}`);
  return fence('commit messages', quotedText(messages.join('\n'), limits.commits));
}

/** What of the change is in the diff, when it is not all. */
function scopeNote(standing: Standing, fence: Fence): string {
  const scope = scopeOf(standing);
  const further =
    scope.kind === 'full'
      ? ''
      : `This is a further review: the diff below holds what changed since ${scope.since.slice(0, 12)}, in its place in the whole change. The rest was reviewed before: read it where you need it, report only what this part causes.`;
  const again = [...standing.files].flatMap(([path, one]) => (one.kind === 'rests on' ? [{ path, ...one }] : []));
  return [further, againNote(again, fence)].filter((text) => text !== '').join('\n\n');
}

type ReadAgain = { readonly path: string; readonly changed: readonly string[] };

/** What is reviewed again although it is as it was. */
function againNote(again: readonly ReadAgain[], fence: Fence): string {
  const lines = again.filter(({ changed }) => changed.length > 0).map(changedBeneath);
  const more = lines.length > limits.again ? [`… and ${lines.length - limits.again} more`] : [];
  if (lines.length === 0) return '';
  return `Read again, because these files changed under it:\n${fence('changed', quotedLines([...lines.slice(0, limits.again), ...more]))}`;
}

function changedBeneath({ path, changed }: ReadAgain): string {
  const more = changed.length > limits.beneath ? ', …' : '';
  return `${path}: ${changed.slice(0, limits.beneath).join(', ')}${more}`;
}

function quotedLines(lines: readonly string[]): string {
  return shown(lines)
    .map(({ text }) => text)
    .join('\n');
}

function fileList(files: readonly ChangedFile[]): string {
  const listed = files.slice(0, limits.files).map((file) => {
    const from = file.oldPath === file.path ? '' : ` (from ${file.oldPath})`;
    return `${file.status} ${file.path}${from} +${file.additions} -${file.deletions}`;
  });
  const rest = files.length - listed.length;
  return [...shown(listed).map((shownLine) => shownLine.text), ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n');
}
