import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MemoryRepository, MemorySearch } from '../__tests__/fakes/memory-repository.ts';
import { contextOf } from '../src/core/context/context-chain.ts';
import { symbolIndex } from '../src/core/context/symbol-index.ts';
import type { Syntax } from '../src/core/languages/syntax.ts';
import type { ChangedFile } from '../src/core/pull-request/changed-file.ts';
import { splitLines } from '../src/core/repository/shown.ts';
import { holds } from './real-code/measure-package.ts';
import type { Row } from './row.ts';

/**
 * What models asked for in their first iteration, and how much of it the prompt shows without asking: lines of files, of recorded runs. The
 * demonstration is one; `POSTIL_BENCH_TRANSCRIPTS` names a folder of more (`transcript-file`).
 */
export async function recordedReads(syntax: Syntax): Promise<readonly Row[]> {
  const folder = process.env['POSTIL_BENCH_TRANSCRIPTS'];
  const more = folder === undefined ? [] : (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort();
  const files = [
    join(import.meta.dirname, '../demo/transcript.jsonl'),
    ...more.map((name) => join(folder ?? '', name)),
  ];
  let [asked, shown] = [0, 0];
  for (const file of files) {
    const measured = await readsOf(await readFile(file, 'utf8'), syntax);
    asked += measured.asked;
    shown += measured.shown;
  }
  const measure = `first reads of ${files.length} recorded runs, of ${asked} lines those that the prompt shows`;
  return [{ measure, measured: (shown / Math.max(asked, 1)) * 100, unit: '%', promised: null }];
}

async function readsOf(
  transcript: string,
  syntax: Syntax,
): Promise<{ readonly asked: number; readonly shown: number }> {
  const calls: readonly Call[] = transcript.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  const files = new Map<string, { [path: string]: string }>();
  for (const { call, key, result } of calls) {
    if (call !== 'repository.readFile' || result.text === undefined) continue;
    const [path, at]: readonly string[] = JSON.parse(key);
    files.set(at ?? '', { ...files.get(at ?? ''), [path ?? '']: result.text });
  }
  const head = files.get('head') ?? {};
  const repository = new MemoryRepository(head, { mergeBase: files.get('merge-base') ?? {} });
  const search = new MemorySearch(repository);
  const index = symbolIndex({ repository, search, syntax, isDenied: () => null, now: () => performance.now() });
  const changed = calls.find(({ call }) => call === 'changes')?.result.files ?? [];
  const context = await contextOf(
    index,
    changed.map((file) => ({ file, hunks: file.hunks })),
  );
  const first = calls.find(({ call }) => call === 'model.answer')?.result.message?.toolCalls ?? [];
  const lines = first.flatMap(({ name, arguments: given }) => {
    const { path = '', start_line: from = 1, end_line: to = Number.POSITIVE_INFINITY }: Reading = JSON.parse(given);
    const count = splitLines(head[path] ?? '').length;
    if (name !== 'read_file_lines' && name !== 'read_file') return [];
    return Array.from({ length: count }, (_, at) => ({ path, line: at + 1 })).filter(
      ({ line }) => from <= line && line <= to,
    );
  });
  return { asked: lines.length, shown: lines.filter((each) => holds(context, each)).length };
}

type Reading = { readonly path?: string; readonly start_line?: number; readonly end_line?: number };

/** What is used of a transcript's line. */
type Call = {
  readonly call: string;
  readonly key: string;
  readonly result: {
    readonly text?: string;
    readonly files?: readonly ChangedFile[];
    readonly message?: {
      readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
    };
  };
};
