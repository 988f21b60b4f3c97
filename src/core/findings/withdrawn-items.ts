import type { FailedItem } from './check-item.ts';
import { isSameTitle } from './same-matter.ts';

/** A finding that the model reported and that could not be delivered as one. */
export type RefusedItem = { readonly title: string; readonly path: string; readonly reason: string };

type Named = { readonly title: string; readonly path: string };

/** The items given back that a resubmission does not take up again, neither by title nor by path: the delivery keeps them. */
export function withdrawnItems(
  givenBack: readonly FailedItem[],
  resubmitted: readonly Named[],
): readonly RefusedItem[] {
  const open = [...resubmitted];
  const untitled = givenBack.filter((item) => !takeOut(open, (named) => isSameTitle(named.title, item.title)));
  return untitled
    .filter((item) => !takeOut(open, (named) => named.path === item.path))
    .map(({ title, path, reason }) => ({ title, path, reason: `withdrawn by the model, after: ${reason}` }));
}

function takeOut(open: Named[], isAnswer: (named: Named) => boolean): boolean {
  const index = open.findIndex(isAnswer);
  if (index !== -1) open.splice(index, 1);
  return index !== -1;
}
