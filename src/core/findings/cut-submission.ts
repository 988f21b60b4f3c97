import { jsonTokens } from './json-tokens.ts';
import { parseRepairedJson } from './repair-json.ts';

/** The complete items of a list in JSON that ends in the middle: all that a model could write before its output ended (FAILURES M9b). */
export function completeItems(text: string): readonly unknown[] {
  const list = /"files_review"\s*:\s*\[/.exec(text);
  if (list === null) return [];
  const items: unknown[] = [];
  let depth = 0;
  let itemStart = 0;
  for (const { kind, start, end } of jsonTokens(text, list.index + list[0].length)) {
    if (kind === 'open') {
      if (depth === 0) itemStart = start;
      depth += 1;
    }
    if (kind !== 'close') continue;
    depth -= 1;
    if (depth < 0) break;
    const parsed = depth === 0 ? parseRepairedJson(text.slice(itemStart, end)) : null;
    if (parsed?.ok === true) items.push(parsed.value);
  }
  return items;
}
