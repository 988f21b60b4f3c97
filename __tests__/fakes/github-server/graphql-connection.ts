import { GraphQLError } from 'graphql';
import { at } from '../json.ts';

/** A resolver of a connection: honours first, after, last and before, and insists on one of first and last as GitHub does. */
export function connection<T>(
  name: string,
  items: () => readonly T[],
  render: (item: T) => object | null,
): (args: unknown) => object {
  return (args) => {
    const { first, last } = boundaries(name, args);
    const all = items();
    const from = positionOf(at(args, 'after'), 0);
    const to = positionOf(at(args, 'before'), all.length + 1) - 1;
    const start = first === null ? Math.max(from, to - (last ?? 0)) : from;
    const end = first === null ? to : Math.min(to, from + first);
    const edges = all
      .slice(start, end)
      .map((item, index) => ({ cursor: cursorOf(start + index + 1), node: render(item) }));
    return {
      totalCount: all.length,
      nodes: edges.map((edge) => edge.node),
      edges,
      pageInfo: {
        hasNextPage: end < all.length,
        hasPreviousPage: start > 0,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
    };
  };
}

function boundaries(name: string, args: unknown): { first: number | null; last: number | null } {
  const first = numberOrNull(at(args, 'first'));
  const last = numberOrNull(at(args, 'last'));
  if (first === null && last === null) {
    throw refusal(
      'MISSING_PAGINATION_BOUNDARIES',
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  }
  for (const [argument, value] of [['first', first] as const, ['last', last] as const]) {
    if (value === null || value <= 100) continue;
    throw refusal(
      'EXCESSIVE_PAGINATION',
      `Requesting ${value} records on the \`${name}\` connection exceeds the \`${argument}\` limit of 100 records.`,
    );
  }
  return { first, last };
}

export function refusal(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

// Opaque to clients, as GitHub's are.
function cursorOf(position: number): string {
  return Buffer.from(`cursor:v2:${position}`).toString('base64');
}

function positionOf(cursor: unknown, otherwise: number): number {
  if (typeof cursor !== 'string') return otherwise;
  const position = /^cursor:v2:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8'))?.[1];
  if (position === undefined)
    throw refusal('INVALID_CURSOR_ARGUMENTS', `\`${cursor}\` does not appear to be a valid cursor.`);
  return Number(position);
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
