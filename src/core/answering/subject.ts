import { type Asked, verbOf } from '../history/asked.ts';
import { placeInAddress, verbs } from '../history/commands.ts';
import type { PriorFinding } from '../history/memory.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Translator } from '../messages/translator.ts';
import type { PullRequest, ReviewThread } from '../pull-request/pull-request.ts';
import { titleIn } from '../rules/rule-texts.ts';

/** The thread in which something was asked; null outside of threads, and where it is gone. */
export function threadOf({ comment }: Asked, { threads }: Pick<PullRequest, 'threads'>): ReviewThread | null {
  if (comment === null || comment.thread === null) return null;
  return threads.find(({ comments }) => comments[0]?.restId === comment.thread) ?? null;
}

/** True for what is asked about one finding. */
export function isAboutFinding(asked: Asked): boolean {
  const verb = verbOf(asked);
  return verb === 'reply' || verbs.finding.some((one) => one === verb);
}

/** The finding that is asked about: by the id or the address in the command, else the one whose thread this is. Only what we signed is ours. */
export function findingAsked(asked: Asked, prior: readonly PriorFinding[]): PriorFinding | null {
  const named = asked.commands[0]?.finding ?? null;
  const own = prior.filter(({ signed }) => signed);
  if (named !== null) return own.find((one) => isNamed(one, named)) ?? null;
  const thread = asked.comment?.thread ?? null;
  if (thread === null) return null;
  return own.find(({ held }) => held.in === 'thread' && held.thread.comments[0]?.restId === thread) ?? null;
}

function isNamed({ id, held }: PriorFinding, named: string): boolean {
  if (id === named) return true;
  // Any comment of its thread stands for it. A review may hold several.
  return held.in === 'thread' && held.thread.comments.some((comment) => placeInAddress(comment.url) === named);
}

/** A finding as a list names it. */
export function listedFinding({ id, mark }: PriorFinding, t: Translator = inEnglish): string {
  const { path, lines, severity } = mark;
  const title = titleIn(mark, t);
  const place = lines === null ? path : `${path}:${lines.startLine}`;
  return `- \`${id}\` ${t({ code: `severity-word.${severity}` })}, \`${place}\`${t({ code: 'punctuation.colon-space' })}${title.replace(/[`\n]/g, ' ')}`;
}

/** Those that count. */
export function openFindings(prior: readonly PriorFinding[]): readonly PriorFinding[] {
  const open = ['open', 'changed', 'returned'];
  return prior.filter(({ signed, declined, life }) => signed && !declined && open.includes(life));
}
