import { isRecord } from '../bounded.ts';
import type { ChangedFile } from './changed-file.ts';

/** Whether the file has the exact name of a lock file, and stands where nothing runs what is in it. */
export function mayBeLock({ path, oldPath, kind, executable }: ChangedFile): boolean {
  return kind === 'text' && executable !== true && [path, oldPath].every((each) => isLockPath(each));
}

/** The same for a path alone. */
export function isLockPath(path: string): boolean {
  const folders = path.split('/');
  const name = folders.pop() ?? '';
  return formats.has(name) && !folders.some((folder) => folder.startsWith('.') || runFolders.has(folder.toLowerCase()));
}

/**
 * Whether a text is what the lock file of this name holds: each line has the form, and at the top stand the keys without which its tool would
 * refuse it. A name alone would hide code. Takes time in proportion to the text.
 */
export function parsesAsLock(path: string, text: string): boolean {
  const format = formats.get(path.slice(path.lastIndexOf('/') + 1));
  if (format === undefined) return false;
  const keys = format.read === 'json' ? keysOfJson(text) : keysOfLines(text, format.read);
  return keys !== null && format.keys.every((names) => names.split('|').some((name) => keys.has(name)));
}

/** Hidden folders (`.github/workflows`, `.husky`, `.githooks`) are left out as a whole. */
const runFolders = new Set(['hooks', 'bin']);

/** What a line of the format tells: the key that it opens at the top, '' for another line of the format, null for what is none. */
type ReadLine = (line: string) => string | null;

type Format = {
  readonly read: 'json' | ReadLine;
  /** Each of them is required; a bar divides those of different versions. */
  readonly keys: readonly string[];
};

// No format that its tool evaluates: Elixir's is code.
const formats: ReadonlyMap<string, Format> = new Map(
  Object.entries({
    'package-lock.json': { read: 'json', keys: ['lockfileVersion'] },
    'npm-shrinkwrap.json': { read: 'json', keys: ['lockfileVersion'] },
    'composer.lock': { read: 'json', keys: ['packages', 'content-hash|hash'] },
    'Pipfile.lock': { read: 'json', keys: ['_meta', 'default'] },
    'packages.lock.json': { read: 'json', keys: ['version', 'dependencies'] },
    'Package.resolved': { read: 'json', keys: ['version', 'pins|object'] },
    'flake.lock': { read: 'json', keys: ['nodes', 'root', 'version'] },
    'deno.lock': { read: 'json', keys: ['version'] },
    'bun.lock': { read: 'json', keys: ['lockfileVersion', 'workspaces'] },
    'pnpm-lock.yaml': { read: yaml, keys: ['lockfileVersion', 'importers|packages|specifiers'] },
    'pubspec.lock': { read: yaml, keys: ['packages', 'sdks'] },
    'Podfile.lock': { read: yaml, keys: ['DEPENDENCIES', 'COCOAPODS'] },
    'poetry.lock': { read: toml, keys: ['metadata'] },
    'pdm.lock': { read: toml, keys: ['metadata'] },
    'uv.lock': { read: toml, keys: ['version', 'requires-python|package'] },
    'Cargo.lock': { read: toml, keys: ['package'] },
    'yarn.lock': { read: yarn, keys: ['# yarn lockfile v1|__metadata'] },
    'Gemfile.lock': { read: ruby, keys: ['PLATFORMS', 'DEPENDENCIES'] },
    'go.sum': { read: goSum, keys: ['h1'] },
    'go.work.sum': { read: goSum, keys: ['h1'] },
    'gradle.lockfile': { read: gradle, keys: ['empty'] },
    '.terraform.lock.hcl': { read: terraform, keys: ['provider'] },
  } satisfies Readonly<Record<string, Format>>),
);

function keysOfLines(text: string, read: ReadLine): ReadonlySet<string> | null {
  const keys = new Set<string>();
  for (const line of text.split('\n')) {
    const key = read(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (key === null) return null;
    keys.add(key);
  }
  return keys;
}

function keysOfJson(text: string): ReadonlySet<string> | null {
  try {
    // Bun leaves commas behind last items.
    const value: unknown = JSON.parse(text.replace(/,(\s*[}\]])/g, '$1'));
    return isRecord(value) ? new Set(Object.keys(value)) : null;
  } catch {
    return null;
  }
}

// By hand, since a line may be a whole file: `key: value`, `- item`, and what stands in brackets over several lines.
function yaml(line: string): string | null {
  const rest = line.trimStart();
  if (rest === '' || rest.startsWith('#') || line === '---') return '';
  if (rest.startsWith('- ') || /^[}\]],?$/.test(rest)) return '';
  const key = yamlKey(rest.startsWith('? ') ? rest.slice(2) : rest);
  if (key !== null) return rest === line ? key : '';
  return rest !== line && /^[\w"'@/^~]/.test(rest) && /[,}\]]$/.test(rest) ? '' : null;
}

function yamlKey(text: string): string | null {
  const mark = text.charAt(0);
  const isQuoted = mark === '"' || mark === "'";
  const end = isQuoted ? text.indexOf(mark, 1) + 1 : text.indexOf(':');
  const key = text.slice(0, end);
  if (end <= 0 || !/^:(?: |$)/.test(text.slice(end, end + 2))) return null;
  if (isQuoted) return key.slice(1, -1);
  return /^[\w@/.+^~()=<>*-][^#]*$/.test(key) ? key : null;
}

function toml(line: string): string | null {
  if (/^(?:\s*(?:#.*)?|\s+["{].*|\s*[\]}],?)$/.test(line)) return '';
  const found = /^\[{1,2}([^[\]]+)\]{1,2}$/.exec(line) ?? /^"?([\w@/.-]+)"? = /.exec(line);
  return found?.[1]?.split('.')[0] ?? null;
}

function yarn(line: string): string | null {
  if (/^(?:# yarn lockfile v1|__metadata:)$/.test(line)) return line.replace(':', '');
  return /^(?:\s*(?:#.*)?|\S.*:|\s+"?[\w@/.:^~*-]+"?(?:: | ).*|\s+\w+:)$/.test(line) ? '' : null;
}

function ruby(line: string): string | null {
  if (/^[A-Z][A-Z ]+$/.test(line)) return line;
  return /^(?:\s+\S.*)?$/.test(line) ? '' : null;
}

function goSum(line: string): string | null {
  if (line === '') return '';
  return /^\S+ v\S+ h1:[A-Za-z0-9+/]{43}=$/.test(line) ? 'h1' : null;
}

function gradle(line: string): string | null {
  if (line.startsWith('empty=')) return 'empty';
  return /^(?:#.*|[\w.-]+(?::[\w.-]+)*=[\w.,-]*|)$/.test(line) ? '' : null;
}

function terraform(line: string): string | null {
  if (/^provider "[\w./-]+" \{$/.test(line)) return 'provider';
  return /^(?:\s*(?:#.*)?|\s+\w+\s*= .*|\s+"[\w:+/=]+",?|\s*[\]}])$/.test(line) ? '' : null;
}
