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
