import { describe, expect, it } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, fault, type ModelScript, say } from '../fakes/model-server/script.ts';
import { runCli } from './harness.ts';
import { laptopModel, totalWorld } from './review.ts';

const ready = call('report_ready', { ready: true });

type Given = {
  readonly script?: ModelScript;
  readonly env?: Readonly<Record<string, string>>;
  readonly base?: Readonly<Record<string, string>>;
  readonly head?: Readonly<Record<string, string>>;
  readonly directory?: string;
  readonly key?: boolean;
};

/** What the doctor says, a row for each check: its state, its name, and the rest as one text. */
async function examined({ script = [ready], env = {}, base = {}, head = {}, directory, key = true }: Given = {}) {
  const fixture = createRepository();
  fixture.commit({ files: { ...totalWorld.base, ...base }, message: 'Start' });
  fixture.git('checkout', '--quiet', '-b', 'feature');
  fixture.commit({ files: { ...totalWorld.head, ...head }, message: 'Change it' });
  const { model, env: ofModel } = await laptopModel(script);
  const run = await runCli({
    ...{ args: ['doctor'], cwd: directory ?? fixture.directory },
    env: { POSTIL_MODEL: 'scripted', ...(key ? ofModel : { POSTIL_BASE_URL: model.url }), ...env },
  });
  const rows = run.stdout.split(/\n(?=(?:ok|note|fails) )/).map((row) => {
    const [, state = '', name = '', text = ''] =
      /^(\w+) +(\S+(?: \S+)*) +(.*)$/s.exec(row.split('\n\n')[0] ?? '') ?? [];
    return { state, name, text: text.replace(/\s+/g, ' ') };
  });
  const row = (wanted: string) => rows.filter(({ name }) => name === wanted);
  return { run, model, rows, row };
}

describe('the doctor', () => {
  it('says of each part that it is well, in lines that fit anywhere, and never prints the key', async () => {
    const models = [{ id: 'scripted', context_length: 131_072 }];
    const { run, model, rows } = await examined({ script: { answers: [ready], models } });
    expect(rows.map(({ state, name }) => `${state} ${name}`)).toEqual([
      'ok Node.js',
      'ok git',
      'ok Key',
      'ok Repository',
      'ok Configuration',
      'ok Rules',
      'ok Proxy',
      'ok Model server',
      'ok Tools',
      'ok Streaming',
      'ok Schemas',
      'ok Context',
    ]);
    expect([run.code, run.stderr, model.requests.length, model.complaints]).toEqual([0, '', 1, []]);
    expect(rows.at(-1)?.text).toBe('131,072 tokens.');
    expect(run.stdout).toMatch(/\n\nAll is well\.\n$/);
    expect(run.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(run.stdout).not.toMatch(new RegExp(`\u001b|${model.apiKey}`));
  });

  it.each<[string, Given, string, string]>([
    ['a folder without a repository', { directory: temporaryFolder() }, 'Repository', '→ Run it inside a clone'],
    [
      'a setting that is impossible',
      { env: { POSTIL_PROFILE: 'best' } },
      'Configuration',
      '\'profile\' is "best"; allowed: offline',
    ],
    [
      'a config file that is broken where it counts',
      { base: { '.postil/config.yml': 'max-comment: 3\n' } },
      'Configuration',
      "did you mean 'max-comments'?",
    ],
    [
      'a config file that somebody is about to break',
      { head: { '.postil/config.yml': 'profile: quick\nmax-comments: many\n' } },
      'Configuration',
      'Your changes to .postil/config.yml have a mistake in line 2',
    ],
    ['a rule that cannot be read', { base: { '.postil/rules/x.md': 'no rule\n' } }, 'Rules', '.postil/rules/x.md'],
    [
      'a proxy that is no address',
      { env: { HTTPS_PROXY: 'http://:::' } },
      'Proxy',
      '→ Write it like http://proxy:3128.',
    ],
    [
      'a key that the server refuses',
      { script: () => fault(401, { error: { message: 'Incorrect API key.', code: 'invalid_api_key' } }) },
      'Model server',
      'OPENAI_API_KEY',
    ],
    ['a model that calls no tools', { script: [say('Ready.')] }, 'Tools', '→ Choose a `model` that calls tools'],
  ])('fails for %s, and says what to do', async (_, given, name, text) => {
    const { run, row } = await examined(given);
    expect(row(name).filter(({ state }) => state === 'fails')).toEqual([
      { state: 'fails', name, text: expect.stringContaining(text) },
    ]);
    expect([run.code, run.stdout]).toEqual([1, expect.stringMatching(/\n\n\d to fix\.\n$/)]);
  });

  it.each<[string, Given, string, string]>([
    ['that there is no key', { key: false }, 'Key', 'the pattern rules alone review'],
    ['that no model was asked', { key: false }, 'Model server', 'was not asked: there is no key'],
    [
      'that a file does not count yet',
      { head: { '.postil/config.yml': 'profile: quick\n' } },
      'Configuration',
      'count once they are at',
    ],
    [
      'that GitHub will not start a workflow in a public repository',
      { head: { '.github/workflows/forks.yml': 'on: pull_request_target\n' } },
      'Workflows',
      'starts .github/workflows/forks.yml. From 2 December 2026 GitHub blocks this event in public repositories. → If this repository is public: in Settings → Actions → Policies',
    ],
    ['that tools are called in text', { script: { answers: [ready], rejects: ['tools'] } }, 'Tools', 'Called in text'],
    [
      'that nothing is streamed',
      { script: { answers: [ready], ignoresStream: true } },
      'Streaming',
      'No: the server answers whole',
    ],
    [
      'that schemas are not strict',
      { script: { answers: [ready], rejects: ['strict'] } },
      'Schemas',
      'Postil checks every call itself',
    ],
  ])('notes %s, which is no failure', async (_, given, name, text) => {
    const { run, row } = await examined(given);
    const [note] = row(name).filter(({ state }) => state === 'note');
    expect([note?.text, run.code]).toEqual([expect.stringContaining(text), 0]);
  });

  it('names the file that counts, and the variable that the key comes from', async () => {
    const { row } = await examined({
      base: { '.postil/config.yml': 'profile: quick\n' },
      env: { OPENAI_API_KEY: 'x'.repeat(20) },
    });
    expect(row('Configuration')[0]?.text).toMatch(/^\.postil\/config\.yml as it is at main \([0-9a-f]{7}\)\.$/);
    expect(row('Key')[0]?.text).toBe('From POSTIL_API_KEY (OPENAI_API_KEY is not used).');
  });
});
