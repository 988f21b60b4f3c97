import { type Asked, verbOf } from '../memory/asked.ts';
import { verbs } from '../memory/commands.ts';
import type { Memory, PriorFinding } from '../memory/memory.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { type Answer, plainAnswer } from '../review/answer.ts';
import { titleIn } from '../rules/rule-texts.ts';
import { english, type Say, type Sentence } from '../words/say.ts';
import { findingAsked, isAboutFinding, listedFinding, openFindings } from './subject.ts';

const listedAtMost = 8;

const about = {
  review: 'reviews the pull request again, in full: `review deep`, `review src/api/**`',
  ask: 'answers a question about the change: `ask Why is the lock gone?`',
  summary: 'says what the change does and what is open',
  pause: 'ends reviews on pushes',
  resume: 'begins them again',
  help: 'shows this list',
  explain: 'shows more evidence for a finding',
  recheck: 'looks whether a finding is still true',
  dismiss: 'declines a finding: `dismiss REASON`',
  undismiss: 'takes that back',
  fix: 'suggests a change that fixes a finding, or says why there is none',
} as const satisfies Readonly<Record<(typeof verbs)[keyof typeof verbs][number], Sentence>>;

/** The list of commands. */
export function helpText(name: string, words: Say = english): string {
  const call = name === '' ? '`/postil`' : words('`/postil` or `@{name}`', { name });
  const lines = (some: readonly (keyof typeof about)[]) =>
    some.map((verb) => `- \`${verb}\` ${words(about[verb])}`).join('\n');
  return [
    words('A line that begins with {call} asks for something:', { call }),
    lines(verbs.pullRequest),
    words('In the thread of a finding, or elsewhere with its id (`p-3f09ab12`) or link:'),
    lines(verbs.finding),
  ].join('\n\n');
}

type Known = {
  readonly asked: Asked;
  readonly memory: Memory;
  readonly pullRequest: PullRequest;
  readonly name: string;
  /** In the language of the pull request. */
  readonly words?: Say;
};

/**
 * The answer to what needs no model; null for everything else. What a comment dismisses or pauses every run reads in the comment itself: here is only
 * said what that comes to.
 */
export function ownAnswer({ asked, memory, pullRequest, name, words = english }: Known): Answer | null {
  const verb = verbOf(asked);
  const say = (text: string, more: Partial<Answer> = {}): Answer => ({ ...plainAnswer, asked, text, ...more });
  const isState = verb === 'dismiss' || verb === 'undismiss' || verb === 'pause' || verb === 'resume';
  if (isState && asked.comment?.in !== 'conversation' && asked.comment?.in !== 'thread') {
    const text =
      asked.comment === null
        ? words(
            'Nothing was done: in a run that somebody started this does not count, because I cannot see who edited it. Write it in a comment.',
          )
        : words(
            'Nothing was done: in the text of a review this does not count, because I cannot see who edited it. Write it in a comment.',
          );
    return say(text, { isDone: false });
  }
  if (verb === null) {
    return say(`${words('This is no command of mine.')}\n\n${helpText(name, words)}`, { isDone: false });
  }
  if (verb === 'help') return say(helpText(name, words));
  if (verb === 'ask' && asked.commands[0]?.rest === '') {
    return say(words('Nothing is asked: write the question behind it, such as `/postil ask Why is the lock gone?`'), {
      isDone: false,
    });
  }
  if (verb === 'pause' || verb === 'resume') {
    const holds = (verb === 'pause') === ((memory.paused ?? null) !== null);
    if (!holds) return say(words(verb === 'pause' ? notPausedText : stillPausedText), { isDone: false });
    return say(words(verb === 'pause' ? pauseText : resumeText), { movesGate: verb === 'resume' });
  }
  const isList = verb === 'dismiss' || verb === 'undismiss';
  if (isList && asked.commands.length > 1) return dismissAll(asked, { memory, words });
  const finding = isAboutFinding(asked) ? findingAsked(asked, memory.prior) : null;
  if (isAboutFinding(asked) && finding === null)
    return say(noFinding({ asked, memory, pullRequest, words }), { isDone: false });
  if (finding !== null && isList) return dismissed(asked, { finding, words });
  return null;
}

const pauseText =
  'Paused: pushes to this pull request are not reviewed until somebody writes `/postil resume`. `/postil review` asks for a single review. A required check does not pass by this.';
const notPausedText =
  'Not paused: what counts is the last `/postil pause` or `/postil resume` that a person who may write to the repository wrote, and nobody edited.';
const stillPausedText =
  'Still paused: what counts is the last `/postil pause` or `/postil resume` that a person who may write to the repository wrote, and nobody edited.';
const resumeText = 'Pushes are reviewed again. `/postil review` reviews what was pushed while they were not.';

function noFinding({
  asked,
  memory: { prior },
  pullRequest,
  words,
}: Omit<Known, 'name' | 'words'> & { words: Say }): string {
  const [command] = asked.commands;
  const open = openFindings(prior);
  const isForeign = prior.some(({ signed }) => !signed);
  const unread = pullRequest.discussionRead ? '' : words('Not all comments could be read.');
  const unsigned = isForeign ? words('What other runs wrote counts only where they have the same `state-key`.') : '';
  const named =
    command?.finding === null || command === undefined
      ? words('No finding of this reviewer stands here.')
      : words('This reviewer knows no finding `{id}`.', { id: command.finding });
  if (open.length === 0) return words.joined([named, words('None is open.'), unread, unsigned]);
  const rest = open.length - listedAtMost;
  const more = rest > 0 ? `\n\n${words('… and {n} more.', { n: rest })}` : '';
  const example = `\`/postil ${command?.verb ?? 'explain'} ${open[0]?.id}\``;
  const lead = words.joined([named, unread, words('Name one by its id, such as {example}:', { example })]);
  const list = open.slice(0, listedAtMost).map((one) => listedFinding(one, words));
  return `${lead}\n\n${list.join('\n')}${more}`;
}

function dismissed(asked: Asked, { finding, words }: { finding: PriorFinding; words: Say }): Answer {
  const { id, mark, declined } = finding;
  const finds = { title: titleIn(mark, words), id };
  const isDismiss = verbOf(asked) === 'dismiss';
  const rest = { ...plainAnswer, asked, about: id, movesGate: true };
  if (isDismiss === declined) {
    const text = isDismiss
      ? words(
          'Dismissed: “{title}” (`{id}`) no longer counts, and is not raised again while its code stays as it is. `/postil undismiss` takes that back.',
          finds,
        )
      : words('“{title}” (`{id}`) counts: nothing declines it.', finds);
    return { ...rest, text };
  }
  const text = isDismiss
    ? words(
        '“{title}” (`{id}`) still counts: somebody took the dismissal back, or GitHub did not say who may dismiss.',
        finds,
      )
    : words(
        '“{title}” (`{id}`) is still declined: somebody else resolved its thread, voted it down or dismissed it later.',
        finds,
      );
  return { ...rest, text, isDone: false, movesGate: false };
}

/** Several in one comment, each by its id. */
function dismissAll(asked: Asked, { memory: { prior }, words }: { memory: Memory; words: Say }): Answer {
  const lines = asked.commands.map((command) => {
    const finding = findingAsked({ ...asked, commands: [command] }, prior);
    if (finding === null) {
      const id = command.finding ?? command.rest.slice(0, 40);
      return { isDone: false, text: `- ${words('`{id}`: no such finding', { id })}` };
    }
    const { isDone, text } = dismissed({ ...asked, commands: [command] }, { finding, words });
    return { isDone, text: `- ${text}` };
  });
  const done = lines.filter(({ isDone }) => isDone).length;
  const count = words.many(done, '{n} command of {m} done:', '{n} commands of {m} done:', { m: lines.length });
  const text = `${count}\n\n${lines.map((line) => line.text).join('\n')}`;
  return { ...plainAnswer, asked, text, isDone: done === lines.length, movesGate: done > 0 };
}
