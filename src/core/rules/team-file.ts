import { checkPath } from '../repository/path.ts';
import type { Repository } from '../repository/repository.ts';

export type TeamFile =
  /** `from` is where the text stands: another path when links lead there. */
  | { readonly kind: 'text'; readonly text: string; readonly from: string }
  | { readonly kind: 'missing' }
  /** The reason is the end of a sentence for a person. */
  | { readonly kind: 'refused'; readonly reason: string };

type TeamFileRequest = { readonly path: string; readonly isDenied: (path: string) => string | null };

const mostLinks = 5;

/**
 * A file whose words are given to the model, at the base commit: what the model may not read with its tools it does not see here either. Symbolic
 * links such as AGENTS.md → CLAUDE.md are followed inside the commit, never outside it.
 */
export async function readTeamFile(repository: Repository, { path, isDenied }: TeamFileRequest): Promise<TeamFile> {
  let from = path;
  for (let links = 0; links <= mostLinks; links += 1) {
    if (isDenied(from) !== null) return { kind: 'refused', reason: deniedReason };
    const content = await repository.readFile(from, 'base');
    if (content.kind === 'text') return { kind: 'text', text: content.text, from };
    if (content.kind === 'unreadable') return unreadable(content.reason, links > 0);
    const target = targetOf(from, content.target);
    if (target === null) return { kind: 'refused', reason: 'it is a symbolic link that leads out of the repository' };
    from = target;
  }
  return { kind: 'refused', reason: nowhere };
}

const nowhere = 'it is a symbolic link that leads nowhere';
const deniedReason = 'the model may not read it, because of `deny-paths` or because such files hold secrets';

function unreadable(reason: string, isLinked: boolean): TeamFile {
  if (reason === 'missing') return isLinked ? { kind: 'refused', reason: nowhere } : { kind: 'missing' };
  const link = isLinked ? 'it is a symbolic link to what' : 'it';
  return { kind: 'refused', reason: `${link} is not a text file` };
}

/** Where a link leads, from the root; null when that is not inside the repository. */
function targetOf(link: string, target: string): string | null {
  if (target.startsWith('/')) return null;
  const parts = link.split('/').slice(0, -1);
  for (const part of target.split('/').filter(isName)) {
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  const checked = checkPath(parts.join('/'));
  return checked.ok ? checked.path : null;
}

function isName(part: string): boolean {
  return part !== '' && part !== '.';
}
