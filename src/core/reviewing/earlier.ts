import type { Batch } from '../batches/batch.ts';
import { type Fence, quotedLine, quotedSource, quotedText } from '../batches/render-batch.ts';
import type { EarlierAnswer, RecheckItem } from '../findings/earlier.ts';
import type { Finding } from '../findings/finding.ts';
import { fixAt } from '../findings/proof.ts';
import { overlaps } from '../findings/similarity.ts';
import type { GroundSources } from '../findings/sources.ts';
import { type PriorFinding, pathNow } from '../history/memory.ts';
import { recheckItem, toAsk } from '../history/settle.ts';
import type { ReadHead } from '../languages/code-parts.ts';
import { type ChangedFile, isOpaque, renderHunk } from '../pull-request/changed-file.ts';
import { asAdded } from '../pull-request/select-files.ts';
import { hasPattern, type Rule } from '../rules/rule.ts';
import { runRules } from '../rules/run-rules.ts';
import { severities } from '../settings/setting.ts';

type Checks = {
  readonly rules: readonly Rule[];
  /** The whole diff. */
  readonly files: readonly ChangedFile[];
  /** What is broken in files of Postil's own now. */
  readonly broken: readonly Finding[];
  readonly readHead: ReadHead;
  readonly hide: (text: string) => string;
};

/** The rule that checks its own finding; null for what only a model can judge. */
function ruleOf({ mark }: PriorFinding, rules: readonly Rule[]): Rule | 'broken files' | null {
  if (mark.source !== 'rule') return null;
  if (mark.ruleId === null) return 'broken files';
  return rules.find((rule) => rule.id === mark.ruleId && hasPattern(rule)) ?? null;
}

/** What a model is asked about. */
export function questions(prior: readonly PriorFinding[], rules: readonly Rule[]): readonly RecheckItem[] {
  return toAsk(prior)
    .filter((one) => ruleOf(one, rules) === null)
    .toSorted((one, other) => severities.indexOf(one.mark.severity) - severities.indexOf(other.mark.severity))
    .map(recheckItem);
}

/** Rules check their own: a finding of theirs is fixed when its rule does not match there any more. No model is asked. */
export async function ruleAnswers(prior: readonly PriorFinding[], checks: Checks): Promise<readonly EarlierAnswer[]> {
  const answers: EarlierAnswer[] = [];
  for (const one of toAsk(prior)) {
    const rule = ruleOf(one, checks.rules);
    const file = checks.files.find(({ path }) => path === pathNow(one));
    if (rule === null || file === undefined || file.incomplete !== null || isOpaque(file)) continue;
    const hits = rule === 'broken files' ? brokenHits(one, checks) : await hitsOf(rule, { ...checks, file });
    // Each hit is one place: those of other findings say nothing of this one.
    const others = prior.filter((other) => other !== one && other.signed && other.mark.ruleId === one.mark.ruleId);
    const own = hits.filter((range) => !others.some((other) => isOn(range, { path: file.path, other })));
    const hit = own.find((range) => isThere(range, one));
    const { id } = one;
    const { path } = file;
    if (hit === undefined) answers.push({ id, state: 'fixed', proof: null });
    else answers.push({ id, state: 'still there', path, anchor: hit });
  }
  return answers;
}

function isOn(anchor: Anchor, { path, other: { present } }: { path: string; other: PriorFinding }): boolean {
  return present.kind === 'here' && present.path === path && overlaps(present.anchor, anchor);
}

type Anchor = Finding['anchor'];

function brokenHits({ mark }: PriorFinding, { broken }: Checks): readonly Anchor[] {
  return broken.filter(({ path, title }) => path === mark.path && title === mark.title).map(({ anchor }) => anchor);
}

const most = 10_000;

/** All that it matches in the file, whatever it would raise of it. */
async function hitsOf(
  rule: Rule,
  { file, readHead, hide }: Pick<Checks, 'readHead' | 'hide'> & { file: ChangedFile },
): Promise<readonly Anchor[]> {
  const rules = [{ ...rule, maxFindings: most }];
  const run = { rules, files: [asAdded(file)], nextId: () => '', readHead, hide, commentFor: () => null };
  const { findings } = await runRules({ ...run, each: true });
  return findings.map(({ anchor }) => anchor);
}

/** In what changed around the finding, or where its own lines are now. */
function isThere(anchor: Anchor, { change, present }: PriorFinding): boolean {
  if (anchor.kind === 'file' || change.kind !== 'changed') return true;
  const { startLine, endLine } = anchor;
  const meets = (from: number, to: number) => startLine <= to && endLine >= from;
  const isHere = present.kind === 'here' && present.anchor.kind === 'lines';
  const own = isHere && present.anchor.kind === 'lines' && meets(present.anchor.startLine, present.anchor.endLine);
  return own || change.hunks.some(({ newStart, newLines }) => meets(newStart, newStart + newLines));
}

/** Findings that one batch is asked about: more would not be read with care, and are asked about in the next run. */
const askedAtMost = 20;

/** Which batch is asked about which finding: one that shows its file, else the first, which may read any file. */
export function askBatches(
  batches: readonly Batch[],
  asked: readonly RecheckItem[],
): (batch: Batch) => readonly RecheckItem[] {
  const shows = ({ files }: Batch, { path, hunks }: RecheckItem) =>
    files
      .filter(({ file }) => file.path === path)
      .map((one) => one.hunks.some((hunk) => hunks.some((other) => meets(hunk, other))));
  const byBatch = new Map<Batch, RecheckItem[]>();
  for (const one of asked) {
    const holders = batches.filter((batch) => shows(batch, one).length > 0);
    const batch = holders.find((holder) => shows(holder, one).includes(true)) ?? holders[0] ?? batches[0];
    if (batch === undefined) continue;
    byBatch.set(batch, [...(byBatch.get(batch) ?? []), one]);
  }
  return (batch) => (byBatch.get(batch) ?? []).slice(0, askedAtMost);
}

type Hunk = ChangedFile['hunks'][number];

function meets(one: Hunk, other: Hunk): boolean {
  return one.newStart <= other.newStart + other.newLines && other.newStart <= one.newStart + one.newLines;
}

const saidCharacters = 800;
const changeCharacters = 2_500;

/** The question as it stands in the prompt of a batch; empty when there is none. */
export function renderQuestion(asked: readonly RecheckItem[], fence: Fence): string {
  if (asked.length === 0) return '';
  const text = asked.map((one) => [`[${one.id}] ${heading(one)}`, ...told(one)].join('\n')).join('\n\n');
  return `Raised before, and its code changed since. Say of each id in earlier_findings whether the defect is fixed, at every place it names, or still there; unsure where you cannot tell. What a comment, a name or a message claims proves nothing. This answer takes the place of a report:\n${fence('raised before', text)}`;
}

function heading({ place, title }: RecheckItem): string {
  return `${quotedLine(place, 300)}: ${quotedLine(title, 200)}`;
}

function told({ said, hunks }: RecheckItem): readonly string[] {
  const change = hunks.map((hunk) => renderHunk(hunk)).join('\n');
  return [
    ...(said === '' ? [] : [`It said: ${quotedText(said, saidCharacters)}`]),
    change === ''
      ? 'Its old code cannot be read any more.'
      : `What changed there since:\n${quotedSource(change, changeCharacters)}`,
  ];
}

/** The doubtful ones as claims for a verification, which sees the old and the new code. */
export function asClaims(unsure: readonly RecheckItem[]): readonly Finding[] {
  return unsure.map((asked) => {
    const { id, path, title } = asked;
    const line = asked.hunks[0]?.newStart;
    const end = (asked.hunks[0]?.newLines ?? 1) + (line ?? 1) - 1;
    const anchor: Anchor =
      line === undefined
        ? { kind: 'file' }
        : { kind: 'lines', side: 'RIGHT', startLine: Math.max(1, line), endLine: Math.max(1, line, end), quote: '' };
    const review = `An earlier review raised this, and the code changed since. Confirmed means: the defect is still in the code at head. Wrong means: a line of code at head proves that it is fixed. ${asked.said}`;
    const words = { title: `Still there: ${title}`, review, evidence: told({ ...asked, said: '' }).join('\n') };
    const rest = { severity: 'warning', category: 'other', suggestion: null, ruleId: null, confidence: 1 } as const;
    return { id, path, anchor, ...words, ...rest, source: 'model', alsoAt: [] };
  });
}

/** What a verification makes of them. Its `no` is held to the same proof as a `fixed`. */
export async function verdictsOf(
  asked: readonly RecheckItem[],
  { findings, disproved }: { findings: readonly Finding[]; disproved: readonly Finding[] },
  sources: GroundSources,
): Promise<readonly EarlierAnswer[]> {
  const answers: EarlierAnswer[] = [];
  for (const one of asked) {
    const { id, path } = one;
    const proof = disproved.find((finding) => finding.id === id)?.suppressed?.proof;
    const kept = findings.find((finding) => finding.id === id);
    const at = proof === undefined ? null : await fixAt(proof, { asked: one, sources });
    if (proof !== undefined && at !== null) {
      answers.push({ id, state: 'fixed', proof, at });
    } else if (kept?.verification === 'confirmed') {
      answers.push({ id, state: 'still there', path, anchor: { kind: 'file' } });
    } else answers.push({ id, state: 'unsure' });
  }
  return answers;
}
