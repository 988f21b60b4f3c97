import { join, resolve } from 'node:path';
import { writeStarterFiles } from '../src/adapters/files/folder.ts';
import { isInside } from '../src/adapters/files/write.ts';
import { createBareRepository } from '../src/adapters/git/bare-repository.ts';
import { readDiff } from '../src/adapters/git/changes.ts';
import { findCheckout, findWorkTree } from '../src/adapters/git/checkout.ts';
import type { Git } from '../src/adapters/git/git.ts';
import { revisionsOf } from '../src/adapters/git/local-subject.ts';
import type { EvalSurroundings } from '../src/cli/run.ts';
import { UserError } from '../src/core/errors.ts';
import { type ChangedFile, changedRanges, lineRanges } from '../src/core/pull-request/changed-file.ts';
import { parseDiff } from '../src/core/pull-request/parse-diff.ts';
import { visibleLine } from '../src/core/report/text.ts';
import { cutLine, groupBy, plural } from '../src/core/text.ts';
import { temporaryFolder } from '../src/run/machine.ts';
import { treePathProblem } from './case.ts';

/** Fixes that are looked at, and how large one may be before nobody can say which of its lines is the defect. */
const most = { commits: 5_000, files: 8, lines: 120, places: 10 } as const;

/** Commits that say they repair something. */
const saysFix = /\b(?:fix(?:e[sd]|ing)?|bug(?:fix)?|hotfix|regression|repair(?:s|ed)?|crash(?:es|ed)?)\b/i;

/** Changed with a fix and no part of the defect. */
const notCode =
  /(?:^|\/)(?:tests?|__tests__|spec|docs?|fixtures|vendor|dist|node_modules)\/|[._-](?:test|spec)\.|\.(?:md|txt|rst|lock|json|ya?ml|toml|snap|svg)$/i;

type InitRequest = {
  /** Where the drafts are written: a folder of the repository. */
  readonly cases: string;
  /** Null: the whole history. */
  readonly since: string | null;
  /** Drafts, at most. */
  readonly max: number;
};

/**
 * `postil eval init --from-fixes`: drafts of cases from the repository's own history. A fix removes lines; blame says which commit brought them, and
 * that commit is the case. Gives the exit code. @throws UserError
 */
export async function proposeCases(command: InitRequest, around: EvalSurroundings): Promise<number> {
  const root = await findWorkTree('.');
  const checkout = await findCheckout('.');
  if (root === null || checkout === null) {
    throw new UserError('This folder is not in a git repository.', { hint: 'Run it inside a clone.' });
  }
  const folder = resolve(command.cases);
  if (!isInside(folder, root)) {
    const hint = `Name a folder in ${root}: a draft finds its commits in the repository around it.`;
    throw new UserError(`${command.cases} is outside of the repository.`, { hint });
  }
  const { environment, signal } = around;
  const revisions = revisionsOf({ checkout, environment, signal });
  const head = await revisions.resolve('HEAD');
  const since = command.since === null ? null : await revisions.resolve(command.since);
  const temporary = await temporaryFolder(undefined);
  try {
    const objectFormat = await revisions.objectFormat();
    const bare = await createBareRepository({ temporaryFolder: temporary.path, objectFormat, environment, signal });
    await bare.borrowFrom(checkout);
    const drafts = await draftsIn(bare.git, { head, since, max: command.max });
    const files = drafts.map((draft) => ({ path: `fix-${draft.fix.slice(0, 10)}.yml`, text: draftText(draft) }));
    for (const { path, written } of await writeStarterFiles(folder, files)) {
      around.print(`${written ? 'written' : 'left as it is'}: ${visibleLine(join(folder, path))}\n`);
    }
    const next = 'Complete each draft: say what happens and when, narrow the lines, then take out `draft: true`.';
    around.print(drafts.length === 0 ? 'No fix names lines that a commit before it brought.\n' : `${next}\n`);
    return 0;
  } finally {
    await temporary.remove();
  }
}

type LinesOfFile = { readonly path: string; readonly start: number; readonly end: number };

type Draft = {
  /** The commit that repaired it, and its first line. */
  readonly fix: string;
  readonly subject: string;
  /** The commit that brought the lines, and its parent. */
  readonly brought: string;
  readonly before: string;
  /** As of the commit that brought them. */
  readonly places: readonly LinesOfFile[];
};

async function draftsIn(
  git: Git,
  { head, since, max }: { head: string; since: string | null; max: number },
): Promise<readonly Draft[]> {
  const range = since === null ? [head] : [head, `^${since}`];
  const log = ['log', '--no-merges', `--max-count=${most.commits}`, '--format=%H %s', ...range, '--'];
  const drafts: Draft[] = [];
  for (const line of (await git.read(log)).toString('utf8').split('\n')) {
    const [, fix = '', subject = ''] = /^([0-9a-f]{40,64}) (.*)$/.exec(line) ?? [];
    if (fix === '' || !saysFix.test(subject)) continue;
    const draft = await draftOf(git, { fix, subject });
    if (draft !== null) drafts.push(draft);
    if (drafts.length >= max) break;
  }
  return drafts;
}

/** Null where the fix removes nothing that one earlier commit brought. */
async function draftOf(git: Git, { fix, subject }: { fix: string; subject: string }): Promise<Draft | null> {
  const parent = await parentOf(git, fix);
  if (parent === null) return null;
  const removed = await removedBy(git, { parent, fix });
  const files = new Set(removed.map(({ path }) => path));
  const lines = removed.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  if (lines === 0 || lines > most.lines || files.size > most.files) return null;
  const blamed = (await Promise.all(removed.map((place) => blame(git, { ...place, at: parent })))).flat();
  const counts = new Map<string, number>();
  for (const { commit } of blamed) counts.set(commit, (counts.get(commit) ?? 0) + 1);
  const [brought] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  const before = brought === undefined ? null : await parentOf(git, brought);
  if (brought === undefined || before === null) return null;
  const places = joined(blamed.filter(({ commit }) => commit === brought)).slice(0, most.places);
  return { fix, subject, brought, before, places };
}

/** Null for the first commit and for one whose parent was not fetched. */
async function parentOf(git: Git, commit: string): Promise<string | null> {
  const parent = await git.line(['rev-parse', '--verify', '--quiet', `${commit}^1^{commit}`], { accept: [1, 128] });
  return parent || null;
}

/** Lines of the parent that a fix removes or changes, in files that are code. */
async function removedBy(git: Git, { parent, fix }: { parent: string; fix: string }): Promise<readonly LinesOfFile[]> {
  const { raw, numstat, patch } = await readDiff(git, { mergeBase: parent, head: fix });
  const isCode = ({ oldPath: path }: ChangedFile) => !notCode.test(path) && treePathProblem(path) === null;
  return parseDiff({ raw, numstat, patch: patch.sections })
    .filter(isCode)
    .flatMap((file) => changedRanges(file).removed.map((range) => ({ path: file.oldPath, ...range })));
}

type Blamed = { readonly commit: string; readonly path: string; readonly line: number };

async function blame(
  git: Git,
  { at, path, start, end }: LinesOfFile & { readonly at: string },
): Promise<readonly Blamed[]> {
  const stdout = await git.read(['blame', '-w', '--line-porcelain', `-L${start},${end}`, at, '--', path]);
  const blamed: Blamed[] = [];
  let [commit, line] = ['', 0];
  for (const text of stdout.toString('utf8').split('\n')) {
    const [, hash, original] = /^([0-9a-f]{40,64}) (\d+) \d+/.exec(text) ?? [];
    if (hash !== undefined) [commit, line] = [hash, Number(original)];
    if (text.startsWith('filename ')) blamed.push({ commit, path: text.slice('filename '.length), line });
  }
  return blamed;
}

/** Lines that follow each other are one place. */
function joined(blamed: readonly Blamed[]): readonly LinesOfFile[] {
  return [...groupBy(blamed, ({ path }) => path)].flatMap(([path, lines]) => {
    const numbers = lines.map(({ line }) => line).sort((one, other) => one - other);
    return lineRanges(numbers).map((range) => ({ path, ...range }));
  });
}

/** Texts of the history as JSON, which YAML is: nothing in them can become another key. */
function draftText({ fix, subject, brought, before, places }: Draft): string {
  const description = JSON.stringify(cutLine(subject, 200));
  const goldens = places.map(
    ({ path, start, end }) =>
      `  - path: ${JSON.stringify(path)}\n    lines: ${start === end ? start : `${start}-${end}`}\n    description: ${description}\n`,
  );
  return `# Proposed from the fix ${fix.slice(0, 10)}: it changed ${plural(places.length, 'place')} that ${brought.slice(0, 10)} brought.
# To complete: say what happens and when, keep the lines that are wrong, take out what is no defect, then the next line.
draft: true
repository: .
base: "${before}"
head: "${brought}"
goldens:
${goldens.join('')}`;
}
