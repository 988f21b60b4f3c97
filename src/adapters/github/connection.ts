import { type Infer, listOf, type Schema } from '../../core/schema.ts';
import { grouped } from '../../core/text.ts';
import { isQueryRefusal, isRecord, partialData, refusedFields } from './answers.ts';
import type { GitHub, RepositoryName } from './client.ts';
import { answerParser, boolean, has, integer, orNull, textOrNull } from './shapes.ts';

/** A list in GitHub's graph, as a row: how a page of it is asked for, and what the answer means. */
export type Connection<P extends Page<unknown>> = {
  /** The field of the object that it hangs on. */
  readonly name: string;
  /** What of it a query asks for; `$after` is where the page begins. */
  readonly fields: string;
  /** Null where GitHub says nothing of it. @throws Error for another shape than was asked for. */
  readonly read: (value: unknown) => P | null;
  /** A field of its items that is not missed where GitHub refuses it. */
  readonly unneeded?: string;
};

export type Page<Item> = {
  readonly items: readonly Item[];
  /** How many GitHub counts, on all pages. */
  readonly total: number;
  /** Where the next page begins; null behind the last. */
  readonly next: string | null;
};

/** An object of the graph that connections hang on: the way there in a query, and in its answer. */
export type GraphNode = {
  readonly github: Pick<GitHub, 'graphql'>;
  readonly query: (fields: string) => string;
  readonly path: readonly string[];
  readonly variables: { readonly [name: string]: unknown };
};

/** A connection whose items are nodes of one shape. */
export function connection<const S extends Schema, Item>({
  name,
  page,
  select,
  node,
  from,
}: {
  name: string;
  page?: string;
  select: string;
  node: S;
  from: (node: Infer<S>) => Item;
}): Connection<Page<Item>> {
  const parseNode = answerParser(node);
  return {
    name,
    fields: pageFields(name, select, page),
    read: (value) => {
      if (value === null) return null;
      const { totalCount: total, pageInfo, nodes } = parsePage(value);
      // Of an item that the token may not see null is left.
      const seen = (nodes ?? []).filter((one) => one !== null);
      const items = seen.map((one) => from(parseNode(one)));
      return { items, total, next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
    },
  };
}

/** `page` says which one: within another connection only the first can be asked for. */
export function pageFields(name: string, select: string, page = 'first: 100, after: $after'): string {
  return `${name}(${page}) { totalCount pageInfo { hasNextPage endCursor } nodes { ${select} } }`;
}

const pageInfo = has({ hasNextPage: boolean, endCursor: textOrNull });
const parsePage = answerParser(has({ totalCount: integer, pageInfo, nodes: orNull(listOf({})) }));

export function pullRequestPlace(
  github: GraphNode['github'],
  { owner, repository: name, number }: RepositoryName & { readonly number: number },
): GraphNode {
  return {
    github,
    query: (fields) => `query Postil($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${fields} } }
}`,
    path: ['repository', 'pullRequest'],
    variables: { owner, name, number },
  };
}

/** What a query was answered: what stands at the place, undefined for nothing, and why GitHub refused all or a part. */
export type Answered = { readonly found: unknown; readonly error: unknown };

const silent = new WeakMap<GraphNode['github'], Map<Connection<Page<unknown>>, Answered>>();

/** Asks for a page of each; never throws. Where GraphQL gave no answer at all, it is not asked again: each time would take a minute. */
export async function ask(
  { github, query, path, variables }: GraphNode,
  connections: readonly Connection<Page<unknown>>[],
  after: string | null = null,
): Promise<Answered> {
  const silence = silent.get(github) ?? new Map<Connection<Page<unknown>>, Answered>();
  silent.set(github, silence);
  const known = connections.map((one) => silence.get(one)).find((answered) => answered !== undefined);
  if (known !== undefined) return known;
  const at = (data: unknown) =>
    path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), data);
  try {
    const fields = connections.map((one) => one.fields).join(' ');
    return { found: at(await github.graphql(query(fields), { ...variables, after })), error: null };
  } catch (error) {
    if (isQueryRefusal(error)) return { found: at(partialData(error)), error };
    const answered = { found: undefined, error };
    for (const one of connections) silence.set(one, answered);
    return answered;
  }
}

/** A page as it was answered. Both where GitHub refused a part of it, neither where it says nothing of it. */
export function pageIn<P extends Page<unknown>>(
  { found, error }: Answered,
  { name, read, unneeded = '' }: Connection<P>,
): { readonly page: P | null; readonly error: unknown } {
  const fields = refusedFields(error).filter((path) => !path.includes(unneeded));
  const isRefused = fields.some((path) => path.length === 0 || path.includes(name));
  try {
    return { page: read(isRecord(found) ? found[name] : undefined), error: isRefused ? error : null };
  } catch (shape) {
    return { page: null, error: error ?? shape };
  }
}

/** Pages of one list, a hundred items each: more than people write, and an end for a server that always has another. */
const maxPages = 100;

/** Page after page, from the beginning or from an answer that holds the first. @throws where one is refused in part, and beyond `maxPages`. */
export async function* pagesOf<P extends Page<unknown>>(
  place: GraphNode,
  row: Connection<P>,
  first?: P,
): AsyncGenerator<P, void> {
  let page = first ?? (await wholePage(place, row, null));
  let seen = 0;
  for (let pages = 1; pages <= maxPages; pages += 1) {
    yield page;
    seen += page.items.length;
    if (page.next === null) return;
    page = await wholePage(place, row, page.next);
  }
  throw new Error(`GitHub lists more than ${grouped(seen)} of one kind, which is more than Postil reads.`);
}

async function wholePage<P extends Page<unknown>>(
  place: GraphNode,
  row: Connection<P>,
  after: string | null,
): Promise<P> {
  return whole(pageIn(await ask(place, [row], after), row));
}

/** A page of which nothing was refused. @throws what GitHub said instead. */
export function whole<P>({ page, error }: { readonly page: P | null; readonly error: unknown }): P {
  if (error !== null) throw error;
  if (page === null) throw new Error("GitHub's answer lacks what was asked for.");
  return page;
}

/**
 * All items: a part must not be taken for the whole. @throws as `pagesOf` does, and Error where GitHub lists one twice, or counts more than it lists:
 * that is no answer.
 */
export async function allOf<Item extends { readonly id: string }>(
  place: GraphNode,
  row: Connection<Page<Item>>,
  first?: Page<Item>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let total = 0;
  for await (const page of pagesOf(place, row, first)) {
    items.push(...page.items);
    total = page.total;
  }
  const distinct = new Set(items.map(({ id }) => id)).size;
  if (distinct === items.length && distinct >= total) return items;
  throw new Error(`GitHub counts ${grouped(total)} of one kind and lists ${grouped(distinct)}.`);
}
