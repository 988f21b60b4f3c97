import { encodings } from './encodings.ts';
import { hideTexts, replacements, type Secret, valueRedacted } from './hide-values.ts';
import { privateKeyBody } from './private-keys.ts';
import { redactSecrets } from './secrets.ts';

/** Takes secrets out of a text. `learn` names more of them: from then on they are known. */
export type Redactor = ((text: string) => string) & { readonly learn: (secrets: readonly Secret[]) => void };

/**
 * Makes texts safe to log, post or send: known secret values of at least 8 characters go, as they are, URL-encoded,
 * JSON-escaped or in base64, and so does every piece of them of at least 12 characters (keys leak without their first
 * characters); well-known kinds of credentials go too. FAILURES, Security 2.
 */
export function createRedactor(known: readonly string[]): Redactor {
  const own = longEnough(known);
  let learnt: readonly Secret[] = [];
  let hidden = hiddenOf(own, []);
  const learn = (more: readonly Secret[]) => {
    const cut = more.map(({ value, line }) => ({ value: value.trim().slice(0, maxCharacters), line }));
    const all = withinLimits(unique([...learnt, ...cut.filter(({ value }) => value.length >= minCharacters)]));
    if (all.length === learnt.length) return;
    learnt = all;
    const anywhere = learnt.flatMap(({ value, line }) => (line === null ? [value] : []));
    hidden = hiddenOf(
      [...own, ...anywhere],
      learnt.filter(({ line }) => line !== null),
    );
  };
  const redact = (text: string) => redactSecrets(redactKeys(redactPieces(hidden.whole(text), hidden.pieces)));
  return Object.assign(redact, { learn });
}

function longEnough(values: readonly string[]): readonly string[] {
  return values.map((value) => value.trim()).filter((value) => value.length >= minCharacters);
}

type Hidden = { readonly whole: (text: string) => string; readonly pieces: Pieces };

/** Of a line that is bound to its value no piece is looked for: `export const ` stands everywhere. */
function hiddenOf(values: readonly string[], bound: readonly Secret[]): Hidden {
  const variants = [...new Set(values.flatMap(encodings))];
  const lines = [...replacements(bound)];
  const escaped = lines.map(([line, shown]) => [jsonText(line), jsonText(shown)] as const);
  const texts = new Map([...lines, ...escaped, ...variants.map((value) => [value, valueRedacted] as const)]);
  return { whole: hideTexts(texts), pieces: indexPieces(variants) };
}

function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unique(secrets: readonly Secret[]): readonly Secret[] {
  return [...new Map(secrets.map((secret) => [`${secret.line ?? ''}\n${secret.value}`, secret])).values()];
}

/** What is found in a diff is written by its author: a megabyte of it must not become ten of what to look for. */
function withinLimits(secrets: readonly Secret[]): readonly Secret[] {
  let characters = 0;
  return secrets.filter(({ value, line }) => {
    characters += (line ?? value).length;
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
