import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourceSyntaxFiles } from '../__tests__/fakes/memory-repository.ts';
import { openSyntax } from '../src/adapters/syntax/syntax.ts';
import { ctagsVersion } from './real-code/ctags.ts';
import { ctagsOracle } from './real-code/ctags-oracle.ts';
import { fetchPackage } from './real-code/fetch-package.ts';
import { type Form, type Measured, measurePackage } from './real-code/measure-package.ts';
import type { Oracle } from './real-code/oracle.ts';
import { type CodePackage, packages } from './real-code/packages.ts';
import { simulateChanges } from './real-code/simulate.ts';
import { typescriptOracle } from './real-code/typescript-oracle.ts';
import { versionChanges } from './real-code/version-changes.ts';
import type { Row } from './row.ts';
import { median } from './sample.ts';

/** As `follow-up` asks for the chain, and as the profiles with tools do. */
const forms: readonly Form[] = [
  { name: 'whole', maxTokens: 5_000, signaturesOnly: false },
  { name: 'signatures', maxTokens: 800, signaturesOnly: true },
];

const promised: ReadonlySet<string> = new Set(['TypeScript', 'Python', 'Go']);

/**
 * The context chain on published code. Packages are fetched into a cache folder (`POSTIL_BENCH_CACHE`); what cannot be had is named and
 * left out.
 */
export async function realContext(): Promise<readonly Row[]> {
  const cache = process.env['POSTIL_BENCH_CACHE'] ?? join(tmpdir(), 'postil-bench-packages');
  await mkdir(cache, { recursive: true });
  const rows: Row[] = [];
  for (const wanted of packages) {
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
  const measured = await measurePackage({ files, changes, oracle, syntax, forms });
  if (process.env['POSTIL_BENCH_MISSED'] === '1') tellMissed(measured);
  return forms.flatMap((form) =>
    formRows(form, { wanted, oracle, measured: measured.filter((one) => one.form === form) }),
  );
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

type FormMeasured = { readonly wanted: CodePackage; readonly oracle: Oracle; readonly measured: readonly Measured[] };

function formRows(form: Form, { wanted, oracle, measured }: FormMeasured): readonly Row[] {
  const all = measured.reduce((sum, one) => sum + one.wanted.length, 0);
  const missed = measured.reduce((sum, one) => sum + one.missed.length, 0);
  const kind = wanted.since === undefined ? '' : ` since ${wanted.since.replace(/^.*@/, '')}`;
  const isPromised = promised.has(wanted.language) && !form.signaturesOnly;
  return [
    {
      measure: `context: ${wanted.language}, ${wanted.name}${kind}, ${form.name}`,
      measured: ((all - missed) / all) * 100,
      unit: '%',
      promised: isPromised ? { atLeast: 80 } : null,
    },
    { measure: `  definitions wanted, by ${oracle.provenance}`, measured: all, unit: 'names', promised: null },
    { measure: '  time', measured: median(measured.map((one) => one.milliseconds)), unit: 'ms', promised: null },
    {
      measure: '  tokens, at most',
      measured: Math.max(...measured.map((one) => one.tokens)),
      unit: 'tokens',
      promised: { atMost: form.maxTokens },
    },
  ];
}

function tellMissed(measured: readonly Measured[]): void {
  for (const { form, missed } of measured) {
    for (const { name, path, line } of missed) console.error(`missed, ${form.name}: ${name} ${path}:${line}`);
  }
}
