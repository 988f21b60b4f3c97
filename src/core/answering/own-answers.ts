import { type Asked, verbOf } from '../memory/asked.ts';
import { verbs } from '../memory/commands.ts';
import type { Memory, PriorFinding } from '../memory/memory.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { type Answer, plainAnswer } from '../review/answer.ts';
import { plural } from '../text.ts';
import { findingAsked, isAboutFinding, listedFinding, openFindings } from './subject.ts';

const listedAtMost = 8;

const about: Readonly<Record<(typeof verbs)[keyof typeof verbs][number], string>> = {
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
};

/** The list of commands. */
export function helpText(name: string): string {
  const call = name === '' ? '`/postil`' : `\`/postil\` or \`@${name}\``;
  const lines = (some: readonly (keyof typeof about)[]) =>
    some.map((verb) => `- \`${verb}\` ${about[verb]}`).join('\n');
  return [
    `A line that begins with ${call} asks for something:`,
    lines(verbs.pullRequest),
    'In the thread of a finding, or elsewhere with its id (`p-3f09ab12`) or link:',
    lines(verbs.finding),
  ].join('\n\n');
}

type Known = {
  readonly asked: Asked;
  readonly memory: Memory;
  readonly pullRequest: PullRequest;
  readonly name: string;
};

/**
 * The answer to what needs no model; null for everything else. What a comment dismisses or pauses every run reads in the comment itself: here is only
 * said what that comes to.
 */
export function ownAnswer({ asked, memory, pullRequest, name }: Known): Answer | null {
  const verb = verbOf(asked);
  const say = (text: string, more: Partial<Answer> = {}): Answer => ({ ...plainAnswer, asked, text, ...more });
  const isState = verb === 'dismiss' || verb === 'undismiss' || verb === 'pause' || verb === 'resume';
  if (isState && asked.comment?.in !== 'conversation' && asked.comment?.in !== 'thread') {
    const where = asked.comment === null ? 'a run that somebody started' : 'the text of a review';
    return say(
      `Nothing was done: in ${where} this does not count, because I cannot see who edited it. Write it in a comment.`,
      {
        isDone: false,
      },
    );
  }
  if (verb === null) return say(`This is no command of mine.\n\n${helpText(name)}`, { isDone: false });
  if (verb === 'help') return say(helpText(name));
  if (verb === 'ask' && asked.commands[0]?.rest === '') {
    return say('Nothing is asked: write the question behind it, such as `/postil ask Why is the lock gone?`', {
      isDone: false,
    });
  }
  if (verb === 'pause' || verb === 'resume') {
    const holds = (verb === 'pause') === ((memory.paused ?? null) !== null);
    if (!holds) return say(verb === 'pause' ? notPausedText : stillPausedText, { isDone: false });
    return say(verb === 'pause' ? pauseText : resumeText, { movesGate: verb === 'resume' });
  }
  const isList = verb === 'dismiss' || verb === 'undismiss';
  if (isList && asked.commands.length > 1) return dismissAll(asked, memory);
  const finding = isAboutFinding(asked) ? findingAsked(asked, memory.prior) : null;
  if (isAboutFinding(asked) && finding === null) return say(noFinding(asked, memory, pullRequest), { isDone: false });
  if (finding !== null && isList) return dismissed(asked, finding);
  return null;
}

const pauseText =
  'Paused: pushes to this pull request are not reviewed until somebody writes `/postil resume`. `/postil review` asks for a single review. A required check does not pass by this.';
const notPausedText =
  'Not paused: what counts is the last `/postil pause` or `/postil resume` that a person who may write to the repository wrote, and nobody edited.';
const stillPausedText = notPausedText.replace('Not paused', 'Still paused');
const resumeText = 'Pushes are reviewed again. `/postil review` reviews what was pushed while they were not.';

function noFinding({ commands }: Asked, { prior }: Memory, { discussionRead }: PullRequest): string {
  const [command] = commands;
  const open = openFindings(prior);
  const isForeign = prior.some(({ signed }) => !signed);
  const unread = discussionRead ? '' : ' Not all comments could be read.';
  const unsigned = isForeign ? ' What other runs wrote counts only where they have the same `state-key`.' : '';
  const named =
    command?.finding === null || command === undefined
      ? 'No finding of this reviewer stands here.'
      : `This reviewer knows no finding \`${command.finding}\`.`;
  if (open.length === 0) return `${named} None is open.${unread}${unsigned}`;
  const more = open.length > listedAtMost ? `\n\n… and ${open.length - listedAtMost} more.` : '';
  const example = `\`/postil ${command?.verb ?? 'explain'} ${open[0]?.id}\``;
  return `${named}${unread} Name one by its id, such as ${example}:\n\n${open.slice(0, listedAtMost).map(listedFinding).join('\n')}${more}`;
}

function dismissed(asked: Asked, finding: PriorFinding): Answer {
  const { id, mark, declined } = finding;
  const title = `“${mark.title}” (\`${id}\`)`;
  const isDismiss = verbOf(asked) === 'dismiss';
  const rest = { ...plainAnswer, asked, about: id, movesGate: true };
  if (isDismiss === declined) {
    const text = isDismiss
      ? `Dismissed: ${title} no longer counts, and is not raised again while its code stays as it is. \`/postil undismiss\` takes that back.`
      : `${title} counts: nothing declines it.`;
    return { ...rest, text };
  }
  const text = isDismiss
    ? `${title} still counts: somebody took the dismissal back, or GitHub did not say who may dismiss.`
    : `${title} is still declined: somebody else resolved its thread, voted it down or dismissed it later.`;
  return { ...rest, text, isDone: false, movesGate: false };
}

/** Several in one comment, each by its id. */
function dismissAll(asked: Asked, { prior }: Memory): Answer {
  const lines = asked.commands.map((command) => {
    const finding = findingAsked({ ...asked, commands: [command] }, prior);
    if (finding === null)
      return { isDone: false, text: `- \`${command.finding ?? command.rest.slice(0, 40)}\`: no such finding` };
    const { isDone, text } = dismissed({ ...asked, commands: [command] }, finding);
    return { isDone, text: `- ${text}` };
  });
  const done = lines.filter(({ isDone }) => isDone).length;
  const text = `${plural(done, 'command')} of ${lines.length} done:\n\n${lines.map((line) => line.text).join('\n')}`;
  return { ...plainAnswer, asked, text, isDone: done === lines.length, movesGate: done > 0 };
}
