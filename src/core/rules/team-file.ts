import type { Repository } from '../repository/repository.ts';

export type TeamFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  /** The reason is the end of a sentence for a person. */
  | { readonly kind: 'refused'; readonly reason: string };

/** A file whose words are given to the model, at the base commit: what the model may not read with its tools it is not told either. */
export async function readTeamFile(
  repository: Repository,
  { path, isDenied }: { readonly path: string; readonly isDenied: (path: string) => string | null },
): Promise<TeamFile> {
  if (isDenied(path) !== null) return { kind: 'refused', reason: deniedReason };
  const content = await repository.readFile(path, 'base');
  if (content.kind === 'text') return { kind: 'text', text: content.text };
  if (content.kind === 'unreadable' && content.reason === 'missing') return { kind: 'missing' };
  return { kind: 'refused', reason: 'it is not a text file' };
}

const deniedReason = 'the model may not read it, because of `deny-paths` or because such files hold secrets';
