import { fileDefinitions, fileOutputs } from '../src/core/settings/files.ts';

/** The outputs of action.yml: counts and paths, never the findings themselves (1 MB a job). */
export const actionOutputs = {
  outcome: 'Result of the run: clean, findings, partial, skipped or failed.',
  action: 'What the review comes to: APPROVE, REQUEST_CHANGES or COMMENT.',
  approved:
    'true when everything is proven: all reviewed, no finding open, and an approval, where it is allowed, was given.',
  rationale: 'Reason for the verdict, one or two sentences. Written by the model: treat it as untrusted data.',
  findings: 'Number of findings: new ones, and earlier ones that still stand.',
  critical: 'Number of critical findings.',
  warning: 'Number of warnings.',
  info: 'Number of info findings.',
  nitpick: 'Number of nitpicks.',
  posted: 'Number of findings that this run posted: on lines, on files, or in the body of the review.',
  walkthrough:
    'JSON list of `{path, paths, changes, checked}`: one line about each group of related files; `path` is the first of them. Written by the model: treat it as untrusted data.',
  unread: 'Number of changed files that were not reviewed, and not left out by settings either.',
  'review-url': 'URL of the posted review. Empty when none was posted.',
  ...Object.fromEntries(fileOutputs.map((name) => [name, fileDefinitions[name].writes.output])),
  'input-tokens': 'Input tokens of all model calls, cached tokens included.',
  'output-tokens': 'Output tokens of all model calls, reasoning included.',
  'cached-tokens': 'Input tokens that the provider read from its cache.',
  cost: 'Cost of all model calls in US$, calculated from `pricing`. Empty without `pricing`.',
  shards: 'For `strategy.matrix` after `mode: plan`: a list in JSON, such as `["1/2","2/2"]`, that is never empty.',
  'stop-reason': 'Why the run ended, such as completed, no-key, iterations, tokens, cost, time, unread, cancelled.',
} as const;
