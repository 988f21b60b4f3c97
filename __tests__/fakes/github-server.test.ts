import { describe, expect, it } from 'vitest';
import { ask, changed, edited, graphql, numbers, ofPull, start } from './ask-github.ts';
import type { FakeGitHub } from './github-server/start-github.ts';
import { allPermissions, type GitHubWorld, readOnly } from './github-server/world.ts';
import { createWorld } from './world/create-world.ts';
import { commentEvent, eventOf } from './world/event.ts';

const reviews = 'POST /repos/octo/spoon/pulls/7/reviews';
const review = (github: FakeGitHub, ...comments: readonly object[]) =>
  ask(github, reviews, { event: 'COMMENT', body: 'Read it.', comments });
const place = { path: 'src/lines.txt', side: 'RIGHT', body: 'Look.' };
const on = (line: number, more: object = {}) => ({ ...place, line, ...more });

describe('a review on the fake GitHub', () => {
  it('takes comments on changed lines and on their context', async () => {
    const github = await start();
    expect((await review(github, on(2), on(5), on(8, { start_line: 5 }))).status).toBe(200);
    expect(github.comments().map(({ line, startLine }) => [startLine, line])).toEqual([
      [null, 2],
      [null, 5],
      [5, 8],
    ]);
  });

  const noHunk = "and Pull request review thread diff hunk can't be blank";

  it.each([
    ['a line outside the hunks', on(20), `line must be part of the diff ${noHunk}`],
    ['line 0', on(0), `line must be part of the diff ${noHunk}`],
    ['a file outside the diff', on(1, { path: 'src/other.txt' }), `path is invalid ${noHunk}`],
    ['start and end on one line', on(5, { start_line: 5 }), 'start line must precede the end line.'],
    ['start and end in two hunks', on(30, { start_line: 5 }), 'start line must be part of the same hunk as the line.'],
  ])('refuses %s as a whole, and creates nothing', async (_, comment, words) => {
    const github = await start();
    const refused = await review(github, on(5), comment);
    expect([refused.status, refused.body.errors]).toEqual([422, [`Pull request review thread ${words}`]]);
    expect([github.reviews(), github.comments()]).toEqual([[], []]);
  });

  it('takes no comment on a file as a whole, but a single comment may be one', async () => {
    const github = await start();
    expect((await review(github, on(5, { subject_type: 'file' }))).status).toBe(422);
    const single = { path: 'src/lines.txt', subject_type: 'file', body: 'Look.', commit_id: changed.commits.head };
    expect((await ask(github, 'POST /repos/octo/spoon/pulls/7/comments', single)).status).toBe(201);
    expect(github.comments()[0]?.line).toBeNull();
  });

  it('allows one pending review, which its author may delete', async () => {
    const github = await start();
    const pending = await ask(github, reviews, { comments: [on(5)] });
    expect(pending.body.state).toBe('PENDING');
    const second = await review(github, on(5));
    expect(second.body.errors).toEqual(['User can only have one pending review per pull request']);
    const deleting = `DELETE /repos/octo/spoon/pulls/7/reviews/${pending.body.id}`;
    expect((await ask(github, deleting)).status).toBe(200);
    expect((await review(github, on(5))).status).toBe(200);
  });
});

describe('the fake GitHub', () => {
  it('refuses unknown fields and unbounded connections in GraphQL', async () => {
    const github = await start();
    const problemOf = async (fields: string) => (await ofPull(github, fields)).errors[0];
    expect(await problemOf('isDraught')).toMatchObject({
      message: "Field 'isDraught' doesn't exist on type 'PullRequest'",
    });
    expect(await problemOf('comments { totalCount }')).toMatchObject({ type: 'MISSING_PAGINATION_BOUNDARIES' });
  });
});

const discussed = createWorld({
  base: { 'src/lines.txt': `${numbers.join('\n')}\n` },
  head: { 'src/lines.txt': `${edited.join('\n')}\n` },
  github: { permissions: { ...allPermissions, actions: 'write' } },
  pullRequest: {
    threads: [{ path: 'src/lines.txt', line: 5, comments: [{ author: 'ada', body: 'Why is this so?' }] }],
    checks: [
      { name: 'review', workflow: 'Review', run: 41, conclusion: 'FAILURE' },
      { name: 'test', workflow: 'CI', run: 42, conclusion: null },
      { name: 'legacy', conclusion: 'SUCCESS' },
    ],
  },
});

const repository = '/repos/octo/spoon';

/** Below the pull request, in a thread and as a review. */
async function startTalk(changes: Partial<GitHubWorld> = {}) {
  const github = await start({ ...discussed.github, ...changes });
  const { people } = github;
  const said = people.say({ author: 'grace', body: '/postil review' });
  const answer = people.reply('Why is', { author: 'grace', body: 'Because.' });
  const reviewed = people.review({ author: 'grace', body: 'Fine, but one thing.' });
  const opening = github.threads()[0]?.comments[0]?.id ?? 0;
  const react = (id: string, content: string) =>
    graphql(
      github,
      `mutation { addReaction(input: { subjectId: "${id}", content: ${content} }) { reaction { content } } }`,
    );
  return { github, people, said, answer, reviewed, opening, react };
}

describe('a conversation on the fake GitHub', () => {
  it('calls what was said by one id, over REST and GraphQL', async () => {
    const { github, said, answer, reviewed } = await startTalk();
    const paths = [`/issues/comments/${said}`, `/pulls/comments/${answer}`, `/pulls/7/reviews/${reviewed}`];
    const rest = await Promise.all(paths.map((path) => ask(github, `GET ${repository}${path}`)));
    const { data } = await ofPull(
      github,
      `comments(last: 1) { nodes { id } } reviews(last: 1) { nodes { id } }
       reviewThreads(last: 1) { nodes { comments(last: 1) { nodes { id } } } }`,
    );
    const { comments, reviewThreads, reviews: told } = data.repository.pullRequest;
    const inThread = reviewThreads.nodes[0].comments.nodes[0].id;
    expect(rest.map((one) => one.body.node_id)).toEqual([comments.nodes[0].id, inThread, told.nodes[0].id]);
  });

  it('takes a reaction to everything that was said, each once', async () => {
    const { github, said, answer, reviewed, react } = await startTalk();
    const ids = [`IC_${said}`, `PRRC_${answer}`, `PRR_${reviewed}`];
    for (const id of ids) for (const content of ['EYES', 'EYES', 'ROCKET']) await react(id, content);
    const given = [said, answer, reviewed].map(github.reactions);
    expect(given).toEqual(Array.from({ length: 3 }, () => ['EYES', 'ROCKET']));
    const [problem] = (await react('IC_1', 'EYES')).errors;
    expect(problem.message).toBe("Could not resolve to a node with the global id of 'IC_1'");
  });

  it('takes no reaction from a token that only reads', async () => {
    const { github, said, react } = await startTalk({ permissions: readOnly });
    const { data, errors } = await react(`IC_${said}`, 'EYES');
    expect([data.addReaction, errors[0].type, github.reactions(said)]).toEqual([null, 'FORBIDDEN', []]);
  });

  it('takes a reply to the first comment of a thread alone, and makes a review around it', async () => {
    const { github, answer, opening } = await startTalk();
    const reply = (pull: number, id: number) =>
      ask(github, `POST ${repository}/pulls/${pull}/comments/${id}/replies`, { body: 'Seen.' });
    const answers = await Promise.all([reply(7, answer), reply(7, 1), reply(8, opening)]);
    expect(answers.map(({ status }) => status)).toEqual([422, 404, 404]);
    const { body: taken } = await reply(7, opening);
    expect([taken.in_reply_to_id, taken.pull_request_review_id]).toEqual([opening, github.reviews().at(-1)?.id]);
  });

  it('is closed to every writer where it is locked, and says so in three ways', async () => {
    const { github, people, said, opening, react } = await startTalk();
    const own = await ask(github, `POST ${repository}/issues/7/comments`, { body: 'Mine.' });
    people.change({ locked: true });
    const write = { body: 'Too late.' };
    const refused = [
      await ask(github, `POST ${repository}/issues/7/comments`, write),
      await ask(github, `POST ${repository}/pulls/7/comments/${opening}/replies`, write),
      await ask(github, `PATCH ${repository}/issues/comments/${own.body.id}`, write),
      await review(github, on(5)),
    ];
    expect(refused.map(({ status, body: { message, errors } }) => [status, errors?.[0] ?? message])).toEqual([
      [403, 'Unable to create comment because issue is locked.'],
      [403, 'Unable to create comment because issue is locked.'],
      [403, 'Unable to update comment because issue is locked.'],
      [422, 'lock prevents review'],
    ]);
    expect([(await react(`IC_${said}`, 'EYES')).errors.length, github.reactions(said)]).toEqual([1, []]);
  });

  it('knows the permission of people, and bots as none of them', async () => {
    const github = await start();
    const permission = (login: string) => ask(github, `GET ${repository}/collaborators/${login}/permission`);
    const asked = await Promise.all(['ada', 'eve', 'Copilot', 'renovate[bot]'].map(permission));
    expect(asked.map(({ body: answer }) => answer.permission ?? answer.message)).toEqual([
      'write',
      'none',
      'Copilot is not a user',
      'renovate[bot] is not a user',
    ]);
  });
});

describe('a workflow run on the fake GitHub', () => {
  it('runs again once it has ended, and only once at a time', async () => {
    const { github } = await startTalk();
    const statuses: unknown[] = [];
    for (const id of [41, 41, 42, 1]) {
      const { status, body: answer } = await ask(github, `POST ${repository}/actions/runs/${id}/rerun`);
      statuses.push([status, answer.message ?? answer]);
    }
    const running = [403, 'This workflow is already running'];
    expect([statuses, github.reruns()]).toEqual([[[201, {}], running, running, [404, 'Not Found']], [41]]);
    const { body: run } = await ask(github, `GET ${repository}/actions/runs/41`);
    expect(run).toMatchObject({ name: 'Review', status: 'in_progress', conclusion: null, run_attempt: 2 });
  });

  it('is read, but not run again, without `actions: write`', async () => {
    const { github } = await startTalk({ permissions: readOnly });
    const asked = [`GET ${repository}/actions/runs/41`, `POST ${repository}/actions/runs/41/rerun`];
    const answers = await Promise.all(asked.map((one) => ask(github, one)));
    expect(answers.map(({ status }) => status)).toEqual([200, 403]);
  });
});

describe('an event of a comment', () => {
  it('is named and placed by what stands on the server', async () => {
    const { github, said, answer, reviewed, opening } = await startTalk();
    const events = [said, answer, reviewed].map((id) => commentEvent({ world: discussed, github }, id));
    const merge = [discussed.commits.merge, 'refs/pull/7/merge'];
    expect(events.map(({ name, sha, ref }) => [name, sha, ref])).toEqual([
      ['issue_comment', discussed.commits.base, 'refs/heads/main'],
      ['pull_request_review_comment', ...merge],
      ['pull_request_review', ...merge],
    ]);
    const user = { login: 'grace', type: 'User' };
    expect(events.map(({ payload }) => payload)).toMatchObject([
      {
        action: 'created',
        issue: { number: 7, pull_request: {} },
        comment: { id: said, body: '/postil review', user },
      },
      { action: 'created', pull_request: { number: 7 }, comment: { id: answer, in_reply_to_id: opening, user } },
      { action: 'submitted', pull_request: { number: 7 }, review: { id: reviewed, state: 'commented', user } },
    ]);
  });

  it('tells what was so when it was sent, or of an issue that is no pull request', async () => {
    const { github, people, said } = await startTalk();
    const stage = { world: discussed, github };
    const before = commentEvent(stage, said, { type: 'Bot' });
    people.rewrite(said, { body: '/postil pause', by: 'eve' });
    const after = commentEvent(stage, said, { action: 'edited', sender: 'eve' });
    expect([before, after].map(({ payload }) => payload)).toMatchObject([
      { action: 'created', comment: { body: '/postil review', user: { type: 'Bot' } }, sender: { login: 'grace' } },
      { action: 'edited', comment: { body: '/postil pause', user: { type: 'User' } }, sender: { login: 'eve' } },
    ]);
    expect(eventOf(discussed, 'issue_comment').payload).not.toHaveProperty('issue.pull_request');
  });
});
