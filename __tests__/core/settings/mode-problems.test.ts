import { describe, expect, it } from 'vitest';
import { modeProblems } from '../../../src/core/settings/mode-problems.ts';
import { previewSettings } from '../../../src/core/settings/parse-settings.ts';

function problemsOf(values: Readonly<Record<string, string>>, withKey = false): readonly string[] {
  return modeProblems(previewSettings([{ where: 'input', trusted: true, values }]), { withKey });
}

const file = { 'review-file': 'review.json' };

describe('the mode', () => {
  it.each([
    ['by default', {}, true],
    ['that reviews, with its file and its key', { mode: 'review', ...file }, true],
    ['that reviews without a key', { mode: 'review', ...file }, false],
    [
      'that posts, with its file',
      { mode: 'post', ...file, 'review-event': 'request-changes', 'fail-on': 'warning' },
      false,
    ],
  ] as const)('%s is fine', (_, values, withKey) => {
    expect(problemsOf(values, withKey)).toEqual([]);
  });

  it.each([
    [{ mode: 'review' }, false, "'mode: review' needs 'review-file', the file that the review is written to."],
    [{ mode: 'post' }, false, "'mode: post' needs 'review-file', the file that the review is read from."],
    [file, false, "'review-file' is for two jobs: set 'mode' to review in one and to post in the other."],
    [
      { mode: 'post', ...file },
      true,
      "'api-key' is set in 'mode: post': the job that may write asks no model and must not hold the key.",
    ],
    [
      { mode: 'review', ...file, 'review-event': 'approve' },
      true,
      "'review-event' is set in 'mode: review', which posts nothing: set it in the job with 'mode: post'.",
    ],
    [
      { mode: 'review', ...file, 'report-file': 'review.json' },
      true,
      "'review-file' and 'report-file' name the same file.",
    ],
  ] as const)('%o (with a key: %s) is told: %s', (values, withKey, problem) => {
    expect(problemsOf(values, withKey)).toEqual([problem]);
  });
});
