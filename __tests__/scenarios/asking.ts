import { readMarks, readWrittenMarks } from '../../src/core/history/mark.ts';
import { markKeys } from '../../src/core/history/signed-marks.ts';
import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import { nodeIds, type StoredComment } from '../fakes/github-server/store.ts';
import { allPermissions } from '../fakes/github-server/world.ts';
import { call, type fault, type MessageAnswer, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { modelKey } from '../fakes/model-server/start-model.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';
import { commentEvent } from '../fakes/world/event.ts';
import type { ActionRun } from './harness.ts';
import { play, type Scenario, type Stage, setStage, totalWorld, wrongLine, wrongLineFinding } from './review.ts';

/** What a model says where it is asked. */
type Said = MessageAnswer | ReturnType<typeof fault>;

type Given = { readonly answer: string } & { readonly [field: string]: unknown };

/** A call of `submit_answer`: what the question does not ask for is not in its form, and is left unread. */
export function answerWith(given: Given): MessageAnswer {
  const source = { path: 'src/total.ts', lines: '4', shows: 'the loop' };
  return call('submit_answer', {
    sources: [source],
    not_found: null,
    verdict: 'stands',
    proof: null,
    suggestion: null,
    ...given,
  });
}

/** Reads the changed file and finds the defect in a review; says this where it is asked. */
export function answerer(
  say: () => Said | Promise<Said> = () => answerWith({ answer: 'It is read one past the end.' }),
): ModelScript {
  return (request) => {
    if (request.tools.includes('submit_answer')) return say();
    const read = request.lastResult('read_file');
    if (read === '') return call('read_file', { path: 'src/total.ts' });
    return submit(read.includes(wrongLine.trim()) ? [wrongLineFinding] : []);
  };
}

export const collaborators = { rita: 'read', grace: 'write', octo: 'admin' } as const;
/** An answer that means no harm. */
export const plain = () => answerWith({ answer: 'It is read one past the end.' });

/** A pull request that was reviewed once, where people ask a model that says what `say` was last told. */
export async function openAsked({ inputs = {}, ...world }: Partial<WorldOptions> & Pick<Scenario, 'inputs'> = {}) {
  let answer: () => Said | Promise<Said> = plain;
  const { github: gitHub, ...more } = world;
  const permissions = { ...allPermissions, actions: 'write' } as const;
  const scenario = {
    world: { ...totalWorld, ...more, github: { collaborators, permissions, ...gitHub } },
    model: answerer(() => answer()),
    inputs: { 'fail-on': 'info', ...inputs },
  };
  const stage = await setStage(scenario);
  const { github } = stage;
  const reviewed = await play(stage, scenario);
  const own = github.threads().find(({ comments }) => comments[0]?.author === github.world.viewer)?.comments[0];
  const [mark] = readMarks(own?.body ?? '');
  if (own === undefined || mark?.kind !== 'finding') throw new Error('Nothing was found.');
  const { id } = mark;
  return {
    ...{ scenario, stage, github, own: own.id, finding: id, reviewed, model: stage.model },
    say: (next: typeof answer) => {
      answer = next;
    },
    /** What a comment of these words comes to, written into the conversation unless told. */
    tell: async (body: string, { by = 'grace', thread = false, with: changes = {} }: Telling = {}) => {
      const said = thread ? github.people.reply(own.id, { author: by, body }) : github.people.say({ author: by, body });
      const run = await ask(stage, { ...scenario, inputs: { ...scenario.inputs, ...changes } }, said);
      return { id: said, run, answers: answersTo(github, said).map((one) => seen(one.body)) };
    },
    /** What a review comes to that starts from nothing. */
    reviewAgain: (changes: Scenario['inputs'] = {}) =>
      play(stage, { ...scenario, inputs: { ...scenario.inputs, incremental: 'false', ...changes } }),
  };
}

export type Telling = { readonly by?: string; readonly thread?: boolean; readonly with?: Scenario['inputs'] };

/** The run that the comment or review of this id starts. Nothing is checked out, as the workflow of the docs has it. */
export function ask(
  stage: Stage,
  scenario: Scenario,
  id: number,
  changes: Parameters<typeof commentEvent>[2] = {},
  workspace: string | null = null,
): Promise<ActionRun> {
  // A job with a gate answers no comments on lines.
  const { 'fail-on': _, ...inputs } = scenario.inputs ?? {};
  return play({ ...stage, workspace }, { ...scenario, inputs, event: commentEvent(stage, id, changes) });
}

/** Everything that stands on the pull request as a comment or reply, oldest first. */
export function everything(github: FakeGitHub): readonly (StoredComment & { readonly in: string })[] {
  const { conversation, threads } = github.pull();
  return [
    ...conversation.map((comment) => ({ ...comment, in: 'conversation' })),
    ...threads.flatMap(({ id, comments }) => comments.map((comment) => ({ ...comment, in: id }))),
  ].toSorted((one, other) => one.id - other.id);
}

/** The number of the comment that opens the thread of this one; null in the conversation. */
function threadOf(github: FakeGitHub, id: number): number | null {
  const thread = github.threads().find(({ comments }) => comments.some((comment) => comment.id === id));
  return thread?.comments[0]?.id ?? null;
}

/** The answers that stand there, with whether the mark of each is signed. */
export function answersIn(github: FakeGitHub, key = modelKey) {
  const { owner, repository } = github.world;
  const keys = markKeys([key], { repository: `${owner}/${repository}`, number: github.pull().given.number });
  return everything(github).flatMap((comment) =>
    readWrittenMarks(comment.body).flatMap((written) => {
      const { mark } = written;
      if (mark.kind !== 'answer' || comment.author !== github.world.viewer) return [];
      const isSigned = keys.accepts(written, { in: 'answer', thread: threadOf(github, comment.id) });
      return [{ ...comment, mark, isSigned }];
    }),
  );
}

/** What answers this comment. */
export function answersTo(github: FakeGitHub, id: number) {
  const node = nodeIds[github.said(id).kind](id);
  return answersIn(github).filter(({ mark }) => mark.to === node);
}

/** What a reader sees of a comment: all but its hidden mark. */
export function seen(body: string): string {
  return body.replace(/<!--[\s\S]*?-->/g, '').trim();
}

/** The last line of the log that the runner shows as plain text. */
export function lastLine({ log }: ActionRun): string {
  return log.split('\n').findLast((line) => line !== '' && !line.startsWith('::')) ?? '';
}
