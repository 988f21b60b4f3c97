import type { Paragraph, PhrasingContent, RootContent } from 'mdast';
import { isTangled, parseMarkdown } from '../markdown.ts';

/**
 * The lines of the first paragraph that the author of a comment wrote; nothing but quotes, code and hidden comments stands above it. Only its first
 * line where anything but plain text may go on over the others; none where there is no such paragraph, or the text is too tangled.
 */
export function firstParagraph(body: string): readonly string[] {
  const text = body.replace(/\r\n?/g, '\n');
  const first = blocksOf(text).find((node) => node.type !== 'blockquote' && node.type !== 'code' && !isHidden(node));
  return first?.type === 'paragraph' ? linesOf(first, text) : [];
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
