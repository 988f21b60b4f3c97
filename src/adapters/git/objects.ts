import { UserError } from '../../core/errors.ts';
import { type Git, GitError, notStarted } from './git.ts';

/** What is asked of one hash: `info` is its type and size. */
type Question = 'info' | 'contents';

/** The answer of `git cat-file` to one hash; `content` is null when only `info` was asked for. */
type ObjectAnswer = { readonly type: string; readonly bytes: number; readonly content: Buffer | null };

/** Long-lived `git cat-file`. Requests are answered in order; a crashed child is replaced at the next request. */
export type ObjectStream = {
  /**
   * `object` is a full hash, or `<hash>^{tree}` for the root of a commit. Null when the object does not exist here.
   *
   * @throws GitError when git does not answer, UserError when it cannot be started.
   */
  request(object: string, question: Question): Promise<ObjectAnswer | null>;
  /** Ends the child; a later request starts another. */
  close(): void;
};

/** Milliseconds without a byte while somebody waits: the child hangs. */
const silence = 60_000;

type Waiting = {
  readonly object: string;
  readonly question: Question;
  readonly resolve: (answer: ObjectAnswer | null) => void;
  readonly reject: (error: Error) => void;
};

/** One child for both questions; before git 2.36, one for each. */
export function openObjectStream(git: Git): ObjectStream {
  const children = new Map<string, Batch>();
  let isOld = false;
  const ask = (waiting: Waiting): void => {
    const mode = !isOld ? 'batch-command' : waiting.question === 'info' ? 'batch-check' : 'batch';
    const known = children.get(mode);
    const onUnknown = (asked: readonly Waiting[]) => {
      isOld = true;
      asked.forEach(ask);
    };
    const batch = known === undefined || known.ended() ? startBatch(git, mode, onUnknown) : known;
    children.set(mode, batch);
    batch.ask(waiting);
  };
  return {
    request: (object, question) =>
      new Promise((resolve, reject) => {
        if (!fullHash.test(object)) return reject(new Error(`${JSON.stringify(object)} is not a full hash`));
        ask({ object, question, resolve, reject });
      }),
    close: () => {
      for (const batch of children.values()) batch.end();
    },
  };
}

const fullHash = /^[0-9a-f]{40,64}(?:\^\{tree\})?$/;

/** Of git for an option that it does not know. */
const usageError = 129;

type Batch = {
  ask(waiting: Waiting): void;
  ended(): boolean;
  end(): void;
};

function startBatch(git: Git, mode: string, onUnknown: (asked: readonly Waiting[]) => void): Batch {
  const child = git.start(['cat-file', `--${mode}`]);
  const queue: Waiting[] = [];
  const push = answerParser({
    withContent: () => queue[0]?.question === 'contents',
    emit: (answer) => queue.shift()?.resolve(answer),
  });
  let stderr = '';
  let ended = false;
  let watch: NodeJS.Timeout | undefined;
  const fail = (cause?: Error) => {
    ended = true;
    clearTimeout(watch);
    child.kill('SIGTERM');
    const reason = stderr.trim() || cause?.message || 'it ended';
    const stopped = new GitError(`git cat-file stopped answering: ${reason}`, { exitCode: null, cause });
    for (const waiting of queue.splice(0)) waiting.reject(cause instanceof UserError ? cause : stopped);
  };
  const watchSilence = () => {
    clearTimeout(watch);
    if (queue.length > 0) watch = setTimeout(() => fail(new Error(`silent for ${silence / 1_000} seconds`)), silence);
  };
  child.stdout.on('data', (chunk: Buffer) => {
    push(chunk);
    watchSilence();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-1_000);
  });
  // Its end says why, and what it answered may still come.
  child.stdin.on('error', () => {});
  child.once('error', (error) => fail(notStarted(error)));
  child.once('close', (exitCode) => {
    if (exitCode === usageError && mode === 'batch-command' && !ended) onUnknown(queue.splice(0));
    fail();
  });
  return {
    ask: (waiting) => {
      queue.push(waiting);
      if (queue.length === 1) watchSilence();
      child.stdin.write(mode === 'batch-command' ? `${waiting.question} ${waiting.object}\n` : `${waiting.object}\n`);
    },
    ended: () => ended,
    end: () => fail(new Error('the repository was closed')),
  };
}

/** Cuts the child's bytes into answers: `<hash> <type> <size>\n`, where it was asked for then the content and `\n`. */
function answerParser({
  withContent,
  emit,
}: {
  withContent: () => boolean;
  emit: (answer: ObjectAnswer | null) => void;
}) {
  let chunks: Buffer[] = [];
  let buffered = 0;
  let needed = 1;
  const parse = (bytes: Buffer): Buffer => {
    let rest = bytes;
    for (;;) {
      const lineEnd = rest.indexOf('\n');
      if (lineEnd === -1) return rest;
      const [, type, size] = rest.toString('latin1', 0, lineEnd).split(' ');
      const start = lineEnd + 1;
      if (type === undefined || size === undefined) {
        emit(null);
        rest = rest.subarray(start);
        continue;
      }
      const length = Number(size);
      const whole = withContent();
      const end = whole ? start + length + 1 : start;
      if (rest.length < end) {
        needed = end;
        return rest;
      }
      const content = whole ? rest.subarray(start, start + length) : null;
      emit({ type, bytes: length, content });
      rest = rest.subarray(end);
    }
  };
  return (chunk: Buffer) => {
    chunks.push(chunk);
    buffered += chunk.length;
    // Joined only when an answer may be complete: joining at each chunk would be quadratic in the object's size.
    if (buffered < needed) return;
    needed = 1;
    const rest = parse(Buffer.concat(chunks));
    chunks = rest.length === 0 ? [] : [rest];
    buffered = rest.length;
  };
}

export type TreeEntry = { readonly mode: string; readonly hash: string };

type Tree = ReadonlyMap<string, TreeEntry>;

const cachedTrees = 2_000;

/**
 * Finds what a path names in a commit by walking its trees, byte for byte: no name can be mistaken for an option or a revision. `path` is
 * normalised, '' is the root. Null when there is no such entry.
 */
export function treeWalk(objects: ObjectStream): (commit: string, path: string) => Promise<TreeEntry | null> {
  const roots = new Map<string, Promise<string | null>>();
  const trees = new Map<string, Promise<Tree | null>>();

  const rootOf = (commit: string) => cached(roots, commit, () => readRoot(objects, commit));
  const treeOf = (hash: string) => cached(trees, hash, () => readTree(objects, hash));

  return async (commit, path) => {
    const root = await rootOf(commit);
    if (root === null) return null;
    let entry: TreeEntry = { mode: directoryMode, hash: root };
    for (const name of path === '' ? [] : path.split('/')) {
      if (entry.mode !== directoryMode) return null;
      const next: TreeEntry | undefined = (await treeOf(entry.hash))?.get(name);
      if (next === undefined) return null;
      entry = next;
    }
    return entry;
  };
}

const directoryMode = '40000';

function cached<T>(cache: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= cachedTrees) cache.clear();
  const value = make();
  cache.set(key, value);
  // A failure is not remembered: the next call may find a restarted git.
  value.catch(() => cache.delete(key));
  return value;
}

async function readRoot(objects: ObjectStream, commit: string): Promise<string | null> {
  const answer = await objects.request(commit, 'contents');
  if (answer?.type !== 'commit' || answer.content === null) return null;
  const header = answer.content.toString('latin1', 0, 'tree '.length + 64);
  return /^tree ([0-9a-f]+)\n?/.exec(header)?.[1] ?? null;
}

/** A tree is a sequence of `<mode> <name>\0<hash as bytes>`. */
async function readTree(objects: ObjectStream, hash: string): Promise<Tree | null> {
  const answer = await objects.request(hash, 'contents');
  if (answer?.type !== 'tree' || answer.content === null) return null;
  const { content } = answer;
  const hashBytes = hash.length / 2;
  const tree = new Map<string, TreeEntry>();
  for (let start = 0; start < content.length; ) {
    const space = content.indexOf(0x20, start);
    const nameEnd = content.indexOf(0, space);
    if (space === -1 || nameEnd === -1) return tree;
    const end = nameEnd + 1 + hashBytes;
    tree.set(content.toString('utf8', space + 1, nameEnd), {
      mode: content.toString('latin1', start, space),
      hash: content.toString('hex', nameEnd + 1, end),
    });
    start = end;
  }
  return tree;
}
