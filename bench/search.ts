import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cleanGitEnvironment } from '../__tests__/fakes/git-fixture.ts';
import { temporaryFolder } from '../__tests__/fakes/memory-repository.ts';
import { git } from '../__tests__/fakes/world/git.ts';
import { openRepository } from '../src/adapters/git/open-repository.ts';
import type { Tool } from '../src/core/agent/tool.ts';
import { searchText } from '../src/core/tools/search-text.ts';
import { codeLines } from './code-text.ts';
import { type ImportedFile, importCommits } from './import-commits.ts';
import type { Row } from './row.ts';
import { median } from './sample.ts';

const fileCount = 50_000;
const linesAFile = 25;
/** Files that have what is searched for: fewer than the 100 matches at which the tool stops. */
const foundIn = 60;
const runs = 5;

/** The tool that a model calls, against git itself on the same commit. */
export async function search(): Promise<readonly Row[]> {
  const directory = temporaryFolder();
  await importCommits(directory, [{ branch: 'main', files: files() }]);
  const commit = await git(directory, ['rev-parse', 'main']);
  const opened = await openRepository({
    checkout: directory,
    remote: null,
    commits: { base: commit, head: commit, mergeBase: commit },
    pullRequestNumber: null,
    temporaryFolder: temporaryFolder(),
    environment: process.env,
    signal: new AbortController().signal,
  });
  const { repository } = opened;
  const tool = searchText(
    { repository, search: opened.search, history: null, files: [], offerDiff: false, isDenied: () => null },
    opened.search,
  );
  const grep = (...args: readonly string[]) => gitGrep(directory, [...args, commit]);
  try {
    return [
      ...(await compare('a string', {
        ask: () => ask(tool, { pattern: 'needleInTheHay(', regex: false }),
        git: () => grep('-F', '-e', 'needleInTheHay('),
      })),
      ...(await compare('a pattern', {
        ask: () => ask(tool, { pattern: 'needleIn\\w+\\(\\d+', regex: true }),
        git: () => grep('-P', '-e', 'needleIn\\w+\\(\\d+'),
      })),
      {
        measure: 'search_text: a pattern that makes git give up',
        measured: (await timed(() => ask(tool, { pattern: '(\\w+\\s*)+[(]never', regex: true }))) / 1_000,
        unit: 's',
        promised: { atMost: 5 },
      },
    ];
  } finally {
    await opened.close();
  }
}

function* files(): Generator<ImportedFile> {
  for (let index = 0; index < fileCount; index += 1) {
    const lines = codeLines({ seed: index, count: linesAFile });
    const needle = index % Math.floor(fileCount / foundIn) === 0 ? `needleInTheHay(${index});\n` : '';
    yield { path: `area-${index % 50}/part-${index % 1_000}/file-${index}.ts`, text: `${lines.join('\n')}\n${needle}` };
  }
}

/** In turns, so that other work on the machine hits both. */
async function compare(
  what: string,
  search: { readonly ask: () => Promise<unknown>; readonly git: () => Promise<unknown> },
): Promise<readonly Row[]> {
  const ours: number[] = [];
  const gits: number[] = [];
  await search.git();
  for (let index = 0; index < runs; index += 1) {
    gits.push(await timed(search.git));
    ours.push(await timed(search.ask));
  }
  return [
    {
      measure: `search_text over 50,000 files: ${what}, to git grep`,
      measured: median(ours) / median(gits),
      unit: 'times',
      promised: { atMost: 1.5 },
    },
    { measure: '  git grep itself', measured: median(gits) / 1_000, unit: 's', promised: null },
  ];
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function ask(tool: Tool, query: { readonly pattern: string; readonly regex: boolean }): Promise<string> {
  const parsed = tool.parse({ ...query, path: null, file_pattern: null });
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  return String(await parsed.value.run(new AbortController().signal));
}

async function gitGrep(directory: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)('git', ['grep', '-n', '-I', ...args], {
    cwd: directory,
    env: cleanGitEnvironment,
    maxBuffer: 64_000_000,
  });
}
