import { MemorySearch, sourceSyntaxFiles } from '../__tests__/fakes/memory-repository.ts';
import { sampleChanges } from '../__tests__/fakes/sample-changes/index.ts';
import { openSample, type SampleChange } from '../__tests__/fakes/sample-changes/typescript.ts';
import { type OpenSyntax, openSyntax } from '../src/adapters/syntax/syntax.ts';
import { estimateTokens } from '../src/core/agent/estimate.ts';
import { renderChain } from '../src/core/context/chain-text.ts';
import { type ContextChain, contextChain } from '../src/core/context/context-chain.ts';
import { symbolIndex } from '../src/core/context/symbol-index.ts';
import { realContext } from './real-context.ts';
import type { Row } from './row.ts';

/** As `follow-up` asks for the chain, and as the profiles with tools do. */
const forms = [
  { name: 'whole', maxTokens: 5_000, signaturesOnly: false },
  { name: 'signatures', maxTokens: 800, signaturesOnly: true },
] as const;

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
      for (const form of forms) rows.push(...(await measure(sample, { syntax, form })));
    } finally {
      await syntax.close();
    }
  }
  return rows;
}

type Measuring = { readonly syntax: OpenSyntax; readonly form: (typeof forms)[number] };

async function measure(sample: SampleChange, { syntax, form }: Measuring): Promise<readonly Row[]> {
  const { repository, changes } = openSample(sample);
  const search = new MemorySearch(repository);
  const now = () => performance.now();
  const index = symbolIndex({ repository, search, syntax, isDenied: () => null, now });
  const shown = changes.map((file) => ({ file, hunks: file.hunks }));
  const start = now();
  const chain = await contextChain(index, { changes: shown, ...form });
  const milliseconds = now() - start;
  const name = `${sample.language}, ${form.name}`;
  return [
    {
      measure: `context: our sample, ${name}`,
      measured: share(definitionsIn(chain), sample.definitions),
      unit: '%',
      promised: promised.has(sample.language) && !form.signaturesOnly ? { atLeast: 80 } : null,
    },
    { measure: '  uses and tests found', measured: share(usesIn(chain), sample.uses), unit: '%', promised: null },
    { measure: '  time', measured: milliseconds, unit: 'ms', promised: null },
    {
      measure: '  tokens',
      measured: estimateTokens(renderChain(chain.entries)),
      unit: 'tokens',
      promised: { atMost: form.maxTokens },
    },
  ];
}

function definitionsIn({ entries }: ContextChain): ReadonlySet<string> {
  const definitions = entries.filter(({ relation }) => relation === 'definition');
  return new Set(definitions.map(({ path, symbol }) => `${path} ${symbol}`));
}

function usesIn({ entries }: ContextChain): ReadonlySet<string> {
  return new Set(entries.map(({ path, startLine }) => `${path}:${startLine}`));
}

function share(found: ReadonlySet<string>, wanted: readonly string[]): number {
  return (wanted.filter((each) => found.has(each)).length / wanted.length) * 100;
}
