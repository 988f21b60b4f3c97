import type { InlineCode, PhrasingContent, Text } from 'mdast';
import { withoutEnd } from '../text.ts';
import { removeInvisible } from './text.ts';
import type { SanitiseOptions } from './wording.ts';

/** Where the definitions of the document point, by identifier. */
export type Addresses = ReadonlyMap<string, string>;

type PhrasingRules = SanitiseOptions & { readonly addresses: Addresses };

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
      return [text(/^<br\b/i.test(node.value) ? '\n' : textOfHtml(node.value))];
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

function link(
  children: readonly PhrasingContent[],
  { url, rules }: { url: string; rules: PhrasingRules },
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

type TextPart = { readonly text: string; readonly active: boolean };

/** Cuts a text into plain stretches and words that GitHub or a bot would act on, such as `@name` or `#12`. */
function splitActive(text: string): readonly TextPart[] {
  const parts = text
    .split(/(\s+)/)
    .flatMap((word) => (triggers.test(word) ? withoutPunctuation(word) : [{ text: word, active: false }]));
  return parts.filter((part) => part.text !== '');
}

/** Code as it was written, without characters that nobody sees, our own markers, and secrets. */
export function cleanCode(code: string, redact: (text: string) => string): string {
  return breakMarkers(redact(removeInvisible(code)));
}

/** Text as it was written, without what `cleanCode` removes and without blank lines, which would end the paragraph. */
function cleanText(text: string, redact: (text: string) => string): string {
  return cleanCode(text, redact)
    .replace(/\s+/g, (space) => (space.includes('\n') ? '\n' : space))
    .replace(/ {2,}/g, ' ');
}

// A marker of ours in a comment of ours would be believed later.
export function breakMarkers(text: string): string {
  return text.replace(/<!--(?=\s*postil)/gi, '<! --');
}

// Mentions and mail, addresses, issue references, formulas, and slash commands (paths look better as code anyway).
const triggers = /@[\p{L}\p{N}]|:\/\/|www\.|#\d|(?<![a-z])gh-\d|\$|^\/\p{L}/iu;

// No character that starts an active word is in these sets: what they cut off is harmless.
function withoutPunctuation(word: string): readonly TextPart[] {
  const start = /^["'([{<*_~,;]*/.exec(word)?.[0].length ?? 0;
  const end = trailing(word);
  return [
    { text: word.slice(0, start), active: false },
    { text: word.slice(start, end), active: true },
    { text: word.slice(end), active: false },
  ];
}

function trailing(word: string): number {
  let end = word.length;
  while (end > 1 && `"')]}>*_~,;:.!?`.includes(word.charAt(end - 1))) end--;
  return end;
}

/**
 * What a piece of HTML says: comments, declarations and the tags of real elements go, an image leaves a note. A tag of
 * no known element is what somebody wrote about (`List<String>`) and stays as text.
 */
export function textOfHtml(html: string): string {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<[!?][^>]*(?:>|$)/g, '')
    .replace(/<\/?([a-z][a-z0-9-]*)(?:[^<>"']|"[^"]*"|'[^']*')*>?/gi, textOfTag)
    .trim();
}

function textOfTag(tag: string, name: string): string {
  const element = name.toLowerCase();
  if (element === 'img' || element === 'picture' || element === 'video') {
    return tag.startsWith('</') ? '' : '[image removed]';
  }
  if (element === 'br' || element === 'hr' || element === 'p') return '\n';
  return elements.has(element) ? '' : tag;
}

// Elements that a model writes in Markdown, and those that GitHub filters.
const elements = new Set(
  (
    'a abbr b base bdi bdo blockquote body button center cite code col colgroup dd del details dfn div dl dt em embed ' +
    'figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header html i iframe input ins kbd label ' +
    'li link main mark math meta nobr noembed noframes noscript object ol optgroup option plaintext pre q rp rt ruby s ' +
    'samp script section select small source span strike strong style sub summary sup svg table tbody td textarea ' +
    'tfoot th thead title tr track tt u ul var wbr xmp'
  ).split(' '),
);

// Pages that only show files and commits. A link to an issue or pull request would leave a reference there.
const harmlessPages = ['blob', 'tree', 'blame', 'commit', 'commits'];

/** The address, normalised, when it shows a file or commit of the reviewed repository; null for all others. */
export function repositoryLink(url: string, { serverUrl, repository }: Omit<SanitiseOptions, 'redact'>): string | null {
  if (serverUrl === null || repository === null || !URL.canParse(url) || !URL.canParse(serverUrl)) return null;
  const target = new URL(url);
  const server = new URL(serverUrl);
  if (target.origin !== server.origin || target.username !== '' || target.password !== '') return null;
  // Browsers resolve %2e%2e and backslashes as well: what they would leave the repository by is not worth a link.
  if (/%2e|%2f|%5c/i.test(target.pathname)) return null;
  const root = `${withoutEnd(server.pathname, /\//)}/${repository}/`;
  if (!target.pathname.startsWith(root)) return null;
  if (!harmlessPages.some((page) => target.pathname.startsWith(`${root}${page}/`))) return null;
  return `${target.origin}${target.pathname}${target.search === '?plain=1' ? target.search : ''}${target.hash}`;
}
