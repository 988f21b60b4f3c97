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
    const { run, model, rows } = await examined();
    expect(rows.map(({ state, name }) => `${state} ${name}`)).toEqual([
      'ok Node.js',
      'ok git',
      'ok Key',
      'ok Repository',
      'ok Configuration',
      'ok Proxy',
      'ok Model server',
    ]);
    expect([run.code, run.stderr, model.requests.length, model.complaints]).toEqual([0, '', 1, []]);
    expect(run.stdout).toMatch(/\n\nAll is well\.\n$/);
    expect(run.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(run.stdout).not.toMatch(new RegExp(`\u001b|${model.apiKey}`));
  });

  it.each<[string, Given, string, string, string]>([
    ['no git', { env: { PATH: temporaryFolder() } }, 'git', 'git could not be started.', 'Install git 2.31 or later'],
    ['a folder without a repository', { directory: temporaryFolder() }, 'Repository', 'not in a git', 'Run it inside'],
    [
      'a setting that is impossible',
      { env: { POSTIL_PROFILE: 'best' } },
      'Configuration',
      "'profile' is",
      'All settings and their allowed values',
    ],
    [
      'a config file that is broken where it counts',
      { base: { '.postil/config.yml': 'max-comment: 3\n' } },
      'Configuration',
      "did you mean 'max-comments'?",
      'All settings and their allowed values',
    ],
    ['a proxy that is no address', { env: { HTTPS_PROXY: 'http://:::' } }, 'Proxy', 'no', 'Write it like http://proxy'],
    [
      'a key that the server refuses',
      { script: () => fault(401, { error: { message: 'Incorrect API key.', code: 'invalid_api_key' } }) },
      'Model server',
      'Incorrect API key.',
      'OPENAI_API_KEY',
    ],
    [
      'a model that calls no tools',
      { script: [say('Ready.')] },
      'Model server',
      'answered without the tool',
      'Choose a `model` that calls tools',
    ],
  ])('fails for %s, and says what to do', async (_, given, name, found, todo) => {
    const { run, row } = await examined(given);
    expect(row(name).map(({ state, text }) => [state, ...text.split(' → ')])).toEqual([
      ['fails', expect.stringContaining(found), expect.stringContaining(todo)],
    ]);
    expect([run.code, run.stdout]).toEqual([1, expect.stringMatching(/\n\n\d to fix\.\n$/)]);
  });

  it.each<[string, Given, string, string, string]>([
    ['that there is no key', { key: false }, 'Key', 'the pattern rules alone review', 'set OPENAI_API_KEY'],
    [
      'that a variable is misspelled',
      { env: { POSTIL_PROFIL: 'x' } },
      'Configuration',
      "did you mean 'POSTIL_PROFILE'?",
      'Change it where it is set.',
    ],
    [
      'that GitHub will not start a workflow in a public repository',
      { head: { '.github/workflows/forks.yml': 'on: pull_request_target\n' } },
      'Workflows',
      'starts .github/workflows/forks.yml. From 2 December 2026 GitHub blocks this event in public repositories.',
      'If this repository is public: in Settings → Actions → Policies',
    ],
    [
      'that no model is asked',
      { env: { POSTIL_PROFILE: 'offline' } },
      'Model server',
      'the profile is `offline`',
      'Choose another `profile`',
    ],
    [
      'what the server makes Postil change',
      { script: { answers: [ready], rejects: ['tools'] } },
      'Model server',
      'The model server requires a change: calling tools in text, because the server does not offer function calling',
      'Reviews do the same by themselves.',
    ],
  ])('notes %s, which is no failure', async (_, given, name, found, todo) => {
    const { run, row } = await examined(given);
    const notes = row(name).filter(({ state }) => state === 'note');
    const [[seen = '', ...next] = []] = notes.map(({ text }) => text.split(' → '));
    expect([seen, next.join(' → ')]).toEqual([expect.stringContaining(found), expect.stringContaining(todo)]);
    expect(notes).toHaveLength(1);
    expect(run.code).toBe(0);
  });

  it('names the file that counts, and the variable that the key comes from', async () => {
    const { row } = await examined({
      base: { '.postil/config.yml': 'profile: quick\n' },
      head: { '.postil/config.yml': 'profile: deep\n' },
      env: { OPENAI_API_KEY: 'x'.repeat(20) },
    });
    expect(row('Configuration').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^\.postil\/config\.yml as it is at main \([0-9a-f]{7}\)\.$/),
    ]);
    expect(row('Key')[0]?.text).toBe('From POSTIL_API_KEY (OPENAI_API_KEY is not used).');
  });
});
