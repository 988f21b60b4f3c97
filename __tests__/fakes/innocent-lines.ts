// biome-ignore-all lint/suspicious/noTemplateCurlyInString: innocent lines hold expressions.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChangedFile } from '../../src/core/pull-request/changed-file.ts';
import { addedFile } from './changed-files.ts';
import { fill, random } from './secret-forms.ts';

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
