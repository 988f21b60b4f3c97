import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourceSyntaxFiles } from '../__tests__/fakes/memory-repository.ts';
import { openSyntax } from '../src/adapters/syntax/syntax.ts';
import { ctagsVersion } from './real-code/ctags.ts';
import { ctagsOracle } from './real-code/ctags-oracle.ts';
import { fetchPackage } from './real-code/fetch-package.ts';
import { type Measured, measurePackage } from './real-code/measure-package.ts';
import type { Oracle } from './real-code/oracle.ts';
import { type CodePackage, packages } from './real-code/packages.ts';
import { simulateChanges } from './real-code/simulate.ts';
import { typescriptOracle } from './real-code/typescript-oracle.ts';
import { versionChanges } from './real-code/version-changes.ts';
import type { Row } from './row.ts';
import { median } from './sample.ts';

const promised: ReadonlySet<string> = new Set(['TypeScript', 'Python', 'Go']);

/**
 * The context chain on published code. Packages are fetched into a cache folder (`POSTIL_BENCH_CACHE`); what cannot be had is named and
 * left out.
 */
export async function realContext(): Promise<readonly Row[]> {
  const cache = process.env['POSTIL_BENCH_CACHE'] ?? join(tmpdir(), 'postil-bench-packages');
  await mkdir(cache, { recursive: true });
  const rows: Row[] = [];
  for (const wanted of packages.filter((each) => each.name.includes(process.env['POSTIL_BENCH_ONLY'] ?? ''))) {
    const syntax = openSyntax({ files: sourceSyntaxFiles, onProblem: (text) => console.error(text) });
    try {
      rows.push(...(await rowsOf(wanted, { cache, syntax })));
    } finally {
      await syntax.close();
    }
  }
  return rows;
}

type Measuring = { readonly cache: string; readonly syntax: ReturnType<typeof openSyntax> };

async function rowsOf(wanted: CodePackage, { cache, syntax }: Measuring): Promise<readonly Row[]> {
  const since = wanted.since === undefined ? null : { ...wanted, name: wanted.since };
  const fetched = await fetchPackage(wanted, cache);
  if (!fetched.ok) return leftOut(wanted, `it is neither in ${cache} nor could it be fetched (${fetched.why})`);
  const oracle = await oracleFor(wanted, fetched);
  if (oracle === null) return leftOut(wanted, 'Universal Ctags, which says what to look up, is not installed');
  const before = since === null ? null : await fetchPackage(since, cache);
  if (before?.ok === false)
    return leftOut(wanted, `${since?.name} is neither in ${cache} nor could it be fetched (${before.why})`);
  const { files } = fetched;
  const changes = before === null ? simulateChanges(files, oracle) : versionChanges(before.files, files);
  const measured = await measurePackage({ files, changes, oracle, syntax });
  if (process.env['POSTIL_BENCH_MISSED'] === '1') tellMissed(measured);
  return packageRows({ wanted, oracle, measured });
}

function leftOut({ name }: CodePackage, why: string): readonly Row[] {
  console.error(`${name} is left out: ${why}.`);
  return [];
}

async function oracleFor(
  { language }: CodePackage,
  { folder, files }: Extract<Awaited<ReturnType<typeof fetchPackage>>, { ok: true }>,
): Promise<Oracle | null> {
  if (language === 'TypeScript') return typescriptOracle(folder, files);
  const provenance = await ctagsVersion();
  return provenance === null ? null : ctagsOracle(folder, { files, provenance });
}

type MeasuredPackage = {
  readonly wanted: CodePackage;
  readonly oracle: Oracle;
  readonly measured: readonly Measured[];
};

function packageRows({ wanted, oracle, measured }: MeasuredPackage): readonly Row[] {
  const kind = wanted.since === undefined ? '' : ` since ${wanted.since.replace(/^.*@/, '')}`;
  const all = measured.flatMap((one) => one.wanted).length;
  const callers = measured.flatMap((one) => one.callers ?? []);
  const tokens = measured.map((one) => one.tokens);
  return [
    {
      measure: `context: ${wanted.language}, ${wanted.name}${kind}`,
      measured: shareOf(measured),
      unit: '%',
      promised: promised.has(wanted.language) ? { atLeast: 80 } : null,
    },
    { measure: `  definitions wanted, by ${oracle.provenance}`, measured: all, unit: 'names', promised: null },
    ...(callers.length === 0
      ? []
      : [{ measure: '  callers found', measured: shareOf(callers), unit: '%', promised: null } as const]),
    { measure: '  time', measured: median(measured.map((one) => one.milliseconds)), unit: 'ms', promised: null },
    { measure: '  tokens, median', measured: median(tokens), unit: 'tokens', promised: null },
    { measure: '  tokens, at most', measured: Math.max(...tokens), unit: 'tokens', promised: { atMost: 5_000 } },
  ];
}

function shareOf(all: readonly { readonly wanted: readonly unknown[]; readonly missed: readonly unknown[] }[]): number {
  const wanted = all.flatMap((one) => one.wanted).length;
  return ((wanted - all.flatMap((one) => one.missed).length) / wanted) * 100;
}

function tellMissed(measured: readonly Measured[]): void {
  for (const { missed, callers } of measured) {
    for (const { name, path, line } of missed) console.error(`missed: ${name} ${path}:${line}`);
    for (const { name, path, line } of callers?.missed ?? []) console.error(`missed caller: ${name} ${path}:${line}`);
  }
}
