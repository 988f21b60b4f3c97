import { mkdir, readdir, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { requireThere } from '../src/adapters/files/folder.ts';
import { readRegularBytes } from '../src/adapters/files/recorders.ts';
import { isInside } from '../src/adapters/files/write.ts';
import { createBareRepository } from '../src/adapters/git/bare-repository.ts';
import { findCheckout, findWorkTree } from '../src/adapters/git/checkout.ts';
import type { Environment } from '../src/adapters/git/environment.ts';
import { type Git, GitError } from '../src/adapters/git/git.ts';
import type { LocalSubject } from '../src/adapters/git/local-subject.ts';
import { pageName } from '../src/core/addresses.ts';
import { isRecord } from '../src/core/bounded.ts';
import { explain, UserError } from '../src/core/errors.ts';
import type { Parsed } from '../src/core/schema.ts';
import { configFaults, readYaml } from '../src/core/settings/config-file.ts';
import type { Layer } from '../src/core/settings/parse-settings.ts';
import { type CaseSource, type EvalCase, parseCase, type Texts, treePathProblem } from './case.ts';

/** Bytes of the file of a case, of one file of a tree, of a whole tree and of a patch; files of a tree. */
const most = { caseFile: 200_000, file: 2_000_000, tree: 50_000_000, files: 5_000 } as const;

const formatHint = `The format: ${pageName('eval.md')}`;

type CaseFolder = { readonly folder: string; readonly cases: readonly EvalCase[] };

/** The cases of a folder, or of one file, by name. @throws UserError with the problems of all files */
export async function readCases(path: string): Promise<CaseFolder> {
  const kind = await stat(path).catch((cause: unknown) => {
    const hint = `Name a folder of cases, or propose some from the history: postil eval init --from-fixes. ${formatHint}`;
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (isMissing) throw new UserError(`There are no cases: ${path} does not exist.`, { hint });
    throw new UserError(`The cases ${path} cannot be read.`, { hint, cause });
  });
  const folder = kind.isDirectory() ? path : dirname(path);
  const names = kind.isDirectory() ? (await readdir(path)).filter((name) => /\.ya?ml$/.test(name)).sort() : [path];
  if (names.length === 0) throw new UserError(`${path} holds no case: no file ends in .yml.`, { hint: formatHint });
  const parsed = names.map((name) => readCase(join(folder, basename(name))));
  const problems = parsed.flatMap((one) => (one.ok ? [] : one.problems));
  if (problems.length > 0) throw new UserError(problems.slice(0, 20).join('\n'), { hint: formatHint });
  return { folder, cases: parsed.flatMap((one) => (one.ok ? [one.value] : [])) };
}

function readCase(path: string): Parsed<EvalCase> {
  try {
    const text = readTextFile(path, most.caseFile);
    return parseCase({ path, name: basename(path).replace(/\.ya?ml$/, ''), text });
  } catch (error) {
    return { ok: false, problems: [explain(error)] };
  }
}

/** A text of at most so many bytes: a larger file is not read. @throws UserError */
function readTextFile(path: string, maxBytes: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readRegularBytes(path, maxBytes));
  } catch (cause) {
    throw new UserError(`${path} cannot be read.`, { hint: 'A case holds UTF-8 texts.', cause });
  }
}

/** A config file of the disk. It may say what one of a repository may say: no address, and no file. @throws UserError */
export function readConfig(path: string): Layer {
  requireThere(path, 'file');
  const text = readTextFile(path, most.caseFile);
  const problems = configFaults(text).map((fault) => `${path}:${fault.line}: ${fault.text}.`);
  if (problems.length > 0) throw new UserError(problems.join('\n'), { hint: `The settings: ${pageName('inputs.md')}` });
  const { values } = readYaml(text);
  return { where: path, trusted: true, values: isRecord(values) ? values : {} };
}

type Preparing = {
  /** That the cases lie in: nothing outside is read, but the repository that they are part of. */
  readonly folder: string;
  readonly temporaryFolder: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
};

/** Makes the repository of a case in a temporary folder; one that is there is read where it is. @throws UserError */
export async function prepareCase(
  { source, title }: EvalCase,
  preparing: Preparing,
): Promise<{ readonly directory: string; readonly subject: LocalSubject }> {
  if (source.kind === 'git') {
    const directory = await within(preparing.folder, source.folder);
    await requireOwnRepository(directory, preparing.folder);
    return { directory, subject: { kind: 'range', base: source.base, head: source.head } };
  }
  const bare = await createBareRepository({ ...preparing, objectFormat: 'sha1' });
  await commitTrees(bare.git, { title, ...(await treesOf(source, preparing)) });
  // Wherever the temporary folder is: this repository is found, and none above it.
  const directory = join(preparing.temporaryFolder, 'case');
  await mkdir(directory);
  await writeFile(join(directory, '.git'), `gitdir: ${bare.git.directory}\n`);
  return { directory, subject: { kind: 'range', base: 'refs/heads/base', head: 'refs/heads/head' } };
}

/** A path below a folder, links followed. @throws UserError for one that leaves it */
async function within(folder: string, path: string): Promise<string> {
  const [root, found] = await Promise.all([
    realpath(folder),
    realpath(resolve(folder, path)).catch((cause: unknown) => {
      throw new UserError(`${path} cannot be read.`, { hint: formatHint, cause });
    }),
  ]);
  if (isInside(found, root)) return found;
  throw new UserError(`${path} leaves the folder of the cases.`, { hint: 'Put what a case needs beside it.' });
}

/** A case may bring a repository, or be part of one; it may not point to another on this machine. */
async function requireOwnRepository(directory: string, folder: string): Promise<void> {
  const [root, checkout, workTree] = await Promise.all([
    realpath(folder),
    findCheckout(directory),
    findWorkTree(directory),
  ]);
  if (checkout === null) {
    const hint = 'Put the case into the repository whose commits it names, or that repository beside the case.';
    throw new UserError(`${directory} is not in a git repository.`, { hint });
  }
  if (isInside(await realpath(checkout.gitDirectory), root)) return;
  if (workTree !== null && isInside(root, workTree)) return;
  throw new UserError(`${directory} points to a repository elsewhere.`, { hint: 'Put the repository itself there.' });
}

type Trees = { readonly base: Texts } & ({ readonly head: Texts } | { readonly patch: string });

async function treesOf(source: Exclude<CaseSource, { kind: 'git' }>, { folder }: Preparing): Promise<Trees> {
  switch (source.kind) {
    case 'texts': {
      const head = { ...source.base, ...source.head };
      const present = Object.entries(head).flatMap(([path, text]) => (text === null ? [] : [[path, text] as const]));
      return { base: source.base, head: Object.fromEntries(present) };
    }
    case 'folder': {
      const whole = await within(folder, source.folder);
      const treeOf = async (name: string) => readTree(await within(whole, join(whole, name)));
      return { base: await treeOf('base'), head: await treeOf(source.head) };
    }
    case 'patch': {
      const base = typeof source.base === 'string' ? await readTree(await within(folder, source.base)) : source.base;
      if (!source.inFile) return { base, patch: source.patch };
      return { base, patch: readTextFile(await within(folder, source.patch.trim()), most.tree) };
    }
  }
}

/** The texts of a folder by path. Links are not followed. @throws UserError that names the file */
async function readTree(root: string): Promise<Texts> {
  const files: Record<string, string> = {};
  let bytes = 0;
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(root, file).replaceAll(sep, '/');
    const problem = treePathProblem(path);
    if (problem !== null) throw new UserError(`${file}: ${problem}.`, { hint: 'Leave it out of the case.' });
    if (entry.isDirectory()) continue;
    if (!entry.isFile()) throw new UserError(`${file} is no file.`, { hint: 'A case holds files alone, no links.' });
    const text = readTextFile(file, most.file);
    files[path] = text;
    bytes += Buffer.byteLength(text);
    if (bytes <= most.tree && Object.keys(files).length <= most.files) continue;
    throw new UserError(`${root} is larger than a case may be.`, { hint: 'Keep what the change needs.' });
  }
  return files;
}

/** Dated alike: the same trees give the same commits, which a recording is known by. */
const person = 'Eval <eval@example.com> 1767225600 +0000';

/** Two commits, `base` and `head`, without an index or a work tree. */
async function commitTrees(git: Git, { title, base, ...change }: Trees & { readonly title: string }): Promise<void> {
  await importCommit(git, 'base', `${data('Before the change')}${treeCommands(base)}`);
  const files = 'head' in change ? treeCommands(change.head) : await patched(git, change.patch);
  await importCommit(git, 'head', `${data(title)}from refs/heads/base\ndeleteall\n${files}`);
}

async function importCommit(git: Git, branch: string, rest: string): Promise<void> {
  const input = `commit refs/heads/${branch}\nauthor ${person}\ncommitter ${person}\n${rest}\ndone\n`;
  await git.read(['fast-import', '--quiet', '--done'], { input });
}

function treeCommands(files: Texts): string {
  return Object.entries(files)
    .map(([path, text]) => `M 100644 inline ${quoted(path)}\n${data(text)}`)
    .join('');
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** The tree that a patch makes of the base, as a command of the import. */
async function patched(git: Git, patch: string): Promise<string> {
  const indexFile = join(git.directory, 'case-index');
  await git.read(['read-tree', 'refs/heads/base'], { indexFile });
  await git
    .read(['apply', '--cached', '--whitespace=nowarn', '-'], { indexFile, input: patch })
    .catch((cause: unknown) => {
      if (!(cause instanceof GitError)) throw cause;
      const hint = 'Make it with git diff between the base tree and the changed one.';
      throw new UserError('patch: it does not apply to base.', { hint, cause });
    });
  const tree = await git.read(['write-tree'], { indexFile });
  return `M 040000 ${tree.toString('utf8').trim()} ""\n`;
}
