import { grouped } from '../../text.ts';
import type { Block, Line, Words } from '../sections/blocks.ts';
import { type Html, html, inline, isAddress, more, nothing, plain, prose, within } from './page.ts';

/** Blocks as HTML; findings have their own cards. */
export function printHtml(blocks: readonly Block[]): Html {
  return html`${blocks.map(printBlock)}`;
}

function printBlock(block: Block): Html {
  switch (block.kind) {
    case 'finding':
      return nothing;
    case 'heading':
      return html`<p class="head">${htmlLine(block.line)}</p>`;
    case 'line':
      return html`<p${block.small ? { html: ' class="soft small"' } : nothing}>${htmlLine(block.line)}</p>`;
    case 'prose':
      return prose(block.text);
    case 'alert':
      return html`<p><b>${block.title}</b></p>${printBlock({ kind: 'list', items: block.items })}`;
    case 'list':
      return listOf(block.items);
    case 'table':
      return tableOf(block.head, block.rows);
    case 'code':
      return html`<pre class="proof">${plain(block.text)}</pre>`;
    case 'fold':
      return html`<details><summary>${block.title}</summary>${printHtml(block.blocks)}</details>`;
  }
}

function listOf(items: readonly Line[]): Html {
  const { shown, rest } = within(items, {
    room: 60_000,
    most: 200,
    render: (item) => html`<li>${htmlLine(item)}</li>`,
  });
  return html`<ul class="list">${shown}</ul>${more(rest, 'in the report file')}`;
}

const numeric = /^(?:Files|Calls|Tokens.*|Cached|Cost|Iterations|Time|Cut)$/;

/** Columns of numbers stand to the right. */
function tableOf(head: readonly string[], lines: readonly (readonly Line[])[]): Html {
  const kind = head.map((title) => (numeric.test(title) ? { html: ' class="number"' } : nothing));
  const { shown, rest } = within(lines, {
    room: 60_000,
    most: 300,
    render: (cells) =>
      html`<tr>${cells.map((cell, index) => html`<td${kind[index] ?? nothing}>${htmlLine(cell)}</td>`)}</tr>`,
  });
  const heads = head.map((title, index) => html`<th${kind[index] ?? nothing}>${title}</th>`);
  return html`<table><thead><tr>${heads}</tr></thead><tbody>${shown}</tbody></table>${more(rest, 'in the report file')}`;
}

function htmlLine(line: Line): Html {
  return html`${line.map(htmlWords)}`;
}

function htmlWords(words: Words): Html {
  if (typeof words === 'string') return inline(words);
  if ('said' in words) return inline(words.said, words.max);
  if ('name' in words) return html`<span class="code">${plain(words.name.slice(0, 300))}</span>`;
  if ('names' in words) return names(words);
  if ('strong' in words) return html`<b>${htmlLine(words.strong)}</b>`;
  if ('struck' in words) return html`<del>${htmlLine(words.struck)}</del>`;
  if ('lineBreak' in words) return html`<br>`;
  if ('small' in words) {
    return html`<span class="small soft">${words.small.map((line, index) => html`${index === 0 ? '' : ' · '}${htmlLine(line)}`)}</span>`;
  }
  const label = htmlLine(words.linked);
  return words.to === null || !isAddress(words.to) ? label : html`<a href="${words.to}">${label}</a>`;
}

/** Paths that are seen at once. */
const namesSeen = 12;

function names({ names: all, most, folded }: Extract<Words, { names: readonly string[] }>): Html {
  const { shown, rest } = within(all, {
    room: 25_000,
    most,
    render: (name) => html`<li>${htmlWords({ name })}</li>`,
  });
  const seen = folded === undefined ? namesSeen : 0;
  const [top, below] = [shown.slice(0, seen), shown.slice(seen)];
  const title = folded ?? `${grouped(below.length)} more`;
  const list = (items: readonly Html[]) => (items.length === 0 ? nothing : html`<ul class="list">${items}</ul>`);
  const fold = below.length === 0 ? nothing : html`<details><summary>${title}</summary>${list(below)}</details>`;
  return html`${list(top)}${fold}${more(rest, 'files')}`;
}
