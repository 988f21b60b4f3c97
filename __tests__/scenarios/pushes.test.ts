import { describe, expect, it } from 'vitest';
import type { People } from '../fakes/github-server/store.ts';
import { submit } from '../fakes/model-server/script.ts';
import {
  defectFinding,
  defectLine,
  openShop,
  play,
  push,
  reviewOf,
  rewordedReviewOf,
  shopFile,
  shopText,
  titlesOf,
} from './review.ts';

describe('the same commit again', () => {
  it('costs no model call, posts nothing, and still counts what stands', async () => {
    const { scenario, stage, say } = await openShop(2);
    say(reviewOf([0, 1]));
    await play(stage, scenario);
    const asked = stage.model.requests.length;
    const again = await play(stage, { ...scenario, inputs: { 'fail-on': 'warning' } });
    expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price1 reads']);
    expect(stage.model.requests.length).toBe(asked);
    expect([again.outputs['outcome'], again.outputs['findings'], again.outputs['posted']]).toEqual([
      'findings',
      '2',
      '0',
    ]);
    expect(again.code).toBe(1);
  });

  it('is reviewed in full when the workflow asks for it, and nothing is said twice', async () => {
    const { scenario, stage, say } = await openShop(2);
    say(reviewOf([0, 1]));
    await play(stage, scenario);
    say(rewordedReviewOf([0, 1]));
    const again = await play(stage, { ...scenario, inputs: { incremental: 'false' } });
    expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price1 reads']);
    expect([again.outputs['findings'], again.outputs['posted']]).toEqual(['2', '0']);
    expect(stage.github.conversation()).toHaveLength(1);
  });
});

describe('a push', () => {
  it('that changes other lines leaves the comments alone, whatever the model says of them now', async () => {
    const { scenario, stage, say } = await openShop(2);
    say(reviewOf([0, 1]));
    await play(stage, scenario);
    const text = `// A new first line.\n${shopText(0, 2)}`;
    const pushed = await push(stage, { files: { [shopFile(0)]: text } });
    say(rewordedReviewOf([0, 1]));
    const run = await play(pushed, scenario);
    expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price1 reads']);
    expect([run.outputs['outcome'], run.outputs['findings'], run.outputs['posted']]).toEqual(['findings', '2', '0']);
  });

  it('that adds a defect posts that one alone', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    await play(stage, scenario);
    const pushed = await push(stage, { files: { [shopFile(0)]: shopText(0, 2) } });
    say(reviewOf([0, 1]));
    const run = await play(pushed, scenario);
    expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price1 reads']);
    expect([run.outputs['findings'], run.outputs['posted']]).toEqual(['2', '1']);
    expect(run.summary).toContain('what changed since');
  });

  it('that fixes everything ends clean, and the old comment says that it is outdated', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    await play(stage, scenario);
    const mended = shopText(0, 1).replace(defectLine(0), '  return items[items.length - 1] ?? 0;');
    const pushed = await push(stage, { files: { [shopFile(0)]: mended } });
    say(reviewOf([]));
    const run = await play(pushed, scenario);
    expect([run.outputs['outcome'], run.outputs['findings'], stage.github.reviews().length]).toEqual(['clean', '0', 1]);
    expect(stage.github.conversation()).toHaveLength(1);
    expect(stage.github.conversation()[0]?.body).toContain('No findings');
    const before = stage.github.writes().length;
    await play(pushed, scenario);
    expect(stage.github.writes().length - before).toBeLessThanOrEqual(1);
  });

  it('is looked at alone: files that it does not touch are not sent again', async () => {
    const { scenario, stage, say } = await openShop(11);
    say(reviewOf([0, 10]));
    await play(stage, scenario);
    const asked = stage.model.requests.length;
    const pushed = await push(stage, { files: { [shopFile(1)]: shopText(1, 12) } });
    say(reviewOf([11]));
    const run = await play(pushed, scenario);
    const prompts = JSON.stringify(stage.model.requests.slice(asked));
    expect([prompts.includes('price10('), prompts.includes('price11('), prompts.includes('price3(')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([run.outputs['findings'], run.outputs['posted']]).toEqual(['3', '1']);
  });

  it('that moves a file takes its comments along', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    await play(stage, scenario);
    const pushed = await push(stage, { rename: [shopFile(0), 'src/till.ts'], files: {} });
    say({ ...reviewOf([0], (defect) => ({ ...defectFinding(defect), path: 'src/till.ts' })) });
    const run = await play(pushed, scenario);
    expect([titlesOf(stage.github), run.outputs['findings'], run.outputs['posted']]).toEqual([
      ['price0 reads'],
      '1',
      '0',
    ]);
  });

  it.each([
    ['the history was rewritten', { force: true }, {}],
    ['the settings changed', {}, { language: 'German' }],
  ] as const)('is reviewed in full when %s, and the summary says so', async (why, options, inputs) => {
    const { scenario, stage, say } = await openShop(2);
    say(reviewOf([0]));
    await play(stage, scenario);
    const pushed = await push(stage, {
      files: { [shopFile(0)]: shopText(0, 2), 'src/new.ts': 'export {};\n' },
      ...options,
    });
    say(reviewOf([0, 1]));
    const run = await play(pushed, { ...scenario, inputs });
    expect([titlesOf(stage.github), run.outputs['posted']]).toEqual([['price0 reads', 'price1 reads'], '1']);
    expect(run.summary).toContain(why);
  });
});

const collaborators = { octo: 'admin', ada: 'read', grace: 'write', eve: 'none' } as const;
const words = 'price0 reads';

/** A first review with two findings, a no to the first of them, a push, and a second review that finds both again. */
async function afterA(no: (people: People) => void, again: { readonly severity?: 'critical' } = {}) {
  const { scenario, stage, say } = await openShop(2, { github: { collaborators } });
  say(reviewOf([0, 1]));
  await play(stage, scenario);
  no(stage.github.people);
  const pushed = await push(stage, { files: { [shopFile(0)]: `// Pushed.\n${shopText(0, 2)}` } });
  say(rewordedReviewOf([0, 1], again));
  const run = await play(pushed, scenario);
  return { run, github: stage.github, model: stage.model };
}

describe('a finding that somebody who may write refuses', () => {
  it.each<[string, (people: People) => void]>([
    ['by resolving its thread', (people) => people.resolve(words, 'grace')],
    ['by a 👎', (people) => people.voteDown(words, 'grace')],
    ['by an answer', (people) => people.reply(words, { author: 'grace', body: "That's intended, please leave it." })],
  ])('%s is not raised again, and the summary names it and who refused', async (_, no) => {
    const { run, github } = await afterA(no);
    expect(titlesOf(github).filter((title) => !title.startsWith('That'))).toEqual(['price0 reads', 'price1 reads']);
    expect([run.outputs['findings'], run.outputs['posted']]).toEqual(['1', '0']);
    expect(run.summary).toMatch(/not raised again[\s\S]*\(0\)[\s\S]*grace/);
    expect(github.conversation()[0]?.body).toMatch(/not raised again[\s\S]*grace/);
  });

  it('is shown to the model with the answer that it got', async () => {
    const { model } = await afterA((people) => people.reply(words, { author: 'grace', body: 'Works as intended.' }));
    const prompt = JSON.stringify(model.requests.at(-1)?.messages);
    expect(prompt).toMatch(/raised by you, declined: reply by grace[\s\S]*Works as intended/);
    expect(prompt).not.toContain('postil:v1');
  });

  it('is raised anyway when it is critical now', async () => {
    const { run } = await afterA((people) => people.resolve(words, 'grace'), { severity: 'critical' });
    expect([run.outputs['critical'], run.outputs['posted']]).toEqual(['2', '1']);
  });
});

describe('a finding that somebody else refuses', () => {
  it.each<[string, (people: People) => void]>([
    ['who resolves the thread as its author', (people) => people.resolve(words, 'ada')],
    ['by a 👎 from outside', (people) => people.voteDown(words, 'eve')],
    ['by an answer from outside', (people) => people.reply(words, { author: 'eve', body: 'False positive.' })],
  ])('(%s) still counts, is not said twice, and the summary says why', async (_, no) => {
    const { run, github } = await afterA(no);
    expect(github.comments().filter(({ body }) => body.includes(words))).toHaveLength(1);
    expect([run.outputs['findings'], run.outputs['posted']]).toEqual(['2', '0']);
    expect(run.summary).toContain('without write permission');
  });

  it('loses nothing to a marker that a stranger wrote', async () => {
    const { scenario, stage, say } = await openShop(1, { github: { collaborators } });
    say(reviewOf([0]));
    const first = await play(stage, scenario);
    const own = stage.github.conversation()[0]?.body ?? '';
    const marker = own.slice(own.indexOf('<!-- postil'));
    stage.github.people.deleteComment('postil:v1');
    stage.github.people.say({ author: 'eve', body: `Nothing to see.\n\n${marker}` });
    const again = await play(stage, scenario);
    expect([first.outputs['posted'], again.outputs['posted'], again.outputs['findings']]).toEqual(['1', '0', '1']);
    expect(stage.model.requests).toHaveLength(2);
    expect(stage.github.conversation().map(({ author }) => author)).toEqual(['eve', 'github-actions[bot]']);
  });
});

describe('a worse defect that a push puts between the lines of an earlier finding', () => {
  const line = '  grantEverything(items);';
  const whole = {
    ...defectFinding(0),
    quote: shopText(0, 1).split('\n').slice(1, 4).join('\n'),
    title: 'It has no tests',
    severity: 'critical',
  } as const;
  const worse = { path: shopFile(0), quote: line, title: 'Everybody becomes an admin', severity: 'critical' } as const;

  it.each<[string, (people: People) => void]>([
    ['is open', () => undefined],
    ['was declined', (people) => people.resolve(whole.title, 'grace')],
  ])('is posted and forbids approval when that one %s, even when the model calls them the same', async (_, no) => {
    const { scenario, stage, say } = await openShop(1, { github: { collaborators, viewer: 'postil-app[bot]' } });
    const inputs = { 'review-event': 'approve', verify: 'false' };
    say(submit([whole]));
    await play(stage, { ...scenario, inputs });
    no(stage.github.people);
    const text = shopText(0, 1).replace(defectLine(0), `${line}\n${defectLine(0)}`);
    say((prompt) => submit([{ ...worse, same_as: /\[(p-[0-9a-f]{8}),/.exec(prompt)?.[1] ?? 'none is listed' }]));
    const run = await play(await push(stage, { files: { [shopFile(0)]: text } }), { ...scenario, inputs });
    expect(stage.model.requests.at(-1)?.prompt).toContain('name its id in same_as');
    expect([run.outputs['outcome'], run.outputs['posted']]).toEqual(['findings', '1']);
    expect(stage.github.comments().filter(({ body }) => body.includes(worse.title))).toHaveLength(1);
    expect(stage.github.reviews().map(({ state }) => state)).not.toContain('APPROVED');
  });
});

describe('a comment whose code is gone', () => {
  const mended = { files: { [shopFile(0)]: '/** Nothing is left. */\n' } };

  it('is minimised, and resolved where the token may', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    await play(stage, scenario);
    say(reviewOf([]));
    await play(await push(stage, mended), scenario);
    expect(stage.github.threads().map(({ comments, resolved }) => [comments[0]?.isMinimized, resolved])).toEqual([
      [true, false],
    ]);
  });

  it('is resolved with `contents: write`', async () => {
    const permissions = { contents: 'write', 'pull-requests': 'write', issues: 'write', checks: 'write' } as const;
    const { scenario, stage, say } = await openShop(1, { github: { permissions } });
    say(reviewOf([0]));
    await play(stage, scenario);
    say(reviewOf([]));
    await play(await push(stage, mended), scenario);
    expect(stage.github.threads().map(({ resolved }) => resolved)).toEqual([true]);
  });

  it('is left alone when people wrote in the thread', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    await play(stage, scenario);
    stage.github.people.reply(words, { author: 'grace', body: 'Interesting: how did you see that?' });
    say(reviewOf([]));
    const run = await play(await push(stage, mended), scenario);
    const [thread] = stage.github.threads();
    expect([run.outputs['findings'], thread?.resolved, thread?.comments[0]?.isMinimized]).toEqual(['0', false, false]);
    expect(thread?.comments[0]?.body).not.toContain('Outdated');
  });
});

describe('a finding that GitHub did not take', () => {
  it('is posted by the next run, although the commit is the same', async () => {
    const match = { method: 'POST', path: /\/(?:reviews|pulls\/7\/comments)$/ };
    const { scenario, stage, say } = await openShop(1, {
      github: { faults: [{ match, times: 3, before: 'status 422' }] },
    });
    say(reviewOf([0]));
    const first = await play(stage, scenario);
    const second = await play(stage, scenario);
    expect([first.outputs['findings'], first.outputs['posted'], second.outputs['posted']]).toEqual(['1', '0', '1']);
    expect(titlesOf(stage.github)).toEqual(['price0 reads']);
  });
});
