import { looksSecret } from './secret-literal.ts';

/** Replaces well-known kinds of credentials by `[redacted: github token]` and the like. Linear in the text's length. */
export function redactSecrets(text: string): string {
  let redacted = text;
  if (tokenHints.test(text)) {
    for (const { name, pattern } of tokens) {
      redacted = redacted.replace(pattern, (token) => (isPlaceholder(token) ? token : `[redacted: ${name}]`));
    }
  }
  if (literalHints.test(redacted)) {
    for (const kind of literals) redacted = redactLiterals(redacted, kind);
  }
  return redacted;
}

type Kind = { readonly name: string; readonly pattern: RegExp };

// Every pattern starts at a fixed text that nothing like it may precede, and ends in one run of characters: no part of
// the text is read more than a few times, whatever it holds.
const tokens: readonly Kind[] = [
  {
    name: 'private key',
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----[\\rn ]{0,8}[A-Za-z0-9+/=\\]{16,}[A-Za-z0-9+/=\\ ]*/g,
  },
  { name: 'aws access key id', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g },
  { name: 'github token', pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9_]{20}[\w.-]{16,}/g },
  { name: 'github token', pattern: /(?<![A-Za-z0-9])github_pat_\w{22,}/g },
  {
    name: 'gitlab token',
    pattern: /(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_-]{20}[\w.-]*/g,
  },
  { name: 'slack token', pattern: /(?<![A-Za-z0-9])xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{20,}/g },
  { name: 'slack token', pattern: /(?<![A-Za-z0-9])xapp-\d-[A-Z0-9]{8,20}-[A-Za-z0-9-]{20,}/g },
  { name: 'slack webhook', pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/]{30,}/g },
  { name: 'anthropic key', pattern: /(?<![A-Za-z0-9_-])sk-ant-[A-Za-z0-9_-]{20,}/g },
  { name: 'openai key', pattern: /(?<![A-Za-z0-9_-])sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}/g },
  { name: 'openai key', pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9]{32,}/g },
  { name: 'google key', pattern: /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g },
  { name: 'google token', pattern: /(?<![A-Za-z0-9_-])(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{24,}/g },
  { name: 'stripe key', pattern: /(?<![A-Za-z0-9])[rs]k_live_[A-Za-z0-9]{16,}/g },
  { name: 'webhook secret', pattern: /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/]{32,}={0,2}/g },
  { name: 'npm token', pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/g },
  { name: 'pypi token', pattern: /(?<![A-Za-z0-9])pypi-AgE[A-Za-z0-9_-]{50,}/g },
  { name: 'hugging face token', pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{34,}/g },
  { name: 'sendgrid key', pattern: /(?<![A-Za-z0-9_-])SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/g },
  { name: 'docker token', pattern: /(?<![A-Za-z0-9])dckr_[op]at_[A-Za-z0-9_-]{20,}/g },
  { name: 'digitalocean token', pattern: /(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{64}/g },
  { name: 'shopify token', pattern: /(?<![A-Za-z0-9])shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g },
  { name: 'age key', pattern: /AGE-SECRET-KEY-1[A-Z0-9]{58}/g },
  { name: 'azure key', pattern: /(?<=(?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{43,88}={1,2}/g },
  {
    name: 'jwt',
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}/g,
  },
];

const secretName = '(?:passw(?:or)?d|passphrase|pwd|secret|token|api_?-?key|(?:access|secret|private|account)_?-?key)';

// Group 1 is what stays in front, group 2 the value, group 3 what stays behind it.
const literals: readonly Kind[] = [
  {
    name: 'password',
    pattern: new RegExp(
      `(${secretName}["'\`\\]]{0,2}\\s{0,8}(?::|={1,3}|:=|=>)\\s{0,8}["'\`])([^"'\`\\s]{8,512})(["'\`])`,
      'gi',
    ),
  },
  {
    name: 'password',
    // The form of .env files, Dockerfiles and shell scripts: a value without quotes is the rest of the line.
    pattern:
      /^(\s{0,40}(?:export |ENV |ARG |- )?[A-Z0-9_]{0,60}(?:PASSWORD|SECRET|TOKEN|API_?KEY|(?:ACCESS|SECRET|PRIVATE)_?KEY)=)([A-Za-z0-9+/=_!@#%^&*.~-]{12,512})(\s{0,8})$/gm,
  },
  { name: 'password', pattern: /(:\/\/[^\s/:@"'`<>]{1,128}:)([^\s/:@"'`<>]{8,256})(@)/g },
];

// One cheap look at a line: most hold nothing that a pattern could start with.
const tokenHints =
  /PRIVATE KEY|AKIA|ASIA|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox|xapp-|hooks\.slack|sk-|AIza|ya29|GOCSPX|k_live_|whsec_|npm_|pypi-|hf_|SG\.|dckr_|_v1_|shp|SECRET-KEY|Key=|eyJ/;
const literalHints = /(?:passw(?:or)?d|passphrase|pwd|secret|token|key)["'`\]]{0,2}\s{0,8}[:=]|:\/\//i;

function isPlaceholder(token: string): boolean {
  return /example|x{6}|\*{4}|0{8}|your[_-]?|placeholder|redacted/i.test(token);
}

function redactLiterals(text: string, kind: Kind): string {
  return text.replace(kind.pattern, (whole: string, before: string, value: string, behind: string) =>
    looksSecret(value) ? `${before}[redacted: ${kind.name}]${behind}` : whole,
  );
}
