import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialise } from '../../src/cli/folder.ts';
import { eventPolicy, eventPolicyNote } from '../../src/run/event-policy.ts';
import { MemoryRepository, temporaryFolder } from '../fakes/memory-repository.ts';

const path = '.github/workflows/forks.yml';

/** The files that the note names, of these. */
async function named(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const note = await eventPolicyNote(Object.keys(files), new MemoryRepository(files));
  return /starts (.*)\. From/.exec(note?.found ?? '')?.[1]?.split(', ') ?? [];
}

describe('the note about the event that GitHub blocks', () => {
  it.each([
    ['as a key', 'on:\n  pull_request_target:\n    types: [opened]\njobs: {}\n'],
    ['as a key without anything', 'on: { pull_request_target: }\n'],
    ['in a list', 'on: [push, pull_request_target]\n'],
    ['in a list of lines', "'on':\n  - push\n  - pull_request_target\n"],
    ['as a word', 'name: Forks\non: pull_request_target\n'],
    ['where YAML 1.1 reads the key as true', '%YAML 1.1\n---\non:\n  pull_request_target:\n'],
    ['by an alias', 'x: &events [pull_request_target]\non: *events\n'],
    ['in a file that cannot be read as YAML', 'on:\n  pull_request_target:\n  - {\n'],
  ])('names a workflow that listens to it %s', async (_, text) => {
    expect(await named({ [path]: text })).toEqual([path]);
  });

  it.each([
    ['another event', 'on: pull_request\n'],
    ['none', 'jobs: {}\n'],
    ['it in a comment alone', 'on: push # not pull_request_target\n'],
    ['it in a step alone', 'on: push\njobs: { a: { if: "github.event_name == \'pull_request_target\'" } }\n'],
    ['it in a comment of a file that cannot be read', '# no pull_request_target\non: {\n'],
    ['nothing at all', ''],
  ])('is none for a workflow that names %s', async (_, text) => {
    expect(await named({ [path]: text })).toEqual([]);
  });

  it('names all of them, and no file that is no workflow', async () => {
    const listening = 'on: pull_request_target\n';
    const places = [
      ...['.github/workflows/a.yaml', path, '.github/workflows/deep/b.yml', '.github/workflows/c.md'],
      ...['docs/.github/workflows/d.yml', 'forks.yml'],
    ];
    expect(await named(Object.fromEntries(places.map((place) => [place, listening])))).toEqual([
      '.github/workflows/a.yaml',
      path,
    ]);
  });

  it('says since when, where, and what to do in a public repository', async () => {
    const repository = new MemoryRepository({ [path]: 'on: pull_request_target\n' });
    expect(await eventPolicyNote([path], repository)).toEqual({
      found: `pull_request_target starts ${path}. From ${eventPolicy.from} GitHub blocks this event in public repositories.`,
      todo: `If this repository is public: in Settings → Actions → Policies add a policy that targets this workflow alone and allows pull_request_target. ${eventPolicy.link}`,
    });
  });
});

describe('postil init', () => {
  /** What it prints in a folder with this workflow. */
  async function printed(workflow: string): Promise<readonly string[]> {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.github/workflows'), { recursive: true });
    writeFileSync(join(folder, path), workflow);
    const lines: string[] = [];
    await initialise({ directory: folder }, (line) => lines.push(line));
    return lines;
  }

  it('names a workflow of the folder that GitHub will not start in a public repository', async () => {
    const notes = (await printed('on: [pull_request_target]\n')).filter((line) => line.startsWith('Note: '));
    expect(notes).toEqual([expect.stringContaining(`starts ${path}. From ${eventPolicy.from} GitHub blocks`)]);
  });

  it('has no note where no workflow listens to the event, its own neither', async () => {
    expect((await printed('on: pull_request\n')).filter((line) => line.startsWith('Note: '))).toEqual([]);
  });
});
