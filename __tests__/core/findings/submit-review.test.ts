import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { submitReview } from '../../../src/core/findings/submit-review.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { instructions } from '../../../src/core/reviewing/instructions.ts';
import { linesAt } from '../../fakes/review-record.ts';
import { changedFile, finding, hunk, sources, submitted } from './make.ts';

const text = 'one();\ntwo();\nthree();\n';
const approval = { approved: false, rationale: 'One bug.', action: 'REQUEST_CHANGES' };
const good = submitted({ quote: 'one();' });
const bad = submitted({ quote: 'tow();', title: 'Second is dropped' });

function open() {
  let count = 0;
  const accepted: Finding[] = [];
  const given: unknown[] = [];
  const review = submitReview({
    ...sources([changedFile('src/a.ts'), changedFile('src/b.ts')], { head: { 'src/a.ts': text } }),
    nextId: () => `f${++count}`,
    ruleIds: new Set(['no-sum']),
    onAccept: (finding) => accepted.push(finding),
    onUnplaced: (item) => given.push(item),
  });
  const submit = (...items: readonly unknown[]) => review.tool.finish({ files_review: items, approval });
  return { review, submit, accepted, given };
}

const reason = { code: 'unplaced.not-in', path: 'src/a.ts' } as const;
const unplaced = {
  title: 'Second is dropped',
  path: 'src/a.ts',
  anchor: { kind: 'file' },
  unplaced: { reason, quote: bad.quote },
} as const;

const refusal = [
  'Accepted #1.',
  'Resubmit #2: quote not found in src/a.ts at head — the closest is line 2: `two();`',
  'Send only these, corrected and with an empty walkthrough, or an empty files_review to withdraw them. What was accepted is kept.',
].join('\n');

describe('submit_review', () => {
  it('ends the review when everything is found', async () => {
    const { review, submit, accepted } = open();
    const text = 'The review is submitted: findings accepted: 1.';
    expect(await submit(good)).toEqual({ done: true, text, told: '1 accepted' });
    const words = { walkthrough: [], nonSpecificReview: null, earlier: [], contextRequest: null, second: null };
    const rest = { ...words, withdrawn: [], unreadable: 0 };
    expect(review.result()).toEqual({ ...rest, findings: accepted, approval, submitted: true });
    expect(accepted).toEqual([finding({ anchor: linesAt([1, 1], 'one();') })]);
  });

  it('asks for a rule and an earlier finding only where a prompt names some', () => {
    const fields = (more: object) => {
      const { tool } = submitReview({ files: [], read: async () => null, nextId: () => 'f1', ...more });
      const items = tool.parameters.properties?.['files_review']?.items;
      return [Object.keys(items?.properties ?? {}), items?.required];
    };
    const [all = []] = fields({});
    const fewer = all.filter((name) => name !== 'rule_id' && name !== 'same_as');
    expect([all.length - fewer.length, fields({ unasked: ['rule_id', 'same_as'] })]).toEqual([2, [fewer, fewer]]);
  });

  it('believes a rule that there is, and no other', async () => {
    const { submit, accepted } = open();
    await submit({ ...good, rule_id: 'no-sum' }, { ...good, title: 'Second is dropped', rule_id: 'no-such' });
    expect(accepted.map(({ ruleId }) => ruleId)).toEqual(['no-sum', null]);
  });

  it('takes an empty list as a review that found nothing', async () => {
    const { review, submit } = open();
    expect([await submit(), review.result()]).toMatchObject([{ done: true }, { findings: [], submitted: true }]);
  });

  it('keeps what was accepted and asks for the failing items only', async () => {
    const { review, submit, accepted, given } = open();
    expect(await submit(good, bad)).toEqual({ done: false, text: refusal, told: '1 accepted, 1 returned' });
    expect(given).toMatchObject([{ title: unplaced.title, path: unplaced.path, reason: inEnglish(reason) }]);
    expect(review.result()).toMatchObject({ findings: [...accepted, unplaced], submitted: true });

    expect(await submit({ ...bad, quote: 'two();' })).toMatchObject({ done: true });
    expect(accepted.map(({ title }) => title)).toEqual([good.title, bad.title]);
    expect(review.result()).toMatchObject({ findings: accepted, withdrawn: [] });
  });

  it('asks at most twice, then the failing items are findings without a place', async () => {
    const { review, submit } = open();
    const answers = [await submit(good, bad), await submit(bad), await submit(bad)];
    expect(answers.map((answer) => answer.done)).toEqual([false, false, true]);
    expect(answers[2]?.text).toBe('The review is submitted: findings accepted: 1. 1 could not be placed.');
    expect(review.result()).toMatchObject({ findings: [{ title: good.title }, unplaced], withdrawn: [] });
  });

  const line = { paths: ['src/a.ts'], changes: 'Adds three calls.', checked: 'Their order: right.' };

  it('keeps the walkthrough of a submission that is returned, without the files that did not change', async () => {
    const { review, submit } = open();
    const walkthrough = [['b/src/a.ts', 'src/other.ts'], ['src/more.ts']].map((paths) => ({ ...line, paths }));
    await review.tool.finish({ walkthrough, files_review: [bad], approval });
    await submit();
    expect(review.result().walkthrough).toEqual([line]);
  });

  it('keeps the last line about a file', async () => {
    const { review } = open();
    for (const changes of ['One.', 'Two.']) {
      await review.tool.finish({ walkthrough: [{ ...line, changes }], files_review: [bad], approval });
    }
    expect(review.result().walkthrough).toEqual([{ ...line, changes: 'Two.' }]);
  });

  it('keeps the walkthrough of a submission that was cut behind it', async () => {
    const { review } = open();
    await review.tool.takeCut?.(`{"walkthrough": [${JSON.stringify(line)}], "files_review": [{"path": "src`);
    expect(review.result().walkthrough).toEqual([line]);
  });

  it('asks for no walkthrough where none is wanted, in no profile', () => {
    const world = sources([], { head: {} });
    const asked = [true, false].map((walkthrough) => {
      const tools = [false, true].map((followUp) =>
        submitReview({ ...world, nextId: () => 'f1', walkthrough, followUp }),
      );
      const fields = tools.map(({ tool: { parameters } }) => [parameters.properties, parameters.required]);
      return JSON.stringify([fields, instructions('English')]).split('walkthrough').length - 1;
    });
    expect(asked).toEqual([4, 0]);
  });

  const fixed = { ...bad, quote: 'two();', title: 'Call without effect' };
  it.each<[string, readonly unknown[], readonly string[], readonly object[]]>([
    ['withdraws an item', [], [], [{ ...unplaced, suppressed: { reason, by: 'follow-up' } }]],
    ['fixes it at the same path, whatever its title says now', [fixed], [fixed.title], []],
    ['sends everything again, of which the accepted one is not taken twice', [good, fixed], [fixed.title], []],
  ])('ends when the model %s', async (_, items, added, withdrawn) => {
    const { review, submit, accepted } = open();
    await submit(good, bad);
    expect(await submit(...items)).toMatchObject({ done: true });
    expect(accepted.map(({ title }) => title)).toEqual([good.title, ...added]);
    expect(review.result()).toMatchObject({ findings: accepted, withdrawn });
  });
});

describe('what a model never fixes', () => {
  async function given(...items: readonly unknown[]) {
    const { review, submit } = open();
    for (const _ of [1, 2, 3]) await submit(...items);
    const { findings, unreadable } = review.result();
    return [findings.map(({ title, severity }) => [title, severity]), unreadable];
  }

  it.each([
    ['an item that names no severity', { title: 'A hole', path: 'src/a.ts' }, [['A hole', 'critical']], 0],
    ['an item without a title', { review: 'It leaks.', severity: 'warning' }, [['It leaks.', 'warning']], 0],
    ['an item that says nothing', {}, [], 1],
    ['a text', 'No issues found.', [], 1],
  ] as const)('counts: %s', async (_, item, findings, unreadable) => {
    expect(await given(item)).toEqual([findings, unreadable]);
  });

  it('counts also when it is left out of what comes next', async () => {
    const { review, submit } = open();
    await submit({ ...bad, path: 'src/x.ts', severity: 'critical' });
    await submit({ ...good, severity: 'info' });
    expect(review.result().findings).toMatchObject([{ title: good.title }, { title: bad.title, path: 'src/x.ts' }]);
  });

  it.each<[string, Partial<typeof bad>, Partial<typeof good>, number]>([
    ['is taken up by another title in its file, when that is no less severe', {}, { severity: 'critical' }, 1],
    ['is not taken up by a smaller matter in its file', { severity: 'critical' }, { severity: 'nitpick' }, 2],
    ['is not taken up by another matter in another file', { path: 'src/b.ts' }, { severity: 'critical' }, 2],
    [
      'is taken up by one in another file where its own is not there',
      { path: 'src/x.ts' },
      { severity: 'critical' },
      1,
    ],
  ])('%s', async (_, given, answered, count) => {
    const { review, submit } = open();
    await submit({ ...bad, ...given });
    await submit({ ...good, ...answered });
    expect(review.result().findings).toHaveLength(count);
  });

  it('is not withdrawn by an empty submission in the same answer, whose approval is not believed', async () => {
    const { review } = open();
    const empty = { files_review: [], approval: { approved: true, rationale: 'Fine.', action: 'APPROVE' } };
    const full = { files_review: [bad], approval };
    const texts = [await review.tool.finish(empty, [full]), review.result()];
    expect(texts).toMatchObject([{ done: false }, { findings: [unplaced], withdrawn: [], approval }]);
  });

  const { path: _, ...unnamed } = good;
  it.each([
    ['by number', { '0': good, '1': { ...good, title: 'Another' } }],
    ['by path', { 'src/a.ts': [unnamed] }],
    ['alone', good],
  ])('is read from an object of items %s', async (_, files_review) => {
    const { review } = open();
    expect(await review.tool.finish({ files_review, approval })).toMatchObject({ done: true });
    expect(review.result().findings[0]).toMatchObject({ title: good.title, path: 'src/a.ts' });
  });
});

describe('what is no submission', () => {
  it('is never a review, however often it comes', async () => {
    const { review } = open();
    const text = 'files_review is missing: send a list, empty when there is nothing to report';
    const told = 'returned, because it could not be read';
    for (const value of [{}, { approval }, {}, {}]) {
      expect(await review.tool.finish(value)).toEqual({ done: false, text, told });
    }
    expect(review.result()).toMatchObject({ submitted: false, approval: null });
  });

  it('ends a review that was submitted before, after two more chances', async () => {
    const { review, submit } = open();
    await submit(good, bad);
    const answers = [await review.tool.finish({}), await review.tool.finish({})];
    expect(answers.map((answer) => answer.done)).toEqual([false, true]);
    expect(review.result()).toMatchObject({ findings: [{ title: good.title }, unplaced] });
  });
});

describe('the words of a review', () => {
  it('stay when a resubmission leaves them out, and give way when it says them anew', async () => {
    const { review, submit } = open();
    await review.tool.finish({ files_review: [bad], non_specific_review: 'Hm.', approval });
    await review.tool.finish({ files_review: [bad] });
    expect(review.result()).toMatchObject({ approval, nonSpecificReview: 'Hm.' });
    await submit({ ...bad, quote: 'two();' });
    expect(review.result()).toMatchObject({ approval, nonSpecificReview: 'Hm.' });
  });

  it.each([
    ['do not become milder by an empty resubmission, while accepted findings stand', [good, bad], false],
    ['may become milder when the only finding is withdrawn', [bad], true],
  ])('%s', async (_, items, milder) => {
    const { review } = open();
    const approve = { approved: true, rationale: 'I was wrong.', action: 'APPROVE' };
    await review.tool.finish({ files_review: items, approval });
    await review.tool.finish({ files_review: [], approval: approve });
    expect(review.result().approval).toEqual(milder ? approve : approval);
  });
});

describe('what is said of a finding that was raised before', () => {
  const hunks = [hunk({ old: 1, new: 1 }, '-one(1);', '+one();', ' two();')];
  const asked = {
    id: 'p-1',
    path: 'src/a.ts',
    title: 'T',
    said: '',
    place: 'src/a.ts:1-1',
    lines: { start: 1, end: 1 },
    hunks,
    isAmong: null,
  };
  const [there, fixed, unsure] = [
    { id: 'p-1', path: null, quote: null, state: 'still there' },
    { id: 'p-1', path: null, quote: 'one();', state: 'fixed' },
    { id: 'p-1', path: null, quote: null, state: 'unsure' },
  ];
  it.each([
    ['fixed', 'fixed', [fixed]],
    ['still there, then fixed', 'still there', [there, fixed]],
    ['fixed, then still there', 'still there', [fixed, there]],
    ['fixed, then unsure', 'unsure', [fixed, unsure]],
  ])('is the worst of it: %s', async (_, state, earlier_findings) => {
    const world = sources([changedFile('src/a.ts', { hunks })], { head: { 'src/a.ts': text } });
    const review = submitReview({ ...world, nextId: () => 'f1', asked: [asked] });
    await review.tool.finish({ files_review: [], approval, earlier_findings });
    expect(review.result().earlier).toMatchObject([{ id: 'p-1', state }]);
  });
});

describe('a submission that is cut at the output limit', () => {
  const second = { ...bad, quote: 'two();' };
  const whole = JSON.stringify({ files_review: [good, second], approval });

  it.each([
    ['is asked for the rest and the approval', [second]],
    ['does not double what comes again with the rest', [good, second]],
  ])('keeps its complete findings, and %s', async (_, items) => {
    const { review, submit } = open();
    const answer = await review.tool.takeCut?.(whole.slice(0, whole.indexOf('Second')));
    const said =
      /^Your call was cut at the output limit\. Taken are: ".*"\. Call submit_review again with the rest only/;
    expect(answer).toMatch(said);
    expect([review.result().findings.length, review.result().submitted]).toEqual([1, false]);
    expect((await submit(...items)).done).toBe(true);
    const findings = [{ id: 'f1' }, { title: 'Second is dropped' }];
    expect(review.result()).toMatchObject({ submitted: true, findings });
  });

  it('without a complete finding is nothing', async () => {
    expect(await open().review.tool.takeCut?.(whole.slice(0, 40))).toBe(null);
  });
});
