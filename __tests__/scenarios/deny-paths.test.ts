import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { commentEvent } from '../fakes/world/event.ts';
import { createBareRepository } from '../fakes/world/git.ts';
import { runCli } from './harness.ts';
import { laptopModel, outputFiles, play, type Reviewed, review, type Scenario, setStage } from './review.ts';

const canary = 'CANARY-in-a-denied-file';
const world = {
  base: {
    'src/a.ts': 'export const a = 1;\n',
    'docs/x.md': 'Old words.\n',
    'data/y.json': '{}\n',
    'data/z.md': `${canary}\n`,
    'AGENTS.md': 'See docs.\n',
  },
  head: {
    'src/a.ts': 'export const a = 2;\n',
    'docs/x.md': `Old words.\n${canary}\n`,
    'data/y.json': `{"${canary}": 1}\n`,
    'src/AGENTS.md': 'x\n',
  },
};
const denied = ['docs/x.md', 'data/y.json'];

/** What a model asks for that wants to see them anyway. */
const curious = [
  call('read_file', { path: 'docs/x.md' }),
  call('read_file_lines', { path: 'data/y.json', start_line: 1, end_line: 1 }),
  call('search_text', { pattern: 'CANARY', path: null, file_pattern: null, regex: null }),
  call('get_git_log', { path: 'docs', count: null }),
  call('get_git_blame', { path: 'data/z.md', start_line: 1, end_line: 1 }),
  call('search_knowledge', { query: 'CANARY denied file' }),
];

/** Where a run read or wrote the words of a denied file, and the denied files that it names. */
function leaks({ model, run }: Pick<Reviewed, 'model' | 'run'>) {
  const told = { model: JSON.stringify(model.requests), log: run.log, summary: run.summary };
  const outputs = JSON.stringify(run.outputs);
  const leaked = Object.entries({ ...told, outputs }).flatMap(([name, text]) => (text.includes(canary) ? [name] : []));
  return { leaked, named: denied.filter((path) => run.summary.includes(path)), unread: run.outputs['unread'] };
}

const kept = { leaked: [], named: denied, unread: '2' };

describe('a list in one line of deny-paths', () => {
  it.each<[string, Partial<Scenario>]>([
    ['with commas', { inputs: { 'deny-paths': 'data/**, docs/**' } }],
    ['with blanks', { inputs: { 'deny-paths': 'data/** docs/**' } }],
    ['in braces', { inputs: { 'deny-paths': '{data/**, docs/**}' } }],
    ['in a variable', { environment: { POSTIL_DENY_PATHS: '/data, ./docs/' } }],
    [
      'in the config file',
      { world: { ...world, base: { ...world.base, '.postil/config.yml': "deny-paths: 'data/**, docs/**'\n" } } },
    ],
    [
      'as an item of a list in the config file',
      { world: { ...world, base: { ...world.base, '.postil/config.yml': 'deny-paths:\n  - data docs/**\n' } } },
    ],
    [
      'without git',
      {
        inputs: { 'deny-paths': 'data/**, docs/**' },
        checkout: null,
        environment: { GITHUB_SERVER_URL: 'http://127.0.0.1:9' },
      },
    ],
  ])('keeps its files from the model, whatever it asks for, and names them: %s', async (_, given) => {
    const inputs = { knowledge: '**/*.md', vision: 'true', ...given.inputs };
    const reviewed = await review({ world, model: [...curious, submit([])], ...given, inputs });
    expect(reviewed.model.requests.length).toBeGreaterThan(curious.length);
    expect(leaks(reviewed)).toEqual(kept);
  });

  it('holds for what a job hands to the one that posts', async () => {
    const files = outputFiles('review-file', 'report-file');
    const inputs = { mode: 'review', 'deny-paths': 'data/**, docs/**', ...files.inputs };
    const { model } = await review({ world, model: [...curious, submit([])], inputs });
    const texts = [JSON.stringify(model.requests), files.text('review-file'), files.text('report-file')];
    expect(texts.map((text) => text.includes(canary))).toEqual([false, false, false]);
  });

  it('holds for the answer to a comment', async () => {
    const scenario: Scenario = {
      world: { ...world, github: { collaborators: { grace: 'write' } } },
      model: [
        ...curious.slice(0, 4),
        call('submit_answer', { answer: 'I may not read it.', sources: [], not_found: null, suggestion: null }),
      ],
      inputs: { 'deny-paths': 'data/**, docs/**' },
    };
    const stage = await setStage(scenario);
    const id = stage.github.people.say({ author: 'grace', body: '/postil ask What is in docs/x.md?' });
    await play(stage, { ...scenario, event: commentEvent(stage, id) });
    expect([stage.model.requests.length, stage.model.complaints]).toEqual([5, []]);
    expect(JSON.stringify([stage.model.requests, stage.github.conversation()])).not.toContain(canary);
  });
});

describe('a line of deny-paths that matches nothing', () => {
  const line = 'dta/**, dcos/**';
  const problem = `input: 'deny-paths' has the line "${line}", and no file matches it, neither whole nor in parts. Write one pattern per line; a blank or comma of a name is \`[ ]\` or \`[,]\`.`;

  it('fails before the model is asked anything, and says what to write', async () => {
    const { model, run } = await review({ world, model: [submit([])], inputs: { 'deny-paths': line } });
    expect([model.requests.length, run.code, run.outputs['outcome']]).toEqual([0, 1, 'failed']);
    expect(run.log).toContain(problem);
  });

  it('is a note where another word of it matches', async () => {
    const { model, run } = await review({
      world,
      model: [submit([])],
      inputs: { 'deny-paths': 'data/**, docs/**, dcos/**' },
    });
    expect(leaks({ model, run })).toEqual(kept);
    expect(run.log).toContain('and no file matches "dcos/**". Write one pattern per line;');
  });

  it('is no error in a configuration that many repositories share, and the rest of it holds', async () => {
    const files = { '.postil/config.yml': 'deny-paths:\n  - data/** docs/**\n  - terraform/**, *.tfstate\n' };
    const { directory } = createBareRepository([
      { changes: [{ files }], message: 'One', minute: 1, refs: ['refs/tags/v1', 'refs/heads/main'] },
    ]);
    const others = [{ name: 'acme/review-settings', gitDirectory: directory }];
    const reviewed = await review({
      world: { ...world, github: { others } },
      model: [...curious, submit([])],
      inputs: { config: 'acme/review-settings@v1' },
    });
    expect(leaks(reviewed)).toEqual(kept);
  });
});

describe('on the command line', () => {
  /** A change in a work tree that also has files in no commit. */
  function changed(): string {
    const { directory, commit } = createRepository();
    commit({ files: { ...world.base, '.gitignore': 'private notes/\n' } });
    for (const [path, text] of Object.entries({
      ...world.head,
      'private notes/n.md': 'x\n',
      'new docs/n.md': canary,
    })) {
      mkdirSync(join(directory, dirname(path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    return directory;
  }

  it.each([
    ['everything that it matches is kept from the model', 'data/** docs/**, new docs/**'],
    ['a name with a blank that only the work tree has is no error', 'private notes/**'],
    ['a name with a blank that nothing has yet is no error when it is written as a pattern', 'later[ ]notes/**'],
  ])('%s', async (_, line) => {
    const { model, env } = await laptopModel([...curious, submit([])]);
    const all = ['data/**', 'docs/**', 'new docs/**', line].join('\n');
    const run = await runCli({ args: ['review', '--deny-paths', all], cwd: changed(), env });
    expect([run.code, model.requests.length > curious.length]).toEqual([0, true]);
    expect(`${JSON.stringify(model.requests)}${run.stdout}${run.stderr}`).not.toContain(canary);
  });

  it('a line that matches nothing fails, also for the doctor', async () => {
    const { model, env } = await laptopModel([]);
    const directory = changed();
    const review = await runCli({ args: ['review', '--deny-paths', 'dta, dcos/**'], cwd: directory, env });
    expect([review.code, review.stdout, model.requests.length]).toEqual([2, '', 0]);
    expect(review.stderr).toContain(`'--deny-paths' has the line "dta, dcos/**", and no file matches it`);
    const doctor = await runCli({ args: ['doctor'], cwd: directory, env: { POSTIL_DENY_PATHS: 'dta dcos' } });
    const well = await runCli({ args: ['doctor'], cwd: directory, env: { POSTIL_DENY_PATHS: 'private notes/**' } });
    expect(well.stdout).toMatch(/^ok +Configuration +None at/m);
    expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toMatch(/fails Configuration .*'deny-paths' has the line "dta dcos"/);
  });
});
