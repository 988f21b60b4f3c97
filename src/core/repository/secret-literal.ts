/**
 * Whether a literal beside a name such as `password` is a real secret. Conservative: placeholders, templates, paths,
 * words and identifiers stay, because a redacted line that was harmless hides code from the reviewer.
 */
export function looksSecret(value: string): boolean {
  if (value.length < 8 || isPlaceholder(value) || isReference(value) || isWords(value)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((characters) => characters.test(value)).length;
  const mixed = classes >= 3 || (classes === 2 && /[0-9]/.test(value) && value.length >= 16);
  return mixed && bitsPerCharacter(value) >= 2.8;
}

/** The same where the name beside it leaves no doubt, such as the address of a database: no placeholder, and more than a word. */
export function looksPassword(value: string): boolean {
  if (value.length < 8 || isPlaceholder(value) || isReference(value)) return false;
  if (isMixed(value)) return true;
  return !isWords(value) && /[A-Za-z]/.test(value) && /[^A-Za-z]/.test(value) && bitsPerCharacter(value) >= 2.5;
}

/** Letters alone, but no words: of a name in camel case about every sixth letter is a capital. */
function isMixed(value: string): boolean {
  const capitals = value.replace(/[^A-Z]/g, '').length / value.length;
  return /^[A-Za-z]{14,}$/.test(value) && capitals > 0.4 && capitals < 0.7;
}

/** A name that code could have: what is not quoted may be a variable or a type, such as `Uint8Array`. */
export function isIdentifier(value: string): boolean {
  return /^[A-Za-z_$][\w$.]*$/.test(value) && (value.match(/\d+/g) ?? []).length <= 1;
}

/** Whether a literal stands for a secret that is elsewhere: `changeme`, `<token>`, `${TOKEN}`, `process.env.TOKEN`. */
export function isStandIn(value: string): boolean {
  return isReference(value) || (value.length < longCharacters ? isPlaceholder(value) : isNamedPlaceholder(value));
}

// In this many random characters a word of four letters stands by chance.
const longCharacters = 24;

function isNamedPlaceholder(value: string): boolean {
  return /(?:^|[^a-z])(?:sample|dummy|fake|mock|test|change|insert|replace|todo)(?:[^a-z]|$)|example|your|placeholder|redacted|x{6}|\*{4}|0{8}/i.test(
    value,
  );
}

function isPlaceholder(value: string): boolean {
  return /example|sample|dummy|fake|mock|test|x{3}|\*{3}|change|your|placeholder|redacted|insert|replace|todo|1234|abcd|0{8}|p[a@4][s$5]{2}w[o0]rd|secret/i.test(
    value,
  );
}

/** A value from elsewhere: a template, a variable, a path, an address, a look-up, a hash with its algorithm's name. */
function isReference(value: string): boolean {
  return /\$\{|\$\(|\{\{|<|%[sdv(]|^[$%@/.~]|:\/\/|process\.env|environ|getenv|^(?:sha\d{1,3}|md5|urn|arn)[-:]/i.test(
    value,
  );
}

/** Words with separators, as identifiers and message keys are written: `auth.token.expired`, `LoginForm2`. */
function isWords(value: string): boolean {
  return value.split(/[^A-Za-z0-9]/).every((part) => /^(?:[A-Za-z]*\d{0,2}|\d+)$/.test(part));
}

/** Shannon entropy. */
export function bitsPerCharacter(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** No credential is longer, but for keys in files of their own. */
const longestCredential = 2_048;

/**
 * Whether a value that a rule took for a credential may be hidden wherever it stands. What is hidden is not reviewed, so code, paths, words and
 * names stay elsewhere, whoever calls them a password.
 */
export function mayBeHidden(value: string): boolean {
  if (value.length > longestCredential || !/^[\w+/~.:@%!#$^*?-]+={0,2}$/.test(value)) return false;
  return !isWords(value);
}
