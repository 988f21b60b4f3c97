import { describe, expect, it } from 'vitest';
import { allPermissions } from '../fakes/github-server/world.ts';
import { type Answer, call, submit } from '../fakes/model-server/script.ts';
import { commentEvent } from '../fakes/world/event.ts';
import { runCli } from './harness.ts';
import {
  fixedOf,
  outputFiles,
  play,
  push,
  type Scenario,
  setStage,
  totalWorld,
  wrongLine,
  wrongLineFinding,
} from './review.ts';

const title = wrongLineFinding.title;
const fixed = totalWorld.head['src/total.ts'].replace('i <= prices.length', 'i < prices.length');

type Given = { readonly [name: string]: unknown };

function answered(given: Given): Answer {
  const rest = { sources: [{ path: 'src/total.ts', lines: '4', shows: 'the loop' }], not_found: null };
  return call('submit_answer', { answer: 'The loop reads one past the end.', ...rest, suggestion: null, ...given });
}

const excluded = { verdict: 'excluded', proof: { path: 'src/total.ts', quote: '  let sum = 0;' } };

/** A pull request with one finding, whose thread people can answer in. */
async function openThread({ world = {}, inputs = {} }: { world?: object; inputs?: Scenario['inputs'] } = {}) {
  let said: Given = {};
  let finds = true;
  const scenario: Scenario = {
    world: { ...totalWorld, github: { collaborators: { grace: 'write', ada: 'read' } }, ...world },
    model: ({ messages }) => {
      if (JSON.stringify(messages).includes('submit_answer')) return answered(said);
      return finds ? submit([wrongLineFinding]) : fixedOf(wrongLine.replace('<=', '<'))(JSON.stringify(messages));
    },
    inputs: { 'check-run': 'false', ...inputs },
  };
  let stage = await setStage(scenario);
  const runs = { count: 100 };
  const run = (more: Partial<Scenario> = {}) => {
    runs.count += 1;
    return play(stage, {
      ...scenario,
      ...more,
      environment: { GITHUB_RUN_ID: String(runs.count), ...more.environment },
    });
  };
  await run();
  const { github, model } = stage;
  const told = (id: number) => ({ id, event: commentEvent(stage, id) });
  return {
    github,
    model,
    run,
    inThread: (body: string, author = 'grace') => told(github.people.reply(title, { author, body })),
    below: (body: string, author = 'grace') => told(github.people.say({ author, body })),
    answers: (given: Given) => {
      said = given;
    },
    findsNothing: () => {
      finds = false;
    },
    push: async (text: string) => {
      stage = await push(stage, { files: { 'src/total.ts': text } });
    },
    summary: () => github.conversation().find(({ body }) => body.includes('"kind":"state"'))?.body ?? '',
    last: () => github.comments().at(-1)?.body ?? '',
  };
}

/** What people see of an answer. */
function seen(body: string): string {
  return body
    .replace(/\n*<!-- postil:v2 .* -->/, '')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, '…')
    .replace(/[0-9a-f]{40}/g, 'SHA')
    .replace(/`[0-9a-f]{7}`/g, '`sha`');
}

describe('a command in a thread', () => {
  it('is answered there, with the code that it rests on and the commit that it speaks for', async () => {
    const { inThread, run, answers, last, github } = await openThread();
    answers({ not_found: 'a test of an empty list' });
    const { id, event } = inThread('/postil explain');
    const { code, log, summary, outputs } = await run({ event });
    expect([code, github.reactions(id)]).toEqual([0, ['EYES', 'ROCKET']]);
    expect(seen(last())).toMatchInlineSnapshot(`
      "<sub>Answer to [\`/postil explain\`](https://github.example/octo/spoon/pull/7#discussion_r1006) of \`grace\`, for [\`sha\`](…/octo/spoon/commit/SHA)</sub>

      The loop reads one past the end.

      **Not found:** a test of an empty list

      …/octo/spoon/blob/SHA/src/total.ts#L4"
    `);
    expect(log).toContain('Answered: `/postil explain` of @grace.');
    expect(summary).toContain('The loop reads one past the end.');
    expect(outputs).toMatchObject({ outcome: 'skipped', 'stop-reason': 'skipped' });
  });

  it('withdraws a finding by a line of source, for as long as that line stands', async () => {
    const { inThread, run, answers, last, summary, push: change, github } = await openThread();
    answers({ answer: 'You are right.', ...excluded });
    await run({ event: inThread('/postil recheck').event });
    expect(seen(last())).toContain('**Withdrawn by evidence:** [`src/total.ts:3`]');
    await run();
    expect(summary()).toContain('No open findings, 1 withdrawn by evidence');
    expect(github.comments().filter(({ body }) => body.includes(`· ${title}**`))).toHaveLength(1);
    await change(totalWorld.head['src/total.ts'].replace('let sum = 0', 'let sum = 1'));
    await run();
    expect(summary()).toContain('1 still open');
  });

  it('says that a finding is fixed, which holds over further runs until somebody takes it back', async () => {
    const { inThread, run, answers, push: change, findsNothing, summary } = await openThread();
    const guard = '  if (prices.length === 0) return 0;';
    await change(totalWorld.head['src/total.ts'].replace(wrongLine, `${guard}\n${wrongLine}`));
    findsNothing();
    answers({ answer: 'A guard ends it.', verdict: 'fixed', proof: { path: 'src/total.ts', quote: guard } });
    await run({ event: inThread('/postil recheck').event });
    const gate = async () => (await run({ inputs: { 'fail-on': 'critical' } })).code;
    expect([await gate(), await gate()]).toEqual([0, 0]);
    await run({ event: inThread('/postil undismiss').event });
    expect([await gate(), await gate(), summary().includes('1 still open')]).toEqual([1, 1, true]);
  });

  it('that somebody who may only read gives ends no finding', async () => {
    const { inThread, run, answers, last, summary } = await openThread({ inputs: { commands: 'read' } });
    answers({ answer: 'It is excluded.', ...excluded });
    await run({ event: inThread('/postil recheck', 'ada').event });
    expect(seen(last())).toContain('The finding counts until somebody who may write asks the same');
    await run();
    expect(summary()).toContain('1 still open');
  });

  it('is not believed in its words alone', async () => {
    const { inThread, run, answers, last } = await openThread();
    answers({ answer: 'You are right, I withdraw it.', verdict: 'excluded', proof: null });
    await run({ event: inThread('/postil recheck').event });
    expect(seen(last())).toContain('I found no line of source that settles this, so the finding stands as it is.');
    expect(last()).not.toContain('You are right');
  });

  it('offers a change that a click applies, on exactly the lines of the finding', async () => {
    const { inThread, run, answers, last } = await openThread();
    answers({ answer: 'The bound is exclusive.', suggestion: wrongLine.replace('<=', '<') });
    await run({ event: inThread('/postil fix').event });
    expect(last()).toContain(`\`\`\`suggestion\n${wrongLine.replace('<=', '<')}\n\`\`\``);
  });

  it('dismisses a finding, and says so', async () => {
    const { inThread, run, last, summary } = await openThread();
    await run({ event: inThread('Thanks.\n/postil dismiss The caller checks it').event });
    expect(seen(last())).toContain('Dismissed: “The loop reads one past the end”');
    await run();
    expect(summary()).toContain('1 declined');
    await run({ event: inThread('/postil undismiss').event });
    await run();
    expect(summary()).toContain('1 still open');
  });
});

describe('the check of the pull request', () => {
  const checks = [
    { name: 'Postil', workflow: 'Gate', run: 77, conclusion: 'FAILURE' },
    { name: 'build', workflow: 'CI', run: 78, conclusion: 'SUCCESS' },
  ];
  const github = { collaborators: { grace: 'write' }, permissions: { ...allPermissions, actions: 'write' } };

  it('runs again after a command that may change it', async () => {
    const world = { github, pullRequest: { checks } };
    const { inThread, run, last, github: server } = await openThread({ world, inputs: { name: 'Postil' } });
    await run({ event: inThread('/postil dismiss It is meant so').event });
    expect([server.reruns(), /The \[check\]\((.*?)\) of the pull request (.*)\./.exec(last())?.slice(1)]).toEqual([
      [77],
      [expect.stringMatching(/\/octo\/spoon\/actions\/runs\/77$/), 'runs again'],
    ]);
  });

  it('is linked where the token may not run it again', async () => {
    const world = { github: { collaborators: { grace: 'write' } }, pullRequest: { checks } };
    const { inThread, run, last, github: server } = await openThread({ world, inputs: { name: 'Postil' } });
    await run({ event: inThread('@postil dismiss It is meant so').event });
    expect(server.reruns()).toEqual([]);
    expect(last()).toMatch(/The \[check\]\(.*\/runs\/77\) of the pull request does not know this yet: run it again\./);
  });

  it('is written by nothing that a comment starts', async () => {
    const { below, run, github: server } = await openThread({ inputs: { 'check-run': 'true', annotations: 'true' } });
    const before = server.checkRuns().length;
    const { annotations, code } = await run({
      event: below('/postil review').event,
      inputs: { 'check-run': 'true', 'fail-on': 'info' },
    });
    expect([server.checkRuns().length - before, annotations, code]).toEqual([0, [], 0]);
  });
});

describe('a pause', () => {
  it('ends reviews on pushes until somebody resumes, and passes no gate', async () => {
    const { below, run, push: change, findsNothing, summary, model } = await openThread();
    await run({ event: below('/postil pause').event });
    await change(fixed);
    findsNothing();
    const asked = model.requests.length;
    const paused = await run({ inputs: { 'fail-on': 'critical' } });
    expect([paused.code, paused.outputs['outcome'], model.requests.length - asked]).toEqual([1, 'skipped', 0]);
    expect(paused.log).toContain('Reviews are paused by @grace.');
    const open = await run();
    expect([open.code, open.outputs['outcome']]).toEqual([0, 'skipped']);
    const once = await run({ event: below('/postil review').event });
    expect(once.outputs['outcome']).toBe('clean');
    await run({ event: below('/postil resume').event });
    expect((await run({ inputs: { 'fail-on': 'critical' } })).code).toBe(0);
    expect(summary()).toContain('No open findings');
  });
});

describe('a review of some files', () => {
  it('leaves the others to the next push', async () => {
    const { below, run, model } = await openThread();
    const { outputs } = await run({ event: below('/postil review docs/**').event });
    expect(outputs['outcome']).toBe('partial');
    const asked = model.requests.length;
    await run();
    expect(
      model.requests.slice(asked).some(({ messages }) => JSON.stringify(messages).includes(wrongLine.trim())),
    ).toBe(true);
  });
});

describe('a reply without a command', () => {
  const inputs = { replies: 'true' };

  it('is answered once: the case is made with a line, and not argued again', async () => {
    const { inThread, run, answers, last, github } = await openThread({ inputs });
    answers({ answer: 'An empty list still reads index 0.', verdict: 'stands' });
    const first = inThread('This is checked in the caller.');
    await run({ event: first.event });
    expect(github.reactions(first.id)).toEqual(['EYES', 'ROCKET']);
    expect(seen(last())).toContain('**The finding stands:** [`src/total.ts:4`]');
    const second = inThread('I still do not think so.');
    const { log } = await run({ event: second.event });
    expect([github.reactions(second.id), last()]).toEqual([[], 'I still do not think so.']);
    expect(log).toContain('One reply was answered in this thread.');
  });

  it.each([
    ['a decline', 'false positive', 'The finding is declined: there is nothing to answer.'],
    ['no setting', 'Why?', 'The comment holds no command in its first paragraph.'],
  ])('is left alone: %s', async (why, body, said) => {
    const { inThread, run, last } = await openThread({ inputs: why === 'no setting' ? {} : inputs });
    const { log } = await run({ event: inThread(body).event });
    expect([last(), log.includes(said)]).toEqual([body, true]);
  });
});

describe('an answer', () => {
  it('is given once, however often the run is started', async () => {
    const { inThread, run, github } = await openThread();
    const { event } = inThread('/postil explain');
    await run({ event });
    const count = github.comments().length;
    const { log } = await run({ event });
    expect([github.comments().length - count, log.includes('This was answered already.')]).toEqual([0, true]);
  });

  it.each([
    ['a command', '/postil explain', {}],
    ['a call by our name', '@Postil explain', { name: 'Postil' }],
  ])('to %s can be played again from its transcript', async (_, body, more) => {
    const files = outputFiles('transcript-file');
    const { inThread, run } = await openThread({ inputs: more });
    await run({ event: inThread(body).event, inputs: { ...files.inputs, ...more } });
    const { code, log } = await runCli({ args: ['replay', files.inputs['transcript-file'] ?? ''], cwd: '.' });
    expect([code, log.includes('The loop reads one past the end.'), log.includes('Differs')]).toEqual([0, true, false]);
  });

  it('that the model does not give is a reaction, a line of the log and a failed run', async () => {
    const { inThread, run, answers, github } = await openThread();
    answers({ answer: '' });
    const { id, event } = inThread('/postil explain');
    const { code, log } = await run({ event });
    expect([code, github.reactions(id)]).toEqual([1, ['EYES', 'CONFUSED']]);
    expect(log).toContain('The model gave no answer.');
  });
});
