import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { linearGlob } from '../../core/repository/path.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a child gets, whole. */
export type ChildEnvironment = { readonly [name: string]: string };

export type Setting = readonly [key: string, value: string];

/** The token's header for one remote: sent to this URL and no other. */
export type Remote = { readonly url: string; readonly authorization: string | null };

/**
 * For children that read: no configuration but the own bare repository's, no credentials, no transport. Everything else of
 * the environment stays out, secrets first of all.
 */
export function readingEnvironment(environment: Environment, gitDirectory: string): ChildEnvironment {
  return {
    ...pick(environment, basics),
    ...common(gitDirectory),
    HOME: gitDirectory,
    XDG_CONFIG_HOME: gitDirectory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_LAZY_FETCH: '1',
    // Git before 2.44 does not know GIT_NO_LAZY_FETCH: with no protocol allowed it cannot fetch either.
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

/**
 * For the child that fetches: the machine's own git configuration (proxy, certificates, insteadOf), and the token's header
 * in the environment, where no other process reads it from the command line.
 */
export function fetchingEnvironment(options: {
  environment: Environment;
  gitDirectory: string;
  remote: Remote;
}): ChildEnvironment {
  const { environment, gitDirectory, remote } = options;
  return {
    ...pick(environment, [...basics, ...network]),
    ...common(gitDirectory),
    ...configuration(environment, remote),
  };
}

/** For `git config`, which starts nothing: the machine's configuration and the repository's, as the person's own git reads them. */
export function configurationEnvironment(environment: Environment, gitDirectory: string): ChildEnvironment {
  return {
    ...pick(environment, [...basics, ...homes]),
    ...common(gitDirectory),
    ...asVariables(inheritedConfiguration(environment)),
  };
}

/** Settings that git reads from the environment, above those of every file. */
export function asVariables(settings: readonly Setting[]): ChildEnvironment {
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);
}

const basics = ['PATH', 'Path', 'PATHEXT', 'SystemRoot', 'SYSTEMROOT', 'ComSpec', 'TMPDIR', 'TEMP', 'TMP'] as const;

/** Where git looks for the configuration of the machine and the person. */
const homes = [
  ...['HOME', 'USERPROFILE', 'APPDATA', 'PROGRAMDATA', 'XDG_CONFIG_HOME'],
  ...['GIT_CONFIG_NOSYSTEM', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_GLOBAL'],
];

const network = [
  ...[...homes, 'SSH_AUTH_SOCK', 'GIT_SSH', 'GIT_SSH_COMMAND'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH'],
];

/** Where git is on the child's own PATH: @actions/exec looks on that of this process. */
export async function programIn(environment: Environment): Promise<string> {
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter(isAbsolute);
  const name = process.platform === 'win32' ? 'git.exe' : 'git';
  for (const folder of folders) {
    const file = join(folder, name);
    const problem = await access(file, constants.X_OK).catch((error: Error) => error);
    if (problem === undefined) return file;
  }
  throw Object.assign(new Error('git is not on PATH'), { code: 'ENOENT' });
}

function pick(environment: Environment, names: readonly string[]): ChildEnvironment {
  const named = names.map((name) => [name, environment[name]] as const);
  return Object.fromEntries(named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function common(gitDirectory: string): ChildEnvironment {
  return {
    GIT_DIR: gitDirectory,
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    // Messages in English, text in UTF-8: `git grep -P` reads patterns by the locale.
    LC_ALL: 'C.UTF-8',
  };
}

// Less than 1,000 bytes a second for a minute: the connection is dead.
const stallLimits: readonly Setting[] = [
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '60'],
];

// Two Authorization headers are refused by GitHub, so an empty value first takes back what other configuration added.
function configuration(environment: Environment, remote: Remote): ChildEnvironment {
  const settings = [...inheritedConfiguration(environment), ...stallLimits];
  if (remote.authorization === null) return asVariables(settings);
  return asVariables([
    ...settings,
    ['credential.helper', ''],
    [`http.${remote.url}.extraheader`, ''],
    [`http.${remote.url}.extraheader`, `AUTHORIZATION: ${remote.authorization}`],
  ]);
}

function inheritedConfiguration(environment: Environment): readonly Setting[] {
  const count = Number.parseInt(environment['GIT_CONFIG_COUNT'] ?? '0', 10);
  const entries: Setting[] = [];
  for (let index = 0; index < count; index += 1) {
    const key = environment[`GIT_CONFIG_KEY_${index}`];
    const value = environment[`GIT_CONFIG_VALUE_${index}`];
    if (key !== undefined && value !== undefined) entries.push([key, value]);
  }
  return entries;
}

/**
 * A path as git stores it: `./src//a.ts/` becomes `src/a.ts`, the root is ''. Null for what never names a file of the
 * repository: absolute paths, `..`, NUL, backslashes and `.git`.
 */
export function repositoryPath(path: string): string | null {
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || path.includes('\0') || path.includes('\\')) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.some((part) => part === '..' || part.toLowerCase() === '.git') ? null : parts.join('/');
}

const maxCharacters = 500;

/**
 * A predicate for paths from a glob such as `*.ts` (any folder) or `src/**`; '' accepts all.
 *
 * @throws ToolError for a glob that is longer than anybody needs.
 */
export function pathFilter(glob: string): (path: string) => boolean {
  if (glob === '') return () => true;
  if (glob.length > maxCharacters) throw new ToolError(`The file pattern has more than ${maxCharacters} characters.`);
  return linearGlob(glob);
}
