import { directoryOf } from './path-index.ts';

/** Orders paths by how near they are to another: the same directory first, then the most folders in common, then by name. */
export function compareNearness(from: string): (one: string, other: string) => number {
  const directory = directoryOf(from);
  const isBeside = (path: string) => Number(directoryOf(path) === directory);
  return (one, other) =>
    isBeside(other) - isBeside(one) || sharedParts(other, from) - sharedParts(one, from) || compareText(one, other);
}

/** How many leading folders two paths have in common. */
function sharedParts(one: string, other: string): number {
  const [parts, others] = [directoryOf(one).split('/'), directoryOf(other).split('/')];
  const end = parts.findIndex((part, index) => part !== others[index]);
  return end === -1 ? parts.length : end;
}

/** By code unit: the order must not depend on a locale. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
