import { showInvisible } from '../../core/report/invisible.ts';

/**
 * Text that the runner prints and does not obey (FAILURES R2). It takes a line that starts with `::` after spaces, and
 * `##[` anywhere in a line, for a command; it also ends a line at a lone carriage return, and may compare by a culture
 * that overlooks zero-width characters. So control and invisible characters are written out, and both marks are broken.
 */
export function neutralise(text: string): string {
  return showInvisible(text)
    .replaceAll('##[', '## [')
    .replace(/^([^\S\n]*):(?=:)/gm, '$1: ');
}
