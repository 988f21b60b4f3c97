/** Lines that look like code, hardly one twice, and the same for the same seed. No rule of Postil matches them. */
export function codeLines({ seed, count }: { readonly seed: number; readonly count: number }): readonly string[] {
  const pick = picker(seed);
  return Array.from({ length: count }, () => {
    const line = pick(templates);
    return line.replace(/[ANV#]/g, (slot) => fillings[slot]?.(pick) ?? slot);
  });
}

/** The same text with other lines at some places: from an index to the one before another. */
export function rewritten(
  lines: readonly string[],
  change: { readonly seed: number; readonly places: readonly (readonly [from: number, to: number])[] },
): readonly string[] {
  const others = codeLines({ seed: change.seed, count: lines.length });
  const changes = (index: number) => change.places.some(([from, to]) => index >= from && index < to);
  return lines.map((line, index) => (changes(index) ? (others[index] ?? line) : line));
}

type Pick = <T>(from: readonly T[]) => T;

// A stands for a property, N for a name, V for a verb, # for a number.
const templates = [
  'export function VAN(N: NOptions): readonly N[] {',
  '  const NA = N.A ?? #;',
  '  if (NA.length > #) return NA.slice(0, #);',
  '  for (const N of NsByA.values()) V(N, { A: #, A: # });',
  '  const found = Ns.filter((one) => one.A === #).map((one) => one.A);',
  '  throw new RangeError(`the A of N # is not within #`);',
  '  // The A was read before the N could change.',
  '  return { ...N, A: V(N.A), A: # };',
  '  await V(N, NA.A);',
  '}',
] as const;

const names = ['account', 'basket', 'cursor', 'delivery', 'entry', 'folder', 'graph', 'handle', 'invoice', 'journal'];
const properties = ['width', 'total', 'owner', 'state', 'index', 'parent', 'origin', 'amount', 'label', 'weight'];
const verbs = ['read', 'merge', 'split', 'close', 'open', 'count', 'shift', 'place', 'check', 'render'];

const fillings: Readonly<Record<string, (pick: Pick) => string>> = {
  A: (pick) => pick(properties),
  N: (pick) => pick(names),
  V: (pick) => pick(verbs),
  '#': (pick) => String(pick(hundreds) + pick(hundreds) * 10),
};

const hundreds = Array.from({ length: 100 }, (_, index) => index);

/** Mulberry32: enough to vary text. */
function picker(seed: number): Pick {
  let state = seed;
  return (from) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    const index = Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * from.length);
    const picked = from[index];
    if (picked === undefined) throw new Error('there is nothing to pick from');
    return picked;
  };
}
