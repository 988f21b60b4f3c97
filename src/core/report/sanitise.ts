import type { BlockContent, Code, Heading, List, Paragraph, PhrasingContent, Root, RootContent, Table } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { isTangled, parseMarkdown } from '../markdown.ts';
import { type Addresses, breakMarkers, cleanCode, sanitisePhrasing, textOfHtml } from './sanitise-phrasing.ts';
import { characters, codeSpan, cutMarkdown, cutText, removeInvisible } from './text.ts';
import type { RenderContext, SanitiseOptions } from './wording.ts';

const nowhere: SanitiseOptions = { serverUrl: null, repository: null, redact: (text) => text };

/**
 * Markdown of a model, made harmless: it says the same and does nothing. Images become their
 * text, links leave only to files of the repository, HTML is text, mentions, references, commands and addresses are
 * code, special fences (suggestion, mermaid) are plain ones, headings are small. Code stays as it is, apart from
 * invisible characters and our own markers. Doing it twice changes nothing. What is too tangled to be parsed is shown as
 * plain text, so that time grows with the length whatever the text is.
 */
export function sanitiseMarkdown(text: string, options: SanitiseOptions = nowhere): string {
  let current = options.redact(removeInvisible(text));
  // What was written down is read again: no slip of parser or serialiser may bring anything back to life.
  for (let round = 0; round < 5; round++) {
    if (isTangled(current)) return render({ type: 'root', children: [tangledNote, plain(current, options)] });
    const next = attempt(current, options);
    if (next === null) break;
    if (next === current) return current;
    current = next;
  }
  return render({ type: 'root', children: [plain(current, options)] });
}

const tangledNote: Paragraph = {
  type: 'paragraph',
  children: [{ type: 'text', value: 'Shown as plain text, because its Markdown is too tangled:' }],
};

/** The same for one line: titles and reasons. Never empty of content where the text was not, never more than a line. */
export function sanitiseLine(text: string, options: SanitiseOptions = nowhere): string {
  const line = removeInvisible(text).replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  // The parser takes longer to load than a run that has nothing to do.
  if (isPlain(line) && options.redact(line) === line) return line;
  // Behind a word, "1. first" and "# title" are text and no list or heading.
  const word = 'x ';
  const sanitised = sanitiseMarkdown(word + line, options);
  if (sanitised.startsWith(word) && !sanitised.includes('\n')) return sanitised.slice(word.length);
  return codeSpan(cleanCode(line, options.redact));
}

/** Words and the marks of sentences between them: no Markdown, and nothing that GitHub makes a link of, as of addresses and commits. */
function isPlain(line: string): boolean {
  return /^[\p{L} ,:;]+\.?$/u.test(line) && !/www|\w:\S|[0-9a-f]{7}/i.test(line);
}

// Null when the text is nested deeper than the stack goes.
function attempt(text: string, options: SanitiseOptions): string | null {
  try {
    return render(sanitiseTree(parseMarkdown(text), options));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function plain(text: string, { redact }: SanitiseOptions): Code {
  return { type: 'code', value: cleanCode(text, redact) };
}

function render(tree: Root): string {
  return toMarkdown(tree, {
    bullet: '-',
    listItemIndent: 'one',
    resourceLink: true,
    extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  }).trimEnd();
}

/** The tree without anything that acts when it is shown on GitHub. */
function sanitiseTree({ children }: Root, options: SanitiseOptions): Root {
  return { type: 'root', children: blocks(children, { ...options, addresses: addressesIn(children) }) };
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
  { depth, rules }: { depth: Heading['depth']; rules: Rules },
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

/** A text of the model or the pull request as harmless Markdown of at most `max` characters. Secrets go before anything is cut. */
export function untrustedBlock(text: string, { context, max }: { context: RenderContext; max: number }): string {
  const redacted = context.redact(text.trim());
  let room = max;
  for (;;) {
    const cut = cutMarkdown(redacted, { max: room, measure: characters, pointer: '… (cut: too long)' });
    const markdown = sanitiseMarkdown(cut, context);
    if (markdown.length <= max || room <= 0) return markdown;
    // Escapes made it longer than it was.
    room = Math.floor(Math.min((room * max) / markdown.length, room * 0.9));
  }
}

/** The same on one line: for titles, reasons, and cells of tables. Cut at `characters`, 300 by default. */
export function untrustedLine(text: string, context: RenderContext, max = 300): string {
  const redacted = context.redact(text.replace(/\s+/g, ' ').trim());
  if (redacted.length <= max) return sanitiseLine(redacted, context);
  return sanitiseLine(`${cutText(redacted, { max, measure: characters }).trimEnd()}…`, context);
}

/** A path or another name as code, at most 300 characters of it. */
export function untrustedName(name: string, context: RenderContext): string {
  return codeSpan(cutText(breakMarkers(context.redact(name)), { max: 300, measure: characters }));
}
