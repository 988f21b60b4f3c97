import type { HeadCheck, Linked, LinkedIssue } from '../pull-request/linked.ts';
import type { Fence } from './fence.ts';
import { quotedLine, quotedText } from './quoted-text.ts';

/** Of what is linked, so much: characters, but for the numbers of issues and checks. */
const limits = { issues: 5, title: 300, body: 2_000, allIssues: 5_000, checks: 20, check: 150 } as const;

/** The issues that the pull request closes; empty when there are none. */
export function renderIssues({ issues, otherIssues }: Linked, fence: Fence): string {
  if (issues.length === 0) return '';
  const listed = issues.slice(0, limits.issues);
  const left = issues.length - listed.length + otherIssues;
  const more = left === 0 ? '' : ` (${left} more ${left === 1 ? 'is' : 'are'} not shown)`;
  const text = cutAll(listed.map(renderIssue).join('\n\n'));
  return `Issues that it closes${more}: does the change do what they ask?\n${fence('issues', text)}`;
}

function renderIssue({ repository, number, title, body }: LinkedIssue): string {
  const heading = `${quotedLine(repository, limits.title)}#${number} ${quotedLine(title, limits.title)}`;
  const indented = quotedText(body, limits.body).split('\n').join('\n  ');
  return indented === '' ? heading : `${heading}\n  ${indented}`;
}

// Already without secrets: what is cut here needs no second look.
function cutAll(text: string): string {
  return text.length <= limits.allIssues ? text : `${text.slice(0, limits.allIssues).trimEnd()} … [cut]`;
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
  const rest = failed.length - limits.checks;
  const lines = [...failed.slice(0, limits.checks).map(renderCheck), ...(rest > 0 ? [`… and ${rest} more`] : [])];
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
  const of = workflow === null ? '' : ` (${quotedLine(workflow, limits.check)})`;
  return `${quotedLine(name, limits.check)}${of}: ${conclusion}`;
}
