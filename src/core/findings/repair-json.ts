import { readJsonText } from '../json-text.ts';
import type { Parsed } from '../schema.ts';
import { jsonTokens } from './json-tokens.ts';

/**
 * Parses JSON as models write it (FAILURES M5): comments, trailing commas and raw line breaks inside strings are fixed.
 * Nothing is evaluated; text that is still not JSON is a problem.
 */
export function parseRepairedJson(text: string): Parsed<unknown> {
  const strict = parseJson(text);
  return strict.ok ? strict : parseJson(repair(text));
}

function parseJson(text: string): Parsed<unknown> {
  const read = readJsonText(text);
  return read.ok ? read : { ok: false, problems: [read.problem] };
}

function repair(text: string): string {
  const parts: string[] = [];
  // A comma is held back until what follows is known: before a closing bracket it goes.
  let comma = '';
  for (const { kind, start, end } of jsonTokens(text)) {
    const source = text.slice(start, end);
    if (kind === 'comment') continue;
    if (kind === 'space') {
      parts.push(source);
      continue;
    }
    parts.push(kind === 'close' ? '' : comma);
    comma = source === ',' ? source : '';
    if (source !== ',') parts.push(kind === 'string' ? escapeLineBreaks(source) : source);
  }
  return parts.join('');
}

function escapeLineBreaks(string: string): string {
  return string.replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
