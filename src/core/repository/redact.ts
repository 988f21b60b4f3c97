import { encodings } from './encodings.ts';
import { hideValues, valueRedacted } from './hide-values.ts';
import { privateKeyBody } from './private-keys.ts';
import { redactSecrets } from './secrets.ts';

/** Takes secrets out of a text. `learn` names more of them: from then on they are known. */
export type Redactor = ((text: string) => string) & { readonly learn: (values: readonly string[]) => void };

/**
 * Makes texts safe to log, post or send: known secret values of at least 8 characters go, as they are, URL-encoded,
 * JSON-escaped or in base64, and so does every piece of them of at least 12 characters (keys leak without their first
 * characters); well-known kinds of credentials go too. FAILURES, Security 2.
 */
export function createRedactor(known: readonly string[]): Redactor {
  const own = longEnough(known);
  let learnt: readonly string[] = [];
  let hidden = hiddenOf(own);
  const learn = (more: readonly string[]) => {
    const all = withinLimits([
      ...new Set([...learnt, ...longEnough(more).map((value) => value.slice(0, maxCharacters))]),
    ]);
    if (all.length === learnt.length) return;
    learnt = all;
    hidden = hiddenOf([...own, ...learnt]);
  };
  const redact = (text: string) => redactSecrets(redactKeys(redactPieces(hidden.whole(text), hidden.pieces)));
  return Object.assign(redact, { learn });
}

function longEnough(values: readonly string[]): readonly string[] {
  return values.map((value) => value.trim()).filter((value) => value.length >= minCharacters);
}

type Hidden = { readonly whole: (text: string) => string; readonly pieces: Pieces };

function hiddenOf(values: readonly string[]): Hidden {
  const variants = [...new Set(values.flatMap(encodings))];
  return { whole: hideValues(variants), pieces: indexPieces(variants) };
}

/** What is found in a diff is written by its author: a megabyte of it must not become ten of what to look for. */
function withinLimits(values: readonly string[]): readonly string[] {
  let characters = 0;
  return values.filter((value) => {
    characters += value.length;
    return characters <= maxCharactersInAll;
  });
}

const minCharacters = 8;
const pieceCharacters = 12;
/** Of one value that was learnt: no credential is longer, and each of its pieces is kept in ten encodings. */
const maxCharacters = 2_048;
const maxCharactersInAll = 60_000;

type Pieces = { readonly texts: ReadonlySet<string>; readonly borders: ReadonlySet<number> };

function indexPieces(variants: readonly string[]): Pieces {
  const texts = new Set<string>();
  for (const variant of variants) {
    for (let at = 0; at + pieceCharacters <= variant.length; at++) texts.add(variant.slice(at, at + pieceCharacters));
  }
  return { texts, borders: new Set([...texts].map((piece) => border(piece, 0))) };
}

function redactPieces(text: string, pieces: Pieces): string {
  if (pieces.texts.size === 0) return text;
  let result = '';
  let copied = 0;
  let covered = 0;
  for (let at = 0; at + pieceCharacters <= text.length; at++) {
    // Two characters tell nearly every place apart, without making a string of it.
    if (!pieces.borders.has(border(text, at)) || !pieces.texts.has(text.slice(at, at + pieceCharacters))) continue;
    if (at >= covered) {
      result += text.slice(copied, at) + valueRedacted;
    }
    covered = at + pieceCharacters;
    copied = covered;
  }
  return result + text.slice(copied);
}

function border(text: string, at: number): number {
  return text.charCodeAt(at) * 65_536 + text.charCodeAt(at + pieceCharacters - 1);
}

function redactKeys(text: string): string {
  if (!text.includes('PRIVATE KEY')) return text;
  const lines = text.split('\n');
  const inside = privateKeyBody(lines);
  return lines.map((line, index) => (inside.has(index) ? '[redacted: private key]' : line)).join('\n');
}
