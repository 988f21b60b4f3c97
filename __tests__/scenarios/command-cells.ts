import { answersIn, answersTo, ask, everything, openAsked } from './asking.ts';
import type { ActionRun } from './harness.ts';

const whats = [
  'review',
  'ask',
  'summary',
  'help',
  'pause',
  'resume',
  'explain',
  'recheck',
  'fix',
  'dismiss',
  'undismiss',
] as const;
export const values = {
  /** `dance` is no command, and a reply has none. */
  what: [...whats, 'dance', 'reply'],
  who: ['nobody', 'reader', 'writer', 'admin', "fork's author", 'bot', 'allowed bot'],
  place: ['conversation', 'own thread', "person's thread", 'review'],
  setting: ['off', 'read', 'write', 'admin'],
  /** By what a command names its finding. */
  named: ['nothing', 'id', 'link'],
  from: ['branch', 'fork'],
} as const;
export type Values = typeof values;
export type Cell = { readonly [Name in keyof Values]: Values[Name][number] };

export const ofFinding: readonly string[] = ['explain', 'recheck', 'fix', 'dismiss', 'undismiss'];
const ofState: readonly string[] = ['dismiss', 'undismiss', 'pause', 'resume'];
const ofModel: readonly string[] = ['review', 'ask', 'summary', 'explain', 'recheck', 'fix', 'reply'];
/** What may change what the check of the pull request comes to. */
const ofGate: readonly string[] = ['review', 'resume', 'dismiss', 'undismiss'];

const people = {
  nobody: { login: 'nora', rank: 0 },
  reader: { login: 'rita', rank: 1 },
  writer: { login: 'grace', rank: 2 },
  admin: { login: 'octo', rank: 3 },
  "fork's author": { login: 'contributor', rank: 1 },
  bot: { login: 'other[bot]', rank: 2 },
  'allowed bot': { login: 'my-app[bot]', rank: 2 },
} as const satisfies Record<Cell['who'], object>;
const ranks = { off: 9, read: 1, write: 2, admin: 3 } as const;

/** What is promised, told apart from the code: who is heard, who is refused, and what is only text. */
export function fateOf({ what, who, place, setting, from }: Cell): 'ignored' | 'refused' | 'accepted' {
  const isInThread = place === 'own thread' || place === "person's thread";
  if (setting === 'off' || who === 'bot' || (what === 'reply' && !isInThread)) return 'ignored';
  // No secrets there, and a token that only reads.
  if (from === 'fork' && place !== 'conversation') return 'ignored';
  // What people dismiss and pause, every run reads in their comments: of bots it does not, and nobody argues with them.
  if (who === 'allowed bot' && (what === 'reply' || ofState.includes(what))) return 'ignored';
  const isEnough = people[who].rank >= (ofState.includes(what) ? 2 : ranks[setting]);
  if (what === 'reply') return isEnough && place === 'own thread' ? 'accepted' : 'ignored';
  return isEnough ? 'accepted' : 'refused';
}

function isDone({ what, place, named }: Cell): boolean {
  if (what === 'dance' || (ofState.includes(what) && place === 'review')) return false;
  return !ofFinding.includes(what) || named !== 'nothing' || place === 'own thread';
}

/** What is seen of a cell on GitHub and in the job. */
export function expectedOf(cell: Cell) {
  const { what, who, place } = cell;
  const fate = fateOf(cell);
  const none = { code: 0, outcome: 'skipped', reactions: '', answers: [], asked: false, reruns: 0, others: [] };
  if (fate === 'ignored') return none;
  if (fate === 'refused') return { ...none, reactions: 'THUMBS_DOWN' };
  const done = isDone(cell);
  return {
    ...none,
    outcome: what === 'review' ? 'findings' : 'skipped',
    reactions: done ? 'EYES ROCKET' : 'EYES CONFUSED',
    answers: [`${what === 'dance' ? 'unknown' : what} in ${place === 'review' ? 'conversation' : place}, signed`],
    asked: done && ofModel.includes(what),
    reruns: done && ofGate.includes(what) && people[who].rank >= 2 ? 1 : 0,
  };
}

const collaborators = { rita: 'read', grace: 'write', octo: 'admin', contributor: 'read' } as const;
const stranger = {
  path: 'src/total.ts',
  line: 3,
  comments: [{ author: 'grace', body: 'A thought of mine.' }],
} as const;

/** A pull request that was reviewed once, with a thread of ours, one of a person, and the check that is its gate. */
export async function openReviewed(from: Cell['from']) {
  const checks = [{ name: 'Review', workflow: 'Gate', run: 42, conclusion: 'FAILURE' }] as const;
  // What only a review may write is asked for, so that it shows where anything else does.
  const loud = { 'check-run': 'true', annotations: 'true', 'review-event': 'approve' };
  const inputs = { ...loud, replies: 'true', 'allow-bots': 'my-app[bot]', 'max-commands': '1000' };
  const pullRequest = { threads: [stranger], checks };
  const opened = await openAsked({ fork: from === 'fork', github: { collaborators }, pullRequest, inputs });
  const { stage, scenario, github, own, finding } = opened;
  const other = github.threads().find(({ comments: [first] }) => first?.author === 'grace')?.comments[0]?.id ?? 0;
  const link = ` https://github.com/octo/spoon/pull/7#discussion_r${own}`;
  const names = { nothing: '', id: ` ${finding}`, link };
  const before = structuredClone(github.pull());

  const say = ({ what, who, place, named }: Cell): number => {
    const said = {
      author: people[who].login,
      body: what === 'reply' ? 'Is that not checked before?' : bodyOf(what, names[named]),
    };
    if (place === 'conversation') return github.people.say(said);
    if (place === 'review') return github.people.review(said);
    return github.people.reply(place === 'own thread' ? own : other, said);
  };
  const run = (id: number, { setting }: Cell, start?: 'bundle') =>
    ask(
      stage,
      { ...scenario, inputs: { ...inputs, commands: setting }, ...(start === undefined ? {} : { start }) },
      id,
    );
  const seenOf = (id: number, { code, outputs }: ActionRun) => ({
    code,
    outcome: outputs['outcome'],
    reactions: github.reactions(id).join(' '),
    answers: answersTo(github, id).map(({ mark: { verb }, in: at, isSigned }) => {
      const roots = new Map(github.threads().map((thread) => [thread.id, thread.comments[0]?.id]));
      const place = at === 'conversation' ? at : roots.get(at) === own ? 'own thread' : "person's thread";
      return `${verb} in ${place}${isSigned ? ', signed' : ''}`;
    }),
  });
  /** What stands on the pull request that nobody said, beside answers: nothing of it may come from a comment. */
  const othersOf = (runs: readonly ActionRun[]) => {
    const { viewer } = github.world;
    const { conversation, threads, reviews } = before;
    const all = everything(github).filter(({ author }) => author === viewer).length - answersIn(github).length;
    const known = [...conversation, ...threads.flatMap(({ comments }) => comments)].filter(
      ({ author }) => author === viewer,
    );
    return [
      ...(all === known.length ? [] : ['comment']),
      ...(github.threads().length === threads.length ? [] : ['thread']),
      ...(JSON.stringify(github.checkRuns()) === checkRuns ? [] : ['check run']),
      ...runs.flatMap(({ annotations }) => annotations.map(({ message }) => message)),
      ...github
        .reviews()
        .slice(reviews.length)
        .flatMap(({ author, body, state }) =>
          author !== viewer || (body === '' && state === 'COMMENTED') ? [] : [state],
        ),
    ];
  };
  const checkRuns = JSON.stringify(github.checkRuns());
  const reset = () => {
    const pull = github.pull();
    const { given, conversation, threads, reviews } = structuredClone(before);
    pull.given = given;
    pull.conversation.splice(0, pull.conversation.length, ...conversation);
    pull.threads.splice(0, pull.threads.length, ...threads);
    pull.reviews.splice(0, pull.reviews.length, ...reviews);
  };
  return { ...stage, say, run, seenOf, othersOf, reset };
}

export type Reviewed = Awaited<ReturnType<typeof openReviewed>>;

function bodyOf(what: string, name: string): string {
  const words = { ask: ' Why is it so?', dismiss: ' It is meant so.', review: ' deep' }[what] ?? '';
  return `/postil ${what}${name}${words}`;
}
