import { expect, it } from 'vitest';
import { fault } from '../fakes/model-server/script.ts';
import { eventOf } from '../fakes/world/event.ts';
import { answersTo, ask, lastLine, openAsked, plain, type Telling } from './asking.ts';
import type { ActionRun } from './harness.ts';
import { play, review, totalWorld } from './review.ts';

const call = '/postil review';

it('what its author did not write as a line of their own is no command, and nothing is written', async () => {
  const { stage, scenario, github, model, own } = await openAsked({ inputs: { replies: 'false', name: '' } });
  const forms = [
    `> ${call}`,
    `As you said:\n\n> ${call}\n> ${call}`,
    `\`\`\`\n${call}\n\`\`\``,
    `    ${call}`,
    `\`${call}\``,
    `<!-- ${call} -->`,
    `<!--\n${call}\n-->\n\nFine.`,
    `<details><summary>More</summary>\n\n${call}\n\n</details>`,
    `<div hidden>\n\n${call}\n`,
    `<span title="x">\n${call}`,
    `Please ${call}`,
    `/post il review`,
    `/\u200bpostil review`,
    `[${call}](https://evil.example)`,
    `**${call}**`,
    `@Review review`,
    `@github-actions review`,
    `$$\nx\n${call}\n$$`,
    `| a |\n| - |\n| ${call} |`,
    `[x]: https://evil.example '\n${call}\n'`,
    '',
  ];
  const [writes, requests] = [github.writes().length, model.requests.length];
  const runs: ActionRun[] = [];
  for (const [index, body] of forms.entries()) {
    const id =
      index % 2 === 0
        ? github.people.say({ author: 'grace', body })
        : github.people.reply(own, { author: 'grace', body });
    runs.push(await ask(stage, scenario, id));
  }
  const said = runs.map((run, index) => [forms[index], run.code, lastLine(run)]);
  expect(said).toEqual(forms.map((form) => [form, 0, 'The comment holds no command in its first paragraph.']));
  expect([github.writes().length - writes, model.requests.length - requests]).toEqual([0, 0]);
});

it('a comment that is not as it was, or not on a pull request, starts nothing and gets no reaction', async () => {
  const { stage, scenario, github, model } = await openAsked();
  const { people } = github;
  const say = (body = call) => people.say({ author: 'grace', body });
  const [writes, requests] = [github.writes().length, model.requests.length];
  const edited = say();
  people.rewrite(edited, { body: '/postil pause' });
  const byOther = say('Looks good.');
  people.rewrite(byOther, { body: call, by: 'octo' });
  const deleted = say();
  const event = { ...scenario, event: eventOf(stage.world, 'issue_comment') };
  const runs = [
    await ask(stage, scenario, edited, { action: 'edited' }),
    await ask(stage, scenario, edited, { body: call }),
    await ask(stage, scenario, byOther, { action: 'edited', sender: 'octo' }),
    await ask(stage, scenario, byOther, { body: 'Looks good.' }),
    await ask(stage, scenario, say(), { action: 'deleted' }),
    await ask(stage, scenario, say(), { type: 'Bot' }),
    await ask(stage, scenario, people.say({ author: 'grace[bot]', body: call }), { type: 'User' }),
    await play(stage, event),
  ];
  // The payload of one that is gone when it is read.
  const goneEvent = { ...scenario, inputs: scenario.inputs };
  const gone = ask(stage, goneEvent, deleted);
  people.remove(deleted);
  runs.push(await gone);
  expect(runs.map((run) => [run.code, lastLine(run).replace('Not reviewed: ', '')])).toEqual([
    [0, 'Only a new comment asks for something: an edit starts nothing.'],
    [0, 'The comment was edited since: an edit starts nothing.'],
    [0, 'Only a new comment asks for something: an edit starts nothing.'],
    [0, 'The comment holds no command in its first paragraph.'],
    [0, 'Only a new comment asks for something: an edit starts nothing.'],
    [0, expect.stringContaining('@grace is a bot')],
    [0, expect.stringContaining('@grace[bot] is a bot')],
    [0, 'The comment is on an issue, not on a pull request.'],
    [0, 'The comment was deleted meanwhile.'],
  ]);
  expect([github.writes().length - writes, model.requests.length - requests]).toEqual([0, 0]);
});

it('a dismissal or pause that somebody else edited, hid or wrote in a quote counts no longer', async () => {
  const { tell, reviewAgain, github, finding } = await openAsked();
  const { people } = github;
  const dismissed = await tell(`/postil dismiss ${finding} It is meant so.`);
  const paused = await tell('/postil pause');
  const runs = [await reviewAgain()];
  people.rewrite(paused.id, { body: '/postil pause', by: 'mallory' });
  runs.push(await reviewAgain());
  people.rewrite(dismissed.id, { body: `/postil dismiss ${finding} It is meant so.`, by: 'mallory' });
  runs.push(await reviewAgain());
  const again = await tell(`/postil dismiss ${finding} It is meant so.`);
  runs.push(await reviewAgain());
  people.hide(again.id);
  runs.push(await reviewAgain());
  people.say({ author: 'octo', body: `> /postil dismiss ${finding}\n\nNo.` });
  people.say({ author: 'mallory', body: `/postil dismiss ${finding} Trust me.\n\n/postil pause` });
  runs.push(await reviewAgain());
  expect(runs.map(({ code, outputs }) => [code, outputs['outcome']])).toEqual([
    [1, 'skipped'],
    [0, 'clean'],
    [1, 'findings'],
    [0, 'clean'],
    [1, 'findings'],
    [1, 'findings'],
  ]);
});

it('a comment pauses what its answer says, wherever it stands, and never as a bot', async () => {
  const { tell, reviewAgain, github, stage, scenario } = await openAsked({
    pullRequest: {
      threads: [{ path: 'src/total.ts', line: 3, comments: [{ author: 'grace', body: 'A thought.' }] }],
    },
    inputs: { 'allow-bots': 'my-app[bot]' },
  });
  const [root] = github.threads()[0]?.comments ?? [];
  if (root === undefined) throw new Error('The thread has no comment.');
  root.body = '/postil pause';
  await ask(stage, scenario, root.id);
  const ends = [
    [
      answersTo(github, root.id).map(({ body }) => /^(?:Paused|Still paused)/m.test(body)),
      (await reviewAgain()).outputs['outcome'],
    ],
  ];
  root.body = 'A thought.';
  const forms: readonly (readonly [string, Telling?])[] = [
    ['/postil pause\n/postil resume'],
    ['/postil resume\n/postil pause'],
    ['/postil pause', { by: 'my-app[bot]' }],
    ['/postil pause', { thread: true }],
  ];
  for (const [body, how] of forms) {
    const { id, answers } = await tell(body, how);
    ends.push([
      answers.map((text) => /^(?:Paused|Still paused)/m.test(text)),
      (await reviewAgain()).outputs['outcome'],
    ]);
    github.people.remove(id);
  }
  const [paused, not] = [
    [[true], 'skipped'],
    [[false], 'findings'],
  ];
  expect(ends).toEqual([paused, not, paused, [[], 'findings'], paused]);
});

const wide = [
  'commands: read',
  'replies: true',
  'allow-bots: ["other[bot]"]',
  'max-commands: 1000',
  'command: /postil pause',
];

it('who may give commands is the word of the inputs: what widens it in a config file is not read of a head, and refused of a base', async () => {
  const config = { '.postil/config.yml': `${wide.join('\n')}\n` };
  const { tell, github } = await openAsked({ head: { ...totalWorld.head, ...config } });
  const told = [await tell('/postil ask Why?', { by: 'rita' }), await tell('/postil ask Why?', { by: 'other[bot]' })];
  expect(told.map(({ answers, id }) => [answers, github.reactions(id)])).toEqual([
    [[], ['THUMBS_DOWN']],
    [[], []],
  ]);
  const ends: unknown[] = [];
  for (const line of wide) {
    const world = { ...totalWorld, base: { ...totalWorld.base, '.postil/config.yml': `${line}\n` } };
    const { run } = await review({ world, model: [] });
    const [name = ''] = line.split(':');
    ends.push([run.code, run.outputs['outcome'], run.log.includes(`'${name}'`)]);
  }
  expect(ends).toEqual(wide.map(() => [1, 'failed', true]));
});

it('a limit that is reached, an answer that fails and a reaction that GitHub refuses stand in the log, with no more than one answer', async () => {
  const { tell, say, github, model } = await openAsked({ inputs: { 'max-commands': '2' } });
  say(() => fault(400, { error: { message: 'no' } }));
  const failed = await tell('/postil ask Why?');
  github.breaks({ match: { method: 'POST', path: /graphql/, body: /addReaction/ }, times: 2, before: 'status 403' });
  say(plain);
  const silent = await tell('/postil ask Why?');
  await tell('/postil help');
  const asked = model.requests.length;
  const over = await tell('/postil ask Why?');
  github.breaks({ match: { method: 'GET', path: /collaborators/ }, times: 9, before: 'status 500' });
  const unknown = await tell('/postil ask Why?');
  const all = [failed, silent, over, unknown];
  expect(
    all.map(({ run, id, answers }) => [
      run.code,
      run.outputs['outcome'],
      github.reactions(id).join(' '),
      answers.length,
    ]),
  ).toEqual([
    [1, 'failed', 'EYES CONFUSED', 0],
    [0, 'skipped', '', 1],
    [0, 'skipped', 'EYES CONFUSED', 0],
    [0, 'skipped', 'THUMBS_DOWN', 0],
  ]);
  expect(all.map(({ run: { log } }) => log)).toEqual([
    expect.stringContaining('The model gave no answer.'),
    expect.stringContaining('No reaction could be given'),
    expect.stringContaining('the maximum is 2 (`max-commands`)'),
    expect.stringContaining('GitHub does not say which permission @grace has'),
  ]);
  expect(model.requests).toHaveLength(asked);
});

it('a comment as long as GitHub takes it is answered once, of which the model is shown a part, or not at all', async () => {
  const { tell, model } = await openAsked();
  const long = (text: string) => `/postil ask ${text.repeat(65_536)}`.slice(0, 65_536);
  const found: unknown[] = [];
  for (const body of [long('why '), long('> '), long('*_'), long('x\n/postil ask '), long('[')]) {
    const { answers, run } = await tell(body);
    found.push([answers.length, run.code, (model.requests.at(-1)?.prompt.length ?? 0) < 30_000]);
  }
  // Its beginning says what is asked.
  expect(found).toEqual([1, 1, 0, 1, 0].map((answers) => [answers, 0, true]));
});

it('a conversation that is locked gets nothing, and the log says why', async () => {
  const { tell, github } = await openAsked();
  github.people.change({ locked: true });
  const { run, answers, id } = await tell('/postil ask Why?');
  expect([answers, github.reactions(id)]).toEqual([[], []]);
  expect(run.log).toContain('Unable to create comment because issue is locked.');
});
