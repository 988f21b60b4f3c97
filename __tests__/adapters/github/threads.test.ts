import { describe, expect, it } from 'vitest';
import { readDiscussion } from '../../../src/adapters/github/discussion.ts';
import { gitHubPast } from '../../../src/adapters/github/pull-request.ts';
import { outdatedComments } from '../../../src/adapters/github/threads.ts';
import type { Life } from '../../../src/core/history/life.ts';
import { type FindingMark, readMarks, writeMark } from '../../../src/core/history/mark.ts';
import { asMade, type Held, type PriorFinding } from '../../../src/core/history/memory.ts';
import { noKeys } from '../../../src/core/history/signed-marks.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import type { Delivery } from '../../../src/core/review/sink.ts';
import type { Severity } from '../../../src/core/settings/setting.ts';
import { allPermissions, readOnly, type WorldThread } from '../../fakes/github-server/world.ts';
import type { Outcome } from '../../fakes/loopback.ts';
import { printed } from '../../fakes/printed.ts';
import { keys, recordOf } from '../../fakes/review-record.ts';
import { head, reference, reply, type StrictGitHub, scriptedGitHub, strictGitHub } from './scripted-github.ts';

const viewer = 'github-actions[bot]';
const mayResolve = { permissions: { ...allPermissions, contents: 'write' } } as const;

/** A thread of ours about something whose code is gone. */
function stale(title: string, severity: Severity = 'warning', more: Partial<WorldThread> = {}): WorldThread {
  const lines = { side: 'RIGHT', startLine: 5, endLine: 5, digests: [] } as const;
  const by = { name: 'Review', run: '1-1', state: 1, id: 'p-00000001' };
  const at = { ...by, commit: head, mergeBase: '', path: 'src/lines.txt', lines };
  const made = { kind: 'finding', category: 'bug', ruleId: null, source: 'model' } as const;
  const mark: FindingMark = { ...made, ...at, title, severity };
  return {
    path: 'src/lines.txt',
    line: 5,
    comments: [{ author: viewer, body: `${title}\n\n${writeMark(mark)}` }],
    ...more,
  };
}

type InThread = Extract<Held, { in: 'thread' }>;

/** What memory makes of these threads; `change` is what GitHub might have told of their rights instead. */
async function goneOn(
  { github, reference }: StrictGitHub,
  change = (held: InThread) => held,
  life: Life = 'fixed',
): Promise<PriorFinding[]> {
  const { threads } = await readDiscussion(github, reference);
  return threads.flatMap((thread, index) => {
    const [comment] = thread.comments;
    const mark = readMarks(comment?.body ?? '')[0];
    if (comment === undefined || mark?.kind !== 'finding') return [];
    const held = change({ in: 'thread', thread, comment });
    const known = { id: `p${index}`, part: 0, mark, held, url: null, signed: true, known: null, ...asMade, life };
    return { ...known, present: { kind: 'gone' }, declines: [], declined: false };
  });
}

async function mark(strict: StrictGitHub, gone: readonly PriorFinding[]): Promise<Delivery> {
  return await outdatedComments(strict, { commit: head, t: inEnglish }).deliver(recordOf({ gone }));
}

/** What became of each thread. */
function fates({ fake }: StrictGitHub): readonly string[] {
  return fake.threads().map(({ resolved, comments: [comment] }) => {
    if (resolved) return 'resolved';
    if (comment?.isMinimized) return 'minimised';
    return comment?.body.startsWith('<!-- postil:ended -->\n**Fixed**') ? 'edited' : 'as it was';
  });
}

const editOnly = (held: InThread): InThread => ({
  ...held,
  thread: { ...held.thread, viewerCanResolve: false },
  comment: { ...held.comment, viewerCanMinimize: false },
});

describe('a comment whose code is gone', () => {
  it('is resolved where the token may', async () => {
    const strict = await strictGitHub({ ...mayResolve, threads: [stale('Old')] });
    const { status, reason } = printed(await mark(strict, await goneOn(strict)));
    expect([fates(strict), status, reason]).toEqual([['resolved'], 'delivered', null]);
  });

  it('is minimised and not resolved where its file is gone: nobody fixed it', async () => {
    const strict = await strictGitHub({ ...mayResolve, threads: [stale('Old')] });
    await mark(strict, await goneOn(strict, undefined, 'gone'));
    expect(fates(strict)).toEqual(['minimised']);
  });

  it('is minimised without `contents: write`, once', async () => {
    const strict = await strictGitHub({ threads: [stale('Old')] });
    await mark(strict, await goneOn(strict));
    await mark(strict, await goneOn(strict));
    expect([fates(strict), strict.fake.writes().length]).toEqual([['minimised'], 1]);
  });

  it('is edited where neither is open, keeps its mark, and is not edited again', async () => {
    const strict = await strictGitHub({ threads: [stale('Old')] });
    await mark(strict, await goneOn(strict, editOnly));
    const body = strict.fake.comments()[0]?.body ?? '';
    expect(body).toMatch(
      /^<!-- postil:ended -->\n\*\*Fixed\*\* in [0-9a-f]{12}\.\n\n<details>[\s\S]*Old[\s\S]*<\/details>/,
    );
    expect(readMarks(body)).toMatchObject([{ kind: 'finding', title: 'Old' }]);
    expect((await mark(strict, await goneOn(strict, editOnly))).status).toBe('skipped');
  });

  it('is minimised when GitHub refuses to resolve after all: that is tried once per run, and told once', async () => {
    const strict = await strictGitHub({ threads: [stale('One'), stale('Two')] });
    const gone = await goneOn(strict, (held) => ({ ...held, thread: { ...held.thread, viewerCanResolve: true } }));
    const { status, reason } = printed(await mark(strict, gone));
    const words =
      'Threads were not resolved: Resource not accessible by integration. Grant `contents: write` for that.';
    expect([fates(strict), status, reason]).toEqual([['minimised', 'minimised'], 'delivered', words]);
    expect(strict.fake.writes()).toHaveLength(3);
  });

  it('is refused with a token that may only read, after one attempt', async () => {
    const strict = await strictGitHub({ permissions: readOnly, threads: [stale('One'), stale('Two')] });
    const { status, reason } = printed(await mark(strict, await goneOn(strict)));
    expect([status, strict.fake.writes().length]).toEqual(['refused', 1]);
    expect(reason).toBe('Outdated comments could not be marked: Resource not accessible by integration.');
  });
});

describe('a comment is left alone', () => {
  it.each<[string, Partial<WorldThread>]>([
    ['when people wrote in its thread', { comments: [...stale('Old').comments, { author: 'ada', body: 'Why?' }] }],
    ['when its thread is resolved', { resolved: true }],
  ])('%s', async (_, more) => {
    const strict = await strictGitHub({ ...mayResolve, threads: [stale('Old', 'warning', more)] });
    const { status, reason } = printed(await mark(strict, await goneOn(strict)));
    expect([status, reason, strict.fake.writes()]).toEqual(['skipped', 'No comments to mark.', []]);
  });

  it('after the run was cancelled', async () => {
    const run = new AbortController();
    const strict = await strictGitHub({ threads: [stale('Old')], signal: run.signal });
    const gone = await goneOn(strict);
    run.abort();
    expect([(await mark(strict, gone)).status, strict.fake.writes()]).toEqual(['skipped', []]);
  });
});

describe('many comments whose code is gone', () => {
  it('are marked twenty a run, the most severe first, and the rest by the next one', async () => {
    const mild = Array.from({ length: 20 }, (_, index) => stale(`Mild ${index}`, 'nitpick'));
    const strict = await strictGitHub({ threads: [...mild, stale('Severe', 'critical')] });
    const { reason } = printed(await mark(strict, await goneOn(strict)));
    expect([reason, fates(strict).at(-1)]).toEqual(['1 outdated comment left to the next run.', 'minimised']);
    expect(fates(strict).filter((fate) => fate === 'as it was')).toHaveLength(1);
    await mark(strict, await goneOn(strict));
    expect(fates(strict)).not.toContain('as it was');
  });

  it('are marked although one of them was deleted meanwhile', async () => {
    const strict = await strictGitHub({ ...mayResolve, threads: [stale('Deleted'), stale('Old')] });
    const gone = await goneOn(strict, (held) =>
      held.comment.body.startsWith('Deleted')
        ? { ...held, thread: { ...held.thread, id: 'PRRT_0' }, comment: { ...held.comment, id: 'PRRC_0', restId: 1 } }
        : held,
    );
    const { status, reason } = printed(await mark(strict, gone));
    expect([fates(strict), status, reason]).toEqual([['as it was', 'resolved'], 'delivered', null]);
  });

  it('wait for the next run when an answer is lost: no mutation is sent twice', async () => {
    const match = { method: 'POST', path: /graphql$/, body: /mutation/ };
    const faults = [{ match, times: 9, before: 'status 502' }] as const;
    const strict = await strictGitHub({ faults, threads: [stale('One'), stale('Two')] });
    const { status, reason } = printed(await mark(strict, await goneOn(strict)));
    expect([status, strict.fake.writes().map((write) => write.status)]).toEqual(['failed', [502]]);
    expect(reason).toContain('Outdated comments could not be marked');
  });
});

describe('past', () => {
  const git = { changesBetween: async () => null, blobs: async () => null };

  /** Answers of GitHub by path below the repository. */
  async function past(answers: Readonly<Record<string, Outcome>>) {
    const { github, log } = await scriptedGitHub(({ path }) => answers[path.replace('/repos/o/r/', '')]);
    return { ...gitHubPast(github, { reference, keys, git }), log };
  }

  const notFound = reply(404, { message: 'Not Found' });
  const forbidden = reply(403, { message: 'Resource not accessible by integration' });
  const permission = (name: string, role: string) => reply(200, { permission: name, role_name: role });

  it.each([
    ['an administrator', permission('admin', 'admin'), true],
    ['a maintainer, whom GitHub calls a writer', permission('write', 'maintain'), true],
    ['a writer', permission('write', 'write'), true],
    ['one who triages', permission('read', 'triage'), false],
    ['a stranger', permission('none', ''), false],
    ['one whom GitHub does not find', notFound, null],
    ['one who must not be asked about', forbidden, null],
    ['one of whom GitHub says null', reply(200, { permission: null, role_name: 'write' }), null],
    ['one of whom the answer is garbled', { status: 200, headers: {}, body: '{"permission": "wri' }, null],
    ['one of whom the server never tells', reply(502, { message: 'Server Error' }), null],
  ])('tells whether %s may write, and null where nobody can tell', async (_, answer, expected) => {
    const { canWrite } = await past({ 'collaborators/ada/permission': answer });
    expect(await canWrite('ada')).toBe(expected);
  });

  it('asks again who may write when the server fails', async () => {
    const answers = [reply(502, { message: 'Server Error' }), reply(200, {}), permission('write', 'write')];
    const { github, log } = await scriptedGitHub(() => answers.shift());
    const { canWrite } = gitHubPast(github, { reference, keys, git });
    expect([await canWrite('ada'), log.length]).toEqual([true, 3]);
  });

  it('asks once per login who may write', async () => {
    const { canWrite, log } = await past({
      'collaborators/ada/permission': permission('write', 'write'),
      'collaborators/github-actions%5Bbot%5D/permission': permission('none', ''),
    });
    const answers = await Promise.all(['ada', 'ada', 'github-actions[bot]', 'ada'].map(canWrite));
    expect([answers, log.length]).toEqual([[true, true, false, true], 2]);
  });

  it('seals all that is asked, or nothing where it has no key', async () => {
    const { github } = await scriptedGitHub(() => undefined);
    const sealing = [keys, noKeys].map((by) => gitHubPast(github, { reference, keys: by, git }).seal(['a', 'b'], 0));
    expect(await Promise.all(sealing)).toEqual([[keys.seal('a'), keys.seal('b')], null]);
  });
});
