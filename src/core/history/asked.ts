import type { Settings } from '../settings/settings.ts';
import { withoutEnd } from '../text.ts';
import { type Command, commandsIn, isState, type Verb } from './commands.ts';

/** Where somebody asked for something. */
export type AskedComment = {
  readonly in: 'conversation' | 'thread' | 'review';
  /** What GitHub's graph knows it by. */
  readonly id: string;
  /** The number by which REST knows it. */
  readonly number: number;
  readonly url: string;
  /** As it was when it started this run. Untrusted. */
  readonly body: string;
  /** Of the comment that opens its thread; null outside of threads. */
  readonly thread: number | null;
};

/** What somebody asks of this run. */
export type Asked = {
  readonly by: string;
  /** Null where somebody started the run by hand. */
  readonly comment: AskedComment | null;
  /** Empty for a reply without a command. */
  readonly commands: readonly Command[];
  /** Whether they may write to the repository: nobody else's question ends a finding, or starts a check again. */
  readonly mayWrite: boolean;
};

/** What the person at this machine asks: they write no comment and have no login. */
export function askedHere(question: string): Asked {
  return { by: '', comment: null, commands: [{ verb: 'ask', finding: null, rest: question }], mayWrite: false };
}

/** What the mark of an answer names as asked: a comment, or the run that somebody started by hand. */
export function askedAt({ comment }: Pick<Asked, 'comment'>, { run }: { readonly run: string }): string {
  return comment?.id ?? `run ${run}`;
}

/** An event that may ask for something, as GitHub tells of it. */
export type CommentEvent = {
  readonly by: string;
  /** Null where somebody started the run by hand. */
  readonly comment: AskedComment | null;
  /** False for what was edited or deleted. */
  readonly isNew: boolean;
  readonly isBot: boolean;
  /** The workflow run has no secrets, and a token that only reads. */
  readonly withoutSecrets: boolean;
};

/** The same with what was written: a comment's text, or the input `command`. */
export type Heard = CommentEvent & { readonly text: string };

type Rules = Pick<Settings, 'commands' | 'replies' | 'allowBots' | 'name'>;

/** What is asked; or why that is nothing for this run, in a sentence. */
export function askedIn(
  heard: Heard,
  rules: Rules,
): { readonly asked: Omit<Asked, 'mayWrite'> } | { readonly why: string } {
  const { by, comment, isNew, isBot, withoutSecrets, text } = heard;
  if (rules.commands === 'off') return { why: 'Comments ask for nothing here (`commands: off`).' };
  if (!isNew) return { why: 'Only a new comment asks for something: an edit starts nothing.' };
  if (isBot && !rules.allowBots.some((login) => login.toLowerCase() === by.toLowerCase())) {
    return { why: `@${by} is a bot, and \`allow-bots\` does not name it.` };
  }
  // Who starts a run by hand writes to nobody else.
  const isCalled = comment !== null || /^[/@]/.test(text.trim());
  const commands = commandsIn(isCalled ? text : `/postil ${text}`, rules.name);
  const isAnswer = comment?.in === 'thread' && comment.thread !== comment.number;
  const isReply = rules.replies && commands.length === 0 && isAnswer && !isBot;
  if (commands.length === 0 && !isReply) return { why: 'The comment holds no command in its first paragraph.' };
  // What stands in people's own comments, every run reads again: bots are not heard there.
  if (isBot && isState(commands[0]?.verb ?? null))
    return { why: `@${by} is a bot, and bots dismiss and pause nothing.` };
  if (withoutSecrets) {
    return {
      why: 'The pull request is from a fork, where comments on lines and reviews start runs without secrets. Write the command into the conversation, with the id of the finding.',
    };
  }
  return { asked: { by, comment, commands } };
}

export function verbOf({ commands }: Asked): Verb | 'reply' | null {
  const [first] = commands;
  return first === undefined ? 'reply' : first.verb;
}

/** True where the whole run is a review. */
export function asksForReview(asked: Asked | undefined): asked is Asked {
  return asked !== undefined && verbOf(asked) === 'review';
}

/** What GitHub knows of somebody's permission in the repository; null where it does not say. */
export type Permission = 'none' | 'read' | 'write' | 'admin' | null;

const ranks = ['none', 'read', 'write', 'admin'] as const;

/** Why somebody may not ask for this, in a sentence; null when they may. Unknown counts as none. */
export function whyRefused(
  asked: Omit<Asked, 'mayWrite'>,
  permission: Permission,
  { commands }: Pick<Rules, 'commands'>,
): string | null {
  // Every review counts what those who may write dismiss and pause, whoever else may ask.
  const isAct = isState(asked.commands[0]?.verb ?? null);
  const least = ranks.indexOf(isAct ? 'write' : commands === 'off' ? 'admin' : commands);
  if (permission === null) return `GitHub does not say which permission @${asked.by} has, so nothing is done.`;
  if (ranks.indexOf(permission) >= least) return null;
  return `@${asked.by} has the permission \`${permission}\`, and this takes \`${ranks[least]}\`.`;
}

/** The settings that a command stands for. Where the workflow asks no model, no comment does. */
export function settingsFor(asked: Asked, { profile }: Pick<Settings, 'profile'>): { readonly [name: string]: string } {
  const isReview = asksForReview(asked);
  const wanted = !isReview ? { profile: 'quick' } : isDeep(asked) ? { profile: 'deep' } : {};
  const review = isReview ? { incremental: 'false' } : {};
  return { ...review, ...(profile === 'offline' ? {} : wanted) };
}

function isDeep(asked: Asked): boolean {
  return wordsOf(asked)[0]?.toLowerCase() === 'deep';
}

/** The globs that a review was asked for; empty for all files. */
export function pathsAsked(asked: Asked | undefined): readonly string[] {
  if (!asksForReview(asked)) return [];
  const globs = isDeep(asked) ? wordsOf(asked).slice(1) : wordsOf(asked);
  return globs.flatMap(globsUnder);
}

/** A folder stands for all that is in it. */
export function globsUnder(glob: string): readonly string[] {
  return /[*?[\]{}]/.test(glob) ? [glob] : [glob, `${withoutEnd(glob, /\//)}/**`];
}

function wordsOf({ commands }: Asked): readonly string[] {
  const words = (commands[0]?.rest ?? '').split(/\s+/);
  return words.map((word) => word.replace(/^`|`?,?$/g, '')).filter((word) => word !== '');
}
