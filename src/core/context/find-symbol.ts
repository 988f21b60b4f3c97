import type { FoundDefinition } from './find-definitions.ts';
import type { FoundUse } from './find-uses.ts';
import type { IndexedFile } from './indexed-files.ts';
import { compareText } from './nearness.ts';
import { type FoundLines, readFiles, type SymbolIndex } from './symbol-index.ts';
import { isTestPath } from './test-path.ts';

export type FoundSymbol = {
  readonly definitions: readonly Omit<FoundDefinition, 'guess'>[];
  readonly uses: readonly FoundUse[];
  /** Files that no parser read: what they hold is a guess line by line. */
  readonly guessed: readonly string[];
  /** Files that mention the name and were not looked at. */
  readonly unread: number;
  readonly incomplete: FoundLines['incomplete'];
};

const limits = { definitionLines: 400, lines: 600, files: 60 } as const;

/** Where a symbol is defined and used at head. `first` are the paths to look at before others, such as the changed ones. */
export async function findSymbol(
  index: SymbolIndex,
  {
    name,
    container,
    first,
  }: { readonly name: string; readonly container: string | null; readonly first: readonly string[] },
): Promise<FoundSymbol> {
  const defining = await index.search([name], { definitions: true, limit: limits.definitionLines });
  const all = await index.search([name], { definitions: false, limit: limits.lines });
  const paths = rank({ defining: pathsOf(defining), all: pathsOf(all), first });
  const files = await readFiles(index, paths.slice(0, limits.files));
  const named = files.flatMap((file) =>
    file.syntax.definitions.flatMap((definition) => (definition.name === name ? [{ file, definition }] : [])),
  );
  // What has a body tells more than a header.
  const definitions = named.toSorted((one, other) => prototypes(one) - prototypes(other));
  const within = definitions.filter(({ definition }) => isWithin(definition.container, container));
  const uses = files.flatMap((file) =>
    file.syntax.references.flatMap((reference) => {
      const isImport = file.syntax.imports.some(({ line }) => line === reference.line);
      return reference.name === name && !isImport ? [{ file, reference }] : [];
    }),
  );
  const kept = new Set([...definitions, ...uses].map(({ file }) => file));
  return {
    // `typedef struct cart { … } cart;` defines two of one name, and a line may use a name twice.
    definitions: onePerLine(within.length > 0 ? within : definitions, ({ definition }) => definition.startLine),
    uses: onePerLine(uses, ({ reference }) => reference.line),
    guessed: [...kept].filter(({ syntax }) => syntax.by === 'patterns').map(({ path }) => path),
    unread: paths.length - files.length,
    incomplete: all.incomplete,
  };
}

/** The first on each line of a file. */
function onePerLine<Item extends { readonly file: IndexedFile }>(
  items: readonly Item[],
  lineOf: (item: Item) => number,
): readonly Item[] {
  const places = new Set<string>();
  return items.filter((item) => {
    const place = `${lineOf(item)} ${item.file.path}`;
    const isFirst = !places.has(place);
    places.add(place);
    return isFirst;
  });
}

function prototypes({ definition }: Pick<FoundDefinition, 'definition'>): number {
  return definition.prototype === true ? 1 : 0;
}

function pathsOf({ lines }: FoundLines): readonly string[] {
  return [...new Set(lines.map(({ path }) => path))];
}

type Paths = {
  readonly defining: readonly string[];
  readonly all: readonly string[];
  readonly first: readonly string[];
};

/** Changed files, then those that seem to define it, then the rest; tests last. */
function rank({ defining, all, first }: Paths): readonly string[] {
  const [changed, likely] = [new Set(first), new Set(defining)];
  const worth = (path: string) =>
    Number(changed.has(path)) * 4 + Number(likely.has(path)) * 2 + Number(!isTestPath(path));
  return [...new Set([...defining, ...all])].sort((one, other) => worth(other) - worth(one) || compareText(one, other));
}

function isWithin(container: string | null, wanted: string | null): boolean {
  return wanted === null || (container?.split('.').includes(wanted) ?? false);
}
