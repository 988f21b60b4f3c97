import { describe, expect, it } from 'vitest';
import { runGateAgain } from '../../../../src/adapters/github/answering/gate-run.ts';
import { readDiscussion } from '../../../../src/adapters/github/discussion.ts';
import type { Asked } from '../../../../src/core/history/asked.ts';
import { writeMark } from '../../../../src/core/history/mark.ts';
import type { Answer } from '../../../../src/core/review/review.ts';
import { answerMark } from '../../../fakes/asking.ts';
import { allPermissions, type WorldCheck } from '../../../fakes/github-server/world.ts';
import { marked, ownRemark, pullRequest, thread } from '../../../fakes/review-record.ts';
import { reference, reply, scriptedGitHub } from '../scripted-github.ts';
import { answering, identity, viewer } from './answer-desk.ts';

describe('after an answer that moves the gate', () => {
  const failed = (name: string, run: number, workflow = name): WorldCheck => ({
    name,
    workflow,
    run,
    conclusion: 'FAILURE',
  });
  const mayRun = { ...allPermissions, actions: 'write' } as const;
  it.each<[string, readonly WorldCheck[], boolean, readonly number[], string | null]>([
    [
      'the newest run of its name runs again',
      [failed('Review', 3), failed('Review', 12), failed('tests', 40)],
      true,
      [12],
      'runs/12) of the pull request runs again.',
    ],
    ['a run of its workflow does', [failed('job', 4, 'Review')], true, [4], 'runs/4) of the pull request runs again.'],
    [
      'it says so where the token may not',
      [failed('Review', 3)],
      false,
      [],
      'runs/3) of the pull request does not know this yet: run it again.',
    ],
    ['it says nothing of another check', [failed('tests', 40)], true, [], null],
    ['it does not run itself again', [failed('Review', 50)], true, [], null],
    ['it says nothing where there is no check', [], true, [], null],
    [
      'of several jobs that of its name does alone',
      [failed('deploy', 5, 'Review'), failed('Review', 5)],
      true,
      [5],
      'runs/5) of the pull request runs again.',
    ],
    [
      'of several jobs none does that may be another one',
      [failed('deploy', 5, 'Review'), failed('job', 5, 'Review')],
      true,
      [],
      'runs/5) of the pull request does not know this yet: run it again.',
    ],
  ])('%s', async (_, checks, isAllowed, reruns, words) => {
    const desk = await answering({ checks, permissions: isAllowed ? mayRun : allPermissions });
    await desk.deliver({ answer: { ...desk.answer, movesGate: true } });
    const body = desk.answers()[0]?.body ?? '';
    expect([desk.fake.reruns(), body.includes('[check]')]).toEqual([reruns, words !== null]);
    if (words !== null) expect(body).toContain(words);
    expect(desk.fake.pull().given.checks?.filter(({ conclusion }) => conclusion === null).length).toBe(reruns.length);
    expect(desk.writes().some((write) => write.includes('actions/runs'))).toBe(false);
  });

  it.each<[string, Partial<Answer>, Partial<Parameters<typeof answering>[0]>, Partial<Asked>]>([
    ['that does not move it', { movesGate: false }, {}, {}],
    ['after the head moved', {}, { currentHead: 'd'.repeat(40) }, {}],
    ['to somebody who may not write', {}, {}, { mayWrite: false }],
  ])('no check is run again by an answer %s', async (_, changes, world, by) => {
    const desk = await answering({ checks: [failed('Review', 3)], permissions: mayRun, ...world });
    const answer = { ...desk.answer, movesGate: true, ...changes };
    const { status } = await desk.deliver({ answer }, { asked: { ...desk.asked, ...by } });
    expect([status, desk.fake.reruns(), desk.answers()[0]?.body.includes('[check]')]).toEqual(['delivered', [], false]);
  });

  it.each([
    [{ workflow: 'Review', isGate: false }, [2]],
    [{ workflow: 'Review', isGate: true }, [3]],
    [{ workflow: null, isGate: false }, [3]],
  ])('a check of the workflow of this run, where that is %j, counts only where it is a gate', async (own, reruns) => {
    const checks = [failed('Review', 2, 'Gate'), failed('Review', 3)];
    const desk = await answering({ checks, permissions: mayRun });
    await desk.deliver(
      { answer: { ...desk.answer, movesGate: true } },
      { runGateAgain: () => runGateAgain({ ...desk.options, own }) },
    );
    expect(desk.fake.reruns()).toEqual(reruns);
  });

  it('a run that answered a comment is not run again', async () => {
    const desk = await answering({ checks: [failed('Review', 3), failed('Review', 12)], permissions: mayRun });
    desk.fake.people.say({ author: viewer, body: writeMark(answerMark({ run: '12-1' })) });
    const { conversation } = await readDiscussion(desk.github, desk.reference);
    await desk.deliver(
      { answer: { ...desk.answer, movesGate: true } },
      {
        runGateAgain: () =>
          runGateAgain({
            ...desk.options,
            pullRequest: { ...desk.options.pullRequest, conversation },
            own: { workflow: null, isGate: false },
          }),
      },
    );
    expect(desk.fake.reruns()).toEqual([3]);
  });

  /** Which of these runs is run again, by what started each; null where GitHub does not tell. The runs wrote comments of ours. */
  async function runAgain(events: Readonly<Record<string, string | null>>): Promise<readonly string[]> {
    const { github, log } = await scriptedGitHub(({ path }) => {
      const event = events[path.split('/').at(-1) ?? ''];
      const [, run] = /runs\/(\d+)\/jobs$/.exec(path) ?? [];
      if (run !== undefined) return reply(200, { total_count: 1, jobs: [{ id: Number(run), name: 'job' }] });
      return path.endsWith('/rerun') ? reply(201, {}) : typeof event === 'string' ? reply(200, { event }) : undefined;
    });
    const runs = Object.keys(events);
    // A run may have more jobs than runs are looked at.
    const checks = runs.flatMap((run) =>
      Array.from(
        { length: 6 },
        () => ({ name: 'job', workflow: null, run, state: 'failed', conclusion: 'failure' }) as const,
      ),
    );
    const threads = runs.map((run) => thread({ comments: [ownRemark(writeMark({ ...marked(), run: `${run}-1` }))] }));
    const pull = { ...pullRequest, threads, linked: { ...pullRequest.linked, checks } };
    const own = { workflow: null, isGate: false };
    await runGateAgain({ github, reference, pullRequest: pull, identity, own });
    return log.flatMap((line) => /POST .*\/(\d+)\/rerun$/.exec(line)?.[1] ?? []);
  }

  it.each<[string, Readonly<Record<string, string | null>>, readonly string[]]>([
    [
      'the newest that a push started',
      { 3: 'pull_request', 9: 'pull_request_review_comment', 8: 'pull_request_target' },
      ['8'],
    ],
    [
      'none where comments started all of them',
      { 3: 'workflow_dispatch', 9: 'pull_request_review', 8: 'issue_comment' },
      [],
    ],
    ['one of which GitHub does not tell what started it', { 3: 'pull_request', 9: null }, ['9']],
  ])('%s is run again', async (_, events, expected) => {
    expect(await runAgain(events)).toEqual(expected);
  });
});
