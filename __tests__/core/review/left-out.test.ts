import { describe, expect, it } from 'vitest';
import type { PullRequest } from '../../../src/core/pull-request/pull-request.ts';
import { asideOf, reasonToSkip } from '../../../src/core/review/left-out.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';
import { pullRequest } from '../../fakes/review-record.ts';

type SkipReason = NonNullable<ReturnType<typeof reasonToSkip>>['why'];
type Inputs = Readonly<Record<string, string>>;

function settingsOf(values: Inputs) {
  return parseSettings([{ where: 'input', trusted: true, values }]).settings;
}

function skipped(
  changes: Partial<PullRequest>,
  inputs: Inputs = {},
  starting: Parameters<typeof reasonToSkip>[2] = {},
) {
  return reasonToSkip({ ...pullRequest, ...changes }, settingsOf(inputs), starting);
}

const on = (ref: string) => ({ base: { ref, sha: 'b'.repeat(40) } });

describe('a pull request', () => {
  it.each<[string, Partial<PullRequest>, Inputs, SkipReason | null]>([
    ['without the label', {}, { 'trigger-label': 'review' }, { code: 'skip.trigger-label', label: 'review' }],
    ['with the label in other letters', { labels: ['Review'] }, { 'trigger-label': 'review' }, null],
    [
      'with an ignored label',
      { labels: ['x', 'WIP'] },
      { 'ignore-labels': 'wip' },
      { code: 'skip.ignored-label', label: 'WIP' },
    ],
    ['with a longer label', { labels: ['wip 2'] }, { 'ignore-labels': 'wip' }, null],
    [
      'with a label of a family',
      { labels: ['area: [x]/y'] },
      { 'ignore-labels': 'area: [*]/*' },
      { code: 'skip.ignored-label', label: 'area: [x]/y' },
    ],
    ['with a label that only begins so', { labels: ['aba'] }, { 'ignore-labels': 'ab*ba' }, null],
    [
      'with a label of three parts',
      { labels: ['a-b-c'] },
      { 'ignore-labels': 'a*b*c' },
      { code: 'skip.ignored-label', label: 'a-b-c' },
    ],
    ['with the parts in another order', { labels: ['a-c-b'] }, { 'ignore-labels': 'a*b*c*b' }, null],
    ['that says so in its title', { title: 'Try [Skip Postil]' }, {}, { code: 'skip.title-command' }],
    [
      'with an ignored title',
      { title: 'Release v2' },
      { 'ignore-titles': 'x\nrelease V' },
      { code: 'skip.ignored-title', text: 'release V' },
    ],
    [
      'on another base branch',
      on('dev'),
      { 'base-branches': 'main\nrelease/*' },
      { code: 'skip.base-branch', branch: 'dev' },
    ],
    [
      'on a branch of that name in a folder',
      on('ada/main'),
      { 'base-branches': 'main' },
      { code: 'skip.base-branch', branch: 'ada/main' },
    ],
    ['on a branch that a glob names', on('release/2.x'), { 'base-branches': 'main\nrelease/*' }, null],
    [
      'on a branch deeper than one star',
      on('release/2/x'),
      { 'base-branches': 'release/*' },
      { code: 'skip.base-branch', branch: 'release/2/x' },
    ],
    [
      'in a stack on that branch',
      { ...on('layer'), stack: { ...on('main'), below: [] } },
      { 'base-branches': 'main' },
      null,
    ],
    [
      'on that branch, in a stack on another',
      { ...on('dev'), stack: { ...on('main'), below: [] } },
      { 'base-branches': 'dev' },
      null,
    ],
    ['on a branch under two stars', on('release/2/x'), { 'base-branches': 'release/**' }, null],
    ['that nothing filters', { title: 'Skip postil', labels: ['x'] }, {}, null],
  ])('%s', (_, changes, inputs, why) => {
    expect(skipped(changes, inputs)?.why ?? null).toEqual(why);
  });

  it('is left out by the first reason, and by its author only where nothing else leaves it out', () => {
    const all = { draft: true, title: '[skip postil]', ...on('dev') };
    const inputs = { 'trigger-label': 'review', 'base-branches': 'main' };
    const reasons = [
      skipped(all, inputs),
      skipped({ ...all, draft: false }, inputs),
      skipped({ ...all, draft: false, labels: ['review'] }, inputs),
      skipped({ labels: ['review'], ...on('dev') }, inputs),
    ];
    expect(reasons.map((one) => [one?.why.code, one?.byAuthor === true])).toEqual([
      ['skip.draft', false],
      ['skip.trigger-label', false],
      ['skip.title-command', true],
      ['skip.base-branch', true],
    ]);
  });

  it.each([
    ['an ignored one that it has', { labels: ['Size/XL'] }, { 'ignore-labels': 'size/*' }],
    ['the one that it lacks', {}, { 'trigger-label': 'size/xl' }],
  ])('is left out by its author where Postil sets the label: %s', (_, changes, inputs) => {
    const byWhom = ['size/XL: changed > 1000', 'size/S: changed < 10'].map(
      (labels) => skipped(changes, { ...inputs, labels })?.byAuthor === true,
    );
    expect(byWhom).toEqual([true, false]);
  });

  it('is left out by a label with signs that mean something in patterns, in which a star stands for any text', () => {
    const labels = ['C++ [a]/b'];
    expect(skipped({ labels }, { 'ignore-labels': 'c++ [*/b' })?.why).toEqual({
      code: 'skip.ignored-label',
      label: 'C++ [a]/b',
    });
    expect(skipped({ labels }, { 'ignore-labels': 'c.. *\nc++ [a]/*c' })).toBeNull();
  });

  it('is left out by the label that people set, where it has one that Postil sets too', () => {
    const inputs = { 'ignore-labels': 'size/*\nwip', labels: 'size/XL: changed > 1000' };
    expect(skipped({ labels: ['size/XL', 'wip'] }, inputs)).toEqual({
      why: { code: 'skip.ignored-label', label: 'wip' },
    });
  });

  it('that somebody asks to review is left out only when it is closed', () => {
    const asked = { by: 'ada', comment: null, commands: [], mayWrite: true };
    const all = { draft: true, title: '[skip postil]', ...on('dev') };
    const inputs = { 'trigger-label': 'review', 'base-branches': 'main', 'ignore-titles': 'skip' };
    for (const starting of [{ asked }, { isByHand: true }]) {
      expect(skipped(all, inputs, starting)).toBeNull();
      expect(skipped({ ...all, state: 'merged' }, inputs, starting)).toEqual({ why: { code: 'skip.merged' } });
    }
  });
});

describe('a run', () => {
  const settings = settingsOf({ 'trigger-label': 'Review' });
  const identity = { name: 'Review', run: '1-1', settings: '0'.repeat(16) };
  it.each([
    ['a push', undefined, false],
    ['the label that asks for a review', { of: 'label', name: 'review' }, false],
    ['another label', { of: 'label', name: 'x' }, true],
    ['an edit', { of: 'text' }, true],
  ] as const)('that %s started at a commit that nobody reviewed is one like any other', (_, change, isAside) => {
    expect(asideOf(change, { settings, pullRequest, identity })).toEqual({ isAside, again: [] });
  });
});
