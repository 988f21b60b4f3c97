import { type AnswerOptions, answerInPlace } from '../../../../src/adapters/github/answering/answer-sink.ts';
import { runGateAgain } from '../../../../src/adapters/github/answering/gate-run.ts';
import { readDiscussion } from '../../../../src/adapters/github/discussion.ts';
import type { Asked } from '../../../../src/core/history/asked.ts';
import { readWrittenMarks } from '../../../../src/core/history/mark.ts';
import { markKeys, withSignatures } from '../../../../src/core/history/signed-marks.ts';
import { inEnglish } from '../../../../src/core/messages/languages.ts';
import { renderAnswer } from '../../../../src/core/report/answer.ts';
import type { Review } from '../../../../src/core/review/review.ts';
import { type Answer, plainAnswer } from '../../../../src/core/review/review.ts';
import { asking } from '../../../fakes/asking.ts';
import type { GitHubWorld, WorldCheck } from '../../../fakes/github-server/world.ts';
import { context, pullRequest, recordOf } from '../../../fakes/review-record.ts';
import { head, strictGitHub } from '../scripted-github.ts';

const keys = markKeys(['a-key-of-the-tests-0123456789'], { repository: 'octo/spoon', number: 7 });
export const viewer = 'github-actions[bot]';
export const identity = { name: 'Review', run: '50-1' };

type Options = Partial<GitHubWorld> & {
  readonly in?: 'conversation' | 'thread' | 'review';
  readonly checks?: readonly WorldCheck[];
  readonly currentHead?: string;
  readonly body?: string;
};

/** A pull request on which grace asks, and who answers her. */
export async function answering({
  in: place = 'conversation',
  checks = [],
  currentHead = head,
  body = '/postil ask Why?',
  ...world
}: Options = {}) {
  const run = new AbortController();
  const threads = [{ path: 'src/lines.txt', line: 5, comments: [{ author: viewer, body: 'A finding.' }] }];
  const strict = await strictGitHub({ threads, signal: run.signal, ...world });
  const { fake, github, lastWords, reference } = strict;
  fake.pull().given = { ...fake.pull().given, checks };
  const said = { author: 'grace', body };
  const opening = fake.comments().length === 0 ? 0 : (fake.threads()[0]?.comments[0]?.id ?? 0);
  const number = {
    conversation: () => fake.people.say(said),
    thread: () => fake.people.reply(opening, said),
    review: () => fake.people.review(said),
  }[place]();
  const id = `${{ conversation: 'IC', thread: 'PRRC', review: 'PRR' }[place]}_${number}`;
  const asked: Asked = asking(body, { in: place, id, number, thread: place === 'thread' ? opening : null });
  const found = checks.map(
    ({ name, workflow = null, run: of = 1 }) =>
      ({ name, workflow, run: String(of), state: 'failed', conclusion: 'failure' }) as const,
  );
  const pull = {
    ...pullRequest,
    head: { ...pullRequest.head, sha: head },
    linked: { ...pullRequest.linked, checks: found },
  };
  const options: AnswerOptions = {
    ...{ github, lastWords, reference, asked, identity, signs: keys.signs, pullRequest: pull, t: inEnglish },
    render: (answer, form) =>
      renderAnswer(answer, { ...form, at: '2026-11-26T10:00:00Z', identity, head, context: { ...context, keys } }),
    look: async () => withSignatures(await readDiscussion(github, reference), keys),
    currentHead: async () => currentHead,
    runGateAgain: () =>
      runGateAgain({ github, reference, pullRequest: pull, identity, own: { workflow: null, isGate: false } }),
  };
  const answer: Answer = { ...plainAnswer, asked, text: 'Because.' };
  const deliver = (changes: Partial<Review> = { answer }, more: Partial<AnswerOptions> = {}) =>
    answerInPlace({ ...options, ...more }).deliver(recordOf({ outcome: 'skipped', ...changes }));
  const all = () => [...fake.conversation(), ...fake.threads().flatMap(({ comments }) => comments)];
  /** What we said, with whether its mark is signed. */
  const answers = () =>
    all()
      .filter((one) => one.author === viewer && one.body !== 'A finding.')
      .map((one) => ({
        ...one,
        signed: readWrittenMarks(one.body).map((mark) =>
          keys.accepts(mark, { in: 'answer', thread: asked.comment?.thread ?? null }),
        ),
      }));
  const writes = () =>
    fake
      .writes()
      .map(({ method, path, status }) => `${method} ${path.replace(/^.*(?:octo\/spoon|\/api)\/|\d+/g, '')} ${status}`);
  return {
    ...strict,
    asked,
    answer,
    options,
    deliver,
    answers,
    writes,
    number,
    run,
    reactions: () => fake.reactions(number),
  };
}
