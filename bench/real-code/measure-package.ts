import { temporaryFolder } from '../../__tests__/fakes/memory-repository.ts';
import { git } from '../../__tests__/fakes/world/git.ts';
import { openRepository } from '../../src/adapters/git/open-repository.ts';
import { estimateTokens } from '../../src/core/agent/estimate.ts';
import { renderChain } from '../../src/core/context/chain-text.ts';
import { type ContextChain, contextChain } from '../../src/core/context/context-chain.ts';
import { symbolIndex } from '../../src/core/context/symbol-index.ts';
import type { Syntax } from '../../src/core/languages/syntax.ts';
import { type ChangedFile, hunkLines } from '../../src/core/pull-request/changed-file.ts';
import { importCommits } from '../import-commits.ts';
import type { SourceText } from './fetch-package.ts';
import type { Oracle, Target } from './oracle.ts';
import type { SimulatedChange } from './simulate.ts';

export type Form = { readonly name: string; readonly maxTokens: number; readonly signaturesOnly: boolean };

/** One form of the chain over one pull request. */
export type Measured = {
  readonly form: Form;
  readonly wanted: readonly Target[];
  readonly missed: readonly Target[];
  readonly milliseconds: number;
  readonly tokens: number;
};

type Measuring = {
  readonly files: readonly SourceText[];
  readonly changes: readonly SimulatedChange[];
  readonly oracle: Oracle;
  readonly syntax: Syntax;
  readonly forms: readonly Form[];
};

/** Pull requests on a package, in a git repository of their own, as a review finds them. */
export async function measurePackage({
  files,
  changes,
  oracle,
  syntax,
  forms,
}: Measuring): Promise<readonly Measured[]> {
  const directory = temporaryFolder();
  const originals = new Map(files.map((file) => [file.path, file]));
  const restored = (change: SimulatedChange | undefined) =>
    (change?.before ?? []).flatMap(({ path }) => originals.get(path) ?? []);
  await importCommits(directory, [
    { branch: 'head', files },
    ...changes.map((change, at) => ({
      branch: `before-${at}`,
      files: [...restored(changes[at - 1]), ...change.before],
    })),
  ]);
  const head = await git(directory, ['rev-parse', 'head']);
  const measured: Measured[] = [];
  for (const [at, change] of changes.entries()) {
    const base = await git(directory, ['rev-parse', `before-${at}`]);
    const opened = await openRepository({
      checkout: directory,
      remote: null,
      commits: { base, head, mergeBase: base },
      pullRequestNumber: null,
      temporaryFolder: temporaryFolder(),
      environment: process.env,
      signal: new AbortController().signal,
    });
    try {
      const { files: changed } = await opened.changes();
      const wanted = wantedBy(change, { oracle, changed });
      for (const form of forms) {
        const { repository, search } = opened;
        const now = () => performance.now();
        const index = symbolIndex({ repository, search, syntax, isDenied: () => null, now });
        const start = now();
        const chain = await contextChain(index, {
          changes: changed.map((file) => ({ file, hunks: file.hunks })),
          ...form,
        });
        const milliseconds = now() - start;
        const missed = wanted.filter((target) => !holds(chain, target));
        measured.push({ form, wanted, missed, milliseconds, tokens: estimateTokens(renderChain(chain.entries)) });
      }
    } finally {
      await opened.close();
    }
  }
  return measured;
}

/** Definitions that changed lines use and that the diff does not show, each once. */
function wantedBy(
  { bodies }: SimulatedChange,
  { oracle, changed }: { readonly oracle: Oracle; readonly changed: readonly ChangedFile[] },
): readonly Target[] {
  const shown = new Set(
    changed.flatMap(({ path, hunks }) =>
      hunks.flatMap((hunk) => [...hunkLines(hunk)].map(({ newLine }) => `${path}:${newLine}`)),
    ),
  );
  const targets = new Map(
    bodies.flatMap((body) => oracle.uses(body)).map((each) => [`${each.path}:${each.line}`, each]),
  );
  return [...targets].filter(([place]) => !shown.has(place)).map(([, target]) => target);
}

function holds({ entries }: ContextChain, { path, line }: Target): boolean {
  return entries.some((entry) => entry.path === path && entry.startLine <= line && line <= entry.endLine);
}
