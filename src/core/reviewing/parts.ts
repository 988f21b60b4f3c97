import type { Clock } from '../agent/agent.ts';
import type { Model } from '../agent/model.ts';
import type { Reporter } from '../events.ts';
import type { Finding } from '../findings/finding.ts';
import type { Asked } from '../history/asked.ts';
import type { Past, RunIdentity } from '../history/memory.ts';
import type { Images } from '../images/images.ts';
import type { Embedder } from '../knowledge/by-meaning.ts';
import type { Syntax } from '../languages/syntax.ts';
import type { Message } from '../messages/message.ts';
import type { Changes, PullRequest } from '../pull-request/pull-request.ts';
import type { History, Repository, TextSearch } from '../repository/repository.ts';
import type { StoppedDraft } from '../review/draft.ts';
import type { ShardPlan } from '../review/shards.ts';
import type { Settings } from '../settings/settings.ts';

/** The part of a planned review that one job makes. */
export type Shard = {
  /** From 1 on. */
  readonly number: number;
  readonly plan: ShardPlan;
  /** Why nothing is reviewed: the plan found no reason to, or it is of another head; null else. */
  readonly stop: StoppedDraft['stop'] | null;
};

/** Reads the change and the code around it. */
export type CodePorts = {
  readonly changes: () => Promise<Changes>;
  readonly repository: Repository;
  /** Null where nothing can be searched. */
  readonly search: TextSearch | null;
  readonly history: History | null;
  /** Parses source; null where nothing is parsed. */
  readonly syntax: Syntax | null;
  /** Absent without `vision`, and where no model is asked. */
  readonly images: Images | undefined;
};

/** Who is asked. */
export type ModelPorts = {
  /** Null without a key and in the `offline` profile. */
  readonly model: Model | null;
  /** Another model that checks the findings; null: `model` does. */
  readonly verifyModel: Model | null;
  /** Compares documents by meaning; null where they are searched by words alone. */
  readonly embedder: Embedder | null;
};

/** The time of a run. */
export type RunTime = {
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds of the clock when the run began: the timeout counts from here. */
  readonly startedAt: number;
  /** Aborted when the job or the person cancels. */
  readonly signal: AbortSignal;
};

/** Where a run reports. */
export type RunOutput = {
  readonly report: Reporter;
  /** Called for each finding as soon as it is known, be it of a rule or of the model. */
  readonly onFinding?: ((finding: Finding) => void) | undefined;
};

/** Who started a run, and which part of a plan it is. */
export type StartedBy = {
  /** What somebody asked for in a comment; left out where a push did. */
  readonly asked?: Asked | undefined;
  /** By which `@` calls this reviewer; empty or left out where only `/postil` does. */
  readonly called?: string | undefined;
  /** True where somebody started the workflow, or the command line. */
  readonly isByHand?: boolean | undefined;
  /** Left out where this run reviews all of the change. */
  readonly shard?: Shard | undefined;
};

/** What started a run, and what it is for. */
export type RunTrigger = StartedBy & {
  /** What a person should know of the settings and of how the run began. */
  readonly notes: readonly Message[];
};

/** What it takes to review. */
export type ReviewingParts = {
  readonly settings: Settings;
  readonly pullRequest: PullRequest;
  /** Who speaks in our comments; null on a laptop, where nothing is posted. */
  readonly identity: RunIdentity | null;
  /** Null where there is no past to ask: on a laptop. */
  readonly past: Past | null;
  readonly code: CodePorts;
  readonly models: ModelPorts;
  readonly run: RunTime;
  readonly output: RunOutput;
  readonly trigger: RunTrigger;
};
