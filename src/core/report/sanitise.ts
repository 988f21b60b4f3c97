import type { Code, Paragraph, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown, gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { gfm } from 'micromark-extension-gfm';
import { removeInvisible } from './invisible.ts';
import { codeSpan } from './markdown.ts';
import type { SanitiseOptions } from './render-context.ts';
import { cleanCode } from './sanitise-text.ts';
import { sanitiseTree } from './sanitise-tree.ts';
import { isTangled } from './tangled.ts';

const nowhere: SanitiseOptions = { serverUrl: null, repository: null, redact: (text) => text };

/**
 * Markdown of a model, made harmless (FAILURES, Security 5): it says the same and does nothing. Images become their
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
  // Behind a word, "1. first" and "# title" are text and no list or heading.
  const word = 'x ';
  const sanitised = sanitiseMarkdown(word + line, options);
  if (sanitised.startsWith(word) && !sanitised.includes('\n')) return sanitised.slice(word.length);
  return codeSpan(cleanCode(line, options.redact));
}

// Null when the text is nested deeper than the stack goes.
function attempt(text: string, options: SanitiseOptions): string | null {
  try {
    return render(sanitiseTree(parse(text), options));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function plain(text: string, { redact }: SanitiseOptions): Code {
  return { type: 'code', value: cleanCode(text, redact) };
}

function parse(text: string): Root {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

function render(tree: Root): string {
  return toMarkdown(tree, {
    bullet: '-',
    listItemIndent: 'one',
    resourceLink: true,
    extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  }).trimEnd();
}
