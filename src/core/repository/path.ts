import { RE2JS, RE2JSException } from 're2js';
import { withoutEnd } from '../text.ts';

type CheckedPath =
  | { readonly ok: true; readonly path: string }
  /** The reason is written for a model: it says what a path looks like. */
  | { readonly ok: false; readonly reason: string };

const maxCharacters = 4096;

/**
 * A path as git knows it: relative to the root, forward slashes, no `.` or empty parts; '' is the root itself.
 * Refuses whatever could name something outside the tree or inside `.git`.
 */
export function checkPath(path: string): CheckedPath {
  if (path.length > maxCharacters) return refused(`a path has at most ${maxCharacters} characters`);
  if (path.includes('\0')) return refused('a path holds no NUL character');
  if (path.includes('\\')) return refused('write paths with forward slashes');
  if (path.startsWith('/'))
    return refused('paths are relative to the root of the repository: leave out the first slash');
  if (/^[A-Za-z]:/.test(path)) return refused('paths are relative to the root of the repository: leave out the drive');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return refused('paths stay inside the repository: `..` is not allowed');
  if (parts.some(namesGitFolder)) return refused("git's own folder cannot be read");
  // Removing `./` may bring a drive letter to the front.
  if (/^[A-Za-z]:/.test(parts[0] ?? '')) return refused('paths are relative to the root: leave out the drive');
  return { ok: true, path: parts.join('/') };
}

function refused(reason: string): CheckedPath {
  return { ok: false, reason };
}

/** `.git` as any file system understands it: without regard to case, trailing dots and spaces, 8.3 names, streams. */
function namesGitFolder(part: string): boolean {
  const plain = part
    .toLowerCase()
    .split(':')[0]
    ?.replace(/[\p{Cf}]/gu, '');
  let end = plain?.length ?? 0;
  while (end > 0 && ' .'.includes(plain?.charAt(end - 1) ?? '')) end--;
  const name = plain?.slice(0, end);
  return name === '.git' || name === 'git~1';
}

/**
 * A matcher for globs: `*`, `**`, `?`, `[a-z]`, `[!a-z]`, `{a,b}`. It takes linear time whatever the glob and the path are, and
 * strangers write both: libraries that compile globs to backtracking expressions took 32 s for four stars and a name of 1,000
 * characters. A glob without a slash is compared with the file's name. Never throws: what is no glob stands for itself.
 */
export function linearGlob(glob: string, options: { ignoreCase?: boolean } = {}): (path: string) => boolean {
  const anchored = glob.replace(/^\.?\/+/, '');
  const byName = !glob.includes('/');
  // The most usual glob needs no expression, which takes longer to make than all else.
  const folder = options.ignoreCase === true ? undefined : wholeFolder.exec(anchored)?.[1];
  if (folder !== undefined) return (path) => path.startsWith(folder);
  const [start = '', end = ''] = options.ignoreCase === true ? [] : fixedEnds(anchored);
  let pattern: RE2JS | undefined;
  return (path) => {
    const compared = byName ? path.slice(path.lastIndexOf('/') + 1) : path;
    if (!compared.startsWith(start) || !compared.endsWith(end)) return false;
    // Made for the first path that may match: most globs of rules belong to other languages.
    pattern ??= compile(anchored, options.ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0);
    return pattern.matches(compared);
  };
}

/**
 * Why what a person wrote is no glob, as the end of a sentence; null for a glob. `linearGlob` takes everything: a model's mistake is no reason to
 * fail, and a person's would leave out files without a word.
 */
export function globProblem(glob: string): string | null {
  if (glob.length > maxCharacters) return `it has more than ${maxCharacters} characters`;
  if (glob.includes('\\')) return 'its parts are separated by `/`';
  if (glob.split('/').includes('..')) return 'it begins at the root of the repository, without `..`';
  const outside = glob.replaceAll(special, (token) => (token.startsWith('[') && membersOf(token) !== '' ? '' : token));
  if (outside.includes('[')) return 'a `[` is not closed; the character itself is `[[]`';
  if (!isBalanced(outside)) return 'its braces do not match';
  try {
    RE2JS.compile(expression(glob));
    return null;
  } catch (error) {
    if (error instanceof RE2JSException) return 'a range runs backwards';
    throw error;
  }
}

/** What every match of a glob starts with, and what its last part ends with. */
function fixedEnds(glob: string): readonly (string | undefined)[] {
  return [/^[^*?[\]{},\ud800-\udfff]*/.exec(glob)?.[0], glob.split(/[*?[\]{},/\ud800-\udfff]/).at(-1)];
}

const wholeFolder = /^([^*?[\]{},\ud800-\udfff]+\/)\*\*$/;

/** Of several globs any may match. */
export function anyGlob(globs: readonly string[], options: { ignoreCase?: boolean } = {}): (path: string) => boolean {
  const matchers = globs.map((glob) => linearGlob(glob, options));
  return (path) => matchers.some((matches) => matches(path));
}

/** Rules share most of their globs, and compiling takes longer than matching. */
const compiled = new Map<string, RE2JS>();
const maxCompiled = 1_000;

function compile(glob: string, flags: number): RE2JS {
  const key = `${flags} ${glob}`;
  const pattern = compiled.get(key) ?? compileGlob(glob, flags);
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(key, pattern);
  return pattern;
}

function compileGlob(glob: string, flags: number): RE2JS {
  // Classes that never end are looked for up to the end of the glob, each.
  if (glob.length > longestGlob) return RE2JS.compile(RE2JS.quote(glob), flags);
  try {
    return RE2JS.compile(expression(glob), flags);
  } catch (error) {
    if (error instanceof RE2JSException) return RE2JS.compile(RE2JS.quote(glob), flags);
    throw error;
  }
}

/** A longer one names a path that has every sign of it. */
const longestGlob = 4_000;

const special = /\*\*\/|\*\*|\*|\?|\{|\}|,|\[[!^]?\]?[^\]/]*\]/g;

function expression(glob: string): string {
  const balanced = isBalanced(glob);
  let result = '';
  let depth = 0;
  let copied = 0;
  for (const match of glob.matchAll(special)) {
    const token = match[0];
    const isBrace = token === '{' || token === '}' || token === ',';
    if (isBrace && (!balanced || (token === ',' && depth === 0))) continue;
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    result += RE2JS.quote(glob.slice(copied, match.index)) + translate(token);
    copied = match.index + token.length;
  }
  return `(?s)${result}${RE2JS.quote(glob.slice(copied))}`;
}

const translations: { readonly [token: string]: string } = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '{': '(?:',
  ',': '|',
  '}': ')',
};

function translate(token: string): string {
  const known = translations[token];
  if (known !== undefined) return known;
  const negated = isNegated(token);
  const members = membersOf(token);
  if (members === '') return RE2JS.quote(token);
  // Only a `-` between two members is a range; everything else stands for itself.
  return `[${negated ? '^/' : ''}${members.replace(/[\\[\]^&~|]/g, '\\$&')}]`;
}

function isNegated(token: string): boolean {
  return token[1] === '!' || token[1] === '^';
}

function membersOf(token: string): string {
  return token.slice(isNegated(token) ? 2 : 1, -1);
}

/** Compiling takes the square of it. */
const maxDepth = 50;

/** False as well for braces that are nested deeper than anybody needs. */
function isBalanced(glob: string): boolean {
  let depth = 0;
  for (const character of glob) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (depth < 0 || depth > maxDepth) return false;
  }
  return depth === 0;
}

/** `owner/name` of a remote as git writes it, when it is on this server; else null. */
export function repositoryOfRemote(url: string, serverUrl: string): string | null {
  const [, host = '', path = ''] = scp.exec(url) ?? addressed.exec(url) ?? [];
  const [, server] = addressed.exec(serverUrl) ?? [];
  if (host.toLowerCase() !== server?.toLowerCase()) return null;
  const name = withoutEnd(path, /\//).replace(/\.git$/, '');
  return /^[\w-]+\/[\w.-]+$/.test(name) ? name : null;
}

/** The web address of the server that a remote is on; null where it is none with repositories. */
export function serverOfRemote(url: string): string | null {
  const [, host = ''] = scp.exec(url) ?? addressed.exec(url) ?? [];
  return host === '' ? null : `https://${host.toLowerCase()}`;
}

// Such as git@github.com:o/r.git, and https://github.com/o/r or ssh://git@github.com:22/o/r.git.
const scp = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/)([^\s]+)$/;
const addressed = /^(?:https?|ssh|git):\/\/(?:[^@/\s]*@)?([^:/\s]+)(?::\d+)?(?:\/([^\s]*))?$/;
