import { structuredPatch } from 'diff';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { changedFile, MemoryRepository } from '../memory-repository.ts';

export const typescriptChange: SampleChange = {
  language: 'TypeScript',
  files: {
    'src/orders/checkout.ts': `import { randomUUID } from 'node:crypto';
import { taxFor as rate } from '../tax/index.js';
import type { Order, OrderLine } from './order.js';
import { Logger } from '@/logging/logger.js';

const logger = new Logger('checkout');

function linePrice(line: OrderLine): number {
  return line.price * line.quantity;
}

export function subtotal(order: Order): number {
  return order.lines.reduce((sum, line) => sum + linePrice(line), 0);
}

export function newOrder(country: string): Order {
  return { id: randomUUID(), country, lines: [], coupon: null };
}




export function checkout(order: Order): number {
  const sum = subtotal(order);
  logger.info('checkout', order.id);
  return sum;
}
`,
    'src/orders/order.ts': `export interface OrderLine {
  readonly price: number;
  readonly quantity: number;
}

export interface Order {
  readonly id: string;
  readonly country: string;
  readonly lines: readonly OrderLine[];
  readonly coupon: string | null;
}
`,
    'src/orders/coupons.ts': `export class CouponBook {
  readonly #percents = new Map<string, number>();

  discountOf(coupon: string, sum: number): number {
    return (sum * (this.#percents.get(coupon) ?? 0)) / 100;
  }
}

export const coupons = new CouponBook();
`,
    'src/tax/index.ts': `export * from './rates.js';
`,
    'src/tax/rates.ts': `const rates = new Map([['DE', 0.19]]);

/** The part of a price that is tax. */
export function taxFor(country: string): number {
  return rates.get(country) ?? 0;
}
`,
    'src/logging/logger.ts': `export class Logger {
  constructor(private readonly name: string) {}

  info(...parts: readonly unknown[]): void {
    console.log(this.name, ...parts);
  }
}
`,
    'src/api/routes.ts': `import { checkout } from '../orders/checkout.js';
import { find } from './store.js';

export async function pay(id: string) {
  const order = await find(id);
  return { total: checkout(order) };
}
`,
    'src/api/store.ts': `import type { Order } from '../orders/order.js';

const orders = new Map<string, Order>();

export async function find(id: string): Promise<Order> {
  const order = orders.get(id);
  if (order === undefined) throw new Error('unknown');
  return order;
}
`,
    'src/games/checkout.ts': `export function checkout(darts: number): boolean {
  return darts === 0;
}

export function subtotal(points: number[]): number {
  return points.length;
}
`,
    'src/orders/checkout.test.ts': `import { expect, it } from 'vitest';
import { checkout, newOrder } from './checkout.js';

it('costs nothing without lines', () => {
  expect(checkout(newOrder('DE'))).toBe(0);
});
`,
    'dist/index.js': 'function taxFor(c){return 0}function linePrice(){}\n',
  },
  edits: {
    'src/orders/checkout.ts': [
      ['import { Logger }', "import { coupons } from './coupons.js';\nimport { Logger }"],
      [
        "  logger.info('checkout', order.id);\n  return sum;\n",
        "  const discount = order.coupon === null ? 0 : coupons.discountOf(order.coupon, sum);\n  logger.info('checkout', order.id, linePrice(order.lines[0]));\n  return subtotal(order) * (1 + rate(order.country)) - discount;\n",
      ],
    ],
  },
  definitions: [
    'src/orders/checkout.ts linePrice',
    'src/orders/checkout.ts subtotal',
    'src/orders/coupons.ts coupons',
    'src/orders/coupons.ts discountOf',
    'src/orders/order.ts coupon',
    'src/orders/order.ts country',
    'src/orders/order.ts id',
    'src/orders/order.ts lines',
    'src/tax/rates.ts taxFor',
    'src/logging/logger.ts info',
  ],
  uses: ['src/api/routes.ts:6', 'src/orders/checkout.test.ts:4'],
};

/** A pull request in a small repository of one language, with what a reader of its diff has to look up. */
export type SampleChange = {
  readonly language: string;
  readonly files: { readonly [path: string]: string };
  /** Texts to be replaced, by the path of their file: what the change does. */
  readonly edits: { readonly [path: string]: readonly (readonly [before: string, after: string])[] };
  /** Where the names on changed lines are defined that the diff does not show, as `path name`. */
  readonly definitions: readonly string[];
  /** Where what the change defines is used outside the diff, as `path:line`. */
  readonly uses: readonly string[];
};

type OpenSample = { readonly repository: MemoryRepository; readonly changes: readonly ChangedFile[] };

/** The repository before and after, and the diff with three lines of context. */
export function openSample({ files, edits }: SampleChange): OpenSample {
  const after = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, (edits[path] ?? []).reduce(replaceOnce, text)]),
  );
  const changes = Object.keys(edits).map((path) => {
    const patch = structuredPatch(path, path, files[path] ?? '', after[path] ?? '', '', '', { context: 3 });
    return changedFile(path, { hunks: patch.hunks.map((hunk) => ({ ...hunk, heading: '' })) });
  });
  return { repository: new MemoryRepository(after, { base: files, mergeBase: files }), changes };
}

function replaceOnce(text: string, [before, after]: readonly [string, string]): string {
  if (text.split(before).length !== 2) throw new Error(`This stands not once in the file: ${before}`);
  return text.replace(before, () => after);
}
