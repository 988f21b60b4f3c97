import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownRepository } from '../docs/workflows.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { sarifProblem } from '../fakes/sarif.ts';
import { checkOut } from '../fakes/world/create-world.ts';
import type { Stage } from '../scenarios/review.ts';

/** What a step that is not ours gets, and what it leaves. */
export type ActionCall = {
  readonly inputs: Readonly<Record<string, string>>;
  readonly stage: Stage;
  /** Folder of the job. */
  readonly workspace: string;
  readonly run: number;
  /** `owner/name` that the head of the run is of. */
  readonly from: string;
  readonly artifacts: Artifacts;
  /** Sets what the token of this step may do, and in whose name. */
  readonly become: (identity: {
    readonly viewer: string;
    readonly permissions: Readonly<Record<string, string>>;
  }) => void;
  /** What the job's steps behind it have in their environment. */
  readonly variables: Record<string, string>;
  /** What the job's permissions are. */
  readonly granted: Readonly<Record<string, string>>;
};

/** Files of this workflow run, by artifact. */
export type Artifacts = Map<string, string>;

/** Outputs; or what is wrong, which fails the step. */
export type ActionEnd = { readonly outputs?: Readonly<Record<string, string>> } | { readonly problem: string };

/** An action of others, played. @throws Error where the example uses it as nobody could. */
export type PlayedAction = (call: ActionCall) => ActionEnd | Promise<ActionEnd>;

export const appLogin = 'acme-review[bot]';

/** By what stands before `@`. */
export const knownActions: Readonly<Record<string, PlayedAction>> = {
  'actions/upload-artifact': upload,
  'actions/download-artifact': download,
  'actions/checkout': checkout,
  'actions/create-github-app-token': appToken,
  'github/codeql-action/upload-sarif': uploadSarif,
};

function upload({ inputs, workspace, artifacts, stage, run, from }: ActionCall): ActionEnd {
  const path = resolve(workspace, inputs['path'] ?? '');
  const files = filesOf(path);
  if (files.length === 0) return inputs['if-no-files-found'] === 'error' ? { problem: `No files: ${path}` } : {};
  // One file that is not archived goes by its own name.
  const name = inputs['archive'] === 'false' ? basename(path) : (inputs['name'] ?? 'artifact');
  if (/["":<>|*?\r\n\\/]/.test(name)) return { problem: `An artifact cannot have the name ${name}.` };
  if (artifacts.has(name) && inputs['overwrite'] !== 'true')
    return { problem: `There is an artifact ${name} already.` };
  const folder = temporaryFolder();
  for (const file of files) cpSync(join(dirname(path), file), join(folder, file));
  artifacts.set(name, folder);
  const stored = stage.github.artifacts();
  stored.push({ id: stored.length + 1, name, createdAt: new Date().toISOString(), run, from });
  return {};
}

function download({ inputs, workspace, artifacts }: ActionCall): ActionEnd {
  const { name, pattern } = inputs;
  if (name !== undefined && !artifacts.has(name)) return { problem: `There is no artifact ${name}.` };
  const isAsked = (one: string) => (pattern === undefined ? name === undefined || name === one : matches(pattern, one));
  for (const [one, folder] of artifacts) {
    if (!isAsked(one)) continue;
    const isInFolder = name === undefined && inputs['merge-multiple'] !== 'true';
    const to = resolve(workspace, inputs['path'] ?? '.', isInFolder ? one : '.');
    mkdirSync(to, { recursive: true });
    cpSync(folder, to, { recursive: true });
  }
  return {};
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Ours is this folder. */
async function checkout({ inputs, workspace, stage }: ActionCall): Promise<ActionEnd> {
  const to = join(workspace, inputs['path'] ?? '.');
  if (inputs['repository'] === ownRepository) symlinkSync(root, to);
  else
    cpSync(await checkOut(stage.github, { ref: 'main', depth: Number(inputs['fetch-depth'] ?? 1) }), to, {
      recursive: true,
    });
  return {};
}

function appToken({ inputs, stage, become }: ActionCall): ActionEnd {
  if ((inputs['client-id'] ?? '') === '' || (inputs['private-key'] ?? '') === '')
    return { problem: 'No app is named.' };
  const own = stage.world.github.repository;
  const named = (inputs['repositories'] ?? own).split(/[\n,]/).map((name) => name.trim());
  if (!named.includes(own)) return { problem: `The token does not reach ${own}.` };
  const asked = Object.entries(inputs).filter(([name]) => name.startsWith('permission-'));
  const permissions = Object.fromEntries(asked.map(([name, level]) => [name.slice('permission-'.length), level]));
  become({ viewer: appLogin, permissions });
  const reached = stage.github.world.others?.filter(({ name }) => named.includes(name.replace(/^.*\//, '')));
  Object.assign(stage.github.world, { others: reached ?? [] });
  return { outputs: { token: stage.world.github.token, 'app-slug': appLogin.replace('[bot]', '') } };
}

function uploadSarif({ inputs, workspace, granted }: ActionCall): ActionEnd {
  const path = resolve(workspace, inputs['sarif_file'] ?? '../results');
  if (!existsSync(path)) return { problem: `Path does not exist: ${path}` };
  // The repository of the fakes is a private one.
  const isAllowed = granted['security-events'] === 'write' && granted['actions'] === 'read';
  if (!isAllowed) return { problem: 'Resource not accessible by integration' };
  const problem = sarifProblem(JSON.parse(readFileSync(path, 'utf8')));
  return problem === null ? {} : { problem };
}

/** Names in its folder; a star stands for letters of a name. */
function filesOf(path: string): readonly string[] {
  if (!existsSync(dirname(path))) return [];
  return readdirSync(dirname(path)).filter((name) => matches(basename(path), name));
}

function matches(pattern: string, name: string): boolean {
  return new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(name);
}
