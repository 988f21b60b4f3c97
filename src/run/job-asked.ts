import { type AnswerOptions, answerInPlace, reactOnly } from '../adapters/github/answering/answer-sink.ts';
import { react, whyGone } from '../adapters/github/answering/asked-comment.ts';
import { runGateAgain } from '../adapters/github/answering/gate-run.ts';
import type { GitHub } from '../adapters/github/client.ts';
import { readDiscussion } from '../adapters/github/discussion.ts';
import { type PullRequestReference, permissionOf } from '../adapters/github/pull.ts';
import { type Asked, askedIn, type Heard, settingsFor, verbOf, whyRefused } from '../core/memory/asked.ts';
import { marksIn, withSignatures } from '../core/memory/signed-marks.ts';
import type { PullRequest } from '../core/pull-request/pull-request.ts';
import { renderAnswer } from '../core/report/answer.ts';
import type { Destination } from '../core/review/sink.ts';
import type { Layer } from '../core/settings/parse-settings.ts';
import type { Settings } from '../core/settings/settings.ts';
import { english } from '../core/words/say.ts';
import type { DeliveryOptions } from './job-delivery.ts';

type Hearing = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  /** As the workflow gives them: nobody else may widen who is heard. */
  readonly settings: Settings;
};

/** What somebody asks, once it is known that they may; or why nothing is done. A refusal is a 👎, what is taken up gets 👀 at once. */
export async function hear(
  heard: Heard,
  { github, reference, settings }: Hearing,
): Promise<{ readonly asked: Asked } | { readonly why: string }> {
  const found = askedIn(heard, settings);
  if ('why' in found) return found;
  const { asked } = found;
  const { comment, by } = asked;
  if (settings.mode !== 'review-and-post') return { why: 'Comments are answered by a job that reviews and posts.' };
  // GitHub keeps no permission of a bot: the workflow names those that are heard.
  const permission = heard.isBot ? 'write' : await permissionOf(github, { repository: reference, login: by });
  const refused = whyRefused(asked, permission, settings);
  const isCommand = asked.commands.length > 0;
  const show = async (reaction: Parameters<typeof react>[2]) => {
    if (comment !== null && isCommand && !settings.dryRun) await react(github, comment, reaction);
  };
  if (refused !== null) {
    await show('THUMBS_DOWN');
    return { why: `Refused: ${refused}` };
  }
  const gone = comment === null ? null : await whyGone(github, { reference, comment });
  if (gone !== null) return { why: gone };
  await show('EYES');
  return { asked: { ...asked, mayWrite: permission === 'write' || permission === 'admin' } };
}

/** The command as settings, before all others. */
export function askedLayer(asked: Asked, usual: Settings): Layer {
  return { where: `command /postil ${verbOf(asked) ?? ''}`, trusted: true, values: settingsFor(asked, usual) };
}

/** What answers on GitHub; nothing in a dry run. */
export function answering(
  asked: Asked,
  options: DeliveryOptions & { readonly workflow: string | null; readonly usual: Settings },
): Answering {
  const { settings, github, reference, source, pullRequest, identity, keys, render, lastWords, workflow, usual } =
    options;
  if (settings.dryRun) return { destinations: [], onAccept: async () => undefined };
  const at = new Date().toISOString();
  const isGate = usual.failOn !== 'never' || usual.requireComplete;
  const answer: AnswerOptions = {
    ...{ github, lastWords, reference, asked, identity, signs: keys.signs, pullRequest, say: render.say ?? english },
    render: (said, form) => {
      return renderAnswer(said, { ...form, at, identity, head: pullRequest.head.sha, context: { ...render, keys } });
    },
    runGateAgain: () => runGateAgain({ github, reference, pullRequest, identity, own: { workflow, isGate } }),
    look: async () => withSignatures(await readDiscussion(github, reference), keys),
    currentHead: () => source.currentHead(),
  };
  return {
    destinations: [answerInPlace(answer)],
    // A reply is taken up only once it is known to be about a finding of ours.
    onAccept: async () => {
      if (asked.comment !== null && asked.commands.length === 0) await react(github, asked.comment, 'EYES');
    },
  };
}

export type Answering = { readonly destinations: readonly Destination[]; readonly onAccept: () => Promise<void> };

/** For a run that failed before anything was known. */
export function failedAnswer(asked: Asked, github: GitHub, { dryRun }: Settings): readonly Destination[] {
  return dryRun ? [] : [reactOnly({ github, asked })];
}

/** Comments speak of commands only where a workflow may listen: it sets `commands`, or somebody was answered before. */
export function isHeard(trusted: readonly Layer[], { conversation, threads }: PullRequest): boolean {
  const isSet = trusted.some(({ values }) => String(values['commands'] ?? '') !== '');
  const said = [...conversation, ...threads.flatMap(({ comments }) => comments)];
  return isSet || said.some((comment) => marksIn(comment).some(({ mark }) => mark.kind === 'answer'));
}
