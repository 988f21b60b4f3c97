import { describe, expect, it } from 'vitest';
import { call, submit } from '../fakes/model-server/script.ts';
import { review, totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './review.ts';
import { readableLog, readableText } from './runner/readable-log.ts';

describe('a whole run', () => {
  it('reads like this', async () => {
    const { github, model, run } = await review({
      world: totalWorld,
      start: 'bundle',
      model: (request, turn) => {
        if (turn === 0) return call('read_file', { path: 'src/total.ts' });
        return submit(request.lastResult('read_file').includes(wrongLine.trim()) ? [wrongLineFinding] : []);
      },
    });
    const [comment] = github.comments();
    expect([comment?.path, comment?.side, comment?.line, comment?.startLine]).toEqual([
      ...['src/total.ts', 'RIGHT'],
      ...[wrongLineNumber, null],
    ]);
    expect(run.annotations).toMatchObject([{ level: 'error', file: 'src/total.ts', line: wrongLineNumber }]);
    const outputs = { outcome: 'findings', action: 'REQUEST_CHANGES', critical: '1', warning: '0', posted: '1' };
    expect([run.code, run.outputs, model.complaints]).toMatchObject([0, outputs, []]);
    const keys = [model.apiKey, github.world.token];
    const everything = JSON.stringify([readableLog(run), run.summary, run.outputs, github.writes()]);
    expect(run.masks).toEqual(expect.arrayContaining(keys));
    expect(keys.filter((key) => everything.includes(key))).toEqual([]);
    const asked = github.requests.map(({ status, method, path }) => readableText(`${status} ${method} ${path}`));
    // The first requests are made side by side.
    expect(asked.toSorted()).toMatchSnapshot('requests to GitHub');
    expect(github.writes().map(({ body }) => readableText(JSON.stringify(body, null, 2)))).toMatchSnapshot(
      'what is posted',
    );
    expect(model.requests.map(({ api, tools, toolChoice }) => ({ api, tools, toolChoice }))).toMatchSnapshot(
      'model calls',
    );
    expect(readableLog(run)).toMatchSnapshot('log');
    expect(readableText(run.summary)).toMatchSnapshot('summary');
    expect(run.outputs).toMatchSnapshot('outputs');
  });
});
