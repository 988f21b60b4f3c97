import { vi } from 'vitest';
import { Branch, startTree } from './branch.ts';
import { type Commit, numbered, type Unnamed } from './commits.ts';
import { type Closing, type Hub, openInMemory, type Place, viewer } from './hub.ts';
import { type Mood, reviewerOf } from './moods.ts';
import { type Act, actOn, type Declined, ownThreads, trapOf } from './people.ts';
import { type Push, pushTo } from './pushes.ts';
import {
  defectsOf,
  type Manner,
  nameIn,
  type Report,
  type Reviewer,
  type Sight,
  type SubmittedFinding,
} from './reviewer.ts';
import { deferred, type Started, type Starting, startRun } from './runs.ts';

/** Who reviews, and as what. */
export type Circumstances = {
  readonly manner: Manner;
  readonly mood: Mood;
  readonly closing: Closing;
  readonly inputs: Readonly<Record<string, string>>;
  /** Commits that no branch holds any more can be read by nobody. */
  readonly forgets: boolean;
};

/** A pull request from its first push on: what happens in each round, and then a run. */
export type Life = Circumstances & { readonly rounds: readonly Round[] };

export type Round = {
  readonly acts: readonly Act[];
  readonly pushes: readonly Push[];
  readonly run: RunPlan;
};

/** `at` counts requests that write: before it a run dies, or the first of two waits for the second. */
export type RunPlan = {
  readonly kind:
    | 'none'
    | 'whole'
    | 'dies before the diff'
    | 'dies'
    | 'two at once'
    | 'two on two heads'
    | 'model fails';
  readonly at: number;
};

/** A run that came to its end. */
export type Moment = {
  readonly round: number;
  readonly head: Commit;
  readonly mergeBase: Commit;
  readonly report: Report;
};

/** Where a life is lived: in memory, or with servers and git. */
export type Ground = {
  readonly name: (commit: Unnamed) => string;
  readonly open: (at: Place, closing: Closing) => Promise<Hub>;
  readonly start: (run: Starting) => Started;
};

function inMemory(): Ground {
  return { name: numbered(), open: openInMemory, start: startRun };
}

/** A life as far as it was lived. */
export class Lived {
  readonly circumstances: Circumstances;
  readonly branch: Branch;
  readonly moments: Moment[] = [];
  readonly declines: Declined[] = [];
  /** Calls that a model has reported as defects, by their ids: in a run that came to its end, or in a comment. */
  readonly found = new Set<number>();
  /** What happened, a line each. */
  readonly story: string[] = [];
  /** In the last round two runs ran at once, or one was killed. */
  isUnsettled = false;
  readonly #summaries: string[] = [];
  #hub: Hub | null = null;
  #runs = 0;
  #rounds = 0;

  readonly #ground: Ground;

  constructor(circumstances: Circumstances, ground = inMemory()) {
    this.circumstances = circumstances;
    this.#ground = ground;
    this.branch = new Branch(startTree, ground.name);
  }

  /** Opens the pull request, unless it is open. */
  async open(): Promise<void> {
    this.#hub ??= await this.#ground.open(this.branch, this.circumstances.closing);
  }

  get hub(): Hub {
    if (this.#hub === null) throw new Error('The pull request is not open.');
    return this.#hub;
  }

  get last(): Moment | undefined {
    return this.moments.at(-1);
  }

  async live(round: Round): Promise<void> {
    if (this.moments.length > 0) for (const act of round.acts) this.act(act);
    for (const push of round.pushes) this.push(push);
    await this.run(round.run);
  }

  act(act: Act): void {
    const { hub, declines } = this;
    this.#tell(actOn({ hub, last: this.last ?? null, summaries: this.#summaries, declines }, act));
  }

  push(push: Push): void {
    this.change((branch) => pushTo(branch, push));
  }

  /** What somebody does to the branch, and what that is; null where it is nothing. */
  change(change: (branch: Branch) => string | null): void {
    const words = change(this.branch);
    this.#tell(words === null ? null : `ada ${words}`);
    if (words !== null) this.#hub?.moves(this.branch);
  }

  #tell(words: string | null): void {
    vi.setSystemTime(Date.now() + 60_000);
    if (words !== null) this.story.push(words);
  }

  /** A run, and what is between it and the one before. The reviewer is that of the life, unless another is given. */
  async run({ kind, at }: RunPlan = whole, reviewer?: (sight: Sight) => Reviewer): Promise<void> {
    if (kind === 'none') return;
    this.#rounds += 1;
    await this.open();
    const started = (more: Partial<Starting>) => this.#start(more, reviewer);
    switch (kind) {
      case 'whole':
        await this.#finish(started({}), 'run');
        break;
      case 'model fails':
        await this.#finish(started({ reviewer: null }), 'a run without an answer');
        break;
      case 'dies before the diff':
        await this.#finish(started({ diesAtDiff: true }), 'a run that dies before it reads the diff');
        break;
      case 'dies':
        await this.#finish(started({ diesAt: at }), `a run that dies before write ${at}`);
        break;
      default:
        await this.#two(kind, { at, started });
    }
    this.#lookAround();
  }

  async #two(
    kind: 'two at once' | 'two on two heads',
    { at, started }: { at: number; started: (more: Partial<Starting>) => Reviewing },
  ): Promise<void> {
    const [second, there] = [deferred(), deferred()];
    const onWait = () => {
      there.resolve();
      return second.promise;
    };
    const first = started({ waitsAt: at, onWait });
    await Promise.race([there.promise, first.done]);
    if (kind === 'two on two heads') this.push({ do: 'add', a: at, b: at + 1 });
    await this.#finish(started({}), `a second run, while the first waits before write ${at}`);
    second.resolve();
    await this.#finish(first, 'the first run');
    this.isUnsettled = true;
  }

  #start(more: Partial<Starting>, given?: (sight: Sight) => Reviewer): Reviewing {
    this.#runs += 1;
    const { hub, circumstances } = this;
    const { mood, manner, inputs, forgets } = circumstances;
    const { head, mergeBase, heads } = hub;
    const sight = { head, mergeBase, heads };
    const asked = given?.(sight) ?? reviewerOf(mood, sight, { ...manner, run: this.#runs });
    const said: SubmittedFinding[] = [];
    const reviewer: Reviewer = (seen) => {
      const submitted = asked(seen);
      said.push(...submitted.findings);
      return submitted;
    };
    return { ...this.#ground.start({ hub, run: this.#runs, inputs, reviewer, forgets, ...more }), said, sight };
  }

  async #finish({ done, head, mergeBase, said, sight }: Reviewing, words: string): Promise<void> {
    const report = await done;
    this.isUnsettled = report === null;
    const what = report === null ? 'killed' : `${report.gate}, ${report.heading || report.headline}`;
    this.#tell(`${words} on ${head.sha.slice(0, 7)}: ${what}${report?.isApproved === true ? ', approved' : ''}`);
    for (const { title, path, lines, life, alsoAt } of report?.open ?? []) {
      const places = [`${path}${lines === null ? '' : `:${lines.start}`}`, ...alsoAt].join(' and ');
      this.story.push(`    ${places} ${title}${life === undefined ? '' : ` (${life})`}`);
    }
    if (report === null) return;
    this.moments.push({ round: this.#rounds, head, mergeBase, report });
    for (const id of said.flatMap((finding) => reportedBy(finding, sight))) this.found.add(id);
    this.branch.raised = report.open.flatMap((finding) => reportedBy(asSaid(finding), sight));
  }

  /** What was found so far, wherever it is said. */
  #lookAround(): void {
    const { hub, found } = this;
    for (const thread of ownThreads(hub)) {
      const trap = trapOf(hub, thread);
      if (trap !== undefined) found.add(trap.id);
    }
    const summary = hub.pull.conversation.find(({ author }) => author === viewer)?.body;
    if (summary !== undefined) this.#summaries.push(summary);
  }
}

const whole: RunPlan = { kind: 'whole', at: 0 };

type Reviewing = Started & { readonly said: readonly SubmittedFinding[]; readonly sight: Sight };

/** The calls that a finding is about. */
function reportedBy({ title, path, lines, also_at = [] }: SubmittedFinding, sight: Sight): readonly number[] {
  const here = defectsOf(sight).filter(({ name }) => name === nameIn(title));
  const places = [`${path}:${lines}`, ...also_at];
  const named = here.filter((one) => places.includes(`${one.path}:${one.line}-${one.line}`));
  // One on what took the guard away.
  const only = here.filter((one) => one.path === path);
  return (named.length === 0 ? only.slice(0, 1) : named).map(({ id }) => id);
}

function asSaid({ title, path, lines, alsoAt }: Report['open'][number]): SubmittedFinding {
  const also_at = alsoAt.map((place) => place.replace(/:(\d+)$/, ':$1-$1'));
  const shown = lines === null ? {} : { lines: `${lines.start}-${lines.start}` };
  return { path, title, quote: null, review: '', also_at, ...shown };
}

/** Has time pass for what is said in a life, and for nothing else. */
export async function inItsTime<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 2, 10) });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}
