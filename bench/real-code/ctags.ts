import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Tag = {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  /** Null where ctags does not tell it for the language. */
  readonly end: number | null;
  readonly kind: string;
};

/** Of the program that is installed; null without it. */
export async function ctagsVersion(): Promise<string | null> {
  const told = await run('ctags', ['--version']).catch(() => null);
  return /Universal Ctags [\d.]+/.exec(told?.stdout ?? '')?.[0] ?? null;
}

/** Everything that Universal Ctags finds defined in files of a folder. */
export async function ctagsOf(folder: string, paths: readonly string[]): Promise<readonly Tag[]> {
  const options = ['--output-format=json', '--fields=+ne', '-f', '-', '-L', '-'];
  const running = run('ctags', options, { cwd: folder, maxBuffer: 500_000_000 });
  running.child.stdin?.end(paths.join('\n'));
  const { stdout } = await running;
  return stdout.split('\n').flatMap((line) => {
    if (line === '') return [];
    const { name, path, line: at, end, kind } = JSON.parse(line);
    return isWanted(String(kind))
      ? [
          {
            name: String(name),
            path: String(path),
            line: Number(at),
            end: typeof end === 'number' ? end : null,
            kind: String(kind),
          },
        ]
      : [];
  });
}

const unwanted = new Set([
  'unknown',
  'namespace',
  'module',
  'package',
  'packageName',
  'alias',
  'implementation',
  'local',
  'parameter',
  'anonMember',
]);

/** What is defined, not what is imported or only contains. */
function isWanted(kind: string): boolean {
  return !unwanted.has(kind);
}
