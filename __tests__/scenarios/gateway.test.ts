import { expect, it, onTestFinished } from 'vitest';
import { at } from '../fakes/every-pair.ts';
import { startGateway } from '../fakes/model-server/gateway.ts';
import { call, fault, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { play, setStage, totalWorld, wrongLineFinding } from './review.ts';

/** A whole run of the job whose model stands behind a gateway that cannot stream. */
async function reviewed(model: ModelScript) {
  const scenario = { world: totalWorld, model };
  const stage = await setStage(scenario);
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const headers = `x-portkey-provider: openai\nx-portkey-custom-host: ${stage.model.url}`;
  const inputs = { 'base-url': `${gateway.url}/v1`, 'extra-headers': headers };
  const run = await play(stage, { ...scenario, inputs });
  const streamed = stage.model.attempts.map(({ body }) => at(body, 'stream') === true);
  const adjusted = run.log.split('\n').filter((line) => line.includes('requires a change'));
  return { ...stage, run, streamed, adjusted };
}

it('a gateway that answers 500 to every stream is asked without, from the third attempt on, and the log says so', async () => {
  const answers: ModelScript = ({ lastResult }) =>
    lastResult('read_file') === '' ? call('read_file', { path: 'src/total.ts' }) : submit([wrongLineFinding]);
  const { github, model, run, streamed, adjusted } = await reviewed(answers);
  expect([run.code, github.comments().length, model.complaints]).toEqual([0, 1, []]);
  // Two lost, then the answer that reads, the one that submits, and the verification.
  expect(streamed).toEqual([true, true, false, false, false]);
  expect(adjusted).toEqual([
    expect.stringContaining('not streaming, because 2 streamed requests failed (Something went wrong)'),
  ]);
});

it('an outage behind it is asked five times in all, and fails', async () => {
  const { run, streamed } = await reviewed(() => fault(500, { error: { message: 'The server had an error.' } }));
  expect([run.code, streamed]).toEqual([1, [true, true, false, false, false]]);
});
