/** Plans the review of base..head of a repository, and prints as JSON what it took. `node bench/plan-child.ts <directory>` */
import { temporaryFolder } from '../__tests__/fakes/memory-repository.ts';
import { openLocalPullRequest } from '../src/adapters/git/local-pull-request.ts';
import { planBatches, tokensPerBatch } from '../src/core/batches/plan-batches.ts';
import { headReader } from '../src/core/languages/code-parts.ts';
import { selectFiles } from '../src/core/pull-request/select-files.ts';
import { loadRules } from '../src/core/rules/load-rules.ts';
import { runRules } from '../src/core/rules/run-rules.ts';
import { parseSettings } from '../src/core/settings/parse-settings.ts';
import type { Planned } from './planned.ts';

console.log(JSON.stringify(await planOf(process.argv[2] ?? '.')));

async function planOf(directory: string): Promise<Planned> {
  const { settings } = parseSettings([]);
  const started = performance.now();
  const { git } = await openLocalPullRequest({
    directory,
    subject: { kind: 'range', base: 'base', head: 'head' },
    temporaryFolder: temporaryFolder(),
    environment: process.env,
    signal: new AbortController().signal,
  });
  try {
    const { files } = await git.changes();
    const read = performance.now();
    const { kept } = selectFiles(files, settings);
    const { rules } = await loadRules(git.repository);
    let findings = 0;
    await runRules({
      rules,
      files: kept,
      nextId: () => `f${++findings}`,
      readHead: headReader(git.repository),
      commentFor: () => null,
      hide: (text) => text,
    });
    const checked = performance.now();
    const batches = planBatches(kept, {
      maxFiles: settings.filesPerBatch,
      maxTokens: tokensPerBatch(settings),
    });
    const planned = performance.now();
    return {
      files: kept.length,
      changedLines: kept.reduce((sum, file) => sum + file.additions + file.deletions, 0),
      batchCount: batches.length,
      diff: read - started,
      rules: checked - read,
      batches: planned - checked,
      // Kibibytes, whatever the system counts in (libuv's uv_rusage_t).
      peakMebibytes: process.resourceUsage().maxRSS / 1_024,
    };
  } finally {
    await git.close();
  }
}
