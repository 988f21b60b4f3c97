import type { Bundle } from '../bundles/bundle.ts';
import { bundleTokens, fitsOneBundle, planBundles } from '../bundles/plan-bundles.ts';
import { importsAmong, noRelations } from '../bundles/relations.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { ReviewEvent } from '../reporter.ts';
import type { Repository, TextSearch } from '../repository/repository.ts';
import type { Settings } from '../settings/settings.ts';

type Planning = {
  readonly settings: Pick<Settings, 'filesPerBatch' | 'maxTotalTokens'>;
  readonly repository: Repository;
  /** Null over GitHub's API, where every file that is read is a request. */
  readonly search: TextSearch | null;
  /** Why a path may not be read; null when it may. */
  readonly isDenied: (path: string) => string | null;
  /** What a file costs beside its diff, by its path: its images. */
  readonly extraTokens?: ReadonlyMap<string, number>;
  readonly signal: AbortSignal;
  readonly report: (event: ReviewEvent) => void;
};

/** Divides the files into bundles, and tells the plan. Imports are looked at only when there is something to divide. */
export async function planReview(files: readonly ChangedFile[], planning: Planning): Promise<readonly Bundle[]> {
  const { settings, report, extraTokens = new Map() } = planning;
  const maxTokens = bundleTokens(settings.maxTotalTokens);
  const limits = { maxFiles: settings.filesPerBatch, maxTokens, extraTokens };
  const divided = !fitsOneBundle(files, limits) && planning.search !== null;
  const relations = divided ? await importsAmong(files, planning) : noRelations;
  const bundles = planBundles(files, { ...limits, relations });
  report({
    type: 'bundles-plan',
    bundles: bundles.map(({ name, files: planned, estimatedTokens }) => ({
      name,
      paths: planned.map(({ file }) => file.path),
      estimatedTokens,
    })),
  });
  return bundles;
}
