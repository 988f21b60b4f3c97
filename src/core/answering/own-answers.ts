import { type Asked, verbOf } from '../history/asked.ts';
import { verbs } from '../history/commands.ts';
import type { Memory, PriorFinding } from '../history/memory.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Translator } from '../messages/translator.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { type Answer, plainAnswer } from '../review/review.ts';
import { titleIn } from '../rules/rule-texts.ts';
import { findingAsked, isAboutFinding, listedFinding, openFindings } from './subject.ts';

const listedAtMost = 8;

/** The list of commands. */
export function helpText(name: string, t: Translator = inEnglish): string {
  const call = name === '' ? '`/postil`' : t({ code: 'help.call', name });
  const lines = (some: readonly Verb[]) =>
    some.map((verb) => `- \`${verb}\` ${t({ code: `help.${verb}` })}`).join('\n');
  return [
    t({ code: 'help.lead', call }),
    lines(verbs.pullRequest),
    t({ code: 'help.about-findings' }),
    lines(verbs.finding),
  ].join('\n\n');
}

type Verb = (typeof verbs)[keyof typeof verbs][number];

type Known = {
  readonly asked: Asked;
  readonly memory: Memory;
  readonly pullRequest: PullRequest;
  readonly name: string;
  /** In the language of the pull request. */
  readonly t?: Translator;
};

/**
 * The answer to what needs no model; null for everything else. What a comment dismisses or pauses every run reads in the comment itself: here is only
 * said what that comes to.
 */
export function ownAnswer({ asked, memory, pullRequest, name, t = inEnglish }: Known): Answer | null {
  const verb = verbOf(asked);
  const answer = (text: string, more: Partial<Answer> = {}): Answer => ({ ...plainAnswer, asked, text, ...more });
  const isState = verb === 'dismiss' || verb === 'undismiss' || verb === 'pause' || verb === 'resume';
  if (isState && asked.comment?.in !== 'conversation' && asked.comment?.in !== 'thread') {
    const text = asked.comment === null ? t({ code: 'answer.not-in-run' }) : t({ code: 'answer.not-in-review' });
    return answer(text, { isDone: false });
  }
  if (verb === null) {
    return answer(`${t({ code: 'answer.no-command' })}\n\n${helpText(name, t)}`, { isDone: false });
  }
  if (verb === 'help') return answer(helpText(name, t));
  if (verb === 'ask' && asked.commands[0]?.rest === '') {
    return answer(t({ code: 'answer.nothing-asked' }), {
      isDone: false,
    });
  }
  if (verb === 'pause' || verb === 'resume') {
    const holds = (verb === 'pause') === ((memory.paused ?? null) !== null);
    if (!holds)
      return answer(t({ code: verb === 'pause' ? 'answer.not-paused' : 'answer.still-paused' }), { isDone: false });
    return answer(t({ code: verb === 'pause' ? 'answer.paused' : 'answer.resumed' }), { movesGate: verb === 'resume' });
  }
  const isList = verb === 'dismiss' || verb === 'undismiss';
  if (isList && asked.commands.length > 1) return dismissAll(asked, { memory, t });
  const finding = isAboutFinding(asked) ? findingAsked(asked, memory.prior) : null;
  if (isAboutFinding(asked) && finding === null)
    return answer(noFinding({ asked, memory, pullRequest, t }), { isDone: false });
  if (finding !== null && isList) return dismissed(asked, { finding, t });
  return null;
}

function noFinding({
  asked,
  memory: { prior },
  pullRequest,
  t,
}: Omit<Known, 'name' | 't'> & { t: Translator }): string {
  const [command] = asked.commands;
  const open = openFindings(prior);
  const isForeign = prior.some(({ signed }) => !signed);
  const unread = pullRequest.discussionRead ? '' : t({ code: 'answer.comments-unread' });
  const unsigned = isForeign ? t({ code: 'answer.same-state-key' }) : '';
  const named =
    command?.finding === null || command === undefined
      ? t({ code: 'answer.no-finding-here' })
      : t({ code: 'answer.unknown-id', id: command.finding });
  if (open.length === 0) return t.joined([named, t({ code: 'answer.none-open' }), unread, unsigned]);
  const rest = open.length - listedAtMost;
  const more = rest > 0 ? `\n\n${t({ code: 'answer.more-findings', count: rest })}` : '';
  const example = `\`/postil ${command?.verb ?? 'explain'} ${open[0]?.id}\``;
  const lead = t.joined([named, unread, t({ code: 'answer.name-one', example })]);
  const list = open.slice(0, listedAtMost).map((one) => listedFinding(one, t));
  return `${lead}\n\n${list.join('\n')}${more}`;
}

function dismissed(asked: Asked, { finding, t }: { finding: PriorFinding; t: Translator }): Answer {
  const { id, mark, declined } = finding;
  const finds = { title: titleIn(mark, t), id };
  const isDismiss = verbOf(asked) === 'dismiss';
  const rest = { ...plainAnswer, asked, about: id, movesGate: true };
  if (isDismiss === declined) {
    const text = isDismiss ? t({ code: 'answer.dismissed', ...finds }) : t({ code: 'answer.counts', ...finds });
    return { ...rest, text };
  }
  const text = isDismiss
    ? t({ code: 'answer.still-counts', ...finds })
    : t({ code: 'answer.still-declined', ...finds });
  return { ...rest, text, isDone: false, movesGate: false };
}

/** Several in one comment, each by its id. */
function dismissAll(asked: Asked, { memory: { prior }, t }: { memory: Memory; t: Translator }): Answer {
  const lines = asked.commands.map((command) => {
    const finding = findingAsked({ ...asked, commands: [command] }, prior);
    if (finding === null) {
      const id = command.finding ?? command.rest.slice(0, 40);
      return { isDone: false, text: `- ${t({ code: 'answer.no-such-finding', id })}` };
    }
    const { isDone, text } = dismissed({ ...asked, commands: [command] }, { finding, t });
    return { isDone, text: `- ${text}` };
  });
  const done = lines.filter(({ isDone }) => isDone).length;
  const count = t({ code: 'answer.commands-done', count: done, all: lines.length });
  const text = `${count}\n\n${lines.map((line) => line.text).join('\n')}`;
  return { ...plainAnswer, asked, text, isDone: done === lines.length, movesGate: done > 0 };
}
