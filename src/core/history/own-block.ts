import type { Message } from '../messages/message.ts';
import { writtenJson } from './mark.ts';

/** What the description of a pull request holds of ours, and whatever stands around it. */
type Described =
  | { readonly kind: 'none' }
  /** The marks and all between them; `name` as it is written in the first. */
  | { readonly kind: 'block'; readonly start: number; readonly end: number; readonly name: string }
  /** Somebody removed, doubled or changed a mark: where our text ends is not known. */
  | { readonly kind: 'damaged' };

const opening = '<!-- postil:walkthrough ';
const closing = '<!-- postil:walkthrough-end -->';
const markEnd = ' -->';

function blockIn(description: string): Described {
  const start = description.indexOf(opening);
  const close = description.indexOf(closing);
  if (start === -1 && close === -1) return { kind: 'none' };
  const isOnce = start === description.lastIndexOf(opening) && close === description.lastIndexOf(closing);
  const named = description.indexOf(markEnd, start);
  if (start === -1 || !isOnce || named === -1 || named > close) return { kind: 'damaged' };
  return { kind: 'block', start, end: close + closing.length, name: description.slice(start + opening.length, named) };
}

/** The description as a person wrote it. */
export function withoutBlock(description: string): string {
  const found = blockIn(description);
  return found.kind === 'block' ? description.slice(0, found.start) + description.slice(found.end) : description;
}

export type BlockOptions = {
  /** Of this reviewer. */
  readonly name: string;
  /** Characters that GitHub takes of a description. */
  readonly most: number;
  /** The text of the block in at most so many characters, without the marks. */
  readonly render: (room: number) => string;
};

/** Why a description is not ours to write, as the end of a sentence. */
const reasons = {
  words: { code: 'description.has-words' },
  damaged: { code: 'description.damaged' },
  other: { code: 'description.other-reviewer' },
  full: { code: 'description.full' },
} as const;

/**
 * The description with this block, in the place of our own one or where nothing else stands; null where that changes nothing. Everything around it
 * stays byte for byte. `why`: it is left alone.
 */
export function withBlock(
  description: string,
  { name, most, render }: BlockOptions,
): { readonly description: string | null } | { readonly why: Message } {
  const found = blockIn(description);
  if (found.kind === 'damaged') return { why: reasons.damaged };
  if (found.kind === 'none' && description.trim() !== '') return { why: reasons.words };
  const own = writtenJson(name);
  if (found.kind === 'block' && found.name !== own) return { why: reasons.other };
  const { start, end } = found.kind === 'block' ? found : { start: 0, end: 0 };
  const [before, present, after] = [description.slice(0, start), description.slice(start, end), description.slice(end)];
  // GitHub's editor ends lines so, in all of the description.
  const lineEnd = description.includes('\r\n') ? '\r\n' : '\n';
  const framed = (text: string) => [`${opening}${own}${markEnd}`, text, closing].join('\n\n');
  const room = most - before.length - after.length - framed('').length;
  if (room < leastRoom) return { why: reasons.full };
  const text = render(room);
  const ends = lineEnd === '\n' ? 0 : framed(text).split('\n').length - 1;
  const block = framed(ends === 0 ? text : render(room - ends));
  if (present.replaceAll('\r\n', '\n') === block) return { description: null };
  return { description: `${before}${block.replaceAll('\n', lineEnd)}${after}` };
}

/** Characters: a smaller table says nothing. */
const leastRoom = 500;
