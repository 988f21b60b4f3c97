import { call, type ScriptedFinding, submit } from '../fakes/model-server/script.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';

/** Longer than what the code around a change shows of a body. */
const guards = Array.from({ length: 40 }, (_, index) => `  if (items.length === ${index + 100}) return ${index};`);
const cart = [
  'export function lastPrice(items: readonly number[]): number {',
  ...guards,
  '  if (items.length === 0) return 0;',
  '  return items[items.length - 1] ?? 0;',
  '}',
  '',
].join('\n');
const checkout = `import { lastPrice } from './cart.ts';

export function tip(items: readonly number[]): number {
  return 0;
}
`;

/** A change whose danger is decided by a line that the code around it does not show. */
export const world = {
  base: {
    'src/cart.ts': cart,
    'src/checkout.ts': checkout,
    'src/secret.ts': 'export const far = 1;\n',
    'README.md': '# Shop\n',
  },
  head: { 'src/checkout.ts': checkout.replace('return 0;', 'return 10 / lastPrice(items);') },
} as const satisfies WorldOptions;

export const suspicion = {
  path: 'src/checkout.ts',
  quote: '  return 10 / lastPrice(items);',
  title: 'An empty cart throws',
  review: '`lastPrice` may read from an empty list.',
  severity: 'critical',
} as const;
export const division = {
  ...suspicion,
  title: 'A free item divides by zero',
  review: 'A price of 0 gives `Infinity`.',
};

export function first(request: unknown, findings: readonly ScriptedFinding[] = [suspicion]) {
  const answer = submit(findings).calls[0];
  return call('submit_review', {
    ...JSON.parse(JSON.stringify(answer?.arguments)),
    confirmed: null,
    dismissed: null,
    context_request: request,
  });
}

export function second(said: { confirmed?: number[]; dismissed?: unknown[]; findings?: readonly ScriptedFinding[] }) {
  const { arguments: submission } = submit(said.findings ?? []).calls[0] ?? {};
  const { confirmed = [], dismissed = [] } = said;
  return call('submit_review', {
    ...JSON.parse(JSON.stringify(submission)),
    confirmed,
    dismissed,
    context_request: null,
  });
}

export const lines = {
  file: 'src/cart.ts',
  line_start: 40,
  line_end: 44,
  reason: 'Does lastPrice guard against an empty cart?',
};
