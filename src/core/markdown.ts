import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** Throws a RangeError where the text is nested deeper than the stack goes. Ask `isTangled` first. */
export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** How tangled Markdown may be outside of its fenced code. */
const markdownLimits = {
  lines: 400,
  /** Characters that may begin or end something: emphasis, links, code, cells, HTML. */
  signs: 2_000,
  /** The same between two blank lines: each may be compared with each. */
  signsOfParagraph: 600,
  /** Quotations and lists within each other on one line. */
  containers: 10,
} as const;

/**
 * Whether Markdown is more tangled than anybody writes it: its parser then takes the square of its length. Counted outside of fenced code, which
 * may hold anything; what could be HTML is not believed to be fenced. One look at each character.
 */
export function isTangled(markdown: string): boolean {
  const counted = { lines: 0, signs: 0, paragraph: 0 };
  let fence = '';
  let html = false;
  for (const line of markdown.split('\n')) {
    const mark = fenceOf(line);
    if (fence !== '') {
      if (mark.startsWith(fence) && line.trim() === mark) fence = '';
      continue;
    }
    if (mark !== '' && !html) {
      fence = mark;
      continue;
    }
    html ||= /^[\s>]*</.test(line.slice(0, 100));
    const signs = signsIn(line);
    counted.lines += 1;
    counted.signs += signs;
    counted.paragraph = line.trim() === '' ? 0 : counted.paragraph + signs;
    if (isBeyond(counted) || containersOf(line) > markdownLimits.containers) return true;
  }
  return false;
}

/** The marks that a fence begins or ends with; backticks behind backticks are code in a line of text. */
function fenceOf(line: string): string {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
  return mark.startsWith('`') && line.lastIndexOf('`') > line.indexOf(mark) + mark.length ? '' : mark;
}

function isBeyond({ lines, signs, paragraph }: Readonly<Record<'lines' | 'signs' | 'paragraph', number>>): boolean {
  const { lines: maxLines, signs: maxSigns, signsOfParagraph } = markdownLimits;
  return lines > maxLines || signs > maxSigns || paragraph > signsOfParagraph;
}

function signsIn(line: string): number {
  let signs = 0;
  for (const character of line) if ('*_~[]<`|!@&\\'.includes(character)) signs += 1;
  return signs;
}

/** Quotations and lists that begin on a line within each other. */
function containersOf(line: string): number {
  return /^(?:[ \t]*(?:>|[-*+](?=\s|$)|\d{1,9}[.)](?=\s|$)))*/.exec(line)?.[0].match(/[>*+.)-]/g)?.length ?? 0;
}
