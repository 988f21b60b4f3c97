import { describe, expect, it, onTestFinished } from 'vitest';
import { startTlsProxy } from '../fakes/loopback.ts';
import { clouds, startCloud } from '../fakes/model-server/cloud.ts';
import { play, reader, setStage, totalWorld } from './review.ts';

/** A whole run of the job whose model is that of a cloud, with the token that its login gives. */
async function reviewed(cloud: (typeof clouds)[keyof typeof clouds], token: string = cloud.token) {
  const { host, path, model: name } = cloud;
  const scenario = { world: totalWorld, model: reader, start: 'bundle' } as const;
  const stage = await setStage(scenario);
  const endpoint = await startCloud(cloud, stage.model);
  const proxy = await startTlsProxy({ [host]: () => endpoint.url });
  onTestFinished(async () => {
    await Promise.all([proxy.close(), endpoint.close()]);
  });
  const run = await play(stage, {
    ...scenario,
    inputs: { 'base-url': `https://${host}${path}`, 'api-key': token, model: name },
    environment: { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: proxy.certificate },
  });
  return { ...stage, run };
}

describe.each(Object.entries(clouds))('a run with the model of a cloud, %s', (name, cloud) => {
  it('sends the token of the login, which no log shows', async () => {
    const { run, github, model } = await reviewed(cloud);
    const api = name === 'azure' ? 'responses' : 'chat';
    const asked = new Set(model.requests.map((request) => request.api));
    expect([run.code, github.comments().length, asked, model.complaints]).toEqual([0, 1, new Set([api]), []]);
    const everything = JSON.stringify([run.log.replaceAll(/^::add-mask::.*$/gm, ''), run.summary, run.outputs]);
    expect([run.masks.includes(cloud.token), everything.includes(cloud.token.slice(0, 40))]).toEqual([true, false]);
  });

  it('ends with the hint to check the key when the token has expired', async () => {
    const { run, model } = await reviewed(cloud, `${cloud.token}X`);
    expect([run.code, run.outputs['outcome'], model.attempts.length]).toEqual([1, 'failed', 0]);
    expect(run.log).toMatch(/\((?:401|403)\): .*Check the `api-key` input/);
  });
});
