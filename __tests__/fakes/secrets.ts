// biome-ignore-all lint/suspicious/noTemplateCurlyInString: innocent lines hold expressions.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChangedFile } from '../../src/core/pull-request/changed-file.ts';
import { addedFile } from './memory-repository.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const alphabets: Readonly<Record<string, string>> = {
  l: letters + letters.toUpperCase(),
  a: `${letters}${letters.toUpperCase()}0123456789`,
  w: `${letters}${letters.toUpperCase()}0123456789-_`,
  b: `${letters}${letters.toUpperCase()}0123456789+/`,
  p: `${letters}${letters.toUpperCase()}0123456789012345678901234567890123456789!*_-`,
  U: `${letters.toUpperCase()}0123456789`,
  u: `${letters.toUpperCase()}234567`,
  h: '0123456789abcdef',
  d: '0123456789',
};

// Forms as the vendors publish them. `<a:36>` is 36 random letters and digits: no secret stands here, also none that looks like one to a scanner.
export const forms: readonly (readonly [kind: string, form: string])[] = [
  ['github-token', 'ghp_<a:36>'],
  ['github-token', 'ghs_<a:36>'],
  ['github-token', 'github_pat_<a:22>_<a:59>'],
  ['gitlab-token', 'glpat-<w:20>'],
  ['slack-token', 'xoxb-<d:12>-<d:12>-<a:24>'],
  ['slack-token', 'xoxp-<d:12>-<d:12>-<d:12>-<h:32>'],
  ['slack-token', 'xapp-1-A<U:10>-<d:13>-<h:64>'],
  ['slack-webhook', 'https://hooks.slack.com/services/T<U:8>/B<U:8>/<a:24>'],
  ['discord-webhook', 'https://discord.com/api/webhooks/<d:18>/<w:68>'],
  ['discord-webhook', 'https://discordapp.com/api/v10/webhooks/<d:19>/<w:68>'],
  ['teams-webhook', 'https://acme.webhook.office.com/webhookb2/<i:1>@<i:1>/IncomingWebhook/<h:32>/<i:1>'],
  ['telegram-token', '<d:10>:AA<w:33>'],
  ['aws-access-key-id', 'AKIA<u:16>'],
  ['aws-access-key-id', 'ASIA<u:16>'],
  ['anthropic-key', 'sk-ant-api03-<w:93>AA'],
  ['openai-key', 'sk-proj-<w:74>T3BlbkFJ<w:74>'],
  ['openai-key', 'sk-<a:20>T3BlbkFJ<a:20>'],
  ['google-key', 'AIza<w:35>'],
  ['google-token', 'GOCSPX-<w:28>'],
  ['stripe-key', 'sk_live_<a:24>'],
  ['stripe-key', 'rk_live_<a:99>'],
  ['webhook-secret', 'whsec_<b:32>'],
  ['npm-token', 'npm_<a:36>'],
  ['pypi-token', 'pypi-AgEIcHlwaS5vcmc<w:120>'],
  ['rubygems-key', 'rubygems_<h:48>'],
  ['hugging-face-token', 'hf_<l:34>'],
  ['groq-key', 'gsk_<a:52>'],
  ['perplexity-key', 'pplx-<a:48>'],
  ['sendgrid-key', 'SG.<a:22>.<a:43>'],
  ['brevo-key', 'xkeysib-<h:64>-<a:16>'],
  ['docker-token', 'dckr_pat_<w:27>'],
  ['digitalocean-token', 'dop_v1_<h:64>'],
  ['digitalocean-token', 'doo_v1_<h:64>'],
  ['shopify-token', 'shpat_<h:32>'],
  ['square-token', 'sq0atp-<w:22>'],
  ['age-key', 'AGE-SECRET-KEY-1<U:58>'],
  ['azure-key', 'DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=<b:86>==;EndpointSuffix=core.windows.net'],
  ['azure-client-secret', '<a:3>8Q~<a:34>'],
  ['vault-token', 'hvs.<w:95>'],
  ['databricks-token', 'dapi<h:32>'],
  ['figma-token', 'figd_<w:40>'],
  ['grafana-token', 'glsa_<a:32>_<h:8>'],
  ['grafana-token', 'glc_<b:100>'],
  ['linear-key', 'lin_api_<a:40>'],
  ['notion-token', 'ntn_<d:11><a:35>'],
  ['vercel-token', 'vcp_<a:56>'],
  ['1password-token', 'ops_ey<b:250>fQ'],
  ['sentry-token', 'sntryu_<h:64>'],
  ['new-relic-key', 'NRAK-<U:27>'],
  ['heroku-key', 'HRKU-AA<w:58>'],
  ['terraform-token', '<a:14>.atlasv1.<w:67>'],
  ['pulumi-token', 'pul-<h:40>'],
  ['doppler-token', 'dp.pt.<a:43>'],
  ['atlassian-token', 'ATATT3<w:186>'],
  ['postman-key', 'PMAK-<h:24>-<h:34>'],
  ['planetscale-token', 'pscale_tkn_<w:43>'],
  ['supabase-token', 'sbp_<h:40>'],
  ['netlify-token', 'nfp_<a:36>'],
  ['tailscale-key', 'tskey-auth-<a:14>CNTRL-<a:32>'],
  ['artifactory-key', 'AKCp<a:69>'],
  ['twilio-key', 'SK<h:32>'],
  ['jwt', 'eyJ<w:33>.eyJ<w:70>.<w:43>'],
];

export const places = [
  'const client = connect("<>");',
  'SERVICE_TOKEN=<>',
  '    value: <> # for the job',
  'curl -H "X-Auth: <>" https://api.internal/v1',
];

export const passwords: readonly (readonly [kind: string, line: string])[] = [
  ['aws-secret-key', 'aws_secret_access_key = <b:40>'],
  ['aws-secret-key', "  secretAccessKey: '<b:40>',"],
  ['npm-token', '//registry.npmjs.org/:_authToken=<i:1>'],
  ['private-key', 'key: "-----BEGIN PRIVATE KEY-----\\n<b:64>\\n-----END PRIVATE KEY-----"'],
  ['database-url', 'DATABASE_URL=postgres://app:<p:14>@db.internal:5432/app'],
  ['database-url', 'uri: "mongodb+srv://app:<p:14>@cluster0.internal/app?retryWrites=true"'],
  ['database-url', 'mysql://root:<p:12>@10.0.0.5/shop'],
  ['database-url', 'redis://:<p:20>@cache.internal:6379/0'],
  ['url-password', 'git clone https://deploy:<p:20>@git.internal/app.git'],
  ['connection-string', 'Server=db.internal;Database=app;User Id=sa;Password=<p:14>;Encrypt=true'],
  ['connection-string', 'jdbc:postgresql://db/app?user=app&password=<p:14>'],
  ['quoted-password', 'const password = "<p:12>";'],
  ['quoted-password', '  "clientSecret": "<p:32>",'],
  ['quoted-password', "db_passwd := '<p:14>'"],
  ['quoted-password', 'private readonly apiKey: string = "<p:24>";'],
  ['quoted-password', "define('DB_PASSWORD', '<p:14>');"],
  ['variable', 'export STRIPE_SECRET="<p:24>"'],
  ['variable', '      POSTGRES_PASSWORD: <p:12>'],
  ['variable', '      - MYSQL_ROOT_PASSWORD=<p:12>'],
  ['variable', 'ENV SECRET_KEY=<p:24>'],
  ['property', 'spring.datasource.password=<p:12>'],
  ['property', '  password: <p:16>'],
  ['authorization', 'headers: { Authorization: "Bearer <p:40>" }'],
  ['xml-element', '    <password><p:14></password>'],
  ['option', 'mysqldump --password=<p:14> shop'],
];

/** Puts random characters, the same in every run, where a form asks for them. */
export function fill(form: string, next: () => number): string {
  const characters = (alphabet: string, count: number) =>
    Array.from({ length: count }, () => alphabet[Math.floor(next() * alphabet.length)]).join('');
  return form.replace(/<(\w):(\d+)>/g, (_whole, kind: string, count: string) =>
    kind === 'i'
      ? [8, 4, 4, 4, 12].map((length) => characters(alphabets['h'] ?? '', length)).join('-')
      : characters(alphabets[kind] ?? '', Number(count)),
  );
}

/** Mulberry32: the same numbers in every run. */
export function random(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Every so many lines of what others have published: the packages that these tests are made with. */
export function publishedLines(count: number): readonly string[] {
  const lines = publishedFiles().flatMap(({ lines }) => lines.filter((line) => line.trim() !== ''));
  const step = Math.floor(lines.length / count);
  return lines.filter((_line, index) => index % step === 0).slice(0, count);
}

/** Of every so many published files 80 lines, as a change adds them. */
export function publishedChanges(count: number): readonly ChangedFile[] {
  const files = publishedFiles().filter(({ lines }) => lines.length > 80);
  const step = Math.floor(files.length / count);
  const chosen = files.filter((_file, index) => index % step === 0).slice(0, count);
  return chosen.map(({ path, lines }) => {
    const start = Math.floor((lines.length - 80) / 2);
    return addedFile(path, lines.slice(start, start + 80));
  });
}

function publishedFiles(): readonly { readonly path: string; readonly lines: readonly string[] }[] {
  const root = fileURLToPath(new URL('../../node_modules', import.meta.url));
  const packages = ['ajv', 'diff', 'fast-check', 'openai', 'vitest', 'yaml', '@octokit/types', '@types/node'];
  return packages.flatMap((name) => {
    const paths = readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).toSorted();
    const chosen = paths.filter(
      (path) => /\.(?:[cm]?[jt]s|json|md|ya?ml)$/.test(path) && !path.includes('node_modules'),
    );
    return chosen
      .filter((_path, index) => index % 7 === 0)
      .map((path) => {
        const lines = readFileSync(join(root, name, path), 'utf8').split('\n');
        return { path: join(name, path), lines: lines.filter((line) => line.length < 2_000) };
      });
  });
}

/** Lines that hold what is as random as a credential, and lines about credentials without one. */
export function lookAlikes(): readonly string[] {
  const randomOnes = [
    '      "integrity": "sha512-<b:86>==",',
    'const id = "<i:1>";',
    '  commit: <h:40>',
    'image: ghcr.io/acme/app@sha256:<h:64>',
    '<img src="data:image/png;base64,<b:120>">',
    'uses: actions/checkout@<h:40> # v4',
    'etag: W/"<h:32>"',
    'export const token<d:2> = parseToken(text<d:1>, Limit<d:1>);',
    '  key: cache-key-<h:10>',
    'git diff <h:7>..<h:7>',
    'expect(hash).toBe("<h:64>");',
    'ssh-rsa AAAAB3NzaC1yc2E<b:200> me@laptop',
  ].flatMap((line) => Array.from({ length: 10 }, (_value, index) => fill(line, random(index + 1_000))));
  const written = [
    'password = "changeme"',
    'password: string;',
    'token: Uint8Array',
    'accessToken: base64url',
    'const password = process.env.DB_PASSWORD;',
    'API_KEY=',
    'API_KEY=your-key-goes-here',
    'DB_PASSWORD=${DB_PASSWORD}',
    'POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-postgres}',
    'POSTGRES_PASSWORD: postgres',
    '  password: ${{ secrets.DB_PASSWORD }}',
    'token: ${{ secrets.GITHUB_TOKEN }}',
    'aws_access_key_id = AKIAIOSFODNN7EXAMPLE',
    'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'postgres://postgres:postgres@localhost:5432/app',
    'postgres://user:password@localhost/app',
    'mongodb://localhost:27017/test',
    'redis://cache:6379/0',
    'https://user:pass@example.com/',
    'spring.datasource.password=${DB_PASSWORD}',
    'spring.datasource.password=changeit',
    "const token = await getToken('session');",
    'if (token === undefined) throw new Error("no token");',
    'secret: auth.secret.rotationFailed',
    '"password": "Passwort"',
    'label: "Password must have 8 characters"',
    'token = "xxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
    'Authorization: Bearer <token>',
    'headers: { Authorization: `Bearer ${token}` }',
    'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
    'const prefix = "ghp_";',
    'export GITHUB_TOKEN=$(gh auth token)',
    '  secretKeyRef: { name: app-secrets, key: database-url }',
    'primaryKey: user_id',
    'keyboard: qwerty',
    'ssh_key_path=/home/deploy/.ssh/id_ed25519',
    'SECRET_KEY_FILE=/run/secrets/key',
    'sort_key = "created_at_desc"',
    'csrf_token: csrfToken1,',
    'tokenizer = "cl100k_base"',
    'max_tokens: 4096',
    'password_hash = bcrypt.hashpw(password, salt)',
    '-----BEGIN PUBLIC KEY-----',
    "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return;",
    'API_TOKEN=%API_TOKEN%',
    'token: <your token here>',
    'DB_PASSWORD=correct-horse',
    'const secretName = "projects/acme/secrets/db-password";',
    '<password>${db.password}</password>',
    'docker run --password=$PASSWORD acme',
    'this.token = token2;',
    'TOKEN_URL=https://auth.acme.example/oauth2/token',
    'apiKeyHeader: "X-Api-Key"',
    "type: 'password1Field'",
    'tokenEndpoint: /oauth2/v2.0/token',
    'SECRET=secret',
    'encryption_key: aes-256-gcm',
    'keyId: 2024-01-key',
    'access_key: s3.access-key',
    'private_key: keys/server.pem',
    'ACCESS_TOKEN_TTL=3600',
    'PASSWORD_MIN_LENGTH=12',
    'pwd: $PWD/build',
    'const authToken = config.auth_token;',
    "secret: 'test-secret-123'",
    'password="********"',
    'token: null',
    'FORGOT_PASSWORD=FORGOT_PASSWORD',
    'password = getpass.getpass()',
    'key = f"user:{user_id}:session"',
    'keys = sorted(tokens, key=lambda token: token.position)',
    'PRIVATE_KEY=-----BEGIN',
    'apiKey: "YOUR_API_KEY"',
    'PASSWORD=PLACEHOLDER_VALUE_1',
    'export const TOKEN_EXPIRED = "token/expired";',
    'signing_key: {{ .Values.signingKey }}',
    'secretOrKey: jwtConstants.secret,',
    'token_type: Bearer',
    'x-api-key: [REDACTED]',
    'access_key=%(access_key)s',
  ];
  return [...randomOnes, ...written];
}
