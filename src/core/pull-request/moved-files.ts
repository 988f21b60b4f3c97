import type { Repository } from '../repository/repository.ts';
import { splitLines } from '../repository/shown.ts';
import { defaultGuidance } from '../settings/context-definitions.ts';
import { type ChangedFile, changesLines, type Hunk } from './changed-file.ts';
import { kindByName } from './unreviewable.ts';

// What runs by its place: workflows and CI, hooks, programs, what installs or builds, and what tells tools, editors and agents what to do.
const places =
  /(^|\/)(\.github|\.circleci|\.gitlab|\.buildkite|\.husky|\.githooks|\.git-hooks|hooks|\.?s?bin|\.postil|\.cursor|\.claude|\.codex|\.devcontainer|\.vscode|\.idea|\.cargo|\.mvn)\//i;
const names =
  /^(action\.ya?ml|\.[\w-]*ci\.ya?ml|azure-pipelines\.ya?ml|jenkinsfile.*|dockerfile.*|.*\.dockerfile|(docker-)?compose.*\.ya?ml|(gnu)?makefile|justfile|taskfile\.ya?ml|rakefile|gemfile|vagrantfile|procfile|package\.json|pyproject\.toml|setup\.(py|cfg)|(sitecustomize|usercustomize|conftest|noxfile|manage)\.py|tox\.ini|requirements.*\.txt|cargo\.toml|build\.rs|go\.mod|pom\.xml|.*\.gradle(\.kts)?|build\.sbt|composer\.json|mix\.exs|package\.swift|.*\.(gemspec|csproj|fsproj|vbproj|props|targets)|codeowners|claude\.md|gemini\.md|copilot-instructions\.md|\.(gitattributes|gitmodules|npmrc|yarnrc.*|pnpmfile\.c?js|pre-commit-config\.yaml|cursorrules|envrc|bashrc|profile|dockerignore)|.*\.config\.[cm]?[jt]s)$/i;
const guidance = new Set(defaultGuidance.map((name) => name.toLowerCase()));

// Text that no tool loads, by its last extension: an example becomes a program, or a check is put out of use, by a new name alone.
const inert =
  /\.(txt|md|markdown|rst|adoc|log|csv|tsv|diff|patch|bak|backup|old|orig|off|disabled|unused|sample|example|template|tmpl|tpl|dist)$|(^|\/)[^./]+$/i;

function hasMeaning(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return places.test(path) || names.test(name) || guidance.has(name.toLowerCase());
}

/**
 * Whether the same text means something else where the pull request puts it: it runs there, or is obeyed, or nobody reviewed it where it
 * came from. A place that it leaves counts as well: a check that is moved away is gone.
 */
export function meansSomethingElse(file: ChangedFile, isExcluded: (path: string) => boolean): boolean {
  const { status, path, oldPath, modeChange, executable = false } = file;
  if (status !== 'renamed' && status !== 'copied') return modeChange !== null && executable;
  // The end of a link is counted from where it stands.
  if (file.kind === 'symlink' || inert.test(path) !== inert.test(oldPath)) return true;
  if (executable || hasMeaning(path) || hasMeaning(oldPath) || isExcluded(oldPath)) return true;
  if (file.wasMarked === true && !file.generated && file.vendored !== true) return true;
  const was = kindByName(oldPath);
  return was !== null && kindByName(path) !== was;
}

/** The file with all of its text: the lines between the hunks become hunks, which change nothing. Null for a file without any text. */
export async function withWholeText(
  file: ChangedFile,
  repository: Pick<Repository, 'readFile'>,
): Promise<ChangedFile | null> {
  const content = await repository.readFile(file.path, 'head');
  const text = content.kind === 'symlink' ? content.target : content.kind === 'text' ? content.text : null;
  // The diff of a submodule is all that there is of it.
  if (text === null) return file.hunks.length > 0 ? file : null;
  const lines = splitLines(text);
  const hunks: Hunk[] = [];
  let next = { oldLine: 1, newLine: 1 };
  for (const hunk of file.hunks) {
    const first = hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart;
    hunks.push(...unchanged(lines.slice(next.newLine - 1, first - 1), next), hunk);
    next = { newLine: first + hunk.newLines, oldLine: oldEnd(hunk) };
  }
  hunks.push(...unchanged(lines.slice(next.newLine - 1), next));
  return { ...file, hunks };
}

function oldEnd({ oldStart, oldLines }: Hunk): number {
  return (oldLines === 0 ? oldStart + 1 : oldStart) + oldLines;
}

function unchanged(
  lines: readonly string[],
  { oldLine, newLine }: { readonly oldLine: number; readonly newLine: number },
): readonly Hunk[] {
  if (lines.length === 0) return [];
  const count = lines.length;
  const ranges = { oldStart: oldLine, oldLines: count, newStart: newLine, newLines: count };
  return [{ ...ranges, heading: '', lines: lines.map((line) => ` ${line}`) }];
}

/** For the pattern rules, which look at what a change adds: all of a file that means something else now. */
export function asAdded(file: ChangedFile): ChangedFile {
  if (file.moved !== true) return file;
  const hunks = file.hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => (line.startsWith(' ') ? `+${line.slice(1)}` : line)),
  }));
  return { ...file, hunks: hunks.filter(changesLines) };
}
