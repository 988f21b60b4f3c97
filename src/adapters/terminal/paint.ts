import type { WriteStream } from 'node:tty';
import { blue, bold, dim, green, red, yellow } from 'yoctocolors';
import type { Paint } from '../../core/report/terminal-report.ts';

/** What of a stream tells whether it shows colours. */
export type ColourStream = { readonly isTTY?: boolean; readonly hasColors?: WriteStream['hasColors'] };

/** Colours on a terminal that has them; NO_COLOR and FORCE_COLOR are read by Node itself. Elsewhere text stays plain. */
export function paintFor(stream: ColourStream): Paint {
  if (stream.isTTY !== true || stream.hasColors?.() !== true) return plain;
  return { bold, dim, red, yellow, blue, green };
}

function same(text: string): string {
  return text;
}

const plain: Paint = { bold: same, dim: same, red: same, yellow: same, blue: same, green: same };
