import type { FakeModel } from '../fakes/model-server/start-model.ts';
import type { World } from '../fakes/world/create-world.ts';

/** Texts of all added and removed lines of the pull request, from git itself. */
export function changedLines(world: World): readonly string[] {
  const { mergeBase, head } = world.commits;
  const diff = world.remote.git('diff', '-U0', '--find-renames', '--ignore-submodules=none', mergeBase, head);
  const lines: string[] = [];
  let inHunk = false;
  for (const line of diff.split('\n')) {
    if (line.startsWith('diff --git ')) inHunk = false;
    if (line.startsWith('@@ ')) inHunk = true;
    else if (inHunk && /^[+-]/.test(line)) lines.push(line.slice(1));
  }
  return lines;
}

/** The changed lines that the model was never shown: the lower bound of a review is that there are none. */
export function unseenLines(world: World, model: FakeModel): readonly string[] {
  const seen = new Set(model.requests.flatMap((request) => request.messages.flatMap(({ text }) => text.split('\n'))));
  const shown = [...seen].join('\n');
  return changedLines(world).filter((line) => !shown.includes(line.trim()));
}
