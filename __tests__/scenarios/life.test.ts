import { describe, expect, it } from 'vitest';
import type { SubmittedEarlier } from '../../src/core/findings/earlier.ts';
import { readMarks } from '../../src/core/history/mark.ts';
import { allPermissions } from '../fakes/github-server/world.ts';
import { type Answer, type ScriptedFinding, submit } from '../fakes/model-server/script.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';
import type { ActionRun } from './harness.ts';
import {
  askedIn,
  defectFinding,
  defectLine,
  openShop,
  push,
  reviewOf,
  type Stage,
  shopFile,
  shopText,
  titlesOf,
} from './review.ts';

const file = shopFile(0);
const vulnerable = defectLine(0);
const [fixedLine, original] = ['  return items[items.length - 1] ?? 0;', shopText(0, 1)];
const commented = original.replace(vulnerable, `${vulnerable} // checked by the caller`);
const changedBadly = original.replace('items[items.length] ?? 0', 'items[items.length] ?? 1');
const fixed = original.replace(vulnerable, fixedLine);

type Said = Omit<SubmittedEarlier, 'id' | 'path'> & { readonly path?: string };

/** The model's answer to whatever it is asked about; `findings` are new ones. */
function answering(said: Said | null, findings: readonly ScriptedFinding[] = []) {
  return (prompt: string): Answer => {
    const ids = askedIn(prompt);
    if (said === null || ids.length === 0) return submit(findings);
    return submit(findings, { earlier_findings: ids.map((id) => ({ path: null, ...said, id })) });
  };
}

const saysFixed = answering({ state: 'fixed', quote: fixedLine });

/** The sticky comment's first line, without its beginning. */
function headOf({ github }: Stage): string {
  return (github.conversation()[0]?.body ?? '').split('\n', 1)[0]?.replace('### Postil · ', '') ?? '';
}

/** What became of the comments, and of the threads around them. */
function fates({ github }: Stage): readonly string[] {
  return github.threads().map(({ resolved, comments: [comment] }) => {
    if (resolved) return 'resolved';
    return comment?.isMinimized === true ? 'minimised' : 'open';
  });
}

const said = ({ code, outputs }: ActionRun) => [code, outputs['outcome'], outputs['findings']];
const gate = { 'fail-on': 'warning' };

/** A shop with one defect that was reported, and a way to push another text of its file and run again. */
async function reported(more: Partial<WorldOptions> = {}, inputs: Record<string, string> = {}) {
  const shop = await openShop(1, more);
  shop.say(reviewOf([0]));
  await shop.runJob({ ...gate, ...inputs });
  let at: Stage = shop.stage;
  const pushed = async (text: string | null, answer: Parameters<typeof shop.say>[0]) => {
    at = await push(at, { files: { [file]: text, 'src/other.ts': `export const size = ${String(text).length};\n` } });
    shop.say(answer);
    return await shop.runJob({ ...gate, ...inputs }, at);
  };
  const again = async (answer: Parameters<typeof shop.say>[0]) => {
    shop.say(answer);
    return await shop.runJob({ ...gate, ...inputs }, at);
  };
  return { ...shop, pushed, again };
}

describe('a push that only adds a comment to the wrong line', () => {
  it.each<[string, ReturnType<typeof answering>]>([
    [
      'says fixed, with the line itself for a proof',
      answering({ state: 'fixed', quote: `${vulnerable} // checked by the caller` }),
    ],
    ['says fixed, without a proof', answering({ state: 'fixed', quote: null })],
    ['says nothing', answering(null)],
    ['is unsure', answering({ state: 'unsure', quote: null })],
  ])('fixes nothing when the model %s: it is changed, not checked, and counts', async (_, answer) => {
    const { stage, pushed } = await reported({}, { verify: 'false' });
    const run = await pushed(commented, answer);
    expect([said(run), headOf(stage), fates(stage)]).toEqual([
      [1, 'findings', '1'],
      'Nothing new, 1 still open (1 changed, not checked)',
      ['open'],
    ]);
    expect(stage.github.conversation()[0]?.body).toContain('changed, not checked');
  });

  it('leaves it where it is now when the model finds it still there, and is not asked again', async () => {
    const { stage, pushed, again } = await reported();
    const quote = `${vulnerable} // checked by the caller`;
    const run = await pushed(commented, answering({ state: 'still there', quote }));
    expect([said(run), headOf(stage), fates(stage)]).toEqual([
      [1, 'findings', '1'],
      'Nothing new, 1 still open',
      ['open'],
    ]);
    const asked = stage.model.requests.length;
    const later = await again(answering(null));
    expect([said(later), stage.model.requests.length - asked]).toEqual([[1, 'findings', '1'], 0]);
  });

  it('is one finding, though the model reports it again', async () => {
    const { stage, pushed } = await reported();
    const again = { ...defectFinding(0), quote: `${vulnerable} // checked by the caller` };
    const run = await pushed(commented, answering({ state: 'still there', quote: vulnerable.trim() }, [again]));
    expect([said(run), titlesOf(stage.github)]).toEqual([[1, 'findings', '1'], ['price0 reads']]);
  });
});

describe('a true fix', () => {
  it('ends the finding where the model proves it: struck through, closed, not counted', async () => {
    const { stage, pushed } = await reported();
    const run = await pushed(fixed, saysFixed);
    expect([said(run), headOf(stage), fates(stage)]).toEqual([
      [0, 'clean', '0'],
      'No open findings, 1 fixed · 2 files reviewed',
      ['minimised'],
    ]);
    const body = stage.github.conversation()[0]?.body ?? '';
    expect(body).toMatch(/<del>.*price0 reads.*<\/del><br><sub>fixed in/);
    expect(readMarks(body)).toMatchObject([{ kind: 'state', number: 2, data: expect.any(String) }]);
  });

  it('may stand beside lines that nobody touched', async () => {
    const { stage, pushed } = await reported();
    const guard = '  if (items.length === 0) throw new Error("empty");';
    const run = await pushed(
      original.replace(vulnerable, `${guard}\n${vulnerable}`),
      answering({ state: 'fixed', quote: guard }),
    );
    expect([said(run), fates(stage)]).toEqual([[0, 'clean', '0'], ['minimised']]);
  });

  it('that nobody confirms is asked about in every run until somebody answers', async () => {
    const { stage, pushed, again } = await reported();
    const silent = [
      await pushed(fixed, answering(null)),
      await pushed(`${fixed}\n\n\n\n\n\n\n// More.\n`, answering(null)),
    ];
    const heads = headOf(stage);
    const answered = await again(saysFixed);
    expect([silent.map(said), heads, said(answered), fates(stage)]).toEqual([
      [
        [1, 'findings', '1'],
        [1, 'findings', '1'],
      ],
      'Nothing new, 1 still open (1 changed, not checked)',
      [0, 'clean', '0'],
      ['minimised'],
    ]);
  });

  it('is asked about although the push that comes after it is to another file', async () => {
    const { stage, pushed, runJob, say } = await reported();
    const first = await pushed(fixed, { kind: 'fault', status: 401, body: 'no key', headers: {} });
    expect([first.outputs['outcome'], first.outputs['findings']]).toEqual(['failed', '1']);
    say(saysFixed);
    const next = await push(
      { ...stage, world: (await push(stage, { files: { [file]: fixed } })).world },
      { files: { 'src/b.ts': 'export {};\n' } },
    );
    expect(said(await runJob(gate, next))).toEqual([0, 'clean', '0']);
  });

  it('goes to verification with the old and the new code when the model is unsure, and to no other call', async () => {
    const { stage, pushed, check } = await reported({}, { verify: 'true' });
    const calls = stage.model.requests.length;
    check((): Answer => {
      const verdict = { finding: 1, verdict: 'wrong', result: 'It reads the last one.', path: file, quote: fixedLine };
      const verdicts = [{ ...verdict, review: null, suggestion: null }];
      const arguments_ = { confirmed: [], drop_suggestion: [], verdicts };
      return { kind: 'message', text: null, calls: [{ name: 'submit_verification', arguments: arguments_ }] };
    });
    const run = await pushed(fixed, answering({ state: 'unsure', quote: null }));
    const prompts = stage.model.verifications.map(({ messages }) => JSON.stringify(messages));
    expect([said(run), stage.model.requests.length - calls, prompts.length]).toEqual([[0, 'clean', '0'], 1, 2]);
    expect([prompts[1]?.includes('items[items.length] ??'), prompts[1]?.includes('items.length - 1')]).toEqual([
      true,
      true,
    ]);
  });
});

describe('a finding that was fixed', () => {
  it('comes back with its code: loud, shown again, and counted', async () => {
    const { stage, pushed, again } = await reported();
    await pushed(fixed, saysFixed);
    const run = await pushed(original, answering(null));
    expect([said(run), headOf(stage), fates(stage)]).toEqual([[1, 'findings', '1'], '1 came back', ['open']]);
    expect(run.outputs['headline'] ?? run.summary).toContain('1 came back');
    const later = await again(answering(null));
    expect([said(later), headOf(stage)]).toEqual([[1, 'findings', '1'], 'Nothing new, 1 still open']);
  });

  it('opens its thread again where the token resolved it', async () => {
    const { stage, pushed } = await reported({ github: { permissions: { ...allPermissions, contents: 'write' } } });
    await pushed(fixed, saysFixed);
    const closed = fates(stage);
    const run = await pushed(original, reviewOf([0]));
    expect([closed, said(run), fates(stage), titlesOf(stage.github)]).toEqual([
      ['resolved'],
      [1, 'findings', '1'],
      ['open'],
      ['price0 reads'],
    ]);
  });

  it('is posted anew, once, where GitHub does not open it again', async () => {
    const permissions = { ...allPermissions, contents: 'write' as const };
    const { stage, pushed, again } = await reported({ github: { permissions } });
    await pushed(fixed, saysFixed);
    Object.assign(permissions, allPermissions);
    const run = await pushed(original, reviewOf([0]));
    const later = await again(reviewOf([0]));
    expect([said(run), run.outputs['posted'], said(later), later.outputs['posted'], fates(stage)]).toEqual([
      [1, 'findings', '1'],
      '1',
      [1, 'findings', '1'],
      '0',
      ['resolved', 'open'],
    ]);
    await pushed(fixed, saysFixed);
    expect(fates(stage)).toEqual(['resolved', 'minimised']);
  });

  it('is so in the word of a writer who resolves its thread after the push, and comes back anyway', async () => {
    const collaborators = { octo: 'admin', grace: 'write' } as const;
    const { stage, pushed } = await reported({ github: { collaborators } });
    await pushed(fixed, answering(null));
    stage.github.people.resolve('price0 reads', 'grace');
    const run = await pushed(`${fixed}\n`, answering(null));
    expect([said(run), headOf(stage)]).toEqual([[0, 'clean', '0'], expect.stringContaining('1 fixed')]);
    const back = await pushed(original, answering(null));
    expect([said(back), headOf(stage)]).toEqual([[1, 'findings', '1'], '1 came back']);
  });
});

it('what a writer declined stays declined when its lines change later', async () => {
  const collaborators = { octo: 'admin', grace: 'write' } as const;
  const { stage, pushed, again } = await reported({ github: { collaborators } });
  stage.github.people.resolve('price0 reads', 'grace');
  await again(answering(null));
  const run = await pushed(changedBadly, answering(null));
  const later = await pushed(original, answering(null));
  expect([said(run), said(later), headOf(stage)]).toEqual([
    [0, 'clean', '0'],
    [0, 'clean', '0'],
    expect.stringContaining('1 declined'),
  ]);
});

it('a finding whose file is deleted is gone with it, and no fix', async () => {
  const { stage, pushed } = await reported();
  const run = await pushed(null, answering(null));
  expect([said(run), headOf(stage)]).toEqual([[0, 'clean', '0'], expect.stringContaining('1 gone with its file')]);
  const body = stage.github.conversation()[0]?.body ?? '';
  expect([body.includes('<del>'), fates(stage)]).toEqual([false, ['minimised']]);
  const back = await pushed(original, answering(null));
  expect([said(back), headOf(stage)]).toEqual([[1, 'findings', '1'], '1 came back']);
});

describe('a finding of a rule', () => {
  const bad = 'export const run = (code: string) => eval(code);\n';
  const rule = `---\nid: no-eval-here\ntitle: Eval runs what it is given\nseverity: warning\ncategory: security\npattern: '\\beval\\('\n---\nCall a function instead.\n`;
  const world = { base: { '.postil/rules/no-eval-here.md': rule, 'src/a.ts': '\n' }, head: { 'src/a.ts': bad } };
  const offline = { profile: 'offline', 'state-key': 'a-key-of-the-tests-0123456789' };

  it('is fixed when the rule does not match there any more, stands when it does, and comes back: without a model', async () => {
    const { stage, runJob } = await openShop(0, world);
    const heads: string[] = [];
    const step = async (at: Stage) => {
      await runJob({ ...gate, ...offline }, at);
      heads.push(headOf(at));
      return at;
    };
    let at = await step(stage);
    const safe = bad.replace('\n', ' // safe\n');
    for (const text of [safe, 'export const run = () => 1;\n', safe]) {
      at = await step(await push(at, { files: { 'src/a.ts': text } }));
    }
    expect(heads.map((head) => head.replace('Rules only · ', '').replace(/ · .*/, ''))).toEqual([
      '1 finding: 1 warning',
      'Nothing new, 1 still open',
      'No open findings, 1 fixed',
      '1 came back',
    ]);
  });
});
