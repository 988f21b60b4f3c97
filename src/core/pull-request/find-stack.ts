import { UserError } from '../errors.ts';
import type { CommitReference, Stack } from './pull-request.ts';

/** An open pull request of the same repository. */
export type OpenPull = {
  readonly number: number;
  readonly title: string;
  /** The branch that it goes into. */
  readonly base: string;
};

/** What is known of a pull request's base, and how more is asked. */
export type StackSearch = {
  readonly base: CommitReference;
  /** Null where the server does not say. */
  readonly defaultBranch: string | null;
  /** The base of the stack that the server itself keeps; null where it keeps none. */
  readonly declared: CommitReference | null;
  /** The open pull requests whose head is this branch. */
  readonly pullsFrom: (branch: string) => Promise<readonly OpenPull[]>;
  /** Full hash. */
  readonly tipOf: (branch: string) => Promise<string>;
};

/**
 * The layers below a pull request: its base branch is the head of another one, and so on down. Null where it stands on none. What the server
 * says of its own stacks goes where a layer is closed. Without an end (a circle, too many layers) the default branch counts as the base.
 */
export async function findStack(search: StackSearch): Promise<Stack | null> {
  const { base, declared } = search;
  const { below, bottom } = await walkDown(search);
  if (bottom === base.ref) return null;
  const sha = bottom === declared?.ref ? declared.sha : await search.tipOf(bottom);
  return { base: { ref: bottom, sha }, below };
}

/** Each costs a request. */
const mostLayers = 20;

async function walkDown(search: StackSearch): Promise<{ readonly below: Stack['below']; readonly bottom: string }> {
  const { defaultBranch, declared, pullsFrom } = search;
  const below: Stack['below'][number][] = [];
  const seen = new Set<string>();
  let branch = search.base.ref;
  while (branch !== defaultBranch) {
    if (seen.has(branch) || below.length === mostLayers) return { below, bottom: demanded(defaultBranch) };
    seen.add(branch);
    const layer = likeliest(await pullsFrom(branch), declared?.ref ?? defaultBranch);
    if (layer !== undefined) below.unshift({ number: layer.number, title: layer.title });
    const next = layer?.base ?? declared?.ref;
    if (next === undefined || (layer === undefined && seen.has(next))) break;
    branch = next;
  }
  return { below, bottom: branch };
}

/** Of several from one branch the one that ends the stack, else the oldest. */
function likeliest(pulls: readonly OpenPull[], end: string | null): OpenPull | undefined {
  const oldestFirst = pulls.toSorted((one, other) => one.number - other.number);
  return oldestFirst.find(({ base }) => base === end) ?? oldestFirst[0];
}

function demanded(defaultBranch: string | null): string {
  if (defaultBranch !== null) return defaultBranch;
  throw new UserError('The stack of this pull request has no end, and GitHub names no default branch.', {
    hint: 'Base one of its pull requests on the branch that all of them are for.',
  });
}
