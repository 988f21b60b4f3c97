import type { PlacedFinding } from '../../findings/finding.ts';
import type { PullRequest } from '../../pull-request/pull-request.ts';

/**
 * What a surface prints: few kinds of blocks, made of words. A plain string is Postil's own, with code between backticks; every other text may be
 * hostile, and the printer of each surface makes it harmless.
 */
export type Words =
  | string
  /** Somebody's text on one line, cut at `max` characters. */
  | { readonly said: string; readonly max?: number }
  /** A path or another name. */
  | { readonly name: string }
  /** Paths, so many of them at most; behind a title where it has one. */
  | { readonly names: readonly string[]; readonly most: number; readonly folded?: string }
  | { readonly strong: Line }
  | { readonly struck: Line }
  /** Leads somewhere where there is an address. */
  | { readonly linked: Line; readonly to: string | null }
  /** Beside the rest, with dots between. */
  | { readonly small: readonly Line[] }
  /** What follows stands on a line of its own. */
  | { readonly lineBreak: true };

export const lineBreak: Words = { lineBreak: true };

export type Line = readonly Words[];

/** How good or bad a line is, where a surface has colours. */
export type Tone = 'good' | 'info' | 'warning' | 'bad';

export type Block =
  | { readonly kind: 'heading'; readonly level: 2 | 3 | 4; readonly line: Line }
  | { readonly kind: 'line'; readonly line: Line; readonly small?: true; readonly tone?: Tone }
  /** A finding as this surface shows one in full. */
  | { readonly kind: 'finding'; readonly finding: PlacedFinding; readonly pullRequest: PullRequest | null }
  /** Somebody's text of several paragraphs, cut at `max` characters. */
  | { readonly kind: 'prose'; readonly text: string; readonly max: number }
  /** What nobody may overlook. */
  | {
      readonly kind: 'alert';
      readonly level: 'note' | 'warning';
      readonly title: string;
      readonly items: readonly Line[];
    }
  | { readonly kind: 'list'; readonly items: readonly Line[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly Line[])[] }
  | { readonly kind: 'code'; readonly text: string }
  /** Starts closed. */
  | { readonly kind: 'fold'; readonly title: string; readonly blocks: readonly Block[] };

/** A line of its own; none where there is nothing to say. */
export function lineOf(...line: Line): readonly Block[] {
  const isEmpty = line.every(
    (words) => words === '' || (typeof words === 'object' && 'said' in words && words.said.trim() === ''),
  );
  return isEmpty ? [] : [{ kind: 'line', line }];
}

/** A fold; none around nothing. */
export function fold(title: string, blocks: readonly Block[]): readonly Block[] {
  return blocks.length === 0 ? [] : [{ kind: 'fold', title, blocks }];
}

export function listOf(items: readonly Line[]): readonly Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}

export function tableOf(head: readonly string[], rows: readonly (readonly Line[])[]): readonly Block[] {
  return rows.length === 0 ? [] : [{ kind: 'table', head, rows }];
}

export function proseOf(text: string, max: number): readonly Block[] {
  return text.trim() === '' ? [] : [{ kind: 'prose', text, max }];
}

/** Lines of words with such words between them. */
export function joined(lines: readonly Line[], between: string): Line {
  return lines.flatMap((line, index) => (index === 0 ? line : [between, ...line]));
}
