import type { Model } from '../agent/model.ts';
import type { Price } from '../agent/price.ts';
import type { Agent } from '../agent/run-agent.ts';
import type { Shares } from '../agent/shares.ts';
import type { Fence } from '../bundles/fence.ts';
import type { TeamWords } from '../bundles/render-guidance.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import type { Finding } from '../findings/finding.ts';
import type { Memory } from '../memory/memory.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { ReviewEvent } from '../reporter.ts';
import type { Repository } from '../repository/repository.ts';
import type { FollowUpOptions } from './instructions.ts';
import type { Vision } from './vision.ts';

/** What the review of every bundle needs. */
export type BundlesContext = {
  readonly agent: Omit<Agent, 'finish' | 'emit' | 'isUnfinished'>;
  /** Of the budget, for each bundle in its turn. */
  readonly shares: Pick<Shares, 'next'>;
  readonly fence: Fence;
  /** What every opening says of the pull request and the team. */
  readonly common: string;
  readonly pullRequest: PullRequest;
  /** Every file of the diff, reviewed or not. */
  readonly files: readonly ChangedFile[];
  readonly memory: Memory;
  readonly repository: Repository;
  /** Of all rules that there are. */
  readonly ruleIds: ReadonlySet<string>;
  readonly ruleFindings: readonly Finding[];
  /** What the team told its reviewers. */
  readonly words: TeamWords;
  /** Finds the code around a change; null where nothing is parsed. */
  readonly symbols: SymbolIndex | null;
  /** Null in the profiles with reading tools. */
  readonly followUp: FollowUpOptions | null;
  readonly language: string;
  readonly concurrency: number;
  /** Independent reviews of every bundle. */
  readonly passes: number;
  /** Who checks the findings; null when nobody does. */
  readonly verifier: { readonly model: Model; readonly price: Price | null } | null;
  readonly nextId: () => string;
  /** Why a path may not be read by the model; null when it may. */
  readonly isDenied: (path: string) => string | null;
  /** What is shown of changed images; null where nothing is. */
  readonly vision: Vision | null;
  readonly report: (event: ReviewEvent) => void;
  readonly onFinding?: ((finding: Finding) => void) | undefined;
};
