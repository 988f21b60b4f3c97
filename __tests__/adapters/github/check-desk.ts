import { type CheckRun, checkRun } from '../../../src/adapters/github/check-run.ts';
import type { CheckRunOptions } from '../../../src/adapters/github/check-run-options.ts';
import { deliver } from '../../../src/core/review/deliver.ts';
import type { Review } from '../../../src/core/review/review.ts';
import type { Delivery, ReviewRecord, Sink } from '../../../src/core/review/sink.ts';
import { openGate } from '../../../src/core/review/verdict.ts';
import { finding, review } from '../../fakes/review-record.ts';
import { head, type StrictGitHub, strictGitHub } from './strict-github.ts';

export type CheckDesk = StrictGitHub & {
  readonly check: CheckRun;
  /** Moves the clock of the check. */
  wait(milliseconds: number): void;
  /** Findings that went to the workflow commands. */
  readonly commanded: readonly string[];
};

/** A check over a strict GitHub, with a clock and a fallback of its own. */
export async function checkDesk({
  options = {},
  ...world
}: Parameters<typeof strictGitHub>[0] & { readonly options?: Partial<CheckRunOptions> } = {}): Promise<CheckDesk> {
  const strict = await strictGitHub(world);
  const commanded: string[] = [];
  let now = Date.parse('2026-11-02T10:00:00Z');
  const fallback: Sink = {
    name: 'annotations',
    deliver: async ({ placements }) => {
      const ids = placements.map(({ finding: { id } }) => id);
      commanded.push(...ids);
      const delivered = ids.map((findingId) => ({ findingId, place: 'annotation', url: null }) as const);
      return { sink: 'annotations', status: 'delivered', reason: null, delivered, url: null };
    },
  };
  const check = checkRun({
    github: strict.github,
    reference: strict.reference,
    headSha: head,
    name: 'Review',
    detailsUrl: null,
    now: () => now,
    fallback,
    gate: openGate,
    render: () => 'The summary.',
    redact: (text) => text,
    ...options,
  });
  const wait = (milliseconds: number) => {
    now += milliseconds;
  };
  return { ...strict, check, commanded, wait };
}

/** Starts the check, as the first event of a run does, and waits until it is there. */
export async function startCheck({ check, fake }: CheckDesk): Promise<void> {
  check.reporter({ type: 'review-start', version: '1', model: null, profile: 'offline', subject: 'octo/spoon#7' });
  while (!fake.requests.some(({ path }) => path.endsWith('/check-runs'))) await soon();
  await soon();
}

/** Delivers a review to the check: annotations first, then the conclusion. */
export async function deliverTo({ check }: CheckDesk, changes: Partial<Review> = {}): Promise<ReviewRecord> {
  const to = { sinks: [check.sink], recorders: [check.recorder] };
  return await deliver(review({ outcome: 'findings', ...changes }), to, () => undefined);
}

/** Findings that are to be posted, called `f0`, `f1` and so on. */
export function placed(count: number): Review['placements'] {
  return Array.from({ length: count }, (_, index) => ({ finding: finding({ id: `f${index}` }), place: 'inline' }));
}

export function deliveryOf({ deliveries }: ReviewRecord, sink: string): Delivery | undefined {
  return deliveries.find((delivery) => delivery.sink === sink);
}

/** What the check says by now. */
export function stateOf({ fake }: CheckDesk): readonly unknown[] {
  return fake.checkRuns().map(({ content }) => [content['status'], content['conclusion']]);
}

export async function soon(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 60));
}
