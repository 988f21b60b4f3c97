import type { Agent } from '../../../src/core/agent/agent.ts';
import type { ImagePart } from '../../../src/core/agent/message.ts';
import type { Model } from '../../../src/core/agent/model.ts';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { groundSources } from '../../../src/core/findings/sources.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { type Verified, verifyFindings } from '../../../src/core/reviewing/verify.ts';
import { FakeClock, MemoryRepository } from '../../fakes/memory-repository.ts';
import { finding, linesAt } from '../../fakes/review-record.ts';
import { call, type ScriptedAnswer } from '../../fakes/scripted-model.ts';
import { agentWith } from '../agent/agent-with.ts';

/** Line 3 of `src/cart.ts` guards against the empty cart. */
export const cart = [
  'export function last(items: Item[]): number {',
  '  // The last price, or nothing.',
  '  if (items.length === 0) return 0;',
  '  return items[items.length - 1].price;',
  '}',
].join('\n');

export const files = {
  'src/cart.ts': cart,
  'src/checkout.ts': 'total(last(cart));\n',
  'README.md': 'The cart is never empty.\n',
  '.env': 'TOKEN=1\n',
};

/** A finding on the line of `src/cart.ts` that returns the price. */
export function claim(changes: Partial<Finding> = {}): Finding {
  return finding({ anchor: linesAt([4, 4], '  return items[items.length - 1].price;'), ...changes });
}

export type Verdicts = {
  readonly confirmed?: readonly unknown[];
  readonly drop_suggestion?: readonly unknown[];
  /** On the findings in their order, where they name none. */
  readonly verdicts?: readonly object[];
};

/** What a verifier answers. */
export function answer({ confirmed = [], drop_suggestion = [], verdicts = [] }: Verdicts): ScriptedAnswer {
  const nothing = { result: '', path: null, quote: null, review: null, suggestion: null };
  const all = verdicts.map((one, index) => ({ finding: index + 1, ...nothing, ...one }));
  return { toolCalls: [call('submit_verification', { confirmed, drop_suggestion, verdicts: all })] };
}

/** A verdict that holds. */
export const wrong = {
  ...{ verdict: 'wrong', result: 'Guarded.', path: 'src/cart.ts' },
  quote: 'if (items.length === 0) return 0;',
} as const;

export async function verify(
  findings: readonly Finding[],
  model: Model,
  given: {
    readonly mustConfirm?: ReadonlySet<string>;
    readonly agent?: Partial<Agent>;
    readonly images?: { readonly [path: string]: readonly ImagePart[] };
    readonly files?: readonly ChangedFile[];
    /** Texts beside `files`. */
    readonly more?: Readonly<Record<string, string>>;
  } = {},
): Promise<Verified> {
  const clock = new FakeClock();
  const isDenied = (path: string) => (path === '.env' ? 'denied' : null);
  return await clock.drive(
    verifyFindings(findings, {
      agent: { ...agentWith({ model, clock }), ...given.agent },
      sources: groundSources(new MemoryRepository({ ...files, ...given.more }), { files: given.files ?? [], isDenied }),
      imagesOf: (path) => given.images?.[path] ?? [],
      head: 'a'.repeat(40),
      language: 'English',
      mustConfirm: given.mustConfirm ?? new Set(),
    }),
  );
}
