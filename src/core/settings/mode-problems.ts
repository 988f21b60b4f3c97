import type { Settings } from './settings.ts';

type ModeSettings = Pick<Settings, 'mode' | 'reviewFile' | 'reviewEvent' | 'reportFile' | 'sarifFile' | 'progressFile'>;

/**
 * Inputs that contradict `mode`, one sentence each. Only inputs that a config file cannot set are looked at: it is
 * the same file for both jobs.
 */
export function modeProblems(settings: ModeSettings, { withKey }: { readonly withKey: boolean }): readonly string[] {
  const { mode, reviewFile, reviewEvent } = settings;
  if (mode === 'review-and-post') {
    return reviewFile === ''
      ? []
      : ["'review-file' is for two jobs: set 'mode' to review in one and to post in the other."];
  }
  return [
    ...(reviewFile === '' ? [`'mode: ${mode}' needs 'review-file', the file that ${useOf[mode]}.`] : []),
    ...(reviewFile === '' ? [] : sameFile(settings)),
    ...(mode === 'post' && withKey
      ? ["'api-key' is set in 'mode: post': the job that may write asks no model and must not hold the key."]
      : []),
    ...(mode === 'review' && reviewEvent !== 'comment'
      ? ["'review-event' is set in 'mode: review', which posts nothing: set it in the job with 'mode: post'."]
      : []),
  ];
}

const useOf = { review: 'the review is written to', post: 'the review is read from' } as const;

function sameFile({ reviewFile, reportFile, sarifFile, progressFile }: ModeSettings): readonly string[] {
  const others = { 'report-file': reportFile, 'sarif-file': sarifFile, 'progress-file': progressFile };
  return Object.entries(others)
    .filter(([, path]) => path === reviewFile)
    .map(([name]) => `'review-file' and '${name}' name the same file.`);
}
