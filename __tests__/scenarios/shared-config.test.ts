import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { submit } from '../fakes/model-server/script.ts';
import { createBareRepository, git, type WorldFiles } from '../fakes/world/git.ts';
import { runCli } from './harness.ts';
import {
  outputFiles,
  play,
  push,
  review,
  setStage,
  totalWorld,
  writesBesideSummary,
  wrongLineFinding,
} from './review.ts';

const rule = (id: string, pattern: string) =>
  `---\nid: ${id}\ntitle: "Found by ${id}"\nseverity: info\ncategory: style\npattern: '${pattern}'\n---\nSay why.\n`;

const company = {
  '.postil/config.yml': 'language: Dutch\nmax-comments: 3\npath-instructions:\n  - "src/**: Money is in cents."\n',
  '.postil/REVIEW.md': 'Our company never logs a name of a customer.\n',
  '.postil/rules/loops.md': rule('company-loops', 'i <= prices'),
  '.postil/rules/sums.md': rule('company-sums', 'sum [+]='),
  'AGENTS.md': 'How this repository of settings is worked on.\n',
  'strict/own.yml': 'language: Frisian\n',
} satisfies WorldFiles;

/** The repository of settings, its two versions tagged. */
function settingsOf(first: WorldFiles, second: WorldFiles = {}) {
  const { directory, hashes } = createBareRepository([
    { changes: [{ files: first }], message: 'One', minute: 1, refs: ['refs/tags/v1', 'refs/tags/v1.0'] },
    { parent: 0, changes: [{ files: second }], message: 'Two', minute: 2, refs: ['refs/tags/v2', 'refs/heads/main'] },
  ]);
  return { hashes, directory, others: [{ name: 'acme/review-settings', gitDirectory: directory }] };
}

const worldWith = (others: ReturnType<typeof settingsOf>['others'], own: WorldFiles = {}) => ({
  ...totalWorld,
  base: { ...totalWorld.base, ...own },
  github: { others },
});
const at = (ref: string) => ({ config: `acme/review-settings@${ref}` });

describe('a configuration that many repositories share', () => {
  it('brings settings, rules and guidance, over which the repository has the last word, and can be replayed', async () => {
    const { others, hashes } = settingsOf(company);
    const own = {
      '.postil/config.yml': 'max-comments: 7\n',
      '.postil/rules/off.md': '---\nid: company-sums\nenabled: false\n---\n',
      '.postil/shared/REVIEW.md': 'What merely lies there.\n',
      'REVIEW.md': 'We log nothing at all.\n',
    };
    const files = outputFiles('transcript-file', 'report-file');
    const { model, run } = await review({
      world: worldWith(others, own),
      model: [submit([wrongLineFinding])],
      inputs: { ...at('v1'), ...files.inputs },
    });
    const [system = '', prompt = ''] = (model.requests[0]?.messages ?? []).map(({ text }) => text);
    expect(system).toContain('Write in Dutch');
    expect(prompt).toContain('For src/**: Money is in cents.');
    const said = ['Our company never logs', 'We log nothing', 'How this repository of', 'merely lies'];
    expect(said.map((words) => prompt.includes(words))).toEqual([true, true, false, false]);
    expect(prompt.indexOf('Our company')).toBeLessThan(prompt.indexOf('We log nothing'));
    expect([run.log.includes('Found by company-loops'), run.log.includes('company-sums')]).toEqual([true, false]);
    const note = `Shared configuration: .postil/config.yml of acme/review-settings at v1 (${hashes[0]?.slice(0, 12)}).`;
    expect(run.log).toContain(note);
    const replayed = await runCli({ args: ['replay', files.inputs['transcript-file'] ?? ''], cwd: temporaryFolder() });
    expect([replayed.code, replayed.stdout.includes('Found by company-loops')]).toEqual([0, true]);
  });

  it('is another review once its tag names another commit, and the same one until then', async () => {
    const { others, directory, hashes } = settingsOf(company, { '.postil/config.yml': 'language: Danish\n' });
    const world = worldWith(others);
    const scenario = { world, model: { answers: () => submit([]) }, inputs: at('v1') };
    const stage = await setStage(scenario);
    await play(stage, scenario);
    const pushed = await push(stage, { files: { 'src/a.ts': 'export {};\n' } });
    const same = await play(pushed, scenario);
    await git(directory, ['tag', '--force', 'v1', hashes[1] ?? '']);
    const moved = await play(pushed, scenario);
    expect([
      same.summary.includes('what changed since'),
      moved.summary.includes('settings, rules or guidance changed'),
    ]).toEqual([true, true]);
    expect(stage.model.requests.at(-1)?.messages[0]?.text).toContain('Write in Danish');
  });

  it('whose tag moves between two jobs is that of the review for the next push, which is a full one', async () => {
    const { others, directory, hashes } = settingsOf(company, { '.postil/config.yml': 'language: French\n' });
    const inputs = {
      ...at('v1'),
      'review-file': join(temporaryFolder(), 'review.json'),
      'state-key': 'a-key-of-both-jobs-0123456789',
    };
    const scenario = { world: worldWith(others), model: { answers: () => submit([]) }, inputs };
    const stage = await setStage(scenario);
    await play(stage, { ...scenario, inputs: { ...inputs, mode: 'review' } });
    await git(directory, ['tag', '--force', 'v1', hashes[1] ?? '']);
    const posted = await play(stage, { ...scenario, model: null, inputs: { ...inputs, mode: 'post' } });
    expect(posted.log).toMatch(/at v1 .*Found by company-loops/s);
    const pushed = await push(stage, { files: { 'src/a.ts': 'export {};\n' } });
    const next = await play(pushed, { ...scenario, inputs: { ...at('v1'), 'state-key': inputs['state-key'] } });
    expect(next.log).toContain('Full review: settings, rules or guidance changed');
  });

  it('is read by a full hash, at another path, and from an annotated tag', async () => {
    const { others, directory, hashes } = settingsOf(company);
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
    await git(directory, [...identity, 'tag', '--annotate', '--message', 'Third', 'v3', hashes[0] ?? '']);
    for (const config of [`${hashes[0]}:strict/own.yml`, 'v3:strict/own.yml']) {
      const { model } = await review({ world: worldWith(others), model: [submit([])], inputs: at(config) });
      expect(model.requests[0]?.messages[0]?.text).toContain('Write in Frisian');
    }
  });

  it.each([
    ['a branch', 'main', 'has no tag or full commit hash main, or the token may not read it'],
    ['a short hash', 'abcdef0', 'has no tag or full commit hash abcdef0'],
    ['a commit that is not there', '0123456789'.repeat(4), 'has no tag or full commit hash 0123456789'],
    ['a file that is not there', 'v1:other.yml', 'acme/review-settings@v1:other.yml does not exist'],
    ['a folder above', 'v1:../config.yml', "'config' cannot be read; allowed: a file's path, or"],
    ['one that chooses where the key goes', 'v2', "'base-url' may be set by an input, a flag or the environment only"],
  ])('fails the job and keeps the gate closed when it is %s', async (_what, ref, words) => {
    const { others } = settingsOf(company, { '.postil/config.yml': 'base-url: https://evil.example/v1\n' });
    const { github, model, run } = await review({
      world: worldWith(others),
      model: [],
      inputs: { ...at(ref), 'require-complete': 'true' },
    });
    expect([run.code, run.outputs['outcome'], model.attempts, writesBesideSummary(github)]).toEqual([
      1,
      'failed',
      [],
      [],
    ]);
    expect(run.log).toContain(words);
  });

  it('of a repository that the token may not read tells how one is given that may', async () => {
    const { run } = await review({ world: totalWorld, model: [], inputs: at('v1') });
    expect([run.code, run.log.includes('the token of a GitHub App')]).toEqual([1, true]);
  });

  it('is nothing for the command line, which says so', async () => {
    const { directory: cwd } = createRepository();
    const { code, stderr } = await runCli({ args: ['review', '--config', 'acme/review-settings@v1'], cwd });
    expect([code, /Only a job reads the configuration of another repository/.test(stderr)]).toEqual([2, true]);
  });
});
