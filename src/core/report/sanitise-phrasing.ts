import type { InlineCode, PhrasingContent, Text } from 'mdast';
import { textOfHtml } from './html-text.ts';
import type { SanitiseOptions } from './render-context.ts';
import { repositoryLink } from './repository-link.ts';
import { cleanCode, cleanText, splitActive } from './sanitise-text.ts';

/** Where the definitions of the document point, by identifier. */
export type Addresses = ReadonlyMap<string, string>;

export type PhrasingRules = SanitiseOptions & { readonly addresses: Addresses };

/** Inline content without images, foreign links, HTML, and words that GitHub or a bot would act on. */
export function sanitisePhrasing(nodes: readonly PhrasingContent[], rules: PhrasingRules): PhrasingContent[] {
  return trimmed(inline(nodes, rules));
}

// Words are judged after neighbours are joined: `@<b></b>name` is a mention once the tag is gone.
function inline(nodes: readonly PhrasingContent[], rules: PhrasingRules): PhrasingContent[] {
  const plain = joined(nodes.flatMap((node) => harmless(node, rules)));
  return joined(plain.flatMap((node) => (node.type === 'text' ? withoutActiveWords(node, rules) : [node])));
}

function harmless(node: PhrasingContent, rules: PhrasingRules): PhrasingContent[] {
  switch (node.type) {
    case 'text':
      return [text(node.value)];
    case 'inlineCode':
      return code(node.value, rules);
    case 'emphasis':
    case 'strong':
    case 'delete':
      return wrapped(node, rules);
    case 'break':
      return [{ type: 'break' }];
    case 'html':
      return [text(inlineHtml(node.value))];
    case 'image':
    case 'imageReference':
      return [text(node.alt === null || node.alt === undefined || node.alt === '' ? '[image removed]' : node.alt)];
    case 'link':
      return link(node.children, { url: node.url, rules });
    case 'linkReference':
      return link(node.children, { url: rules.addresses.get(node.identifier) ?? '', rules });
    case 'footnoteReference':
      return [text(`[${node.label ?? node.identifier}]`)];
  }
}

function wrapped(
  node: Extract<PhrasingContent, { type: 'emphasis' | 'strong' | 'delete' }>,
  rules: PhrasingRules,
): PhrasingContent[] {
  const children = inline(node.children, rules);
  const blank = children.every((child) => child.type === 'text' && child.value.trim() === '');
  return blank ? children : [{ type: node.type, children }];
}

function inlineHtml(html: string): string {
  return /^<br\b/i.test(html) ? '\n' : textOfHtml(html);
}

function link(
  children: readonly PhrasingContent[],
  { url, rules }: { readonly url: string; readonly rules: PhrasingRules },
): PhrasingContent[] {
  const label = children.flatMap((child) => harmless(child, rules));
  const allowed = repositoryLink(url, rules);
  if (allowed !== null && plainText(label).trim() !== '') {
    return [{ type: 'link', url: allowed, children: trimmed(inline(children, rules)) }];
  }
  const says = plainText(label).trim();
  if (url === '') return label;
  if (says === '') return code(url, rules);
  return repeats(url, says) ? code(says, rules) : [...label, ...addressBehind(url, rules)];
}

// Addresses that are linked as they stand: `www.a.example` leads to `http://www.a.example`.
function repeats(url: string, says: string): boolean {
  return ['', 'http://', 'https://', 'mailto:'].some((scheme) => url === scheme + says);
}

// The reader may copy the address; nobody follows it by accident.
function addressBehind(url: string, rules: PhrasingRules): PhrasingContent[] {
  const address = code(url.length > 200 ? `${url.slice(0, 200)}…` : url, rules);
  return address.length === 0 ? [] : [text(' ('), ...address, text(')')];
}

function plainText(nodes: readonly PhrasingContent[]): string {
  return nodes
    .map((node) => {
      if ('value' in node) return node.value;
      return 'children' in node ? plainText(node.children) : '';
    })
    .join('');
}

function withoutActiveWords(node: Text, { redact }: PhrasingRules): PhrasingContent[] {
  return splitActive(cleanText(node.value, redact)).map((part) =>
    part.active ? { type: 'inlineCode', value: part.text } : text(part.text),
  );
}

function code(value: string, { redact }: PhrasingRules): InlineCode[] {
  const line = cleanCode(value, redact).replaceAll('\n', ' ');
  return line === '' ? [] : [{ type: 'inlineCode', value: line }];
}

function text(value: string): Text {
  return { type: 'text', value };
}

// Two code spans side by side would run into each other when written down.
function joined(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const result: PhrasingContent[] = [];
  for (const node of nodes) {
    const last = result.at(-1);
    if (node.type === 'text' && node.value === '') continue;
    if (last?.type === 'text' && node.type === 'text') result.splice(-1, 1, text(last.value + node.value));
    else if (last?.type === 'inlineCode' && node.type === 'inlineCode') {
      result.splice(-1, 1, { type: 'inlineCode', value: last.value + node.value });
    } else result.push(node);
  }
  return result;
}

function trimmed(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const first = nodes[0];
  if (first?.type === 'break') return trimmed(nodes.slice(1));
  if (first?.type === 'text' && /^\s/.test(first.value)) {
    return trimmed(joined([text(first.value.trimStart()), ...nodes.slice(1)]));
  }
  const last = nodes.at(-1);
  if (last?.type === 'break') return trimmed(nodes.slice(0, -1));
  if (last?.type === 'text' && /\s$/.test(last.value)) {
    return trimmed(joined([...nodes.slice(0, -1), text(last.value.trimEnd())]));
  }
  return [...nodes];
}
