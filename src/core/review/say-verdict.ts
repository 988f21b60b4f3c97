import { atLeast } from '../settings/setting.ts';
import { cutWords } from '../text.ts';
import { english } from '../words/say.ts';
import { factsAfter, isTrouble } from './facts.ts';
import { severityCounts, whyOf } from './headline.ts';
import { keyHint } from './hints.ts';
import type { ReviewRecord } from './sink.ts';
import { type Decision, decide, type Gate, type Verdict } from './verdict.ts';

/** The verdict on a review with what became of it until now, in words. Every surface prints it, and none decides. */
export function verdictOf({ review, deliveries }: Pick<ReviewRecord, 'review' | 'deliveries'>, gate: Gate): Verdict {
  const decision = decide(factsAfter(review.facts, deliveries), gate);
  const words = wordsFor(decision, { review, deliveries, gate });
  const title = words === null ? null : cutWords(english('Failing: {what}', { what: words.title }), titleCharacters);
  const why = words?.why ?? null;
  const { headline, stop, pullRequest } = review;
  const hint = decision.gate === 'warn' && stop.reason === 'no-key' ? keyHint(pullRequest) : '';
  return { ...decision, title, why, message: [why ?? '', headline, hint].filter((part) => part !== '').join(' ') };
}

const titleCharacters = 60;

type Words = { readonly title: string; readonly why: string | null };

function wordsFor(
  { gate: kind }: Decision,
  { review, deliveries, gate }: Pick<ReviewRecord, 'review' | 'deliveries'> & { gate: Gate },
): Words | null {
  const { stop, findings } = review;
  switch (kind) {
    case 'fine':
    case 'warn':
      return null;
    case 'findings': {
      const open = findings.filter(({ place }) => place !== 'suppressed');
      const { failOn } = gate;
      const severe = failOn === 'never' ? [] : open.filter(({ severity }) => atLeast(severity, failOn));
      const why = english.many(
        severe.length,
        '{n} finding at or above `fail-on: {level}`.',
        '{n} findings at or above `fail-on: {level}`.',
        { level: failOn },
      );
      const counts = severityCounts(severe);
      return { title: english('{counts} (`fail-on: {level}`)', { counts, level: failOn }), why };
    }
    case 'unknown':
      return {
        title: english('earlier findings are unknown (`fail-on`)'),
        why: stop.reason === 'earlier-unknown' ? null : unknown,
      };
    case 'incomplete': {
      const gap = whyOf(stop);
      if (stop.reason === 'skipped' && stop.paused === true) return { title: english('reviews are paused'), why: null };
      if (stop.reason === 'skipped' && stop.byAuthor === true) {
        const why = english('No gate passes by what the author decides, such as the title or the base branch.');
        return { title: english('not reviewed'), why };
      }
      const why = english('Not everything was reviewed, and `require-complete` is set.');
      const title = english('not everything was reviewed (`require-complete`)');
      return { title, why: review.headline.includes(gap) ? why : `${why} ${gap}` };
    }
    case 'failed': {
      const left = standingApproval(deliveries);
      if (stop.reason !== 'failed') return { title: english('an earlier approval could not be dismissed'), why: left };
      return { title: stop.label ?? stop.message, why: left };
    }
  }
}

const unknown = whyOf({ reason: 'earlier-unknown' });

/** Why an approval that this run does not support could not be dismissed; null when none stands. */
function standingApproval(deliveries: ReviewRecord['deliveries']): string | null {
  const trouble = deliveries.find(({ sink, status }) => sink === 'approval' && isTrouble(status));
  return trouble === undefined ? null : (trouble.reason ?? english('An earlier approval could not be dismissed.'));
}
