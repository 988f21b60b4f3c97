import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { say } from '../fakes/model-server/script.ts';
import { type Reviewed, review } from './review.ts';
import { division, first, lines, second, world } from './worlds.ts';

function run(
  answers: readonly ReturnType<typeof say>[],
  inputs: Readonly<Record<string, string>> = {},
): Promise<Reviewed> {
  return review({ world, model: answers, inputs: { profile: 'follow-up', ...inputs } });
}

describe('profile: follow-up', () => {
  it('reviews a batch in one call, with the code around the change and without reading tools', async () => {
    const { model, run: job, github } = await run([first(null)]);
    expect([model.requests.length, model.complaints, job.outputs['outcome']]).toEqual([1, [], 'findings']);
    expect(model.requests[0]?.tools).toEqual(['submit_review']);
    expect(model.requests[0]?.prompt).toContain('src/cart.ts: defines lastPrice');
    expect(github.comments().map(({ line }) => line)).toEqual([4]);
    expect(job.log).not.toContain('follow-up:');
  });

  it('shows the lines that were asked for once, and takes out what they refute, with the reason in the delivery', async () => {
    const folder = temporaryFolder();
    const [report, progress] = [join(folder, 'report.json'), join(folder, 'progress.ndjson')];
    const dismissed = [{ finding: 1, reason: 'Line 42 returns 0 for an empty cart.' }];
    const {
      model,
      run: job,
      github,
    } = await run([first(lines), second({ dismissed, findings: [division] })], {
      'report-file': report,
      'progress-file': progress,
    });
    expect([model.requests.length, model.complaints]).toEqual([2, []]);
    const [one, two] = model.requests;
    expect(two?.prompt).toContain('  42 |   if (items.length === 0) return 0;');
    expect(two?.prompt).not.toContain('  39 |   if (items.length');
    // The second prompt begins with the first, tools included, so that a provider has it cached.
    expect(two?.messages.slice(0, one?.messages.length)).toEqual(one?.messages);
    expect(two?.tools).toEqual(one?.tools);
    expect(github.comments().map(({ body }) => /free item|empty cart/.exec(body)?.[0])).toEqual(['free item']);
    expect(job.summary).toContain('An empty cart throws');
    expect(job.log).toMatch(/src\/cart\.ts:40-44: Does lastPrice guard/);
    const events: { type: string }[] = readFileSync(progress, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.find(({ type }) => type === 'follow_up_requested')).toMatchObject({
      file: 'src/cart.ts',
      lines: '40-44',
    });
    expect(events.find(({ type }) => type === 'follow_up_complete')).toMatchObject({
      issues_confirmed: 0,
      issues_removed: 1,
      issues_added: 1,
    });
    const [batch] = JSON.parse(readFileSync(report, 'utf8')).batches;
    expect(batch.follow_up).toMatchObject({
      file: 'src/cart.ts',
      lines: '40-44',
      refused: null,
      removed: 1,
      added: 1,
    });
    expect(batch.metrics.phases).toMatchObject({ single: { model_calls: 1 }, 'follow-up': { model_calls: 1 } });
  });

  it('never shows a file that has nothing to do with the change, and the first answer stands', async () => {
    const { model, run: job, github } = await run([first({ ...lines, file: 'src/secret.ts' })]);
    expect([model.requests.length, github.comments().length, job.outputs['outcome']]).toEqual([1, 1, 'findings']);
    expect([job.log, job.summary].map((text) => text.includes('neither among the changed files'))).toEqual([
      true,
      true,
    ]);
  });

  it('keeps the first answer when the second call fails, and says so', async () => {
    const fault = { kind: 'fault', status: 400, body: { error: { message: 'No more.' } }, headers: {} } as const;
    const { run: job, github } = await review({
      world,
      model: (_request, turn) => (turn === 0 ? first(lines) : fault),
      inputs: { profile: 'follow-up' },
    });
    expect([github.comments().length, job.outputs['outcome']]).toEqual([1, 'findings']);
    expect(job.summary).toContain('No more.');
  });

  it("takes Cora's words from a model without tools, in both answers", async () => {
    const issue = {
      file: 'src/checkout.ts',
      line: 4,
      severity: 'high',
      title: 'An empty cart throws',
      body: 'It may.',
      issue_type: 'bug',
    };
    const {
      model,
      github,
      run: job,
    } = await review({
      world,
      model: {
        rejects: ['tools'],
        answers: [
          say(JSON.stringify({ issues: [issue], context_request: lines })),
          say(JSON.stringify({ confirmed: [1], dismissed: [], added: [] })),
        ],
      },
      inputs: { profile: 'follow-up', api: 'chat' },
    });
    expect([model.requests.length, github.comments().length, job.outputs['outcome']]).toEqual([2, 1, 'findings']);
    expect(job.log).toMatch(/1 confirmed, 0 removed, 0 added/);
  });
});
