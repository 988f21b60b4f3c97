import { createHash } from 'node:crypto';
import type { Node, Tree, TreeCursor } from 'web-tree-sitter';
import type { Layout } from '../../core/languages/syntax.ts';

type Source = {
  readonly text: string;
  readonly grammar: string;
  /** True when the time is over. */
  readonly isOver: () => boolean;
};

/**
 * What each line is as code. A tree is cut into items: the statements and members of each block, without the blocks in them. An item is known
 * by the digest of its tokens, its shape and the items that it stands in; a line by its tokens in their items. White space that the grammar
 * reads between two tokens is in none of these. Null for a tree with an error, and when the time is over.
 */
export function layoutOf(tree: Tree, source: Source): Layout | null {
  const { rootNode } = tree;
  if (rootNode.hasError) return null;
  const lines: LineTokens[] = [];
  const blocks: Block[] = [{ node: rootNode, context: digest([source.grammar]) }];
  const cursor = rootNode.walk();
  try {
    for (let block = blocks.pop(); block !== undefined; block = blocks.pop()) {
      for (const { item, inner } of itemsOf(block, { cursor, source })) {
        if (source.isOver()) return null;
        for (const token of item.tokens) note(lines, token, item);
        blocks.push(...inner);
      }
    }
  } catch (error) {
    if (error === odd) return null;
    throw error;
  } finally {
    cursor.delete();
  }
  return Array.from(lines, (line) => line && digestOf(line));
}

/** A list of statements or members, and what it stands in. */
type Block = { readonly node: Node; readonly context: string };

type Rows = readonly [first: number, last: number];
type Token = { readonly start: number; readonly rows: Rows; readonly ordinal: number };
type Item = { readonly digest: string; readonly tokens: readonly Token[] };
type LineTokens = { readonly start: number; readonly key: string }[];

function note(lines: (LineTokens | undefined)[], { start, rows, ordinal }: Token, { digest }: Item): void {
  for (let row = rows[0]; row <= rows[1]; row += 1) {
    const line = lines[row] ?? [];
    lines[row] = line;
    line.push({ start, key: `${digest}:${ordinal}` });
  }
}

function digestOf(tokens: LineTokens): string {
  return digest(tokens.toSorted((one, other) => one.start - other.start).map(({ key }) => key));
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** Thrown where a text holds something between its tokens that no token of the tree covers. */
const odd = new Error('text outside of the tree');

function* itemsOf(
  { node, context }: Block,
  reading: { cursor: TreeCursor; source: Source },
): Generator<{ readonly item: Item; readonly inner: readonly Block[] }> {
  let end = node.startIndex;
  let attributes: readonly string[] = [];
  let indentation: number | null = null;
  for (const child of node.children) {
    if (reading.source.grammar === 'python' && child.type !== 'comment' && child.isNamed) {
      // The grammar forgives what the language does not.
      const { column } = child.startPosition;
      const startsLine = isLayout(reading.source.text.slice(child.startIndex - column, child.startIndex));
      if (startsLine && column !== (indentation ?? (node.parent === null ? 0 : column))) throw odd;
      if (startsLine) indentation = column;
    }
    const { parts, tokens, holes } = readItem(child, { ...reading, end });
    end = Math.max(end, child.endIndex);
    const own = digest([context, ...attributes, ...parts]);
    yield {
      item: { digest: own, tokens },
      inner: holes.map((hole, index) => ({ node: hole, context: digest([own, String(index)]) })),
    };
    // An attribute belongs to what it stands above.
    if (isAttribute.test(child.type)) attributes = [...attributes, own];
    else if (!child.type.includes('comment')) attributes = [];
  }
  if (!isLayout(reading.source.text.slice(end, node.endIndex))) throw odd;
}

type ReadItem = {
  /** Its tokens and its shape, unmistakably. */
  readonly parts: readonly string[];
  readonly tokens: readonly Token[];
  /** The blocks in it. */
  readonly holes: readonly Node[];
};

/** `end` is where the last token before the item ends. */
function readItem(node: Node, { cursor, source, end }: { cursor: TreeCursor; source: Source; end: number }): ReadItem {
  const { text, grammar } = source;
  const parts: string[] = [];
  const tokens: Token[] = [];
  const holes: Node[] = [];
  const path: string[] = [];
  let last = end;
  const pass = (to: number) => {
    const gap = text.slice(last, Math.max(last, to));
    // Between elements of a page a space is text.
    const counts = !isLayout(gap) || (path.some((type) => type.startsWith('jsx_')) && !gap.includes('\n'));
    if (counts && gap !== '') parts.push('gap', gap);
  };
  cursor.reset(node);
  for (;;) {
    const type = cursor.nodeType;
    const isBlock = blockTypes.test(type) && !(grammar === 'ruby' && type === 'block');
    const isWhole = isBlock || verbatim.test(type);
    if (!isWhole && cursor.gotoFirstChild()) {
      path.push(type);
      parts.push('(', type, cursor.currentFieldName ?? '');
      continue;
    }
    pass(cursor.startIndex);
    if (isBlock) {
      parts.push('block', type);
      holes.push(cursor.currentNode);
    } else {
      const [start, to] = [cursor.startIndex, cursor.endIndex];
      parts.push('token', type, text.slice(start, to));
      tokens.push({ start, rows: [cursor.startPosition.row, lastRow(cursor)], ordinal: tokens.length });
    }
    last = Math.max(last, cursor.endIndex);
    while (!cursor.gotoNextSibling()) {
      if (path.pop() === undefined) {
        pass(node.endIndex);
        return { parts, tokens, holes };
      }
      parts.push(')');
      cursor.gotoParent();
    }
    parts.push(cursor.currentFieldName ?? '');
    if (tokens.length % 1_000 === 999 && source.isOver()) throw odd;
  }
}

/** What ends with a newline does not reach into the line behind. */
function lastRow({ startPosition, endPosition }: Pick<Node, 'startPosition' | 'endPosition'>): number {
  return endPosition.column === 0 && endPosition.row > startPosition.row ? endPosition.row - 1 : endPosition.row;
}

/** Other white space may mean something: a form feed in Python, a line separator in JavaScript. */
function isLayout(gap: string): boolean {
  return /^(?:[ \t]|\r?\n)*$/.test(gap);
}

/** Nodes whose statements or members are read each for itself. Of a node that is missing here everything counts together. */
const blockTypes =
  /^(?:statement_block|class_body|interface_body|block|statement_list|constructor_body|body_statement|block_body|then|declaration_list|field_declaration_list|compound_statement|colon_block)$/;

/** Nodes whose white space is their own. */
const verbatim =
  /string|heredoc|nowdoc|comment|regex|char|symbol|shell|text|literal_type|token_tree|uninterpreted|^preproc_(?!if|elif|else)/;

const isAttribute = /^(?:(?:inner_)?attribute_item|attribute_declaration|decorator|(?:marker_)?annotation)$/;
