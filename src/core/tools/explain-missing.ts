import { distance } from 'fastest-levenshtein';
import type { FileEntry } from '../repository/repository.ts';
import { baseName, nameOf } from './file-name.ts';
import type { Files } from './sources.ts';

const maxSuggestions = 5;

/** Says that a path does not exist at head, and where what was meant may be: renamed, deleted, elsewhere, misspelled. */
export async function explainMissing(files: Files, path: string): Promise<string> {
  const missing = `There is no ${nameOf(path)} at the reviewed commit.`;
  const change = files.files.find((file) => file.oldPath === path || file.path === path);
  if (change?.status === 'deleted') return `${missing} This pull request deletes it: its lines are in the diff.`;
  if (change?.status === 'renamed') return `${missing} This pull request renames it to ${nameOf(change.path)}.`;
  const near = nearPaths(path, await files.repository.listFiles('head'));
  if (near.length === 0) return `${missing} list_files lists what there is.`;
  return `${missing} Did you mean ${near.map(nameOf).join(', ')}?`;
}

/** The same file name elsewhere, else names one or two letters away; the most similar paths first. */
function nearPaths(path: string, entries: readonly FileEntry[]): readonly string[] {
  const name = baseName(path).toLowerCase();
  const candidates = entries.map((entry) => ({ path: entry.path, name: baseName(entry.path).toLowerCase() }));
  const same = candidates.filter((candidate) => candidate.name === name);
  const chosen = same.length > 0 ? same : candidates.filter((candidate) => isMisspelt(candidate.name, name));
  return chosen
    .map((candidate) => ({ path: candidate.path, far: distance(candidate.path, path) }))
    .sort((one, other) => one.far - other.far)
    .slice(0, maxSuggestions)
    .map((candidate) => candidate.path);
}

function isMisspelt(name: string, meant: string): boolean {
  return Math.abs(name.length - meant.length) <= 2 && meant.length > 4 && distance(name, meant) <= 2;
}
