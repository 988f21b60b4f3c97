import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = temporaryFolder();
const prefix = join(temporaryFolder(), 'prefix');
const environment = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: home };

/** Nothing may be fetched: what is installed must be whole. */
const offline = ['--offline', '--ignore-scripts', `--cache=${join(home, 'cache')}`];

function npm(...args: readonly string[]): string {
  return execFileSync('npm', [...args, ...offline], { cwd: root, env: environment, encoding: 'utf8', stdio: 'pipe' });
}

/** As somebody types it, without saying what runs it. */
function postil(cwd: string, ...args: readonly string[]): string {
  const file = join(prefix, 'bin', 'postil');
  return execFileSync(file, args, { cwd, env: environment, encoding: 'utf8', stdio: 'pipe' });
}

let packed: readonly { readonly path: string }[] = [];

beforeAll(() => {
  const folder = temporaryFolder();
  const [tarball] = JSON.parse(npm('pack', '--json', `--pack-destination=${folder}`));
  packed = tarball.files;
  npm('install', '--global', `--prefix=${prefix}`, join(folder, tarball.filename));
}, 120_000);

describe('the package, installed from its tarball without a network', () => {
  it('starts as postil', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(postil(home, '--version')).toBe(`${version}\n`);
  });

  it('reviews what is not committed, with its parser', () => {
    const fixture = createRepository();
    fixture.commit({ files: { 'src/total.ts': 'export const total = 0;\n' } });
    execFileSync('sh', ['-c', 'printf "debugger;\\n" >> src/total.ts'], { cwd: fixture.directory });
    expect(postil(fixture.directory, 'review')).toContain('src/total.ts:2');
  });

  it('plays the demo, which it brings along', () => {
    expect(postil(home, 'replay')).toContain('findings');
  });

  it('holds the command line alone, and installs no other package', () => {
    const folders = new Set(packed.map(({ path }) => path.split('/').slice(0, -1).join('/')));
    expect([...folders].sort()).toEqual(['', 'demo', 'dist/cli', 'dist/images', 'dist/syntax']);
    expect(packed.filter(({ path }) => path.endsWith('.map'))).toEqual([]);
    expect(readdirSync(join(prefix, 'lib', 'node_modules'))).toEqual(['postil']);
    expect(readdirSync(join(prefix, 'lib', 'node_modules', 'postil'))).not.toContain('node_modules');
  });
});
