import { inEnglish } from '../messages/languages.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { linkedPlace, renderFinding } from './finding.ts';
import { untrustedBlock, untrustedLine, untrustedName } from './sanitise.ts';
import type { Block, Line, Words } from './sections/blocks.ts';
import { type SectionName, type SurfaceContext, sectionOf, surfaces } from './sections/surfaces.ts';
import { cutMarkdown, details, fenced, linked, table } from './text.ts';
import type { RenderContext } from './wording.ts';

/** Blocks as GitHub's Markdown; every text that is not Postil's own is harmless in it. */
export function printMarkdown(blocks: readonly Block[], context: RenderContext): string {
  return blocks
    .map((block, index) => {
      const isNext = block.kind === 'finding' && blocks[index - 1]?.kind === 'finding';
      return `${isNext ? '---\n\n' : ''}${printBlock(block, context)}`;
    })
    .join('\n\n');
}

function printBlock(block: Block, context: RenderContext): string {
  const line = (words: Line) => markdownLine(words, context);
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${line(block.line)}`;
    case 'line':
      return block.small ? `<sub>${line(block.line)}</sub>` : line(block.line);
    case 'finding': {
      const links = { context, pullRequest: block.pullRequest };
      const place = linkedPlace(block.finding, links);
      return renderFinding(block.finding, { ...links, max: findingCharacters, place });
    }
    case 'prose':
      return untrustedBlock(block.text, { context, max: block.max });
    case 'alert': {
      // An empty line would end the box.
      const items = block.items.map((item) => `> - ${line(item)}`);
      return [block.level === 'note' ? '> [!NOTE]' : '> [!WARNING]', `> **${block.title}**`, ...items].join('\n');
    }
    case 'list':
      return block.items.map((item) => `- ${line(item)}`).join('\n');
    case 'table':
      return table(
        block.head,
        block.rows.map((row) => row.map(line)),
      );
    case 'code':
      return fenced(block.text, 'text');
    case 'fold':
      return details(htmlText(context.redact(block.title)), printMarkdown(block.blocks, context));
  }
}

const findingCharacters = 6_000;

// Markdown does not hold in a <summary>, and a model or a profile may be named in it.
function htmlText(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}_ ,.:·$%()/+'’、。：，（）\u00a0\u202f-]/gu, '');
}

export function markdownLine(line: Line, context: RenderContext): string {
  return line.map((words) => markdownWords(words, context)).join('');
}

function markdownWords(words: Words, context: RenderContext): string {
  if (typeof words === 'string') return words;
  if ('said' in words) return untrustedLine(words.said, context, words.max);
  if ('name' in words) return untrustedName(words.name, context);
  if ('names' in words) return markdownNames(words, context);
  if ('strong' in words) return `**${markdownLine(words.strong, context)}**`;
  if ('struck' in words) return `<del>${markdownLine(words.struck, context)}</del>`;
  if ('linked' in words) return markdownLink(words, context);
  if ('lineBreak' in words) return '<br>';
  return `<sub>${words.small.map((line) => markdownLine(line, context)).join(' · ')}</sub>`;
}

function markdownNames(
  { names, most, folded }: Extract<Words, { names: readonly string[] }>,
  context: RenderContext,
): string {
  const shown = names.slice(0, most).map((name) => untrustedName(name, context));
  const rest = names.length - shown.length;
  const { t = inEnglish } = context;
  const listed = t.listed(shown);
  const said = rest > 0 ? t({ code: 'names.and-more', names: listed, count: rest }) : listed;
  // On one line: it may stand in a cell.
  return folded === undefined ? said : `<details><summary>${folded}</summary>${said}</details>`;
}

// A bracket of the model's could end the link early and begin one of its own; in code it cannot.
function markdownLink({ linked: words, to }: Extract<Words, { linked: Line }>, context: RenderContext): string {
  const label = markdownLine(words, context);
  const isTold = words.some((one) => typeof one === 'object' && 'said' in one);
  return isTold && to !== null && /[[\]]|\\$/.test(label)
    ? `${label} (${linked((context.t ?? inEnglish)({ code: 'link.comment' }), to)})`
    : linked(label, to);
}

/** All that a surface says of a review, within its limit less what is `reserved`. The prompt for an agent takes what room the rest leaves. */
export function printSurface(
  name: keyof typeof surfaces,
  record: ReviewRecord,
  { context, reserved = 0 }: { context: SurfaceContext; reserved?: number },
): string {
  const { t = inEnglish } = context;
  const surface = surfaces[name];
  const max = surface.max - reserved;
  const print = (section: SectionName, prompt: number) =>
    printMarkdown(sectionOf(section, record, { context, amounts: { ...surface, prompt } }), context);
  const texts = surface.sections.map((section) => ({ section, text: section === 'prompt' ? '' : print(section, 0) }));
  const join = (parts: typeof texts) => parts.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n');
  const spare = max - surface.measure(join(texts));
  const all = texts.map((one) =>
    one.section === 'prompt' ? { ...one, text: print('prompt', Math.min(surface.prompt, spare)) } : one,
  );
  const pointer = surface.pointer === null ? '' : t(surface.pointer);
  return cutMarkdown(join(all), { ...surface, max, pointer });
}
