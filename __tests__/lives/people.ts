import type { StoredThread } from '../fakes/github-server/store.ts';
import type { PlacedTrap } from './code.ts';
import type { Commit } from './commits.ts';
import { pick } from './edits.ts';
import { type Hub, viewer } from './hub.ts';
import { nameIn, type Report } from './reviewer.ts';

/** What somebody does on the pull request; the number chooses the thread. */
export type Act = { readonly do: ActKind; readonly a: number };
export type ActKind = keyof typeof kinds;

/** Somebody who may write said no to a defect, of the code as it was then. */
export type Declined = {
  readonly by: string;
  readonly thread: StoredThread['id'];
  readonly how: 'resolve' | 'vote' | 'words';
  /** As they stood at the head, and as they stood in the last review: nobody knows which of the two was looked at. */
  readonly traps: readonly PlacedTrap[];
};

export type Scene = {
  readonly hub: Hub;
  readonly last: { readonly head: Commit; readonly report: Report } | null;
  /** Texts that the summary comment had before. */
  readonly summaries: readonly string[];
  readonly declines: Declined[];
};

/** Does it, and says what that was; null where there is nothing to do it to. */
export function actOn(scene: Scene, { do: kind, a }: Act): string | null {
  return kinds[kind](scene, a);
}

type Kind = (scene: Scene, a: number) => string | null;

/** The threads that we opened. */
export function ownThreads({ pull }: Hub): readonly StoredThread[] {
  return pull.threads.filter(({ comments: [first] }) => first?.author === viewer);
}

/** The call that a thread of ours is about, as it was in the commit that it was opened on. */
export function trapOf(hub: Hub, thread: StoredThread): PlacedTrap | undefined {
  const name = nameIn(thread.comments[0]?.body ?? '');
  const at = hub.heads.find(({ sha }) => sha === thread.commit);
  const here = at?.traps.filter((trap) => trap.name === name && trap.path === thread.path) ?? [];
  const [start, end] = [thread.startLine ?? thread.line ?? 0, thread.line ?? 0];
  const own = here.find(({ line }) => start <= line && line <= end);
  // One on what took the guard away, or on the whole file.
  return thread.side === 'RIGHT' ? (own ?? here[0]) : here[0];
}

function onThread(words: string, act: (on: Scene & { thread: StoredThread; id: number }) => void): Kind {
  return (scene, a) => {
    const thread = pick(ownThreads(scene.hub), a);
    const [first] = thread?.comments ?? [];
    if (thread === undefined || first === undefined) return null;
    act({ ...scene, thread, id: first.id });
    return `${words} ${titleOf(first.body)} (r${first.id})`;
  };
}

function titleOf(body: string): string {
  return /\*\*(.*?)\*\*/.exec(body)?.[1] ?? 'a comment';
}

/** All places of a finding that stood when somebody declined it. */
function decline({ hub, last, declines, thread, id }: Parameters<Parameters<typeof onThread>[1]>[0]) {
  const own = trapOf(hub, thread)?.id;
  const finding = last?.report.open.find(({ url }) => url?.endsWith(`_r${id}`) === true);
  const isPlace = ({ path, line }: PlacedTrap) => finding?.alsoAt.includes(`${path}:${line}`) === true;
  const then = last?.head.traps ?? [];
  const ids = new Set([own, ...then.filter(isPlace).map((trap) => trap.id)]);
  const traps = [...hub.head.traps, ...then].filter((trap) => ids.has(trap.id));
  return (by: string, how: Declined['how']) => {
    declines.push({ by, thread: thread.id, how, traps });
  };
}

function takeBack(
  { declines, thread }: Pick<Scene, 'declines'> & { thread: StoredThread },
  isMeant = (_: Declined) => true,
) {
  const kept = declines.filter((one) => one.thread !== thread.id || !isMeant(one));
  declines.splice(0, declines.length, ...kept);
}

/** The text of our summary comment, to be changed. */
function onSummary(change: (scene: Scene, at: number) => string | null): Kind {
  return (scene) => {
    const at = scene.hub.pull.conversation.findIndex(({ author }) => author === viewer);
    return at === -1 ? null : change(scene, at);
  };
}

const kinds = {
  resolve: onThread('grace resolves', (on) => {
    if (on.thread.resolved) return;
    Object.assign(on.thread, { resolved: true, resolvedBy: 'grace' });
    decline(on)('grace', 'resolve');
  }),
  unresolve: onThread('grace opens again', (on) => {
    Object.assign(on.thread, { resolved: false, resolvedBy: null });
    takeBack(on, ({ how }) => how === 'resolve');
  }),
  'vote down': onThread('grace gives a thumbs down to', (on) => {
    const date = new Date().toISOString();
    on.thread.comments[0]?.reactions.push({ by: 'grace', content: 'THUMBS_DOWN', date });
    decline(on)('grace', 'vote');
  }),
  dismiss: onThread('grace dismisses', (on) => {
    on.hub.people.reply(on.id, { author: 'grace', body: '/postil dismiss It cannot happen.' });
    decline(on)('grace', 'words');
  }),
  'call it false': onThread('octo calls a false positive', (on) => {
    on.hub.people.reply(on.id, { author: 'octo', body: 'False positive.' });
    decline(on)('octo', 'words');
  }),
  undismiss: onThread('grace undismisses', (on) => {
    on.hub.people.reply(on.id, { author: 'grace', body: '/postil undismiss' });
    takeBack(on);
  }),
  'vote down without rights': onThread('eve, who may not write, gives a thumbs down to', ({ thread }) => {
    const date = new Date().toISOString();
    thread.comments[0]?.reactions.push({ by: 'eve', content: 'THUMBS_DOWN', date });
  }),
  'dismiss without rights': onThread('eve, who may not write, dismisses', ({ hub, id }) => {
    hub.people.reply(id, { author: 'eve', body: '/postil dismiss' });
  }),
  'delete a comment': onThread('octo deletes the comment', (on) => {
    on.hub.pull.threads.splice(on.hub.pull.threads.indexOf(on.thread), 1);
    takeBack(on);
  }),
  'edit a comment': onThread('octo edits the comment', ({ thread }) => {
    const [first] = thread.comments;
    if (first === undefined) return;
    first.body = `Never mind.\n\n${first.body}`;
    first.edited = { by: 'octo', date: new Date().toISOString() };
  }),
  'copy a comment': onThread('eve copies into a comment of hers', ({ hub, thread }) => {
    hub.people.say({ author: 'eve', body: thread.comments[0]?.body ?? '' });
  }),
  'delete the summary': onSummary(({ hub }, at) => {
    hub.pull.conversation.splice(at, 1);
    return 'octo deletes the summary comment';
  }),
  'edit the summary': onSummary(({ hub }, at) => {
    const [summary] = hub.pull.conversation.slice(at);
    if (summary === undefined) return null;
    summary.body = `All fine!\n\n${summary.body}`;
    summary.edited = { by: 'octo', date: new Date().toISOString() };
    return 'octo writes above the summary';
  }),
  'restore the summary': onSummary(({ hub, summaries }, at) => {
    const [summary] = hub.pull.conversation.slice(at);
    const [old] = summaries;
    if (summary === undefined || old === undefined || old === summary.body) return null;
    summary.body = old;
    summary.edited = { by: 'octo', date: new Date().toISOString() };
    return 'octo restores the first text of the summary';
  }),
  'raise it too': (scene, a) => {
    const { hub } = scene;
    const trap = pick(hub.head.traps, a);
    if (trap === undefined) return null;
    hub.people.say({ author: 'grace', body: `${trap.path}:${trap.line} ${trap.name}() runs unguarded here.` });
    return `grace writes that ${trap.name} of ${trap.path} runs unguarded`;
  },
} as const satisfies Readonly<Record<string, Kind>>;

export const actKinds = Object.keys(kinds).filter((kind): kind is ActKind => kind in kinds);
