import type { BlockContent, Heading, List, PhrasingContent, Root, RootContent, Table } from 'mdast';
import { textOfHtml } from './html-text.ts';
import { removeInvisible } from './invisible.ts';
import type { SanitiseOptions } from './render-context.ts';
import { type Addresses, sanitisePhrasing } from './sanitise-phrasing.ts';
import { cleanCode } from './sanitise-text.ts';

/** The tree without anything that acts when it is shown on GitHub. */
export function sanitiseTree(tree: Root, options: SanitiseOptions): Root {
  const rules: Rules = { ...options, addresses: addressesIn(tree.children) };
  return { type: 'root', children: blocks(tree.children, rules) };
}

type Rules = SanitiseOptions & { readonly addresses: Addresses };

// Reference links are resolved before their definitions go.
function addressesIn(nodes: readonly RootContent[]): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const node of nodes) {
    if (node.type === 'definition') addresses.set(node.identifier, node.url);
    else if ('children' in node) {
      for (const [identifier, url] of addressesIn(node.children)) addresses.set(identifier, url);
    }
  }
  return addresses;
}

function blocks(nodes: readonly RootContent[], rules: Rules): BlockContent[] {
  return nodes.flatMap((node) => block(node, rules));
}

function block(node: RootContent, rules: Rules): BlockContent[] {
  switch (node.type) {
    case 'paragraph':
      return paragraph(node.children, rules);
    case 'heading':
      return heading(node.children, { depth: node.depth, rules });
    case 'blockquote':
      return [{ type: 'blockquote', children: blocks(node.children, rules) }];
    case 'list':
      return [list(node, rules)];
    case 'table':
      return [table(node, rules)];
    case 'code':
      return [{ type: 'code', lang: language(node.lang), value: cleanCode(node.value, rules.redact) }];
    case 'html':
      return paragraph([{ type: 'text', value: textOfHtml(node.value) }], rules);
    case 'footnoteDefinition':
      return blocks(node.children, rules);
    case 'thematicBreak':
      return [{ type: 'thematicBreak' }];
    case 'definition':
    case 'yaml':
    case 'listItem':
    case 'tableRow':
    case 'tableCell':
      return [];
    default:
      return paragraph([node], rules);
  }
}

function paragraph(children: readonly PhrasingContent[], rules: Rules): BlockContent[] {
  const phrasing = sanitisePhrasing(children, rules);
  return phrasing.length === 0 ? [] : [{ type: 'paragraph', children: phrasing }];
}

// The model's headings must not compete with those of the page they appear on.
function heading(
  children: readonly PhrasingContent[],
  { depth, rules }: { readonly depth: Heading['depth']; readonly rules: Rules },
): BlockContent[] {
  const phrasing = sanitisePhrasing(children, rules);
  if (phrasing.length === 0) return [];
  return [{ type: 'heading', depth: depth === 5 || depth === 6 ? depth : 4, children: phrasing }];
}

function list(node: List, rules: Rules): List {
  return { ...node, children: node.children.map((item) => ({ ...item, children: blocks(item.children, rules) })) };
}

function table(node: Table, rules: Rules): Table {
  return {
    ...node,
    children: node.children.map((row) => ({
      ...row,
      children: row.children.map((cell) => ({ ...cell, children: sanitisePhrasing(cell.children, rules) })),
    })),
  };
}

// A suggestion is one click from being committed, the others run a renderer: only Postil itself writes such fences.
const actingLanguages = ['suggestion', 'mermaid', 'math', 'geojson', 'topojson', 'stl'];

function language(lang: string | null | undefined): string | null {
  const name = removeInvisible(lang ?? '').toLowerCase();
  if (!/^[a-z][a-z0-9+#._-]{0,30}$/.test(name) || actingLanguages.includes(name)) return null;
  return name;
}
