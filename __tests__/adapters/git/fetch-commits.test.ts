import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { explain } from '../../../src/core/errors.ts';
import { cloneRepository, type GitFixture } from '../../fakes/git-fixture.ts';
import { type GitHttpServer, startGitHttpServer } from '../../fakes/git-http-server.ts';
import { startLoopback } from '../../fakes/loopback.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';
import { change, open } from './open-fixture.ts';

const token = 'basic eC1hY2Nlc3MtdG9rZW46c2VjcmV0';
const servers: GitHttpServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(fixture: GitFixture, options: { authorization: string | null; allowAnyCommit?: boolean }) {
  const server = await startGitHttpServer({ repositories: { 'octo/spoon': fixture.directory }, ...options });
  servers.push(server);
  return { server, url: `${server.url}/octo/spoon` };
}

describe('fetching', () => {
  it('sends the header exactly once, though the checkout persisted credentials and the machine has its own', async () => {
    const { fixture, commits } = change({ a: '1\n' }, { a: '2\n' });
    const { server, url } = await serve(fixture, { authorization: token });
    const checkout = cloneRepository(fixture, '--depth', '1');
    checkout.git('config', `http.${server.url}/.extraheader`, 'AUTHORIZATION: basic cGVyc2lzdGVk');
    const home = temporaryFolder();
    writeFileSync(join(home, '.gitconfig'), `[http "${url}"]\n\textraheader = AUTHORIZATION: basic bWFjaGluZQ==\n`);
    const environment = {
      PATH: process.env['PATH'],
      HOME: home,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.extraheader',
      GIT_CONFIG_VALUE_0: 'AUTHORIZATION: basic aW5oZXJpdGVk',
    };
    const git = await open({
      checkout: checkout.directory,
      remote: { url, authorization: token },
      commits,
      environment,
    });
    expect((await git.changes()).files).toHaveLength(1);
    expect(server.requests.length).toBeGreaterThan(0);
    expect(new Set(server.requests.map((request) => request.authorizations.join()))).toEqual(new Set([token]));
  });

  it('ends in the time that it is given when the server drips', async () => {
    const { commits } = change({ a: '1\n' }, { a: '2\n' });
    const headers = { 'content-type': 'application/x-git-upload-pack-advertisement' };
    const drip = ['001e# service=git-upload-pack\n', '0000'];
    const server = await startLoopback(async () => ({ status: 200, headers, body: '', chunks: drip, ending: 'stay' }));
    const remote = { url: `${server.url}/octo/spoon`, authorization: null };
    const opening = open({ remote, commits, fetchMilliseconds: 400 });
    await expect(opening.catch(explain)).resolves.toMatch(/could not be fetched from .* git fetch took longer than/);
    await server.close();
  });

  it('keeps the configuration of the machine, such as insteadOf', async () => {
    const { fixture, commits } = change({ a: '1\n' }, { a: '2\n' });
    const home = temporaryFolder();
    writeFileSync(join(home, '.gitconfig'), `[url "${fixture.url}"]\n\tinsteadOf = https://git.invalid/octo/spoon\n`);
    const git = await open({
      remote: { url: 'https://git.invalid/octo/spoon', authorization: null },
      commits,
      environment: { PATH: process.env['PATH'], HOME: home },
    });
    expect((await git.changes()).files).toHaveLength(1);
  });

  it('works with a server that gives out advertised commits only', async () => {
    const { fixture, commits } = change({ a: '1\n' }, { a: '2\n' });
    fixture.git('update-ref', 'refs/pull/7/head', commits.head);
    fixture.git('reset', '--quiet', '--hard', commits.base);
    fixture.commit({ files: { b: 'later\n' } });
    fixture.git('update-ref', 'refs/heads/release', commits.base);
    fixture.git(
      'update-ref',
      'refs/pull/8/head',
      fixture.git('commit-tree', '-p', commits.head, '-m', 'x', `${commits.head}^{tree}`),
    );
    const { url } = await serve(fixture, { authorization: null, allowAnyCommit: false });
    const git = await open({ remote: { url, authorization: null }, commits, pullRequestNumber: 7 });
    expect((await git.changes()).files).toHaveLength(1);
  });

  it('says what the server said, without the token', async () => {
    const { fixture, commits } = change({ a: '1\n' }, { a: '2\n' });
    const { url } = await serve(fixture, { authorization: token });
    const remote = { url, authorization: 'basic d3Jvbmc=' };
    const failure = await open({ remote, commits, pullRequestNumber: 7 }).catch((error: unknown) => error);
    expect(explain(failure)).toMatch(
      /could not be fetched from .*git fetch failed: .*could not read Username.*Grant contents: read/s,
    );
    expect(explain(failure)).not.toContain('d3Jvbmc=');
  });
});
