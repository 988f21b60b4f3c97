import type { Hunk } from '../pull-request/changed-file.ts';
import { privateKeyBody } from '../repository/private-keys.ts';

/**
 * Added lines inside a private key whose first line stood there before, the first of each key: added lines alone do not show that they are
 * one.
 */
export function replacedKeys(hunk: Hunk): readonly { readonly index: number; readonly line: number }[] {
  const head = hunk.lines.flatMap((text, index) =>
    text.startsWith('+') || text.startsWith(' ') ? [{ index, text: text.slice(1), added: text.startsWith('+') }] : [],
  );
  const inside = privateKeyBody(head.map(({ text }) => text));
  let told = false;
  return head.flatMap(({ index, added }, at) => {
    // A key that begins with an added line is found by that.
    if (!inside.has(at - 1)) told = head[at - 1]?.added ?? false;
    if (told || !added || !inside.has(at)) return [];
    told = true;
    return [{ index, line: hunk.newStart + at }];
  });
}
