import { describe, expect, it } from 'vitest';
import { ask, changed, ofPull, start } from './ask-github.ts';
import { allPermissions } from './github-server/world.ts';

describe('the oldest Enterprise Server that is supported', () => {
  it('is the measure of every query: a field that is not known to be there is refused', async () => {
    const github = await start();
    const message = "Field 'viewerCanMergeAsAdmin' doesn't exist on type 'PullRequest'";
    expect(await ofPull(github, 'number viewerCanMergeAsAdmin')).toMatchObject({ errors: [{ message }] });
  });

  it('names its version and no rate limit, and knows one version of the API', async () => {
    const { apiUrl, world } = await start({ ...changed.github, isEnterprise: true });
    const asked = ['2022-11-28', '2026-03-10'].map((version) =>
      fetch(`${apiUrl}/repos/octo/spoon/pulls/7`, {
        headers: { authorization: `token ${world.token}`, 'x-github-api-version': version },
      }),
    );
    const answers = await Promise.all(asked);
    expect(
      answers.map(({ status, headers }) => [
        status,
        headers.get('x-github-enterprise-version'),
        headers.get('x-ratelimit-limit'),
      ]),
    ).toEqual([
      [200, 'enterprise-server@3.19.0', null],
      [400, 'enterprise-server@3.19.0', null],
    ]);
  });
});

describe('labels and description on the fake GitHub', () => {
  const labels = '/repos/octo/spoon/issues/7/labels';
  const names = ({ body }: { readonly body: { readonly name: string }[] }) => body.map(({ name }) => name);

  it('know a label by any letters, and make one only for who may write issues', async () => {
    const permissions = { ...allPermissions, issues: 'none' } as const;
    const github = await start({ ...changed.github, labels: ['Hot'], permissions });
    expect(names(await ask(github, `POST ${labels}`, { labels: ['HOT', 'hot'] }))).toEqual(['Hot']);
    expect((await ask(github, `POST ${labels}`, { labels: ['new'] })).status).toBe(403);
    expect(names(await ask(await start(), `POST ${labels}`, { labels: ['new'] }))).toEqual(['new']);
  });

  it.each([
    ['a label that is not there', 404, `DELETE ${labels}/hot`, undefined],
    ['a name that is too long', 422, `POST ${labels}`, { labels: ['x'.repeat(51)] }],
    ['more than a hundred', 500, `POST ${labels}`, { labels: Array.from({ length: 101 }, (_, at) => `l${at}`) }],
    ['a description that is too long', 422, 'PATCH /repos/octo/spoon/pulls/7', { body: 'x'.repeat(65_537) }],
    ['a key that nobody knows', 422, 'PATCH /repos/octo/spoon/pulls/7', { description: 'x' }],
  ])('refuse %s with %i', async (_, status, asked, body) => {
    expect((await ask(await start(), asked, body)).status).toBe(status);
  });
});
