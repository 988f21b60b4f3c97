import { afterEach, describe, expect, it } from 'vitest';
import { gitHubPast, type PastOptions } from '../../../src/adapters/github/past.ts';
import type { Outcome } from '../../fakes/loopback.ts';
import { reference, reply, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';

const head = 'a'.repeat(40);
const earlier = 'e'.repeat(40);

let server: ScriptedGitHub | undefined;
afterEach(() => server?.close());

/** Answers of GitHub by path below the repository; git has nothing unless told. */
async function past(answers: Readonly<Record<string, Outcome>>, diff: PastOptions['diff'] = async () => null) {
  server = await scriptedGitHub(({ path }) => answers[path.replace('/repos/o/r/', '')]);
  return gitHubPast(server.github, { reference, head, diff });
}

const comparison = `compare/${earlier}...${head}`;
const compared = (status: string, files: readonly object[] = []) =>
  reply(200, { status, files, merge_base_commit: { sha: 'c'.repeat(40) } });
const patch = '@@ -1 +1 @@\n-old\n+new';
const files = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    filename: `f${index}.ts`,
    status: 'modified',
    additions: 1,
    deletions: 1,
    changes: 2,
    patch,
  }));

describe('who may write', () => {
  const permission = (name: string, role: string) => reply(200, { permission: name, role_name: role });

  it.each([
    ['an administrator', permission('admin', 'admin'), true],
    ['a maintainer, whom GitHub calls a writer', permission('write', 'maintain'), true],
    ['a writer', permission('write', 'write'), true],
    ['who triages', permission('read', 'triage'), false],
    ['a reader', permission('read', 'read'), false],
    ['a stranger', permission('none', ''), false],
    ['who has no account', reply(404, { message: 'Not Found' }), false],
    ['who must not be asked about', reply(403, { message: 'Resource not accessible by integration' }), false],
  ])('%s', async (_, answer, expected) => {
    const { canWrite } = await past({ 'collaborators/ada/permission': answer });
    expect(await canWrite('ada')).toBe(expected);
  });

  it('is asked once a login', async () => {
    const { canWrite } = await past({
      'collaborators/ada/permission': permission('write', 'write'),
      'collaborators/github-actions%5Bbot%5D/permission': permission('none', ''),
    });
    const answers = await Promise.all(['ada', 'ada', 'github-actions[bot]', 'ada'].map(canWrite));
    expect([answers, server?.log.length]).toEqual([[true, true, false, true], 2]);
  });
});

describe('how an earlier head stands to the present one', () => {
  it.each([
    ['identical', compared('identical'), 'same'],
    ['ahead', compared('ahead'), 'ancestor'],
    ['behind', compared('behind'), 'diverged'],
    ['diverged', compared('diverged'), 'diverged'],
    ['unknown', reply(404, { message: 'Not Found' }), 'gone'],
    ['unrelated', reply(422, { message: 'No common ancestor' }), 'gone'],
    ['forbidden', reply(403, { message: 'Resource not accessible by integration' }), 'gone'],
  ])('%s', async (_, answer, expected) => {
    const { relationOf } = await past({ [comparison]: answer });
    expect(await relationOf(earlier)).toBe(expected);
  });

  it('costs no request when it is the same', async () => {
    const { relationOf } = await past({});
    expect([await relationOf(head), server?.log]).toEqual(['same', []]);
  });

  it('is asked once', async () => {
    const { relationOf } = await past({ [comparison]: compared('ahead') });
    expect(await Promise.all([relationOf(earlier), relationOf(earlier)])).toEqual(['ancestor', 'ancestor']);
    expect(server?.log).toHaveLength(1);
  });
});

describe('what changed since an earlier head', () => {
  it("is git's word where git has the commits", async () => {
    const { changesBetween } = await past({}, async () => []);
    expect([await changesBetween(earlier, head), server?.log]).toEqual([[], []]);
  });

  it("is GitHub's word where git has not, and the earlier head is an ancestor", async () => {
    const { changesBetween, relationOf } = await past({ [comparison]: compared('ahead', files(2)) });
    await relationOf(earlier);
    expect(await changesBetween(earlier, head)).toMatchObject([
      { path: 'f0.ts', hunks: [{ oldStart: 1, newStart: 1, lines: ['-old', '+new'] }] },
      { path: 'f1.ts' },
    ]);
    expect(server?.log).toHaveLength(1);
  });

  it.each([
    // From a common ancestor GitHub would tell of it, and not from the commit that was asked about.
    ['after a rewrite of history', compared('diverged', files(2))],
    ['of a commit that is gone', reply(404, { message: 'Not Found' })],
    ['of more files than GitHub lists', compared('ahead', files(300))],
  ])('is not known %s', async (_, answer) => {
    const { changesBetween } = await past({ [comparison]: answer });
    expect(await changesBetween(earlier, head)).toBeNull();
  });

  it('is not asked of GitHub between two merge bases', async () => {
    const { changesBetween } = await past({});
    expect([await changesBetween(earlier, 'b'.repeat(40)), server?.log]).toEqual([null, []]);
  });
});
