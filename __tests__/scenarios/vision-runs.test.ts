import { expect, it, onTestFinished } from 'vitest';
import { seen } from '../fakes/decode-jpeg.ts';
import { drawPng } from '../fakes/draw-image.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { submit } from '../fakes/model-server/script.ts';
import { startModel } from '../fakes/model-server/start-model.ts';
import { sampleImages } from '../fakes/sample-images.ts';
import { push } from './push.ts';
import { play, review, setStage } from './review.ts';
import { runCli } from './run-cli.ts';

const { jpeg, gif } = sampleImages;
const drawn = (width: number) => drawPng({ width, height: 10, colourAt: () => [0, 0, 200, 255] });

it('the command line shows images as a job does', async () => {
  const fixture = createRepository();
  fixture.commit({ files: { 'logo.png': drawn(20) }, message: 'Start' });
  fixture.commit({ files: { 'logo.png': drawn(2_500) }, message: 'Widen the logo' });
  const model = await startModel([submit([{ path: 'logo.png', title: 'The logo is too wide' }])]);
  onTestFinished(() => model.close());
  const env = { POSTIL_API_KEY: model.apiKey, POSTIL_BASE_URL: model.url };
  const args = ['review', '--base', 'HEAD~1', '--vision', 'true', '--image-detail', 'high'];
  const run = await runCli({ args, cwd: fixture.directory, env });
  const sent = model.requests[0]?.images ?? [];
  const sizes = await Promise.all(sent.map(async ({ bytes, detail }) => [(await seen(bytes)).width, detail]));
  expect(sizes).toEqual([
    [20, 'high'],
    [2_048, 'high'],
  ]);
  expect([run.code, run.stdout.includes('logo.png'), model.complaints]).toEqual([0, true, []]);
});

it('a push shows the images that it touched, and none that an earlier run looked at', async () => {
  const base = { 'a.png': drawn(20), 'b.gif': gif.bytes };
  const scenario = {
    world: { base, head: { 'a.png': drawn(40), 'b.gif': jpeg.bytes } },
    model: () => submit([]),
    inputs: { vision: 'true' },
  };
  const stage = await setStage(scenario);
  await play(stage, scenario);
  const next = await push(stage, { files: { 'a.png': drawn(60) } });
  const run = await play(next, scenario);
  const widths = stage.model.requests.map(({ images }) =>
    Promise.all(images.map(async ({ bytes }) => (await seen(bytes)).width)),
  );
  expect(await Promise.all(widths)).toEqual([
    [20, 40, 48, 48],
    [20, 60],
  ]);
  expect([run.outputs['outcome'], stage.model.complaints]).toEqual(['clean', []]);
});

it('a context without room for the images reviews the code, and names them as not reviewed', async () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `export const value${index} = ${index};`);
  const world = {
    base: { 'README.md': '# Spoon\n' },
    head: { 'src/a.ts': `${lines(5).join('\n')}\n`, 'a.png': drawn(20), 'b.gif': gif.bytes, 'c.jpg': jpeg.bytes },
  };
  const whole = await review({ world, model: [submit([])], inputs: { vision: 'true', stream: 'false' } });
  const usage = Number(whole.run.outputs['input-tokens']);
  const { model, run } = await review({
    world,
    model: { contextWindow: usage - 150, answers: () => submit([]) },
    inputs: { vision: 'true', stream: 'false' },
  });
  expect(model.attempts.map(({ status }) => status)).toEqual([400, 200]);
  expect(model.requests[0]?.prompt).toContain('[The 3 images are not shown: removed to fit the context.]');
  expect([run.outputs['outcome'], model.requests[0]?.images, model.complaints.length]).toEqual(['partial', [], 0]);
  expect(run.summary).toContain('its images did not reach the model');
});
