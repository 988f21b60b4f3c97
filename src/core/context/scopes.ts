import type { Definition, FileSyntax } from '../languages/syntax.ts';
import type { IndexedFile } from './symbol-index.ts';

/** The innermost function, method, type or table around a 1-based line; null at the top of the file. */
export function enclosingOf({ definitions }: Pick<FileSyntax, 'definitions'>, line: number): Definition | null {
  const known = innermost.get(definitions) ?? innermostByLine(definitions);
  innermost.set(definitions, known);
  return known.get(line) ?? null;
}

/** What a changed line stands in. Where lines were only removed it is the one behind them: what begins there did not hold them. */
export function definitionAt(
  syntax: Pick<FileSyntax, 'definitions'>,
  { line, added }: { line: number; added: boolean },
): Definition | null {
  const innermost = enclosingOf(syntax, line);
  if (added || innermost === null || innermost.startLine < line) return innermost;
  // Outer ones stand before what they hold.
  return syntax.definitions.findLast((each) => mayHold(each) && each.startLine < line && line <= each.endLine) ?? null;
}

type ByLine = ReadonlyMap<number, Definition>;

/** Of each file once: every changed line of it asks, and a file may define something on each of a hundred thousand lines. */
const innermost = new WeakMap<readonly Definition[], ByLine>();

/** From the last definition, so that each line is given away once: outer ones stand before what they hold. */
function innermostByLine(definitions: readonly Definition[]): ByLine {
  const found = new Map<number, Definition>();
  const nextFree = freeLines();
  for (const definition of definitions.toReversed()) {
    if (!mayHold(definition)) continue;
    for (let line = nextFree(definition.startLine); line <= definition.endLine; line = nextFree(line)) {
      found.set(line, definition);
      nextFree.take(line);
    }
  }
  return found;
}

/** The first line from this one on that was not taken. Ways that were gone once are cut short. */
function freeLines(): ((line: number) => number) & { readonly take: (line: number) => void } {
  const after = new Map<number, number>();
  const nextFree = (line: number): number => {
    let free = line;
    for (let next = after.get(free); next !== undefined; next = after.get(free)) free = next;
    for (let at = line; at !== free; ) {
      const next = after.get(at) ?? free;
      after.set(at, free);
      at = next;
    }
    return free;
  };
  return Object.assign(nextFree, { take: (line: number) => void after.set(line, line + 1) });
}

const holds: ReadonlySet<Definition['kind']> = new Set<Definition['kind']>([
  ...(['function', 'method', 'class', 'interface', 'struct', 'trait', 'enum', 'module'] as const),
]);

/** A table, or a type of several lines, is read as a whole too. */
function mayHold({ kind, container, startLine, endLine }: Definition): boolean {
  return holds.has(kind) || (kind !== 'field' && container === null && endLine > startLine);
}

/** A longer line is data or minified code: nothing is read off it. Lines of a file that are looked through, and for so many receivers. */
const limits = { lineCharacters: 400, lines: 5_000, receivers: 300 } as const;

/** What a member stands behind on a line, such as `cart` of `this.#cart.total()`; empty where that is no name. */
export function receiversOf(text: string, name: string): readonly string[] {
  if (text.length > limits.lineCharacters) return [''];
  const found = [...text.matchAll(member)]
    .filter(([, , each]) => each === name.replace(/^[$#@]+/, ''))
    .map(([, receiver]) => receiver ?? '');
  return found.length === 0 ? [''] : [...new Set(found)];
}

// Behind the name of a member another one may follow, so what is behind it is only looked at.
const member =
  /(?:(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{N}_]*)|[)\]}>"'])[?!]?(?:\.|->|::)(?=[$#@]?([\p{L}_][\p{L}\p{N}_]*[?!]?))/gu;

/**
 * The names of the types that a receiver may have at a 1-based line, as declarations in its file say it: a parameter or field with a
 * type, or what is made by a constructor. Empty where the text does not tell.
 */
export function typesOf(
  file: IndexedFile,
  { receiver, line }: { receiver: string; line: number },
): ReadonlySet<string> {
  if (receiver === '') return new Set();
  const around = enclosingOf(file.syntax, line);
  if (itself.has(receiver)) {
    const container = isType(around?.kind) ? around?.name : around?.container;
    return new Set(container?.split(/\.|::/).slice(-1));
  }
  const known = knownTypes.get(file) ?? new Map<string, ReadonlySet<string>>();
  knownTypes.set(file, known);
  const key = `${around?.startLine ?? 0} ${receiver}`;
  const types =
    known.get(key) ?? (known.size < limits.receivers ? declaredTypes(file, { receiver, around }) : new Set());
  known.set(key, types);
  return types;
}

/** Of each file once: its lines are looked through for every receiver. */
const knownTypes = new WeakMap<IndexedFile, Map<string, ReadonlySet<string>>>();

function declaredTypes(
  file: IndexedFile,
  { receiver, around }: { receiver: string; around: Definition | null },
): ReadonlySet<string> {
  const declared = declarationsOf(receiver);
  const typesIn = (from: number, to: number, isRight: (text: string, line: number) => boolean) =>
    new Set(
      file.lines.slice(from - 1, Math.min(to, from + limits.lines)).flatMap(({ text }, at) => {
        const isReadable = text.length <= limits.lineCharacters && text.includes(receiver);
        return isReadable && isRight(text, from + at) ? declared(text) : [];
      }),
    );
  const near = around === null ? new Set<string>() : typesIn(around.startLine, around.endLine, () => true);
  if (near.size > 0) return near;
  // Elsewhere the same name may be another's variable, but for fields and what stands outside of functions.
  return typesIn(1, file.lines.length, (text, line) => {
    const kind = enclosingOf(file.syntax, line)?.kind;
    return (kind !== 'function' && kind !== 'method') || field.test(text);
  });
}

const field = /\b(?:this|self|private|public|protected|readonly)\b|^\s*@/;

const itself: ReadonlySet<string> = new Set(['this', 'self', 'cls', 'Self']);

function isType(kind: string | undefined): boolean {
  return kind === 'class' || kind === 'struct' || kind === 'interface' || kind === 'trait' || kind === 'enum';
}

const wrapper =
  '(?:(?:readonly|const|mut|dyn|&|\\*|\\w+\\.|(?:Arc|Rc|Box|Option|Optional|Promise|Readonly|RefCell|Mutex|unique_ptr|shared_ptr)<)\\s*)*';

/** The types that a line gives to a name, by the forms that languages have for it. */
function declarationsOf(name: string): (text: string) => readonly string[] {
  const forms = [
    // `cart: Cart`, `cart?: &mut Cart`
    `\\b${name}[?!]?\\s*:\\s*${wrapper}([A-Z]\\w*)`,
    // `cart = new Cart(`, `cart := &Cart{`, `cart = Cart(`, `@cart = Shop::Cart.new`, `cart = Cart::new(`
    `\\b${name}\\s*(?::[^=]*)?:?=\\s*(?:new\\s+|await\\s+|&)*(?:\\w+(?:::|\\.))*?([A-Z]\\w*)(?:\\.new\\b|::new\\b|\\s*\\{|(?<!:=[^=]*)(?:<[^<>]*>)?\\()`,
    // `Cart cart`, `List<Cart> cart`, `Cart *cart`, `Cart $cart`
    `\\b([A-Z]\\w*)(?:<[^<>]*>)?(?:\\s+|\\s*[*&]+\\s*)\\$?${name}\\b`,
    // `cart Cart`, `cart *shop.cart`
    `\\b${name}\\s+(?:\\*(?:\\w+\\.)?(\\w+)|(?:\\w+\\.)?([A-Z]\\w*))`,
  ].map((form) => new RegExp(form));
  return (text) =>
    forms.flatMap((form) => {
      const found = form.exec(text);
      const type = found?.[1] ?? found?.[2];
      // A letter is a parameter of a type, which tells nothing.
      return type === undefined || type.length < 2 ? [] : [type];
    });
}
