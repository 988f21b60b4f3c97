import { describe, expect, it } from 'vitest';
import {
  askedIn,
  asksForReview,
  type Heard,
  pathsAsked,
  settingsFor,
  verbOf,
  whyRefused,
} from '../../../src/core/history/asked.ts';
import { commandsIn, verbs } from '../../../src/core/history/commands.ts';
import { parseSettings, previewSettings } from '../../../src/core/settings/parse-settings.ts';
import { askedComment, asking, inThread } from '../../fakes/asking.ts';

const rules = { ...previewSettings([]), replies: true, name: 'Review', allowBots: ['My-App[bot]'] };
const pause = '/postil pause';
const reply = askedComment(inThread);
const opening = { ...reply, thread: reply.number };
const byBot = (by: string) => ({ isBot: true, by, text: pause });

/** What is asked, or the beginning of why nothing is. */
function answered(heard: Partial<Heard>, more: Partial<typeof rules> = {}): string {
  const plain = { by: 'grace', comment: askedComment(), isNew: true, isBot: false, withoutSecrets: false, text: '' };
  const found = askedIn({ ...plain, ...heard }, { ...rules, ...more });
  return 'why' in found ? found.why.slice(0, 40) : (verbOf({ ...found.asked, mayWrite: true }) ?? 'unknown');
}

describe('what somebody writes', () => {
  const none = 'The comment holds no command in its first paragraph.'.slice(0, 40);
  it.each<[string, string, Partial<Heard>, Partial<typeof rules>?]>([
    ['asks for what its first command says', 'pause', { text: `Hm.\n${pause}\n/postil resume` }],
    ['asks by the name that the workflow gives', 'resume', { text: '@review resume' }],
    ['asks for nothing by a name that it does not give', none, { text: '@review resume' }, { name: '' }],
    ['asks for something unknown', 'unknown', { text: '/postil dance' }],
    ['asks for nothing in words', none, { text: 'Please pause.' }],
    [
      'asks for nothing where commands are off',
      'Comments ask for nothing here (`commands',
      { text: pause },
      { commands: 'off' },
    ],
    ['asks for nothing after an edit', 'Only a new comment asks for something: a', { text: pause, isNew: false }],
    ['asks for nothing as a bot', '@x[bot] is a bot, and `allow-bots` does ', byBot('x[bot]')],
    ['asks as a bot that the workflow allows', 'review', { ...byBot('my-app[bot]'), text: '/postil review' }],
    ...['dismiss p-1', 'undismiss p-1', 'pause', 'resume'].map((command): [string, string, Partial<Heard>] => [
      `has no ${command} done as a bot`,
      '@my-app[bot] is a bot, and bots dismiss ',
      { ...byBot('my-app[bot]'), text: `/postil ${command}` },
    ]),
    ['asks for nothing as a reply of a bot', none, { ...byBot('my-app[bot]'), text: 'Why?', comment: reply }],
    ['asks by hand without our name', 'review', { text: 'review src/**', comment: null }],
    ['asks by hand', 'pause', { text: pause, comment: null }],
    ['asks by hand and by name', 'summary', { text: ' @review summary', comment: null }],
    ['asks by hand for something unknown', 'unknown', { text: 'dance', comment: null }],
    [
      'asks for nothing without secrets, and is told where to write',
      'The pull request is from a fork, where c',
      { text: pause, withoutSecrets: true },
    ],
    ['asks for nothing without secrets and without a command', none, { withoutSecrets: true }],
    ['asks as a reply in a thread', 'reply', { text: 'Why?', comment: reply }],
    ['asks for nothing as a reply where replies are off', none, { text: 'Why?', comment: reply }, { replies: false }],
    ['asks for nothing as a comment that opens a thread', none, { text: 'Why?', comment: opening }],
    [
      'asks for nothing as a remark in the conversation or a review',
      none,
      { text: 'Why?', comment: { ...reply, in: 'review', thread: null } },
    ],
  ])('%s', (_, expected, heard, more) => {
    expect(answered(heard, more)).toBe(expected);
  });
});

const permissions = ['none', 'read', 'write', 'admin', null] as const;
const everyVerb = [...verbs.pullRequest, ...verbs.finding, 'wat', ''];

describe('who may ask for something', () => {
  const mutating = ['dismiss', 'undismiss', 'pause', 'resume'];
  it.each(['read', 'write', 'admin', 'off'] as const)(
    'is, with `commands: %s`, told by this table alone',
    (commands) => {
      const least = { read: 1, write: 2, admin: 3, off: 3 }[commands];
      const table = everyVerb.map((verb) => {
        const asked = asking(verb === '' ? 'Why?' : `/postil ${verb}`, inThread);
        return permissions.map((one) => whyRefused(asked, one, { commands }) === null);
      });
      const expected = everyVerb.map((verb) => {
        const needs = mutating.includes(verb) ? 2 : least;
        return permissions.map((one) => one !== null && permissions.indexOf(one) >= needs);
      });
      expect(table).toEqual(expected);
    },
  );

  it.each([
    ['/postil pause\n/postil help', 'read', '@grace has the permission `read`, and this takes `write`.'],
    ['/postil help', 'none', '@grace has the permission `none`, and this takes `read`.'],
    ['/postil help', null, 'GitHub does not say which permission @grace has, so nothing is done.'],
  ] as const)('is said for %j by somebody with %s', (body, permission, why) => {
    expect(whyRefused(asking(body), permission, { commands: 'read' })).toBe(why);
  });
});

describe('a command for a review', () => {
  const full = { incremental: 'false' };
  it.each<[string, object, readonly string[]]>([
    ['/postil review', full, []],
    ['/postil review deep', { ...full, profile: 'deep' }, []],
    ['/postil review Deep src/** `docs/*.md`', { ...full, profile: 'deep' }, ['src/**', 'docs/*.md']],
    ['/postil review src/deep deep', full, ['src/deep', 'src/deep/**', 'deep', 'deep/**']],
    ['/postil review src/**,  `docs/*.md`, `a?.ts`', full, ['src/**', 'docs/*.md', 'a?.ts']],
    ['/postil review src/', full, ['src/', 'src/**']],
    ['/postil review {a,b}.ts [ab].ts', full, ['{a,b}.ts', '[ab].ts']],
    ['/postil review `src`,', full, ['src', 'src/**']],
    ['/postil ask deep src/**', { profile: 'quick' }, []],
    ['/postil help\n/postil review src/**', { profile: 'quick' }, []],
    ['Why?', { profile: 'quick' }, []],
  ])('%j stands for these settings and paths', (body, settings, paths) => {
    const asked = asking(body, inThread);
    expect([settingsFor(asked, { profile: 'thorough' }), pathsAsked(asked), asksForReview(asked)]).toEqual([
      settings,
      paths,
      settings !== null && 'incremental' in settings,
    ]);
  });

  it('asks no model where the workflow asks none', () => {
    const commands = ['/postil review', '/postil review deep', '/postil ask Why?', 'Why?'];
    expect(commands.map((body) => settingsFor(asking(body, inThread), { profile: 'offline' }))).toEqual([
      full,
      full,
      {},
      {},
    ]);
  });

  it('is understood as settings', () => {
    const layers = [
      { where: 'command', trusted: true, values: settingsFor(asking('/postil review deep'), { profile: 'thorough' }) },
    ];
    const { settings } = parseSettings(layers);
    expect([settings.incremental, settings.profile]).toEqual([false, 'deep']);
  });

  it('asks for all paths where nobody asks', () => {
    expect([
      pathsAsked(undefined),
      asksForReview(undefined),
      verbOf({ ...asking(''), commands: commandsIn('/postil x') }),
    ]).toEqual([[], false, null]);
  });
});
