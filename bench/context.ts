import { MemorySearch, sourceSyntaxFiles } from '../__tests__/fakes/memory-repository.ts';
import { sampleChanges } from '../__tests__/fakes/sample-changes/index.ts';
import { openSample, type SampleChange } from '../__tests__/fakes/sample-changes/typescript.ts';
import { type OpenSyntax, openSyntax } from '../src/adapters/syntax/syntax.ts';
import { type ContextChain, contextOf } from '../src/core/context/context-chain.ts';
import { symbolIndex } from '../src/core/context/symbol-index.ts';
import { contextTokens, holds } from './real-code/measure-package.ts';
import { realContext } from './real-context.ts';
import { recordedReads } from './recorded-reads.ts';
import type { Row } from './row.ts';

const promised: ReadonlySet<string> = new Set(['TypeScript', 'Python', 'Go']);

/**
 * How much of what a reader of a change has to look up stands in its context chain, what that costs, and how long it takes: on published code,
 * and on small samples of ours, which need nothing else.
 */
export async function context(): Promise<readonly Row[]> {
  const rows: Row[] = [...(await realContext())];
  for (const sample of sampleChanges) {
    // A parser of its own: the time holds what the first file of a language costs.
    const syntax = openSyntax({ files: sourceSyntaxFiles, onProblem: (text) => console.error(text) });
    try {
      rows.push(...(await measure(sample, syntax)));
      if (sample === sampleChanges.at(-1)) rows.push(...(await recordedReads(syntax)));
    } finally {
      await syntax.close();
    }
  }
  return rows;
}

async function measure(sample: SampleChange, syntax: OpenSyntax): Promise<readonly Row[]> {
  const { repository, changes } = openSample(sample);
  const search = new MemorySearch(repository);
  const now = () => performance.now();
  const index = symbolIndex({ repository, search, syntax, isDenied: () => null, now });
  const shown = changes.map((file) => ({ file, hunks: file.hunks }));
  const start = now();
  const found = await contextOf(index, shown);
  const milliseconds = now() - start;
  return [
    {
      measure: `context: our sample, ${sample.language}`,
      measured: share(sample.definitions, definitionsIn(found.chain)),
      unit: '%',
      promised: promised.has(sample.language) ? { atLeast: 80 } : null,
    },
    {
      measure: '  uses and tests found',
      measured: share(sample.uses, {
        has: (place) => {
          const [path = '', line = ''] = place.split(':');
          return holds(found, { path, line: Number(line) });
        },
      }),
      unit: '%',
      promised: null,
    },
    { measure: '  time', measured: milliseconds, unit: 'ms', promised: null },
    {
      measure: '  tokens',
      measured: contextTokens(shown, found),
      unit: 'tokens',
      promised: { atMost: 5_000 },
    },
  ];
}

function definitionsIn({ entries }: ContextChain): ReadonlySet<string> {
  const definitions = entries.filter(({ relation }) => relation === 'definition');
  return new Set(definitions.map(({ path, symbol }) => `${path} ${symbol}`));
}

function share(wanted: readonly string[], found: Pick<ReadonlySet<string>, 'has'>): number {
  return (wanted.filter((each) => found.has(each)).length / wanted.length) * 100;
}
