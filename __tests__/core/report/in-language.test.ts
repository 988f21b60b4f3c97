import { describe, expect, it } from 'vitest';
import { ownAnswer } from '../../../src/core/answering/own-answers.ts';
import { endedComment, isMarkedEnded, reopenedComment } from '../../../src/core/history/ended-comment.ts';
import { lives } from '../../../src/core/history/life.ts';
import { readMarks } from '../../../src/core/history/mark.ts';
import { noMemory } from '../../../src/core/history/memory.ts';
import { inEnglish, translatorFor } from '../../../src/core/messages/languages.ts';
import { renderAnswer } from '../../../src/core/report/answer.ts';

import { renderReport } from '../../../src/core/report/json.ts';
import { renderReviewPost } from '../../../src/core/report/review-post.ts';
import { renderSticky } from '../../../src/core/report/sticky.ts';
import { runStopSchema } from '../../../src/core/review/review.ts';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import { titleIn } from '../../../src/core/rules/rule-texts.ts';
import { asking } from '../../fakes/asking.ts';
import { prior } from '../../fakes/earlier-rounds.ts';
import {
  ends,
  englishIn,
  modelFinding,
  ofRules,
  recordFor,
  surfacesOf,
  t,
  theirs,
  told,
} from '../../fakes/every-ending.ts';
import { pullRequest, reviewer } from '../../fakes/review-record.ts';

describe('what Postil writes on a pull request', () => {
  it.each(ends.map((end) => [end.stop?.reason ?? '', end] as const))('is all from the catalogue: %s', (_, end) => {
    expect(surfacesOf(recordFor(end)).flatMap(englishIn)).toEqual([]);
  });

  it('has been tried with every way to end', () => {
    const reasons = runStopSchema.oneOf.map(({ properties }) => properties.reason.enum[0]);
    expect(new Set(ends.map(({ stop }) => stop?.reason))).toEqual(new Set(reasons));
  });

  it.each([
    'help',
    'dance',
    'pause',
    'resume',
    'ask',
    'dismiss',
    'undismiss p-0001',
    'explain p-0001',
    'dismiss p-f1 1',
  ])('is all from the catalogue where it answers /postil %s', (command) => {
    const memory = { ...noMemory, prior: [prior(modelFinding())] };
    const asked = asking(`/postil ${command}`);
    const answer = ownAnswer({ asked, memory, pullRequest, name: '', t });
    const form = { context: told, identity: reviewer, head: pullRequest.head.sha, movedTo: 'd'.repeat(40), at: '' };
    const judged = (['withdrawn', 'fixed', 'stands'] as const).map((verdict) => ({ ...answer, verdict }));
    const texts = judged.map((one) =>
      one.text === undefined
        ? ''
        : renderAnswer(
            {
              ...one,
              ...{ asked, text: one.text, notFound: theirs, places: [], about: null, isDone: true, movesGate: true },
              suggestion: { code: '1', applies: false },
              proof: { path: '1', startLine: 1, endLine: 1 },
            },
            { ...form, gate: { url: 'https://github.com/1', runsAgain: one.verdict === 'fixed' } },
          ),
    );
    expect(texts.flatMap(englishIn)).toEqual([]);
  });

  it('is all from the catalogue where a comment says how its finding ended, and every language knows that again', () => {
    const body = `${theirs}\n\n<!-- postil:v2 {} -->`;
    const ended = lives.map((life) => endedComment(body, { life, commit: '1'.repeat(40), t }));
    expect(ended.flatMap(englishIn)).toEqual([]);
    expect(ended.map(isMarkedEnded)).toEqual(lives.map(() => true));
    expect(ended.map(reopenedComment)).toEqual(lives.map(() => theirs));
  });
});

describe('what is kept', () => {
  const record = recordFor({ outcome: 'findings', stop: { reason: 'completed' } });
  const marksOf = (language: string) => {
    const words = translatorFor(language) ?? inEnglish;
    const post = renderReviewPost(record.review, { ...told, t: words });
    const comments = [...(post?.comments ?? []), ...(post?.fileComments ?? [])].flatMap(({ body }) => readMarks(body));
    return [...comments, ...readMarks(renderSticky(record, { ...told, t: words, comment: 1, present: null }) ?? '')];
  };

  it('is the same in every language: marks, and with them what a finding is known again by', () => {
    const [german, japanese] = [marksOf('German'), marksOf('Japanese')];
    expect(german.length).toBeGreaterThan(ofRules.length);
    expect([german, japanese]).toEqual([marksOf('English'), marksOf('English')]);
  });

  it('is English in the report, whatever people read', () => {
    const texts = (language: string) =>
      renderReport(record, { ...told, t: translatorFor(language) ?? inEnglish } as typeof told);
    expect(texts('German')).toEqual(texts('English'));
  });
});

describe('the title of a rule', () => {
  const [rule] = builtInRules;
  const found = { path: 'a.ts', ruleId: rule?.id ?? '', title: rule?.title ?? '', source: 'rule' } as const;
  const german = translatorFor('German') ?? inEnglish;

  it('is said in the language; that of a rule of the team, and what the model says, stay as they were written', () => {
    expect([
      titleIn(found, german),
      titleIn({ ...found, title: 'Our own words' }, german),
      titleIn({ ...found, source: 'model' }, german),
    ]).toEqual([german.rules[found.ruleId]?.title, 'Our own words', found.title]);
  });
});
