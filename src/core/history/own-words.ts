import type { Paragraph, PhrasingContent, RootContent } from 'mdast';
import { isTangled, parseMarkdown } from '../markdown.ts';

/** A paragraph that the author of a comment wrote. */
export type OwnParagraph = {
  /** Only the first one where anything but plain text may go on over the others. */
  readonly lines: readonly string[];
  /** Nothing but quotes, code and hidden comments stands above it. */
  readonly isFirst: boolean;
};

/** The paragraphs that a person wrote themselves, up to a tag of HTML, behind which they may be hidden. None where the text is too tangled. */
export function ownParagraphs(body: string): readonly OwnParagraph[] {
  const text = body.replace(/\r\n?/g, '\n');
  const found: OwnParagraph[] = [];
  let isFirst = true;
  for (const node of blocksOf(text)) {
    if (node.type === 'paragraph') found.push({ lines: linesOf(node, text), isFirst });
    if (node.type === 'blockquote' || node.type === 'code' || isHidden(node)) continue;
    if (holdsTag(node)) break;
    isFirst = false;
  }
  return found;
}

function blocksOf(text: string): readonly RootContent[] {
  try {
    return isTangled(text) ? [] : parseMarkdown(text).children;
  } catch (error) {
    // Nested deeper than the stack goes.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function linesOf({ children }: Paragraph, text: string): readonly string[] {
  const lines = children
    .map((node) => wordsOf(node, text))
    .join('')
    .split('\n');
  return children.every(({ type }) => type === 'text' || type === 'break') ? lines : lines.slice(0, 1);
}

/** Whatever is no plain text, as it was written, on one line. */
function wordsOf(node: PhrasingContent, text: string): string {
  if (node.type === 'text') return node.value;
  if (node.type === 'break') return '\n';
  const { start, end } = node.position ?? {};
  return isHidden(node) ? '' : text.slice(start?.offset ?? 0, end?.offset ?? 0).replace(/\s+/g, ' ');
}

function isHidden(node: RootContent): boolean {
  if (node.type !== 'html' || !node.value.startsWith('<!--')) return false;
  const value = node.value.trimEnd();
  return value.indexOf('-->', 4) === value.length - 3;
}

function holdsTag(node: RootContent): boolean {
  if (node.type === 'html') return !isHidden(node);
  return 'children' in node && node.children.some(holdsTag);
}
