import { isFileKind } from '../pull-request/unreviewable.ts';
import { type SettingName, wordsOf } from './definitions.ts';
import { readBody, readHeaders, readQuery } from './extra-fields.ts';
import { readPathInstructions } from './path-instructions.ts';
import { parsePricing } from './pricing.ts';
import { profiles } from './profiles.ts';
import type { SettingValue } from './read-value.ts';
import { profileNames, type Settings } from './settings.ts';
import { severities } from './severity.ts';

/** The typed settings of merged values. The values were checked against their definitions before. */
export function toSettings(values: ReadonlyMap<SettingName, SettingValue>): Settings {
  const text = (name: SettingName) => String(values.get(name) ?? '');
  const number = (name: SettingName) => Number(values.get(name));
  const optional = (name: SettingName) => (typeof values.get(name) === 'number' ? number(name) : null);
  const flag = (name: SettingName) => values.get(name) === true;
  const list = (name: SettingName) => {
    const value = values.get(name);
    return Array.isArray(value) ? value.map(String) : [];
  };
  const profile = choice(text('profile'), profileNames);
  const { maxIterations, verify, passes } = profiles[profile];
  return {
    model: text('model'),
    baseUrl: text('base-url').replace(/\/+$/, ''),
    api: choice(text('api'), ['auto', 'responses', 'chat']),
    profile,
    maxIterations: number('max-iterations') || maxIterations,
    maxTokens: optional('max-tokens'),
    maxTotalTokens: number('max-total-tokens'),
    timeoutMinutes: number('timeout-minutes'),
    temperature: optional('temperature'),
    reasoningEffort: text('reasoning-effort'),
    maxCost: optional('max-cost'),
    pricing: parsePricing(list('pricing')).pricing,
    stream: flag('stream'),
    verify: text('verify') === 'auto' ? verify : text('verify') === 'true',
    verifyModel: text('verify-model'),
    passes: number('passes') || passes,
    reflect: flag('reflect'),
    allowFollowUp: flag('allow-follow-up'),
    maxFollowUpTokens: number('max-follow-up-tokens'),
    extraHeaders: readHeaders(list('extra-headers')),
    extraQuery: readQuery(list('extra-query')),
    extraBody: readBody(text('extra-body')),
    concurrency: number('concurrency'),
    filesPerBatch: number('files-per-batch'),
    include: list('include'),
    exclude: list('exclude'),
    skipKinds: wordsOf(list('skip-kinds')).filter(isFileKind),
    skipAuthors: list('skip-authors'),
    reviewDrafts: flag('review-drafts'),
    minSeverity: choice(text('min-severity'), severities),
    minConfidence: number('min-confidence'),
    maxComments: number('max-comments'),
    failOn: choice(text('fail-on'), ['never', ...severities]),
    requireComplete: flag('require-complete'),
    reviewEvent: choice(text('review-event'), ['comment', 'request-changes', 'approve']),
    name: text('name'),
    mode: choice(text('mode'), ['review-and-post', 'review', 'post']),
    reviewFile: text('review-file'),
    comments: flag('comments'),
    annotations: flag('annotations'),
    checkRun: flag('check-run'),
    stickyComment: flag('sticky-comment'),
    incremental: flag('incremental'),
    dryRun: flag('dry-run'),
    language: text('language'),
    guidance: list('guidance'),
    pathInstructions: readPathInstructions(list('path-instructions')),
    memory: flag('memory'),
    knowledge: list('knowledge'),
    vision: flag('vision'),
    imageDetail: choice(text('image-detail'), ['low', 'high']),
    embeddingsModel: text('embeddings-model'),
    denyPaths: list('deny-paths'),
    reportFile: text('report-file'),
    sarifFile: text('sarif-file'),
    progressFile: text('progress-file'),
    transcriptFile: text('transcript-file'),
    pullRequest: optional('pull-request'),
    config: text('config'),
  };
}

function choice<const T extends string>(value: string, choices: readonly T[]): T {
  const found = choices.find((candidate) => candidate === value);
  if (found === undefined) throw new Error(`${value} was not checked against ${choices.join(', ')}`);
  return found;
}
