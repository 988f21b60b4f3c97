import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RE2JS } from 're2js';
import type { SyntaxFiles } from '../../src/adapters/syntax/syntax.ts';
import type { Clock } from '../../src/core/agent/agent.ts';
import type { ChangedFile, Hunk } from '../../src/core/pull-request/changed-file.ts';
import type {
  FileContent,
  FileEntry,
  Repository,
  Revision,
  TextMatch,
  TextQuery,
  TextSearch,
} from '../../src/core/repository/repository.ts';
import { secretsIn } from '../../src/core/rules/find-secrets.ts';
import type { Rule } from '../../src/core/rules/rule.ts';
import { runRules } from '../../src/core/rules/run-rules.ts';
import { hideSecrets } from '../../src/core/secrets/redact.ts';

/** A rule of the repository that finds `bad` everywhere, but for what is given. */
export function ruleWith(changes: Partial<Rule> = {}): Rule {
  return {
    id: 'no-bad',
    title: 'Bad',
    severity: 'info',
    category: 'style',
    paths: [],
    languages: [],
    pattern: 'bad',
    secrets: null,
    oncePerFile: false,
    multiLine: false,
    skip: [],
    entropy: null,
    minLength: 8,
    maxFindings: 10,
    guidance: 'Do better.',
    good: [],
    bad: [],
    origin: 'repository',
    ...changes,
  };
}

/** One rule over these files, whose text at head is the given one; null where it cannot be read. */
export async function runRule(rule: Partial<Rule>, files: readonly ChangedFile[], head: string | null = null) {
  let count = 0;
  const readHead = async () => head;
  const rules = [ruleWith(rule)];
  const found = secretsIn(rules, files);
  const secrets = found.map(({ value }) => value);
  const { findings } = await runRules({
    rules,
    files,
    nextId: () => `f${++count}`,
    readHead,
    commentFor: () => null,
    hide: hideSecrets(found),
  });
  const anchors = findings.flatMap(({ anchor }) => (anchor.kind === 'lines' ? [anchor] : []));
  const lines = anchors.map(({ startLine, endLine }) =>
    startLine === endLine ? startLine : `${startLine}-${endLine}`,
  );
  return {
    findings,
    secrets,
    lines,
    quotes: anchors.map(({ quote }) => quote),
    paths: findings.map(({ path }) => path),
  };
}

type Files = { readonly [path: string]: string | FileContent };

/** A repository that holds these files at each revision; texts by their content, anything else as what a read answers. */
export class MemoryRepository implements Repository {
  readonly #at: { readonly [revision in Revision]: Files };
  readonly reads: string[] = [];

  constructor(head: Files, other: { readonly base?: Files; readonly mergeBase?: Files } = {}) {
    this.#at = { head, base: other.base ?? head, 'merge-base': other.mergeBase ?? head };
  }

  async readFile(path: string, at: Revision): Promise<FileContent> {
    this.reads.push(`${at}:${path}`);
    const found = new Map(Object.entries(this.#at[at])).get(path);
    if (typeof found === 'string') return { kind: 'text', text: found, bytes: found.length };
    if (found !== undefined) return found;
    const isDirectory = Object.keys(this.#at[at]).some((other) => path === '' || other.startsWith(`${path}/`));
    return { kind: 'unreadable', reason: isDirectory ? 'directory' : 'missing', bytes: null };
  }

  async listFiles(at: Revision): Promise<readonly FileEntry[]> {
    const entries = Object.entries(this.#at[at]).map(([path, content]) => ({
      path,
      kind: kindOf(content),
      bytes: null,
    }));
    return entries.sort((one, other) => (one.path < other.path ? -1 : 1));
  }
}

function kindOf(content: string | FileContent): FileEntry['kind'] {
  if (typeof content === 'string') return 'file';
  if (content.kind === 'symlink') return 'symlink';
  return content.kind === 'unreadable' && content.reason === 'submodule' ? 'submodule' : 'file';
}

/** Searches all files of a repository at head, in the order of their paths. Paths and file patterns are not obeyed. */
export class MemorySearch implements TextSearch {
  readonly queries: TextQuery[] = [];
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  async search(query: TextQuery) {
    this.queries.push(query);
    if (query.path !== '' || query.filePattern !== '') throw new Error('This fake searches everything.');
    const pattern = RE2JS.compile(query.regex ? query.pattern : RE2JS.quote(query.pattern));
    const matches: TextMatch[] = [];
    const paths = new Set<string>();
    const leftOut = () => (paths.size === 0 ? {} : { leftOut: { files: paths.size, paths: [...paths] } });
    for (const { path } of await this.#repository.listFiles('head')) {
      const content = await this.#repository.readFile(path, 'head');
      if (content.kind !== 'text') continue;
      for (const [at, text] of content.text.split('\n').entries()) {
        if (!pattern.matcher(text).find()) continue;
        if (query.leaveOut?.(path) === true) paths.add(path);
        else if (matches.length >= query.limit) return { matches, incomplete: 'limit', ...leftOut() } as const;
        else matches.push({ path, line: at + 1, text });
      }
    }
    return { matches, incomplete: null, ...leftOut() } as const;
  }
}

/** A modified text file with one hunk at line 1, but for what is given. */
export function changedFile(
  path: string,
  options: Partial<ChangedFile> & { lines?: readonly string[] } = {},
): ChangedFile {
  const { lines, ...rest } = options;
  return {
    path,
    oldPath: path,
    status: 'modified',
    kind: 'text',
    additions: 0,
    deletions: 0,
    hunks: lines === undefined ? [] : [hunkOf(lines)],
    modeChange: null,
    generated: false,
    incomplete: null,
    ...rest,
  };
}

/** A hunk whose lines keep their sign; the counts follow from them. */
export function hunkOf(
  lines: readonly string[],
  start: { readonly oldStart?: number; readonly newStart?: number; readonly heading?: string } = {},
): Hunk {
  const count = (signs: string) => lines.filter((line) => signs.includes(line.charAt(0))).length;
  return { oldStart: 1, newStart: 1, heading: '', ...start, oldLines: count(' -'), newLines: count(' +'), lines };
}

/** A file that adds these lines. */
export function addedFile(path: string, lines: readonly string[]): ChangedFile {
  return changedFile(path, { status: 'added', lines: lines.map((line) => `+${line}`) });
}

// Under vitest a folder of the whole run, which ends with it; read now, as a run in process has an environment of its own.
const parent = tmpdir();

/** The script of a thread as it stands in `src`; a test run has it in one file, which loads faster. */
export function sourceThread(name: 'images' | 'syntax'): string {
  const bundled = join(parent, 'threads', `${name}.mjs`);
  const source = new URL(`../../src/adapters/${name}/worker.ts`, import.meta.url);
  return existsSync(bundled) ? bundled : fileURLToPath(source);
}

const { resolve } = createRequire(import.meta.url);

/** The parser as it stands in `src` and `node_modules`, so that a test needs no build. */
export const sourceSyntaxFiles: SyntaxFiles = {
  worker: sourceThread('syntax'),
  runtime: resolve('web-tree-sitter'),
  runtimeWasm: resolve('web-tree-sitter/web-tree-sitter.wasm'),
  grammars: dirname(resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm')),
  packed: false,
};

const folders: string[] = [];
if (process.env['VITEST'] === undefined) process.once('exit', removeFolders);

/** A new empty folder that is removed when the run ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(parent, 'postil-test-'));
  folders.push(folder);
  return folder;
}

function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Resolves as soon as a file holds a text. */
export async function whenFile(path: string, text: string): Promise<void> {
  while (!existsSync(path) || !readFileSync(path, 'utf8').includes(text)) await sleep(20);
}

type Timer = { readonly at: number; readonly ring: () => void };

/** A clock, and whether nobody is expected to answer: then its time passes. */
export type QuietTime = { readonly clock: FakeClock; readonly isQuiet: () => boolean };

/** Looks in a row, a millisecond apart, that find everybody waiting: what is on its way through a socket arrives meanwhile. */
const looks = 3;

/** Time that passes only when everybody waits for it. Milliseconds. */
export class FakeClock implements Clock {
  #now: number;
  #leaps = 0;
  readonly #timers = new Set<Timer>();

  constructor(start = 0) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  readonly wait = (milliseconds: number, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const ring = () => {
        this.#timers.delete(timer);
        resolve();
      };
      const timer: Timer = { at: this.#now + Math.max(0, milliseconds), ring };
      this.#timers.add(timer);
      signal.addEventListener('abort', ring, { once: true });
    });
  };

  /** Timers that are set. */
  get waiting(): number {
    return this.#timers.size;
  }

  get leaps(): number {
    return this.#leaps;
  }

  /**
   * Whether everybody who waits waits for one of the requests that were never answered, each of which ends by one leap: time may pass for
   * them, and nobody else is hurried.
   */
  isHanging(unanswered: number): boolean {
    return this.#timers.size > 0 && this.#timers.size === unanswered - this.#leaps;
  }

  /** Lets time pass until the work is done; while real requests are under way, only where it is quiet. Throws when nothing can happen any more. */
  async drive<T>(work: Promise<T>, isQuiet?: () => boolean): Promise<T> {
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    finished.catch(() => undefined);
    for (let quiet = 0; ; ) {
      await (isQuiet === undefined ? setImmediate() : sleep(1));
      if (done) return finished;
      quiet = isQuiet === undefined ? looks : isQuiet() ? quiet + 1 : 0;
      if (quiet < looks || this.#leap()) continue;
      if (isQuiet === undefined) throw new Error('The work is not done and nobody waits for a time.');
    }
  }

  #leap(): boolean {
    const [next] = [...this.#timers].sort((one, other) => one.at - other.at);
    if (next === undefined) return false;
    this.#now = Math.max(this.#now, next.at);
    this.#leaps += 1;
    next.ring();
    return true;
  }
}
