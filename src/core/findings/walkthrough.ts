import { exactly, type Infer, listOf } from '../schema.ts';
import { cutLine } from '../text.ts';
import { firstOf, isObject, type JsonObject, textOf } from './words.ts';

/** One line of the walkthrough, about files that change together. */
export const walkthroughLineSchema = exactly({
  paths: listOf({ type: 'string' }),
  changes: { type: 'string', description: 'What they do differently now, at most 15 words.' },
  checked: { type: 'string', description: 'What you checked, and the result, at most 15 words.' },
});

/** What a group of files changes, and what was checked there: a line each, in the model's words. */
export type WalkthroughLine = Infer<typeof walkthroughLineSchema>;

/** Lines of a walkthrough, files of a line, and characters of what it says: what goes beyond is not read. */
const maxLines = 500;
const maxPaths = 200;
const maxLineCharacters = 240;

/** What is said of each group of files, as far as it can be read. A bad line never costs a finding. */
export function readWalkthrough(list: readonly unknown[]): readonly WalkthroughLine[] {
  const words = (line: JsonObject, name: string) =>
    cutLine(textOf(firstOf(line, name)).replace(/\s+/g, ' '), maxLineCharacters);
  return list
    .slice(0, maxLines)
    .filter(isObject)
    .map((line) => ({ paths: pathsOf(line), changes: words(line, 'changes'), checked: words(line, 'checked') }))
    .filter(({ paths, changes, checked }) => paths.length > 0 && changes + checked !== '');
}

/** A line with one `path` is about a group of one. */
function pathsOf(line: JsonObject): readonly string[] {
  const given = firstOf(line, 'paths', 'path');
  return (Array.isArray(given) ? given : [given])
    .slice(0, maxPaths)
    .map(textOf)
    .filter((path) => path !== '');
}

/** Each file in the first line that names it. A line whose files all stand in earlier ones goes. */
export function eachFileOnce(lines: readonly WalkthroughLine[]): readonly WalkthroughLine[] {
  const named = new Set<string>();
  return lines.flatMap((line) => {
    const paths = [...new Set(line.paths)].filter((path) => !named.has(path));
    for (const path of paths) named.add(path);
    return paths.length === 0 ? [] : [{ ...line, paths }];
  });
}

/** What is said of these files, each line with its files in this order. */
export function linesOn(files: readonly string[], lines: readonly WalkthroughLine[]): readonly WalkthroughLine[] {
  return lines.flatMap((line) => {
    const paths = files.filter((path) => line.paths.includes(path));
    return paths.length === 0 ? [] : [{ ...line, paths }];
  });
}

/** A line as other programs read it: `path` is the first of its files, and all there was before lines were about several. */
export const toldLineSchema = exactly({
  path: { type: 'string', description: 'The first of `paths`.' },
  ...walkthroughLineSchema.properties,
});
export function toldLine(line: WalkthroughLine): Infer<typeof toldLineSchema> {
  return { path: line.paths[0] ?? '', ...line };
}
