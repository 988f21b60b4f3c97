import { ToolError } from '../../core/errors.ts';
import type { BlameLine, History, Log, LogEntry } from '../../core/repository/repository.ts';
import type { BareRepository } from './bare-repository.ts';
import { parseBlame } from './parse-blame.ts';
import { repositoryPath } from './repository-path.ts';
import { GitError, type GitOutput } from './run-git.ts';

/** Milliseconds for one call. */
const historyTimeout = 15_000;

/** Blame and log at head. The first call fetches older commits, once, when the history here is cut off. */
export function readHistory(options: {
  readonly bare: BareRepository;
  readonly head: string;
  /** True when the path is a file at head: only a file can be followed over renames. */
  readonly isFile: (path: string) => Promise<boolean>;
  /** Fetches older commits; null where there is nowhere to fetch from. */
  readonly deepen: (() => Promise<void>) | null;
}): History {
  const { bare, head, isFile, deepen } = options;
  let prepared: Promise<ReadonlySet<string>> | null = null;
  const boundaries = () => {
    prepared ??= reachableBoundaries(bare, deepen);
    return prepared;
  };
  return {
    blame: async (path, startLine, endLine) => {
      const file = insideRepository(path);
      if (!(await isFile(file)))
        throw new ToolError(`There is no file ${JSON.stringify(path)} at the reviewed commit.`);
      const shallow = await boundaries();
      const args = ['blame', '--porcelain', '--root', '-L', `${startLine},${endLine}`, head, '--', file];
      const { stdout } = await runHistory(bare, args);
      return parseBlame(stdout.toString('utf8')).map((line) => olderThanFetched(line, shallow));
    },
    log: async (path, count) => {
      const file = insideRepository(path);
      const shallow = await boundaries();
      const follow = file !== '' && (await isFile(file)) ? ['--follow'] : [];
      const args = [
        'log',
        ...follow,
        `--max-count=${count}`,
        '-z',
        logFormat,
        head,
        '--',
        ...(file === '' ? [] : [file]),
      ];
      const entries = parseLog((await runHistory(bare, args)).stdout.toString('utf8'));
      return withoutBoundaries({ entries, shallow, path: file });
    },
  };
}

/** The commits at which history is cut off, after an attempt to get more of it. Failing to get more is no error. */
async function reachableBoundaries(
  bare: BareRepository,
  deepen: (() => Promise<void>) | null,
): Promise<ReadonlySet<string>> {
  const shallow = await bare.shallowCommits();
  if (shallow.size === 0 || deepen === null) return shallow;
  await deepen().catch(() => {});
  return bare.shallowCommits();
}

function insideRepository(path: string): string {
  const normalised = repositoryPath(path);
  if (normalised === null) throw new ToolError(`${JSON.stringify(path)} is not a path inside the repository.`);
  return normalised;
}

async function runHistory(bare: BareRepository, args: readonly string[]): Promise<GitOutput> {
  const output = await bare.git.run(args, { timeout: historyTimeout }).catch((error: unknown) => {
    const lines = error instanceof GitError ? /has only (\d+) lines?/.exec(error.message)?.[1] : undefined;
    if (lines === undefined) throw error;
    throw new ToolError(`The file has only ${lines} lines.`, { cause: error });
  });
  if (output.stopped === null) return output;
  throw new ToolError(`git ${args[0]} took longer than ${historyTimeout / 1_000} seconds: ask for less.`);
}

// git credits every older line to the commit at the boundary, which only looks like its author.
function olderThanFetched(line: BlameLine, shallow: ReadonlySet<string>): BlameLine {
  return line.commit !== null && shallow.has(line.commit) ? { ...line, commit: null } : line;
}

const logFormat = '--format=%H%x00%an%x00%as%x00%s%x00%b';
const logFields = 5;

function parseLog(output: string): readonly LogEntry[] {
  const fields = output.split('\0');
  const entries: LogEntry[] = [];
  for (let index = 0; index + logFields <= fields.length; index += logFields) {
    const [commit = '', author = '', date = '', subject = '', body = ''] = fields.slice(index, index + logFields);
    entries.push({ commit, author, date, subject, body: body.trimEnd() });
  }
  return entries;
}

// A commit at the boundary has no parent here, so to git it seems to add every file.
function withoutBoundaries(log: { entries: readonly LogEntry[]; shallow: ReadonlySet<string>; path: string }): Log {
  const { entries, shallow, path } = log;
  return {
    entries: path === '' ? entries : entries.filter((entry) => !shallow.has(entry.commit)),
    shallow: shallow.size > 0,
  };
}
