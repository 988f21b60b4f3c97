/**
 * Whether a text is what the lock file of this name holds. A name alone would hide code, and some of these are even evaluated by their
 * tools. Linear in the text's length.
 */
export function parsesAsLock(path: string, text: string): boolean {
  const form = formOf(path);
  if (form === undefined) return false;
  return form === 'json' ? isJson(text) : text.split(/\r?\n/).every((line) => form.test(line));
}

/** True for the names that lock files have. */
export function isLockFile(path: string): boolean {
  return formOf(path) !== undefined;
}

// Each line of the format. `key: value` of YAML and `key = value` of TOML, without what either could be instead.
const yaml =
  /^(?:\s*(?:#.*|---)?|\s*(?:- )*(?:\? )?(?:'[^']*'|"[^"]*"|[\w@/.+^~()=<>*-][^:#]*):(?: .*)?|\s*- \S.*|\s*[\w"'@/^~].*[,}\]]|\s*[}\]],?)$/;
const toml = /^(?:\s*(?:#.*)?|\[{1,2}[^[\]]+\]{1,2}|"?[\w@/. -]+"? = .*|\s+["{].*|\s*[\]}],?)$/;
const yarn = /^(?:\s*(?:#.*)?|__metadata:|\S.*:|\s+"?[\w@/.:^~*-]+"?(?:: | ).*|\s+\w+:)$/;
const goSum = /^(?:\S+ v\S+ h1:[A-Za-z0-9+/]{43}=)?$/;
const ruby = /^(?:[A-Z][A-Z ]+|\s+\S.*|)$/;
const gradle = /^(?:#.*|[\w.-]+(?::[\w.-]+)*=[\w.,-]*|)$/;
// Elixir evaluates it: literals only, without a call.
const mix = /^(?:%\{|\}|\s*"[\w.-]+": \{[\w\s:"'.,@{}[\]~>=/+-]*\},?|)$/;
const terraform = /^(?:\s*(?:#.*)?|provider "[\w./-]+" \{|\s+\w+\s*= .*|\s+"[\w:+/=]+",?|\s*[\]}])$/;

const forms: ReadonlyMap<string, RegExp | 'json'> = new Map<string, RegExp | 'json'>([
  ['package-lock.json', 'json'],
  ['npm-shrinkwrap.json', 'json'],
  ['composer.lock', 'json'],
  ['pipfile.lock', 'json'],
  ['packages.lock.json', 'json'],
  ['package.resolved', 'json'],
  ['flake.lock', 'json'],
  ['deno.lock', 'json'],
  ['bun.lock', 'json'],
  ['pnpm-lock.yaml', yaml],
  ['pubspec.lock', yaml],
  ['podfile.lock', yaml],
  ['poetry.lock', toml],
  ['pdm.lock', toml],
  ['uv.lock', toml],
  ['cargo.lock', toml],
  ['yarn.lock', yarn],
  ['gemfile.lock', ruby],
  ['go.sum', goSum],
  ['go.work.sum', goSum],
  ['gradle.lockfile', gradle],
  ['mix.lock', mix],
  ['.terraform.lock.hcl', terraform],
]);

function formOf(path: string): RegExp | 'json' | undefined {
  return forms.get(path.slice(path.lastIndexOf('/') + 1).toLowerCase());
}

function isJson(text: string): boolean {
  try {
    // Bun leaves commas behind last items.
    const value: unknown = JSON.parse(text.replace(/,(\s*[}\]])/g, '$1'));
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
