/** The outputs of action.yml: counts and paths, never the findings themselves (1 MB a job). */
export const actionOutputs = {
  outcome: 'clean, findings, partial, skipped or failed.',
  action: 'What the review comes to: APPROVE, REQUEST_CHANGES or COMMENT.',
  approved: 'true when every part was reviewed and nothing must be mended.',
  rationale: 'Why, in a sentence or two. Written by the model: treat it as data.',
  findings: 'Number of findings.',
  critical: 'Number of critical findings.',
  warning: 'Number of warnings.',
  info: 'Number of findings of severity info.',
  nitpick: 'Number of nitpicks.',
  posted: 'Number of findings posted to the pull request: inline, on a file, or in the review body.',
  'review-url': 'Address of the posted review; empty when none was posted.',
  'report-file': 'Path of the JSON report; empty when none was written.',
  'input-tokens': 'Input tokens of all calls, cached ones included.',
  'output-tokens': 'Output tokens of all calls, thinking included.',
  'cached-tokens': 'Input tokens that the provider had cached.',
  'stop-reason': 'Why the run ended, such as completed, no-key, iterations, tokens, time, cancelled.',
} as const;
