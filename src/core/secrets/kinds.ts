/** A kind of credential that Postil knows. What it hides it also reports: redaction and the rules read this one table. */
export type SecretKind = {
  readonly id: string;
  /** As people call it: `[redacted: slack webhook]`. */
  readonly name: string;
  /** A token is known by its own form. A password is a guess from the name beside it. */
  readonly group: SecretGroup;
  /** A text that holds none of it is not looked at: cheap, and linear whatever it holds. */
  readonly hint: RegExp;
  /** RE2 syntax over one line. The first group is the credential, and nothing else. */
  readonly pattern: string;
  /** The least bits per character (Shannon) of the credential. */
  readonly bits: number;
  /** The name beside it says so clearly that the value need only not be a word. */
  readonly clear?: true;
};

export const secretGroups = ['tokens', 'private-keys', 'passwords'] as const;
export type SecretGroup = (typeof secretGroups)[number];

// Behind a written line break a token starts, too: transcripts and logs hold JSON.
const start = String.raw`(?:^|[^A-Za-z0-9]|\\[nrt])`;
const apart = String.raw`(?:^|[^A-Za-z0-9_-]|\\[nrt])`;

const token = (id: string, hint: RegExp, pattern: string, bits = 2): SecretKind => {
  return { id, name: id.replaceAll('-', ' '), group: 'tokens', hint, pattern, bits };
};

// Forms as the vendors publish them; secretlint's recommended rules are the test that none of theirs is missing.
const tokens: readonly SecretKind[] = [
  token('github-token', /gh[pousr]_/, String.raw`${start}(gh[pousr]_[A-Za-z0-9_]{20}[\w.-]{16,})`),
  token('github-token', /github_pat_/, String.raw`${start}(github_pat_\w{22,})`),
  token(
    'gitlab-token',
    /gl[a-z]{2,5}-/,
    String.raw`${start}(gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_-]{20}[\w.-]*)`,
  ),
  token('slack-token', /xox/, String.raw`${start}(xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{20,})`),
  token('slack-token', /xapp-/, String.raw`${start}(xapp-\d-[A-Z0-9]{8,20}-[A-Za-z0-9-]{20,})`),
  token(
    'slack-webhook',
    /hooks\.slack/,
    String.raw`hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9/+_-]{30,})`,
  ),
  token(
    'discord-webhook',
    /discord/i,
    String.raw`(?i)discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(\d{16,20}/[A-Za-z0-9_-]{60,})`,
  ),
  token(
    'teams-webhook',
    /webhook\.office/,
    String.raw`webhook\.office\.com/webhookb2/([0-9a-f@-]{60,80}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36})`,
  ),
  token('telegram-token', /:AA/, String.raw`${start}(\d{8,10}:AA[A-Za-z0-9_-]{33})`),
  token('aws-access-key-id', /AKIA|ASIA|ABIA|ACCA/, `${start}((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?:[^A-Za-z0-9]|$)`),
  token(
    'aws-secret-key',
    /secret/i,
    String.raw`(?i)secret_?(?:access_?)?key["'\x60\]]{0,2}[ \t]*(?:[:=,]|:=|=>)+[ \t]*["'\x60]?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`,
    3.8,
  ),
  token('anthropic-key', /sk-ant-/, `${apart}(sk-ant-[A-Za-z0-9_-]{20,})`),
  token('openai-key', /sk-/, `${apart}(sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,})`),
  token('openai-key', /sk-/, `${apart}(sk-[A-Za-z0-9]{32,})`),
  token('google-key', /AIza/, `${apart}(AIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)`),
  token('google-token', /ya29\.|GOCSPX-/, String.raw`${apart}((?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{24,})`),
  token('stripe-key', /k_live_/, `${start}([rs]k_live_[A-Za-z0-9]{16,})`),
  token('webhook-secret', /whsec_/, `${start}(whsec_[A-Za-z0-9+/]{32,}={0,2})`),
  token('npm-token', /npm_/, `${start}(npm_[A-Za-z0-9]{36})(?:[^A-Za-z0-9]|$)`),
  token(
    'npm-token',
    /_authToken/,
    String.raw`_authToken[ \t]*=[ \t]*["']?([a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})`,
  ),
  token('pypi-token', /pypi-/, `${start}(pypi-AgE[A-Za-z0-9_-]{50,})`),
  token('rubygems-key', /rubygems_/, `${start}(rubygems_[a-f0-9]{48})`),
  token('hugging-face-token', /hf_/, `${start}(hf_[A-Za-z0-9]{34,})`),
  token('groq-key', /gsk_/, `${start}(gsk_[A-Za-z0-9]{48,})`),
  token('perplexity-key', /pplx-/, `${start}(pplx-[A-Za-z0-9]{40,})`),
  token('sendgrid-key', /SG\./, String.raw`${apart}(SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64})`),
  token('brevo-key', /xkeysib-/, `${start}(xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16})`),
  token('docker-token', /dckr_/, `${start}(dckr_[op]at_[A-Za-z0-9_-]{20,})`),
  token('digitalocean-token', /do[opr]_v1_/, `${start}(do[opr]_v1_[a-f0-9]{64})`),
  token('shopify-token', /shp/, `${start}(shp(?:at|ca|pa|ss)_[a-zA-Z0-9]{32,64})`),
  token('square-token', /sq0/, `${start}(sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60})`),
  token('age-key', /AGE-SECRET-KEY-1/, '(AGE-SECRET-KEY-1[A-Z0-9]{58})'),
  token('azure-key', /(?:Account|SharedAccess)Key/, '(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{43,88}={1,2})'),
  token(
    'azure-client-secret',
    /Q~/,
    String.raw`${apart}([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)`,
  ),
  token('vault-token', /hv[sbr]\./, String.raw`${apart}(hv[sbr]\.[A-Za-z0-9_-]{80,})`),
  token('databricks-token', /dapi/, String.raw`${start}(dapi[A-Fa-f0-9]{32}(?:-\d)?)`),
  token('figma-token', /figd_/, `${start}(figd_[A-Za-z0-9_-]{40,})`),
  token('grafana-token', /glc_|glsa_/, `${start}(glc_[A-Za-z0-9+/]{32,}={0,2}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})`),
  token('linear-key', /lin_api_/, `${start}(lin_api_[A-Za-z0-9_]{32,})`),
  token('notion-token', /ntn_/, `${start}(ntn_[0-9]{11}[A-Za-z0-9]{35})`),
  token('vercel-token', /vc[pairck]_/, `${start}(vc[pairck]_[A-Za-z0-9]{20,60})(?:[^A-Za-z0-9_]|$)`, 3.4),
  token('1password-token', /ops_ey/, `${start}(ops_ey[A-Za-z0-9+/=]{100,})`),
  token('sentry-token', /sntry[su]_/, `${start}(sntryu_[a-f0-9]{64}|sntrys_[A-Za-z0-9+/=_]{60,})`),
  token('new-relic-key', /NRAK-/, `${start}(NRAK-[A-Z0-9]{27})`),
  token('heroku-key', /HRKU-/, `${start}(HRKU-[A-Za-z0-9_-]{36,})`),
  token('terraform-token', /\.atlasv1\./, String.raw`${start}([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})`),
  token('pulumi-token', /pul-/, `${start}(pul-[a-f0-9]{40})`),
  token('doppler-token', /dp\./, String.raw`${apart}(dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,})`),
  token('atlassian-token', /ATATT3/, `${start}(ATATT3[A-Za-z0-9_=-]{100,})`),
  token('postman-key', /PMAK-/, `${start}(PMAK-[a-f0-9]{24}-[a-f0-9]{34})`),
  token('planetscale-token', /pscale_/, `${start}(pscale_(?:pw|tkn|oauth)_[A-Za-z0-9_=.-]{32,})`),
  token('supabase-token', /sbp_/, `${start}(sbp_[a-f0-9]{40})`),
  token('netlify-token', /nfp_/, `${start}(nfp_[A-Za-z0-9]{36})`),
  token('tailscale-key', /tskey-/, `${start}(tskey-[a-z]{3,10}-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{20,})`),
  token('artifactory-key', /AKCp/, `${start}(AKCp[A-Za-z0-9]{69})`),
  token('twilio-key', /SK[0-9a-f]{4}/, `${start}(SK[0-9a-f]{32})(?:[^A-Za-z0-9]|$)`, 3),
  token('jwt', /eyJ/, String.raw`${apart}(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,})`),
];

const secretName =
  '(?:passw(?:or)?d|passphrase|passwort|pwd|secret|token|api_?-?key|(?:access|secret|private|account|auth|encryption|signing)_?-?key)';
const bare = '[A-Za-z0-9+/=_!@#%^&*.~$-]';

const password = (id: string, hint: RegExp, pattern: string, clear?: true): SecretKind => {
  return { id, name: 'password', group: 'passwords', hint, pattern, bits: 2.8, ...(clear ? { clear } : {}) };
};

const passwords: readonly SecretKind[] = [
  password(
    'database-url',
    /:\/\//,
    String.raw`(?i)(?:postgres(?:ql)?|mysqlx?|mariadb|mongodb|redis|rediss|valkey|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|couchbase|neo4j|nats)(?:\+\w+)?://[^\s/:@"'\x60<>]*:([^\s@"'\x60<>]{8,})@`,
    true,
  ),
  password('url-password', /:\/\//, String.raw`://[^\s/:@"'\x60<>]+:([^\s/:@"'\x60<>]{8,})@`),
  password(
    'connection-string',
    /password=|pwd=/i,
    String.raw`(?i)[;?&][ ]?(?:password|pwd)=([^;&"'\x60\s<>]{8,})`,
    true,
  ),
  password(
    'quoted-password',
    /passw|passphrase|pwd|secret|token|key/i,
    String.raw`(?i)${secretName}(?:["'\x60\]]{0,2}[ \t]*(?::[ \t]*\w+[ \t]*=|[:=]=?=?|=>)|["'\x60][ \t]*,)[ \t]*["'\x60]([^"'\x60\s]{8,})["'\x60]`,
  ),
  password(
    'variable',
    /PASS|SECRET|TOKEN|KEY/,
    String.raw`^[ \t]*(?:export |ENV |ARG |- |set )?["']?[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|(?:ACCESS|SECRET|PRIVATE|ACCOUNT|AUTH|ENCRYPTION|SIGNING)_?KEY)["']?[ \t]*(?:=|:[ \t]+)[ \t]*["']?(${bare}{8,})["']?[ \t]*$`,
    true,
  ),
  password(
    'property',
    /passw|passphrase|pwd|secret|token|key/i,
    String.raw`(?i)^[ \t]*(?:- )?["']?[\w.-]*${secretName}["']?[ \t]*(?:=|:[ \t]+)[ \t]*(${bare}{8,})[ \t]*(?:#.*)?$`,
  ),
  password(
    'authorization',
    /authorization/i,
    String.raw`(?i)authorization["'\x60]?[ \t]*[:=,][ \t]*["'\x60]?(?:bearer|basic|token)[ ]+([A-Za-z0-9+/=_.~-]{16,})`,
  ),
  password(
    'xml-element',
    /(?:d|phrase|wort|secret|token|key)>/i,
    String.raw`(?i)<[\w.:-]*${secretName}>([^<\s]{8,})</`,
  ),
  password('option', /--/, `(?i)--(?:[a-z]+-)?(?:password|token|secret|api-?key)[= ]["']?(${bare}{8,})`),
];

const privateKey: SecretKind = {
  id: 'private-key',
  name: 'private key',
  group: 'private-keys',
  hint: /PRIVATE KEY/,
  pattern: String.raw`-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[ ]){0,8}([A-Za-z0-9+/=]{16,}(?:\\[nr]|[A-Za-z0-9+/= ])*)`,
  bits: 2,
};

/** In the order in which they are looked for: what is known by its form comes before what is guessed. */
export const secretKinds: readonly SecretKind[] = [privateKey, ...tokens, ...passwords];
