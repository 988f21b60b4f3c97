import { grouped } from '../../core/grouped.ts';
import { type Infer, type Parsed, parserFor, type Schema } from '../../core/schema.ts';

export type Page<Node> = {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly nodes: readonly Node[];
};

/** Pages of one list, a hundred items each: more than people write, and an end for a server that always has another. */
const maxPages = 100;

/**
 * Follows the cursor from the beginning, or from where a first page that is already there ends.
 * @throws Error beyond `maxPages`: who looks whether something is there must not take a part for the whole.
 */
export async function allPages<Node>(
  page: (after: string | null) => Promise<Page<Node>>,
  first?: Page<Node>,
): Promise<readonly Node[]> {
  const nodes: Node[] = [];
  let current = first ?? (await page(null));
  for (let pages = 1; pages <= maxPages; pages += 1) {
    nodes.push(...current.nodes);
    const { hasNextPage, endCursor } = current.pageInfo;
    if (!hasNextPage || endCursor === null) return nodes;
    current = await page(endCursor);
  }
  throw new Error(`GitHub lists more than ${grouped(nodes.length)} of one kind, which is more than Postil reads.`);
}

/** The schema of one page of a connection. */
export function pageOf<const Node extends Schema>(node: Node) {
  return {
    type: 'object',
    required: ['pageInfo', 'nodes'],
    properties: {
      pageInfo: {
        type: 'object',
        required: ['hasNextPage', 'endCursor'],
        properties: { hasNextPage: { type: 'boolean' }, endCursor: { type: ['string', 'null'] } },
      },
      nodes: { type: 'array', items: node },
    },
  } as const;
}

/** Parses the `data` of an answer; an older server may answer in another shape than was asked for. */
export function answerParser<const S extends Schema>(schema: S): (data: unknown) => Infer<S> {
  const parse = parserFor(schema);
  return (data) => {
    const parsed: Parsed<Infer<S>> = parse(data);
    if (parsed.ok) return parsed.value;
    throw new Error(`GitHub's answer has an unexpected shape: ${parsed.problems.slice(0, 3).join('; ')}.`);
  };
}
