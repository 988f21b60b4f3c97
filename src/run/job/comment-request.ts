import { answerInPlace, reactOnly } from '../../adapters/github/answering/answer-sink.ts';
import { react, whyGone } from '../../adapters/github/answering/asked-comment.ts';
import { runGateAgain } from '../../adapters/github/answering/gate-run.ts';
import { type GitHubSession, permissionOf } from '../../adapters/github/pull.ts';
import { type Asked, askedIn, type Heard, whyRefused } from '../../core/history/asked.ts';
import { marksIn } from '../../core/history/signed-marks.ts';
import { inEnglish } from '../../core/messages/languages.ts';
import type { PullRequest } from '../../core/pull-request/pull-request.ts';
import { renderAnswer } from '../../core/report/answer.ts';
import type { Destination } from '../../core/review/sink.ts';
import type { Layer } from '../../core/settings/parse-settings.ts';
import type { Settings } from '../../core/settings/settings.ts';
import type { OpenPullRequest } from '../open-pull-request.ts';
import type { Job } from './context.ts';
import type { JobSettings } from './settings.ts';

/** A command that its author may give; or why nothing is done. */
export type CommentRequest = { readonly asked: Asked } | { readonly why: string };

/**
 * Reads the command of a comment and checks the permission of its author. A refused command gets a 👎, an accepted one 👀 at once. The settings are
 * those of the workflow: nobody else may widen who is heard.
 */
export async function authorizeRequest(
  heard: Heard,
  { github, reference }: GitHubSession,
  settings: Settings,
): Promise<CommentRequest> {
  const found = askedIn(heard, settings);
  if ('why' in found) return found;
  const { comment, by, commands } = found.asked;
  if (settings.mode !== 'review-and-post') return { why: 'Comments are answered by a job that reviews and posts.' };
  // GitHub keeps no permission of a bot: the workflow names those that are heard.
  const permission = heard.isBot ? 'write' : await permissionOf(github, { repository: reference, login: by });
  const refusal = whyRefused(found.asked, permission, settings);
  const reacts = commands.length > 0 && !settings.dryRun;
  if (refusal !== null) {
    if (comment !== null && reacts) await react(github, comment, 'THUMBS_DOWN');
    return { why: `Refused: ${refusal}` };
  }
  const gone = comment === null ? null : await whyGone(github, { reference, comment });
  if (gone !== null) return { why: gone };
  if (comment !== null && reacts) await react(github, comment, 'EYES');
  return { asked: { by, comment, commands, mayWrite: permission === 'write' || permission === 'admin' } };
}

/** Answers the comment in place. Not called in a dry run, nor where nothing was asked. */
export function answerDestination(job: Job, open: OpenPullRequest, todo: AnsweringJob): Destination {
  const { session, pullRequest, keys } = open;
  const { asked, identity, usual } = todo;
  const { render } = job.output;
  const at = new Date().toISOString();
  const own = {
    workflow: job.environment['GITHUB_WORKFLOW'] ?? null,
    isGate: usual.failOn !== 'never' || usual.requireComplete,
  };
  return answerInPlace({
    ...session,
    asked,
    identity,
    signs: keys.signs,
    pullRequest,
    t: render.t ?? inEnglish,
    render: (answer, form) =>
      renderAnswer(answer, { ...form, at, identity, head: pullRequest.head.sha, context: { ...render, keys } }),
    runGateAgain: () => runGateAgain({ ...session, pullRequest, identity, own }),
    look: open.readDiscussion,
    currentHead: open.currentHead,
  });
}

/** A job that a comment started. */
export type AnsweringJob = JobSettings & { readonly asked: Asked };

/** Reacts to a reply once it is known to be about a finding of ours: a command got its 👀 before. */
export async function acceptReply({ github }: GitHubSession, { comment, commands }: Asked): Promise<void> {
  if (comment !== null && commands.length === 0) await react(github, comment, 'EYES');
}

/** Reacts to a comment whose run failed before anything was known. */
export function failedAnswer(asked: Asked, { github }: GitHubSession, { dryRun }: Settings): readonly Destination[] {
  return dryRun ? [] : [reactOnly({ github, asked })];
}

/** Comments mention commands only where a workflow may listen: it sets `commands`, or somebody was answered before. */
export function mentionsCommands(layers: readonly Layer[], { conversation, threads }: PullRequest): boolean {
  const isSet = layers.some(({ values }) => String(values['commands'] ?? '') !== '');
  const comments = [...conversation, ...threads.flatMap((thread) => thread.comments)];
  return isSet || comments.some((comment) => marksIn(comment).some(({ mark }) => mark.kind === 'answer'));
}
