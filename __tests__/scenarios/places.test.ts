import { expect, it } from 'vitest';
import { type Answer, submit } from '../fakes/model-server/script.ts';
import type { ActionRun } from './harness.ts';
import { askedIn, defectFinding, defectLine, openShop, push, type Stage, shopText } from './review.ts';

const first = 'src/shop-0.ts';
const second = 'src/store.ts';
const text = shopText(0, 1);
const guarded = '  return items[items.length - 1] ?? 0;';
const gate = { 'fail-on': 'warning' };

const found = submit([{ ...defectFinding(0), also_at: [`${second}:3`] }]);
const nothing = submit([]);
const ends = (prompt: string): Answer =>
  submit([], { earlier_findings: askedIn(prompt).map((id) => ({ id, path: null, quote: guarded, state: 'fixed' })) });

const said = ({ code, outputs }: ActionRun) => [code, outputs['outcome'], outputs['findings'], outputs['posted']];

/** What became of the one thread, and what the summary comment says of it. */
function toldOf({ github }: Stage) {
  const threads = github.threads().map(({ resolved, comments: [comment] }) => resolved || comment?.isMinimized);
  const [{ body = '' } = {}] = github.conversation();
  return [threads, /\d of \d places (?:is|are) fixed/.exec(body)?.[0] ?? null];
}

it.each<[string, string | null, () => Answer | ((prompt: string) => Answer)]>([
  ['deleted', null, () => nothing],
  ['mended', text.replace(defectLine(0), guarded), () => ends],
])(
  'a finding at two places stays open while one of them stands, and ends with it: the first is %s',
  async (_, left, answer) => {
    const { stage, say, runJob } = await openShop(1, { head: { [first]: text, [second]: text } });
    say(found);
    const runs = [await runJob(gate)];
    let at = await push(stage, { files: { [first]: left } });
    say(answer());
    runs.push(await runJob(gate, at));
    const halfway = toldOf(at);
    at = await push(at, { files: { [second]: text.replace(defectLine(0), guarded) } });
    say(ends);
    runs.push(await runJob(gate, at));
    expect([runs.map(said), halfway, toldOf(at)]).toEqual([
      [
        [1, 'findings', '1', '1'],
        [1, 'findings', '1', '0'],
        [0, 'clean', '0', '0'],
      ],
      [[false], '1 of 2 places is fixed'],
      [[true], null],
    ]);
  },
);
