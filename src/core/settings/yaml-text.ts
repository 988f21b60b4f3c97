import { isAlias, isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { grouped } from '../grouped.ts';

/** What is wrong in a file of the repository, for the person who wrote it. */
export type Fault = {
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  /** A sentence without its full stop. */
  readonly text: string;
  /** Another one, with its full stop. */
  readonly hint?: string;
};

export type YamlText = {
  /** Undefined when there are faults. */
  readonly values: unknown;
  readonly faults: readonly Fault[];
  /** Where a key of the mapping stands; the first line for one that is not there. */
  readonly placeOf: (key: string) => Pick<Fault, 'line' | 'column'>;
};

/** Of the whole text. A configuration has hundreds. */
const maxCharacters = 65_536;

/** Reads YAML that people write by hand. `firstLine` is the line of the file that the text begins in. Never throws. */
export function readYaml(text: string, firstLine = 1): YamlText {
  const first = { line: firstLine, column: 1 };
  const refused = (fault: string) => ({ values: undefined, faults: [{ ...first, text: fault }], placeOf: () => first });
  if (text.length > maxCharacters) {
    return refused(`${grouped(text.length)} characters are too many, ${grouped(maxCharacters)} are read`);
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent', lineCounter });
  // The parser goes down level by level, and tells in these words where its stack ended.
  if (document.errors.some(({ message }) => message.includes('call stack'))) return refused('It is nested too deep');
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line) + firstLine - 1, column: Math.max(1, col) };
  };
  const faults: Fault[] = document.errors.map(({ message, code, pos: [offset] }) => ({
    ...at(code === 'MISSING_CHAR' ? (openQuote() ?? offset) : offset),
    ...withHint(message.trim()),
  }));
  if (faults.length === 0) faults.push(...unresolvedAliases());
  const values = faults.length === 0 ? toValue() : undefined;
  return { values, faults, placeOf: (key) => at(offsetOf(key)) };

  /** A quote that is never closed is found at the end of the file; it is looked for where it was opened. */
  function openQuote(): number | null {
    let opened: number | null = null;
    visit(document, {
      Scalar: (_key, node) => {
        if (node.type?.startsWith('QUOTE') && node.range) opened = node.range[0];
      },
    });
    return opened;
  }

  /** A glob without quotes begins like an alias of YAML. */
  function unresolvedAliases(): readonly Fault[] {
    const found: Fault[] = [];
    visit(document, {
      Alias: (_key, node) => {
        if (node.resolve(document) !== undefined) return;
        found.push({ ...at(node.range?.[0] ?? 0), ...withHint(`Unresolved alias *${node.source}`) });
      },
    });
    return found;
  }

  /** At most ten aliases: a bomb of nested ones is an error, not a full memory. */
  function toValue(): unknown {
    try {
      return document.toJS({ maxAliasCount: 10 });
    } catch (error) {
      faults.push({ ...at(0), text: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  }

  function offsetOf(key: string): number {
    const items = isMap(document.contents) ? document.contents.items : [];
    const pair = items.find(({ key: name }) => isScalar(name) && String(name.value) === key);
    return isScalar(pair?.key) || isAlias(pair?.key) ? (pair.key.range?.[0] ?? 0) : 0;
  }
}

/** `The text at line 2, column 4.` */
export function faultText({ text, line, column, hint = '' }: Fault): string {
  return `${text} at line ${line}, column ${column}. ${hint}`.trim();
}

/** A sentence with a colon looks like a mapping. */
function withHint(text: string): Pick<Fault, 'text' | 'hint'> {
  const isLikely = /alias|nested mapping|scalar at node end/i.test(text);
  return isLikely ? { text, hint: 'Put an item that begins with `*` or holds a colon into quotes.' } : { text };
}
