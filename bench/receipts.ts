import { past, stateOf } from '../__tests__/fakes/earlier-rounds.ts';
import { blobOf, diffOf, MemoryCommits, type Tree } from '../__tests__/fakes/memory-commits.ts';
import { MemoryRepository, MemorySearch } from '../__tests__/fakes/memory-repository.ts';
import { pullRequest, reviewer } from '../__tests__/fakes/review-record.ts';
import { reviewParts } from '../__tests__/fakes/rich-record.ts';
import { call, ScriptedModel, usage } from '../__tests__/fakes/scripted-model.ts';
import { noMemory } from '../src/core/history/memory.ts';
import type { State } from '../src/core/history/state.ts';
import { reviewPullRequest } from '../src/core/review-pull-request.ts';
import type { Row } from './row.ts';

const layers = 10;

/** What a stack of ten pull requests takes that are merged one by one, and a rebase on a base that moved elsewhere. */
export async function receipts(): Promise<readonly Row[]> {
  const { calls, runs } = await mergedStack();
  const rebased = await rebase();
  return [
    {
      measure: 'reviews of a stack of ten, merged one by one',
      measured: calls,
      unit: 'calls',
      promised: { atMost: layers },
    },
    { measure: '  runs of it', measured: runs, unit: 'times', promised: null },
    { measure: 'a rebase on a base that moved elsewhere', measured: rebased, unit: 'tokens', promised: { atMost: 0 } },
  ];
}

const start: Tree = { 'README.md': 'Shop\n', 'src/shop.ts': 'export const shop = 1;\n' };

function fileOf(layer: number): Tree {
  return { [`src/layer-${layer}.ts`]: `export const layer${layer} = () => ${layer};\n` };
}

/** Each pull request is reviewed once it is open, and again whenever the one below is merged: then all above are rebased. */
async function mergedStack(): Promise<{ readonly calls: number; readonly runs: number }> {
  const commits = new MemoryCommits();
  const pulls = Array.from({ length: layers }, () => reviewedPull(commits));
  let main = start;
  let [calls, runs] = [0, 0];
  for (let merged = 0; merged < layers; merged += 1) {
    let base = main;
    for (const [index, pull] of pulls.entries()) {
      if (index < merged) continue;
      const head = { ...base, ...fileOf(index + 1) };
      calls += (await pull({ base, head })).calls;
      runs += 1;
      base = head;
    }
    // Squashed, beside what others merged.
    main = { ...main, ...fileOf(merged + 1), [`docs/${merged}.md`]: `Part ${merged}.\n` };
  }
  return { calls, runs };
}

async function rebase(): Promise<number> {
  const pull = reviewedPull(new MemoryCommits());
  await pull({ base: start, head: { ...start, ...fileOf(1) } });
  const base = { ...start, 'docs/news.md': 'News.\n' };
  return (await pull({ base, head: { ...base, ...fileOf(1) } })).tokens;
}

/** A pull request that remembers how it was reviewed last. */
function reviewedPull(commits: MemoryCommits) {
  let state: State | null = null;
  return async ({ base, head }: { readonly base: Tree; readonly head: Tree }) => {
    const [mergeBase, sha] = [base, head].map((tree) => commits.commit(JSON.stringify(tree), tree));
    const model = new ScriptedModel({ ...nothingFound, usage: usage(5_000, 100) });
    const repository = new MemoryRepository(head, { base, mergeBase: base });
    const parts = reviewParts({
      ...{ repository, search: new MemorySearch(repository), model, identity: reviewer, signs: true },
      pullRequest: { ...pullRequest, mergeBase: mergeBase ?? '', head: { ref: 'layer', sha: sha ?? '' } },
      changes: async () => ({ files: diffOf(base, head), missing: [] }),
      past: {
        ...past,
        changesBetween: commits.changesBetween,
        blobs: async (paths) => paths.map((path) => (head[path] === undefined ? null : blobOf(head[path]))),
      },
    });
    const { review } = await reviewPullRequest(parts, { ...noMemory, state });
    if (review.outcome !== 'clean') throw new Error(`A review of the bench ended as ${review.outcome}.`);
    const { readings = null } = review;
    state = stateOf({ head: sha ?? '', mergeBase: mergeBase ?? '', ...(readings === null ? {} : { readings }) });
    const { usage: taken, modelCalls } = review.metrics;
    return { calls: modelCalls, tokens: taken.input + taken.output };
  };
}

const nothingFound = {
  toolCalls: [
    call('submit_review', {
      files_review: [],
      non_specific_review: null,
      approval: { approved: true, rationale: 'Nothing to mend.', action: 'APPROVE' },
    }),
  ],
};
