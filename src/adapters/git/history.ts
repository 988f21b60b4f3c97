import { ToolError } from '../../core/errors.ts';
import type { CommitMessage } from '../../core/pull-request/pull-request.ts';
import type { BlameLine, History, LogEntry } from '../../core/repository/repository.ts';
import type { BareRepository } from './bare-repository.ts';
import { repositoryPath } from './environment.ts';
import { type Git, GitError, recordsOf } from './git.ts';

/** Milliseconds for one call. */
const historyTimeout = 15_000;

/** Blame and log at head. The first call fetches older commits, once, when the history here is cut off. */
export function readHistory(options: {
  bare: BareRepository;
  head: string;
  /** True when the path is a file at head: only a file can be followed over renames. */
  isFile: (path: string) => Promise<boolean>;
  /** Fetches older commits; null where there is nowhere to fetch from. */
  deepen: (() => Promise<void>) | null;
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
      const stdout = await runHistory(bare, args);
      return parseBlame(stdout.toString('utf8')).map((line) => olderThanFetched(line, shallow));
    },
    log: async (path, count) => {
      const file = insideRepository(path);
      const shallow = await boundaries();
      const follow = file !== '' && (await isFile(file)) ? ['--follow'] : [];
      const only = file === '' ? [] : [file];
      const args = ['log', ...follow, `--max-count=${count}`, '-z', logFormat, head, '--', ...only];
      const entries = recordsOf(await runHistory(bare, args), logFields).map(logEntry);
      // A commit at the boundary has no parent here, so to git it seems to add every file.
      const known = file === '' ? entries : entries.filter(({ commit }) => !shallow.has(commit));
      return { entries: known, shallow: shallow.size > 0 };
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
  await deepen();
  return bare.shallowCommits();
}

function insideRepository(path: string): string {
  const normalised = repositoryPath(path);
  if (normalised === null) throw new ToolError(`${JSON.stringify(path)} is not a path inside the repository.`);
  return normalised;
}

async function runHistory(bare: BareRepository, args: readonly string[]): Promise<Buffer> {
  const output = await bare.git.run(args, { timeout: historyTimeout }).catch((error: unknown) => {
    const lines = error instanceof GitError ? /has only (\d+) lines?/.exec(error.message)?.[1] : undefined;
    if (lines === undefined) throw error;
    throw new ToolError(`The file has only ${lines} lines.`, { cause: error });
  });
  if (output.stopped === null) return output.stdout;
  throw new ToolError(`git ${args[0]} took longer than ${historyTimeout / 1_000} seconds: ask for less.`);
}

// git credits every older line to the commit at the boundary, which only looks like its author.
function olderThanFetched(line: BlameLine, shallow: ReadonlySet<string>): BlameLine {
  return line.commit !== null && shallow.has(line.commit) ? { ...line, commit: null } : line;
}

const logFormat = '--format=%H%x00%an%x00%as%x00%s%x00%b';
const logFields = 5;

function logEntry([commit = '', author = '', date = '', subject = '', body = '']: readonly string[]): LogEntry {
  return { commit, author, date, subject, body: body.trimEnd() };
}

type BlameCommit = Pick<BlameLine, 'author' | 'date' | 'subject'>;

/** Reads `git blame --porcelain`: a header a line; author, time and summary only where a commit appears first. */
function parseBlame(output: string): readonly BlameLine[] {
  const commits = new Map<string, BlameCommit>();
  const lines: BlameLine[] = [];
  let commit = '';
  let number = 0;
  let fields = new Map<string, string>();
  for (const text of output.split('\n')) {
    const header = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(text);
    if (text.startsWith('\t')) {
      const known = commits.get(commit) ?? commitOf(fields);
      commits.set(commit, known);
      lines.push({ line: number, commit, ...known });
    } else if (header !== null) {
      commit = header[1] ?? '';
      number = Number(header[2]);
      fields = new Map();
    } else {
      const space = text.indexOf(' ');
      if (space > 0) fields.set(text.slice(0, space), text.slice(space + 1));
    }
  }
  return lines;
}

function commitOf(fields: ReadonlyMap<string, string>): BlameCommit {
  return {
    author: fields.get('author') ?? '',
    date: dateOf(fields.get('author-time') ?? '0', fields.get('author-tz') ?? '+0000'),
    subject: fields.get('summary') ?? '',
  };
}

/** The calendar date where the author was: `seconds` since 1970, `zone` such as +0530. */
function dateOf(seconds: string, zone: string): string {
  const sign = zone.startsWith('-') ? -1 : 1;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5));
  const date = new Date((Number(seconds) + sign * minutes * 60) * 1_000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}

/** As many as GitHub's API gives for a pull request. */
export const maxCommits = 250;

/** The commits that `head` has and `base` has not, oldest first as on a pull request; the newest 250. */
export async function readCommits(git: Git, range: { base: string; head: string }): Promise<readonly CommitMessage[]> {
  const args = ['log', `--max-count=${maxCommits}`, '-z', commitFormat, range.head, '--not', range.base, '--'];
  return recordsOf(await git.read(args), commitFields)
    .map(commitMessage)
    .toReversed();
}

/** One commit alone. */
export async function readCommit(git: Git, hash: string): Promise<CommitMessage | null> {
  const [record] = recordsOf(await git.read(['log', '--max-count=1', '-z', commitFormat, hash, '--']), commitFields);
  return record === undefined ? null : commitMessage(record);
}

const commitFormat = '--format=%H%x00%an%x00%aI%x00%B';
const commitFields = 4;

function commitMessage([sha = '', author = '', date = '', message = '']: readonly string[]): CommitMessage {
  return { sha, author, date, message: message.trim() };
}
