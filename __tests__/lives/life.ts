import { vi } from 'vitest';
import { Branch, startTree } from './branch.ts';
import type { Commit } from './commits.ts';
import { type Closing, Hub, type OnRequest, viewer } from './hub.ts';
import { type Mood, reviewerOf } from './moods.ts';
import { type Act, actOn, type Declined, ownThreads, trapOf } from './people.ts';
import { runPostil } from './postil.ts';
import { type Push, pushTo } from './pushes.ts';
import { defectsOf, type Manner, nameIn, type Report } from './reviewer.ts';

/** A pull request from its first push on: what happens in each round, and then a run. */
export type Life = {
  readonly manner: Manner;
  readonly mood: Mood;
  readonly closing: Closing;
  readonly approves: boolean;
  readonly rounds: readonly Round[];
};

export type Round = {
  readonly acts: readonly Act[];
  readonly pushes: readonly Push[];
  readonly run: RunPlan;
};

/** `at` counts requests that write; for two at once those after which the first one waits for the second. */
export type RunPlan = {
  readonly kind: 'whole' | 'dies before the diff' | 'dies' | 'two at once' | 'two on two heads' | 'model fails';
  readonly at: number;
};

/** A run that came to its end. */
export type Moment = {
  readonly head: Commit;
  readonly mergeBase: Commit;
  readonly report: Report;
};

/** A life as far as it was lived. */
export class Lived {
  readonly life: Life;
  readonly branch = new Branch(startTree);
  readonly moments: Moment[] = [];
  readonly declines: Declined[] = [];
  /** Calls that were found to be defects, by their ids. */
  readonly found = new Set<number>();
  /** What happened, a line each. */
  readonly story: string[] = [];
  readonly #summaries: string[] = [];
  #hub: Hub | null = null;
  #runs = 0;
  /** The last run had another one beside it, or did not come to its end. */
  isUnsettled = false;

  constructor(life: Life) {
    this.life = life;
  }

  /** The pull request is opened with the first push. */
  get hub(): Hub {
    this.#hub ??= new Hub(this.branch, this.life.closing);
    return this.#hub;
  }

  get last(): Moment | undefined {
    return this.moments.at(-1);
  }

  async live(round: Round): Promise<void> {
    this.story.push(`Round ${this.#runs + 1}`);
    for (const act of round.acts) this.#act(act);
    for (const push of round.pushes) this.#push(push);
    await this.#run(round.run);
    this.#lookAround();
  }

  #tell(words: string | null): void {
    passMinute();
    if (words !== null) this.story.push(`  ${words}`);
  }

  #act(act: Act): void {
    if (this.moments.length === 0) return;
    const { hub, declines } = this;
    const report = this.last?.report ?? null;
    this.#tell(actOn({ hub, report, summaries: this.#summaries, declines }, act));
  }

  #push(push: Push): void {
    const words = pushTo(this.branch, push);
    this.#tell(words === null ? null : `ada ${words}`);
    if (words !== null) this.hub.moves(this.branch);
  }

  async #run({ kind, at }: RunPlan): Promise<void> {
    const { hub } = this;
    this.isUnsettled = kind !== 'whole';
    switch (kind) {
      case 'whole':
      case 'model fails':
        return await this.#finish(this.#start({ fails: kind === 'model fails' }), kind);
      case 'dies before the diff':
        return await this.#finish(this.#start({ diesAtDiff: true }), kind);
      case 'dies':
        return await this.#finish(this.#start({ diesAt: at }), `${kind} before write ${at}`);
      case 'two at once':
      case 'two on two heads': {
        const [second, there] = [deferred(), deferred()];
        const wait = () => {
          there.resolve();
          return second.promise;
        };
        const first = this.#start({ waitsAt: at, onWait: wait });
        await Promise.race([there.promise, first.done]);
        if (kind === 'two on two heads') this.#push({ do: 'add', a: at, b: at + 1 });
        await this.#finish(this.#start({}), `a second run, while the first waits before write ${at}`);
        second.resolve();
        await this.#finish(first, 'the first run');
        hub.moves(this.branch);
      }
    }
  }

  #start(plan: Partial<Going>) {
    this.#runs += 1;
    const { hub, life } = this;
    const { head, mergeBase } = hub;
    const killed = { kill: () => undefined };
    const death = new Promise<never>((_, reject) => {
      Object.assign(killed, { kill: () => reject(new Killed()) });
    });
    death.catch(() => undefined);
    const never = () => {
      killed.kill();
      return new Promise<never>(() => undefined);
    };
    let writes = 0;
    const onRequest: OnRequest = async ({ isWrite }) => {
      if (!isWrite) return;
      writes += 1;
      if (writes === plan.diesAt) await never();
      if (writes === plan.waitsAt) await plan.onWait?.();
    };
    const onDiff = async () => (plan.diesAtDiff === true ? never() : undefined);
    const sight = { head, mergeBase, heads: hub.heads };
    const reviewer = plan.fails === true ? null : reviewerOf(life.mood, sight, { ...life.manner, run: this.#runs });
    const inputs: Readonly<Record<string, string>> = life.approves ? { 'review-event': 'approve' } : {};
    const options = { hub, run: this.#runs, inputs, reviewer, isGone: () => false };
    const done = runPostil({ ...options, killed: death, onRequest, onDiff }).catch((error: unknown) => {
      if (error instanceof Killed) return null;
      throw error;
    });
    return { done, head, mergeBase };
  }

  async #finish({ done, head, mergeBase }: Started, words: string): Promise<void> {
    const report = await done;
    passMinute();
    const what = report === null ? 'it died' : `${report.gate}, ${report.heading || report.headline}`;
    this.story.push(`  ${words === 'whole' ? 'run' : words} on ${head.sha.slice(0, 7)}: ${what}`);
    for (const { title, path, lines, life, alsoAt } of report?.open ?? []) {
      const places = [`${path}${lines === null ? '' : `:${lines.start}`}`, ...alsoAt].join(' and ');
      this.story.push(`    ${places} ${title}${life === undefined ? '' : ` (${life})`}`);
    }
    if (report !== null) this.moments.push({ head, mergeBase, report });
  }

  /** What was found so far, wherever it is said. */
  #lookAround(): void {
    const { hub, found } = this;
    for (const thread of ownThreads(hub)) {
      const trap = trapOf(hub, thread);
      if (trap !== undefined) found.add(trap.id);
    }
    for (const { head, mergeBase, report } of this.moments.slice(-2)) {
      const defects = defectsOf({ head, mergeBase });
      for (const { title, path, lines, alsoAt } of report.open) {
        const here = defects.filter((one) => one.name === nameIn(title));
        const isOwn = (line: number) => lines?.side === 'RIGHT' && lines.start <= line && line <= lines.end;
        const own = here.filter((one) => one.path === path && isOwn(one.line));
        for (const { id } of [...own, ...here.filter((one) => alsoAt.includes(`${one.path}:${one.line}`))])
          found.add(id);
      }
    }
    const summary = hub.pull.conversation.find(({ author }) => author === viewer)?.body;
    if (summary !== undefined) this.#summaries.push(summary);
  }
}

type Started = { readonly done: Promise<Report | null>; readonly head: Commit; readonly mergeBase: Commit };

type Going = {
  readonly fails: boolean;
  readonly diesAtDiff: boolean;
  readonly diesAt: number;
  readonly waitsAt: number;
  readonly onWait: () => Promise<void>;
};

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

class Killed extends Error {}

/** Has time pass for what is said in a life, and for nothing else. */
export async function inItsTime<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 2, 10) });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

function passMinute(): void {
  vi.setSystemTime(Date.now() + 60_000);
}
