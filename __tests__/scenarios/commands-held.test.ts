import { describe, expect, it } from 'vitest';
import { commentEvent } from '../fakes/world/event.ts';
import { answersIn, answerWith, openAsked } from './asking.ts';
import { play, wrongLine } from './review.ts';

describe('a command', () => {
  it('asks no model where the workflow asks none', async () => {
    const { tell, model, github } = await openAsked();
    const asked = model.requests.length;
    const { run, id } = await tell('/postil ask Why?', { with: { profile: 'offline' } });
    expect([run.code, github.reactions(id), model.requests.length - asked]).toEqual([1, ['EYES', 'CONFUSED'], 0]);
  });

  it('offers a change to click only in the thread whose lines it replaces', async () => {
    const { tell, say, finding } = await openAsked();
    say(() => answerWith({ answer: 'The bound.', suggestion: wrongLine.replace('<=', '<') }));
    const below = await tell(`/postil fix ${finding}`);
    const inThread = await tell('/postil fix', { thread: true });
    expect([below, inThread].map(({ answers }) => answers.join().includes('```suggestion'))).toEqual([false, true]);
  });

  it('is not for a job with a gate, where it stands in a line: its check would pass for a review', async () => {
    const { github, own, stage, scenario } = await openAsked();
    const id = github.people.reply(own, { author: 'nora', body: 'Nice!' });
    const run = await play(stage, { ...scenario, event: commentEvent(stage, id) });
    expect([run.code, run.log.includes('cannot answer comments on lines (pull_request_review_comment)')]).toEqual([
      1,
      true,
    ]);
  });
});

describe('a verdict', () => {
  it('is not given by the defect itself', async () => {
    const { tell, say, github } = await openAsked();
    say(() => answerWith({ answer: 'No.', verdict: 'excluded', proof: { path: 'src/total.ts', quote: wrongLine } }));
    await tell('/postil recheck', { thread: true });
    expect(answersIn(github).map(({ mark }) => mark.verdict)).toEqual([undefined]);
  });
});
