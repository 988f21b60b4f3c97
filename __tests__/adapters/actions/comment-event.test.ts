import { describe, expect, it } from 'vitest';
import { askingSubject } from '../../../src/adapters/actions/comment-event.ts';
import { targetOf } from '../../../src/adapters/actions/event.ts';
import { previewSettings } from '../../../src/core/settings/parse-settings.ts';

const ada = { login: 'ada', type: 'User' };
const said = {
  node_id: 'N_5',
  id: 5,
  html_url: 'https://github.com/acme/shop/pull/7#x',
  body: '/postil help',
  user: ada,
};
const comment = { id: 'N_5', number: 5, url: said.html_url, body: said.body, thread: null };
const at = (full_name: string | null) => ({ repo: full_name === null ? null : { full_name } });
const pull = { number: 7, head: at('acme/shop'), base: at('acme/shop') };
const onPull = { number: 7, pull_request: { url: 'x' } };
const told = { by: 'ada', isBot: false, isNew: true, withoutSecrets: false };

const subjects = {
  issue_comment: (more: object = {}) =>
    askingSubject('issue_comment', { action: 'created', issue: onPull, comment: said, ...more }),
  pull_request_review_comment: (more: object = {}) =>
    askingSubject('pull_request_review_comment', { action: 'created', pull_request: pull, comment: said, ...more }),
  pull_request_review: (more: object = {}) =>
    askingSubject('pull_request_review', { action: 'submitted', pull_request: pull, review: said, ...more }),
};
const names = ['issue_comment', 'pull_request_review_comment', 'pull_request_review'] as const;

describe('what GitHub tells of a comment', () => {
  it.each<[string, ReturnType<typeof askingSubject>, object]>([
    ['in the conversation', subjects.issue_comment(), { in: 'conversation' }],
    ['that opens a thread', subjects.pull_request_review_comment(), { in: 'thread', thread: 5 }],
    [
      'in a thread',
      subjects.pull_request_review_comment({ comment: { ...said, in_reply_to_id: 3 } }),
      { in: 'thread', thread: 3 },
    ],
    ['that is the text of a review', subjects.pull_request_review(), { in: 'review' }],
    [
      'that is a review without a text',
      subjects.pull_request_review({ review: { ...said, body: null } }),
      { in: 'review', body: '' },
    ],
  ])('is where it stands: %s', (_, subject, place) => {
    expect(subject).toEqual({ kind: 'asking', number: 7, heard: { ...told, comment: { ...comment, ...place } } });
  });

  it.each([
    ['issue_comment', ['created'], ['edited', 'deleted', 'submitted']],
    ['pull_request_review_comment', ['created'], ['edited', 'deleted', 'submitted']],
    ['pull_request_review', ['submitted'], ['edited', 'dismissed', 'created']],
  ] as const)('%s is new at %j, and not at %j', (name, fresh, others) => {
    const isNew = (action: string) => {
      const subject = subjects[name]({ action });
      return subject.kind === 'asking' && subject.heard.isNew;
    };
    expect([...fresh, ...others].map(isNew)).toEqual([true, false, false, false]);
  });

  it.each([
    ['a person', ada, ['ada', false]],
    ['a deleted account', null, ['ghost', false]],
    ['an app', { login: 'x[bot]', type: 'Bot' }, ['x[bot]', true]],
    ['an app by its type alone', { login: 'x', type: 'Bot' }, ['x', true]],
    ['an app by its name alone', { login: 'x[bot]', type: null }, ['x[bot]', true]],
    ['somebody of whom GitHub tells no type', { login: 'bot' }, ['bot', false]],
  ])('is by %s', (_, user, expected) => {
    const found = [
      subjects.issue_comment({ comment: { ...said, user } }),
      subjects.pull_request_review_comment({ comment: { ...said, user } }),
      subjects.pull_request_review({ review: { ...said, user } }),
      askingSubject('workflow_dispatch', { sender: user }),
    ];
    expect(found.map((one) => (one.kind === 'asking' ? [one.heard.by, one.heard.isBot] : one))).toEqual(
      found.map(() => expected),
    );
  });

  it.each([
    ['the repository itself', at('acme/shop'), at('acme/shop'), false],
    ['a fork', at('eve/shop'), at('acme/shop'), true],
    ['a fork that was deleted', at(null), at('acme/shop'), true],
    ['nobody knows where', at(null), at(null), true],
  ])('has no secrets where the head is from a fork: from %s', (_, head, base, expected) => {
    const on = { pull_request: { ...pull, head, base } };
    const found = [
      subjects.pull_request_review_comment(on),
      subjects.pull_request_review(on),
      subjects.issue_comment(on),
    ];
    expect(found.map((one) => one.kind === 'asking' && one.heard.withoutSecrets)).toEqual([expected, expected, false]);
  });

  it.each([
    [
      'on an issue',
      subjects.issue_comment({ issue: { number: 7 } }),
      { kind: 'skip', reason: 'The comment is on an issue, not on a pull request.' },
    ],
    [
      'on an issue, by null',
      subjects.issue_comment({ issue: { number: 7, pull_request: null } }),
      { kind: 'skip', reason: 'The comment is on an issue, not on a pull request.' },
    ],
    ['that is not what GitHub sends', subjects.issue_comment({ comment: { ...said, id: '5' } }), { kind: 'other' }],
    ['without an address', subjects.issue_comment({ comment: { ...said, html_url: undefined } }), { kind: 'other' }],
    ['of an impossible number', subjects.issue_comment({ issue: { ...onPull, number: 0 } }), { kind: 'other' }],
  ])('is none %s', (_, subject, expected) => {
    expect(subject).toEqual(expected);
  });

  it.each(names)('%s is none of these without its payload', (name) => {
    expect([{}, null, [], 'text'].map((payload) => askingSubject(name, payload))).toEqual(
      Array(4).fill({ kind: 'other' }),
    );
  });
});

describe('what a comment asks of a job', () => {
  const inputs = previewSettings([]);
  const target = (subject: ReturnType<typeof askingSubject>, more: Partial<typeof inputs> = {}) =>
    targetOf({ name: 'x', repository: { owner: 'acme', repository: 'shop' }, subject }, { ...inputs, ...more });
  const words = subjects.issue_comment({ comment: { ...said, body: 'Please review.' } });
  const byHand = askingSubject('workflow_dispatch', { sender: ada });

  it.each<[string, ReturnType<typeof target>, object]>([
    [
      'is its text, on its pull request',
      target(subjects.issue_comment()),
      { number: 7, heard: { text: '/postil help' } },
    ],
    [
      'is its text, on the pull request of the input',
      target(subjects.issue_comment(), { pullRequest: 9 }),
      { number: 9, heard: { text: '/postil help' } },
    ],
    ['is words, which may be a reply', target(words), { number: 7, heard: { text: 'Please review.' } }],
    [
      'is the command of the input, by hand',
      target(byHand, { pullRequest: 9, command: '/postil summary' }),
      { number: 9, heard: { by: 'ada', comment: null, text: '/postil summary' } },
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toMatchObject({ kind: 'number', ...expected });
  });

  it('is a review where the workflow names the pull request, and nothing else is asked', () => {
    expect([target(words, { pullRequest: 9 }), target(byHand, { pullRequest: 9 })]).toEqual(
      Array(2).fill({ kind: 'number', number: 9 }),
    );
  });

  it('is unknown by hand without a number', () => {
    expect(() => target(byHand, { command: '/postil summary' })).toThrow(
      "The event 'x' does not tell which pull request to review.",
    );
  });
});
