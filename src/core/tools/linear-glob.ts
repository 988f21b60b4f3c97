import { RE2JS } from 're2js';

/**
 * A matcher for globs that a model wrote: `*`, `**`, `?`, `[a-z]`, `[!a-z]`, `{a,b}`. It takes linear time whatever the glob is,
 * which matchers on backtracking expressions do not. A glob without a slash is compared with the file's name.
 */
export function linearGlob(glob: string): (path: string) => boolean {
  const pattern = RE2JS.compile(expression(glob.replace(/^\.?\/+/, '')));
  const byName = !glob.includes('/');
  return (path) => pattern.matches(byName ? path.slice(path.lastIndexOf('/') + 1) : path);
}

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
  const negated = token[1] === '!' || token[1] === '^';
  const members = token.slice(negated ? 2 : 1, -1);
  if (members === '') return RE2JS.quote(token);
  // Only a `-` between two members is a range; everything else stands for itself.
  return `[${negated ? '^/' : ''}${members.replace(/[\\[\]^&~|]/g, '\\$&')}]`;
}

function isBalanced(glob: string): boolean {
  let depth = 0;
  for (const character of glob) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
