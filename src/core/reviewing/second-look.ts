import { ask } from '../agent/ask.ts';
import { isUnanswered, sentenceFor } from '../agent/event.ts';
import type { ToolCall } from '../agent/message.ts';
import type { Agent, AgentRun } from '../agent/run-agent.ts';
import { parseArguments, type Tool } from '../agent/tool.ts';
import type { Batch } from '../batches/batch.ts';
import { classOf, type FileClass, withoutIndentation } from '../batches/file-class.ts';
import type { Fence } from '../batches/render-batch.ts';
import type { ReviewEvent } from '../events.ts';
import { rangeOf } from '../findings/citations.ts';
import type { Finding } from '../findings/finding.ts';
import { inOtherWords, isSameTitle, mergeFindings } from '../findings/merge.ts';
import { allWords } from '../findings/read-submission.ts';
import type { GroundSources } from '../findings/sources.ts';
import { findChangedFile } from '../findings/subject.ts';
import { saysApproval, worstApproval } from '../findings/submission.ts';
import { type SubmissionResult, submitReview } from '../findings/submit-review.ts';
import { formatLineRange, type LineRange, parsePlace } from '../findings/words.ts';
import { type ChangedFile, changedRanges, changesLines, type Hunk, lineRanges } from '../pull-request/changed-file.ts';
import type { Side } from '../repository/repository.ts';
import { shown } from '../repository/shown.ts';
import { cutLine, grouped } from '../text.ts';

export type SecondLook = {
  readonly sources: GroundSources;
  readonly fence: Fence;
  /** Why there is no room for it; null when there is. */
  readonly noRoom: () => string | null;
  readonly report: (came: Omit<Extract<ReviewEvent, { type: 'second-look-end' }>, 'type' | 'batch'>) => void;
};

/** A submitted review, as it stands before the second look. */
type Submitted = {
  readonly agent: Agent;
  readonly run: AgentRun;
  readonly submission: Parameters<typeof submitReview>[0];
  readonly first: SubmissionResult;
};

/** Longest time for the call, in milliseconds: others wait for its place. */
export const longestSecondLook = 120_000;

/**
 * Asks once, in the same conversation, for what was missed in the hunks that the review left untouched. Nothing that becomes of it takes away from
 * the first submission: a call that cannot be paid is not made, and one that fails is a line of the log.
 */
export async function lookAgain(
  batch: Batch,
  { agent, run, submission, first }: Submitted,
  look: SecondLook,
): Promise<SubmissionResult> {
  if (!run.submitted || !deservesSecondLook(batch)) return first;
  const hunks = untouchedHunks(batch, touched(batch, { agent, run, first }));
  if (hunks.length === 0) return first;
  const came = (found: number, note: string | null) => look.report({ hunks: hunks.length, found, note });
  const noRoom = look.noRoom();
  if (noRoom !== null) {
    came(0, `not made: ${noRoom}.`);
    return first;
  }
  // What could not be placed before and is said again is one matter: as it is said now.
  const without = (findings: readonly Finding[]) => first.findings.filter(isNotAmong(findings));
  const merged = (findings: readonly Finding[]) => mergeFindings([without(findings), findings], inOtherWords);
  const isNew = (finding: Finding) => merged([finding]).length > first.findings.length;
  const onAccept = (finding: Finding) => void (isNew(finding) && submission.onAccept?.(finding));
  const again = submitReview({ ...submission, asked: [], onAccept });
  const limits = { callMilliseconds: Math.min(longestSecondLook, agent.limits.callMilliseconds) };
  const text = question(hunks, { fence: look.fence, walkthrough: submission.walkthrough !== false });
  const { tools: cached } = agent;
  const asked = await ask(agent, { phase: 'second-look', tool: again.tool, after: run, text, cached, limits });
  const second = again.result();
  const findings = merged(second.findings);
  const found = findings.length - first.findings.length;
  came(found, found > 0 ? null : noteOf(asked, { run, second }));
  const both = [first, second];
  const approvals = both.flatMap(({ approval }) => approval ?? []);
  return {
    ...first,
    findings,
    withdrawn: both.flatMap(({ withdrawn }) => withdrawn),
    unreadable: first.unreadable + second.unreadable,
    nonSpecificReview: allWords(both),
    approval: worstApproval(approvals.filter(saysApproval)) ?? first.approval,
  };
}

function isNotAmong(findings: readonly Finding[]): (finding: Finding) => boolean {
  return ({ path, title, unplaced }) =>
    unplaced === undefined || !findings.some((one) => one.path === path && isSameTitle(one.title, title));
}

function noteOf(asked: AgentRun, { run, second }: { run: AgentRun; second: SubmissionResult }): string | null {
  if (second.submitted) return null;
  const sentence = isUnanswered(asked.stop) ? sentenceFor(asked.stop) : 'Its answer could not be used.';
  const made = asked.metrics.modelCalls > run.metrics.modelCalls;
  return made ? `what was found before stays. ${sentence}` : `not made. ${sentence}`;
}

/** Below it, the first look saw all there is. */
const fewestLines = 30;

/** Whether a batch is large enough to be looked at twice, and of a kind that runs. */
export function deservesSecondLook(batch: Batch): boolean {
  if (batch.trivial === true) return false;
  const lines = batch.files
    .filter(({ file }) => named.has(classOf(file)))
    .flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines.filter((line) => /^[+-]/.test(line))));
  return lines.length >= fewestLines;
}

/** What is too alike to be worth a name: translations, snapshots, data of tests, what is generated, prose. */
const named: ReadonlySet<FileClass> = new Set(['source', 'test', 'configuration']);

/** Lines that a finding, its evidence or a reading tool was about; no side means both. */
type Touched = LineRange & { readonly file: ChangedFile; readonly side: Side | null };

function touched(
  { files }: Batch,
  { agent, run, first }: Pick<Submitted, 'agent' | 'run' | 'first'>,
): readonly Touched[] {
  const own = files.map(({ file }) => file);
  const at = (path: string, range: LineRange & { side: Side | null }): readonly Touched[] => {
    const file = findChangedFile(path, own);
    return file === null ? [] : [{ file, ...range }];
  };
  const found = first.findings.flatMap(({ path, anchor, citations = [], alsoAt }) => {
    const cited = [
      ...citations.map((citation) => ({ path: citation.path, range: rangeOf(citation) })),
      ...alsoAt.flatMap((place) => parsePlace(place) ?? []),
    ].flatMap((one) => (one.range === null ? [] : at(one.path, { ...one.range, side: null })));
    if (anchor.kind === 'file') return cited;
    return [...at(path, { side: anchor.side, start: anchor.startLine, end: anchor.endLine }), ...cited];
  });
  const read = readings(run, agent.tools).flatMap(({ path, ...range }) => at(path, range));
  return [...found, ...read];
}

type ReadLines = Omit<Touched, 'file'> & { readonly path: string };

/** Lines that tools showed of a file, by their gutter: a file that was cut was not read to its end. */
function readings({ messages }: AgentRun, tools: readonly Tool[]): readonly ReadLines[] {
  const calls = new Map<string, ToolCall>();
  return messages.flatMap((message): readonly ReadLines[] => {
    for (const call of message.role === 'assistant' ? message.toolCalls : []) calls.set(call.id, call);
    if (message.role !== 'tool') return [];
    const tool = tools.find(({ name }) => name === message.name);
    const call = calls.get(message.callId);
    if (tool?.shows === undefined || call === undefined) return [];
    const parsed = parseArguments(call, tool);
    if (!parsed.ok || parsed.value.path === null) return [];
    const { path } = parsed.value;
    if (tool.shows === 'diff') return [{ path, side: null, start: 1, end: Infinity }];
    const lines = [...message.text.matchAll(/^ *(\d{1,9}) \| /gm)].map(([, number]) => Number(number));
    return lineRanges(lines).map((range) => ({ path, side: 'RIGHT', ...range }));
  });
}

type Untouched = { readonly place: string; readonly risk: number };

/** What mistakes are most expensive in, in this order. Words of any language, as they begin or end names. */
const risks: readonly (readonly [name: string, words: RegExp])[] = [
  [
    'error path',
    /\b(?:catch|except|rescue|finally|throw|raise|panic|recover|defer|unwrap|reject|abort)|\berr\b|error|exception|fail|retry|rollback|fallback/i,
  ],
  ['deletion', /delete|remove|destroy|purge|truncate|unlink|\brm(?:dir)?\b|\bdrop|evict|prune|erase|clean_?up/i],
  [
    'concurrency',
    /\b(?:un)?lock|mutex|semaphore|atomic|volatile|synchroni[sz]ed|async|await|thread|\bgo func|\bchan\b|concurren|parallel|transaction|worker/i,
  ],
  [
    'permissions',
    /permission|\bauth|authori[sz]|\brole|admin|\bgrant|privilege|token|secret|password|credential|session|csrf|\bcors\b|\bacl\b|\bpolic(?:y|ies)\b|chmod|sudo/i,
  ],
  ['money', /price|amount|\bcosts?\b|\bfees?\b|\btax|invoice|payment|charge|refund|currency|balance|discount|billing/i],
  [
    'parsing',
    /pars(?:e|ing)|decod|deseriali|unmarshal|json\.|regex|\bsplit\b|atoi|strto|scanf|tokeni[sz]|escape|encod/i,
  ],
  ['migration', /\b(?:alter|create|drop)\s+table|\badd\s+column|backfill|migrat/i],
];

/** The hunks that nothing touched and that are worth a name, the most expensive mistakes first. */
function untouchedHunks({ files }: Batch, touches: readonly Touched[]): readonly string[] {
  return files
    .filter(({ file }) => named.has(classOf(file)))
    .flatMap(({ file, hunks }) =>
      hunks
        .filter((hunk) => changesLines(withoutIndentation(hunk, file.path)))
        .filter((hunk) => !touches.some((touch) => touch.file === file && isTouched(hunk, touch)))
        .map((hunk): Untouched => ({ place: placeOf(file, hunk), risk: riskOf(file, hunk) })),
    )
    .toSorted((one, other) => one.risk - other.risk)
    .map(({ place, risk }) => [place, risks[risk]?.[0]].filter((part) => part !== undefined).join(' '));
}

function isTouched({ oldStart, oldLines, newStart, newLines }: Hunk, { side, start, end }: Touched): boolean {
  const isIn = (first: number, count: number) => start < first + count && first <= end;
  return (side !== 'LEFT' && isIn(newStart, newLines)) || (side !== 'RIGHT' && isIn(oldStart, oldLines));
}

function riskOf({ path }: ChangedFile, { lines }: Hunk): number {
  const changed = lines.filter((line) => /^[+-]/.test(line));
  const isRemoved = changed.every((line) => line.startsWith('-'));
  const text = changed.map((line) => line.slice(1)).join('\n');
  const risk = risks.findIndex(
    ([name, words]) =>
      words.test(text) ||
      (name === 'deletion' && isRemoved) ||
      (name === 'migration' && /(?:^|\/)migrations?\/|\.sql$/i.test(path)),
  );
  return risk === -1 ? risks.length : risk;
}

const pathCharacters = 200;

/** Such as `src/a.ts:12-20`: its changed lines at head, or those that it removes. */
function placeOf({ path }: ChangedFile, hunk: Hunk): string {
  const { added, removed } = changedRanges({ hunks: [hunk] });
  const ranges = added.length > 0 ? added : removed;
  const [start, end] = [ranges[0]?.start ?? hunk.newStart, ranges.at(-1)?.end ?? hunk.newStart];
  const name = cutLine(shown([path])[0]?.text ?? '', pathCharacters);
  return `${name}:${formatLineRange({ start, end })}${added.length > 0 ? '' : ' (removed)'}`;
}

/** Hunks that are named. */
const mostHunks = 40;

function question(hunks: readonly string[], { fence, walkthrough }: { fence: Fence; walkthrough: boolean }): string {
  const left = hunks.length - mostHunks;
  const list = [...hunks.slice(0, mostHunks), ...(left > 0 ? [`… and ${grouped(left)} more`] : [])].join('\n');
  const kept = walkthrough ? ' The walkthrough is kept: send an empty one.' : '';
  return `A second look, the only one. None of your findings, evidence or reads touched these hunks:\n${fence('hunks', list)}\nGo through them in this order: what did you miss? Call submit_review with what is new, by the same standard; an empty files_review when there is nothing.${kept} No other tool is left.`;
}
