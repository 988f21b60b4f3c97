import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { requireThere } from '../src/adapters/files/folder.ts';
import { writeWhole } from '../src/adapters/files/write.ts';
import { filesOfOne } from '../src/cli/command.ts';
import type { EvalSurroundings } from '../src/cli/run.ts';
import { harmless, jsonText, undeliveredFiles } from '../src/cli/show-report.ts';
import type { Model, Price } from '../src/core/agent/model.ts';
import { explain, UserError } from '../src/core/errors.ts';
import { inEnglish } from '../src/core/messages/languages.ts';
import { reviewPullRequest } from '../src/core/review-pull-request.ts';
import { createRedactor } from '../src/core/secrets/redact.ts';
import { ownPriceOf, priceOf, secretValues } from '../src/core/settings/formats.ts';
import { type Layer, parseSettings, previewSettings } from '../src/core/settings/parse-settings.ts';
import type { Settings } from '../src/core/settings/settings.ts';
import { openLocal } from '../src/run/local.ts';
import { noTokens, systemClock, temporaryFolder, version } from '../src/run/machine.ts';
import { requireWritable } from '../src/run/output-files.ts';
import { modelsFor } from '../src/run/parts.ts';
import { EvalBudget, type EvalLimits } from './budget.ts';
import type { EvalCase } from './case.ts';
import { countedFindings, judgeRest, matchByPlace, unmeasuredReason } from './match.ts';
import { prepareCase, readCases, readConfig } from './read-cases.ts';
import { type CaseResult, inReadings, notMeasured, readingsOf } from './readings.ts';
import { openRecording, recordJudge, transcriptPath } from './recording.ts';
import { type Arm, caseLine, type Evaluation, evalJson, evalPage, evalText } from './show.ts';
import { tallyOf } from './statistics.ts';

type EvalRequest = {
  /** A folder of cases, or one of them. */
  readonly cases: string;
  /** Config files; null is what Postil does without one. */
  readonly config: string | null;
  /** Null: nothing is compared. */
  readonly against: string | null;
  readonly answers: 'model' | 'record' | 'replay';
  /** Null: each beside its case. */
  readonly transcripts: string | null;
  /** Empty: the place alone decides. */
  readonly judgeModel: string;
  /** Lines that a finding may lie beside a golden. */
  readonly tolerance: number;
  /** Reviews of each head. */
  readonly readings: number;
  /** Cases that are reviewed at the same time. */
  readonly jobs: number;
  readonly format: 'text' | 'json';
  /** Empty: no page is written. */
  readonly reportHtml: string;
  /** Settings of every review. */
  readonly flags: Readonly<Record<string, string>>;
  /** `max-cost` and `max-total-tokens` of the whole evaluation. */
  readonly limits: Readonly<Record<string, string>>;
};

/**
 * `postil eval`: reviews every case and says how well that went. Gives the exit code: 1 when a case was not measured. @throws UserError before
 * anything is reviewed, and for a page that cannot be written
 */
export async function evaluate(command: EvalRequest, around: EvalSurroundings): Promise<number> {
  const { folder, cases } = await readCases(command.cases);
  const run = cases.filter(({ draft }) => !draft);
  if (run.length === 0) throw new UserError('No case can be run: all are drafts.', { hint: 'Complete one of them.' });
  const configurations = configurationsOf(command, around);
  const [first, second] = configurations;
  if (first?.label === second?.label) {
    throw new UserError(`Both configurations are called ${first?.label}.`, { hint: 'Rename one of the files.' });
  }
  const replayed = command.answers === 'replay';
  const transcripts = command.transcripts ?? folder;
  if (replayed) requireThere(transcripts, 'folder', 'Record them with --record.');
  const limits = limitsOf(command, configurations);
  const budget = new EvalBudget(limits);
  requireWritable({ 'report-html': command.reportHtml });
  for (const { label } of command.answers === 'record' ? configurations : []) {
    const all = run.flatMap((of) => readingsOf(of, command.readings));
    for (const of of all) requireWritable({ 'transcript-file': transcriptPath(transcripts, { of, label }) });
  }
  if (around.apiKey === '' && !replayed) {
    around.say(`No API key, so the pattern rules review alone. ${inEnglish({ code: 'hint.no-key-laptop' })}`);
  }
  const measured = await pLimit(command.jobs).map(run, (of) =>
    Promise.all(
      configurations.map(async ({ label, trusted }) => {
        const measuring = { command, folder, transcripts, label, trusted, around, budget };
        const result = await inReadings(of, command.readings, (reading) => measureCase(reading, measuring));
        // A replay takes no time: what it could not measure is listed once, in the end.
        const isListed = result !== null && !(replayed && result.tally.unmeasured !== null);
        if (isListed) around.say(`${second === undefined ? '' : `${label}: `}${caseLine(result)}`);
        return result;
      }),
    ),
  );
  const arms = configurations.map(({ label, settings }, index): Arm => {
    const results = measured.flatMap((results) => results[index] ?? []);
    const models = new Set(results.flatMap((result) => result.model ?? []));
    const notRun = run.filter((_, at) => (measured[at]?.[index] ?? null) === null).map(({ name }) => name);
    return { label, model: [...models].join(', ') || 'no model', profile: settings.profile, results, notRun };
  });
  const evaluation: Evaluation = {
    postil: version,
    arms,
    tolerance: command.tolerance,
    judge: command.judgeModel === '' ? null : command.judgeModel,
    replayed,
    drafts: cases.filter(({ draft }) => draft).map(({ name }) => name),
    used: { ...budget.used, ...limits },
    stopped: around.signal.aborted ? 'interrupted' : budget.reached,
  };
  const plain = harmless((text) => text);
  around.print(command.format === 'json' ? jsonText(evalJson(evaluation)) : plain(evalText(evaluation)));
  if (command.reportHtml !== '') await write(command.reportHtml, evalPage(evaluation));
  const isMeasured = (result: CaseResult) => [result, ...result.later].every(({ tally }) => tally.unmeasured === null);
  return arms.every(({ results, notRun }) => notRun.length === 0 && results.every(isMeasured)) ? 0 : 1;
}

async function write(path: string, text: string): Promise<void> {
  await writeWhole(path, text).catch((cause: unknown) => {
    throw new UserError(`${path} could not be written.`, { hint: 'Name another place.', cause });
  });
}

type Configuration = { readonly label: string; readonly trusted: readonly Layer[]; readonly settings: Settings };

/** One, or the two that are compared. @throws UserError for a setting that is wrong, before anything is reviewed */
function configurationsOf(command: EvalRequest, around: EvalSurroundings): readonly Configuration[] {
  const paths = [command.config, ...(command.against === null ? [] : [command.against])];
  const notes = new Set<string>();
  const configurations = paths.map((path) => {
    const label = path === null ? 'default' : basename(path).replace(/\.ya?ml$/, '');
    const trusted = trustedLayers(command, { config: path === null ? null : readConfig(path), around });
    const whole = command.answers === 'replay' ? {} : command.limits;
    const parsed = parseSettings([{ where: 'flag', trusted: true, values: whole }, ...trusted]);
    for (const note of parsed.notes) notes.add(note);
    return { label, trusted, settings: parsed.settings };
  });
  for (const note of notes) around.say(note);
  return configurations;
}

/** @throws UserError when nobody said what the judge costs */
function limitsOf({ limits, judgeModel, answers }: EvalRequest, [first]: readonly Configuration[]): EvalLimits {
  if (first === undefined || answers === 'replay') return { maxTokens: null, maxCost: null };
  const { maxTotalTokens, maxCost, pricing } = first.settings;
  if (limits['max-cost'] !== undefined && judgeModel !== '' && priceOf(pricing, judgeModel) === null) {
    const hint = `Add a line to --pricing such as '${judgeModel}: input=1,cached=0.05,output=5'.`;
    throw new UserError(`--max-cost is set, and --pricing does not say what ${judgeModel} costs.`, { hint });
  }
  return {
    maxTokens: limits['max-total-tokens'] === undefined ? null : maxTotalTokens,
    maxCost: limits['max-cost'] === undefined ? null : maxCost,
  };
}

function trustedLayers(
  { flags, answers }: EvalRequest,
  { config, around }: { config: Layer | null; around: EvalSurroundings },
): readonly Layer[] {
  const values = Object.entries(around.layer.values).filter(([name]) => !filesOfOne.includes(name));
  // Without a key a review is offline; what was recorded was recorded with one.
  const offline = around.apiKey === '' && answers !== 'replay';
  return [
    ...(offline ? [{ where: 'no key', trusted: true, values: { profile: 'offline' } }] : []),
    { where: 'flag', trusted: true, values: flags },
    ...(config === null ? [] : [config]),
    { ...around.layer, values: Object.fromEntries(values) },
  ];
}

type Measuring = {
  readonly command: EvalRequest;
  readonly folder: string;
  /** Where recordings are. */
  readonly transcripts: string;
  /** Name of the configuration. */
  readonly label: string;
  readonly trusted: readonly Layer[];
  readonly around: EvalSurroundings;
  readonly budget: EvalBudget;
};

/** Never throws: what keeps a case from being measured is its result. Null when it was not run to its end. */
async function measureCase(of: EvalCase, measuring: Measuring): Promise<CaseResult | null> {
  const { around, budget } = measuring;
  if (around.signal.aborted || budget.reached !== null) return null;
  const [folder, limit] = [await temporaryFolder(undefined), new AbortController()];
  const signal = AbortSignal.any([around.signal, limit.signal]);
  const onRefused = () => limit.abort();
  try {
    const one = { ...measuring, around: { ...around, signal }, temporary: folder.path, onRefused };
    const result = await reviewCase(of, one);
    const isWhole = !limit.signal.aborted && (!around.signal.aborted || result.tally.unmeasured === null);
    return isWhole ? result : null;
  } catch (error) {
    return signal.aborted ? null : notMeasured(of, explain(error));
  } finally {
    await folder.remove();
  }
}

type OneCase = Measuring & { readonly temporary: string; readonly onRefused: () => void };
type Recording = ReturnType<typeof openRecording>;

async function reviewCase(of: EvalCase, measuring: OneCase): Promise<CaseResult> {
  const { command, folder, transcripts, label, trusted, around, temporary } = measuring;
  const { environment, signal } = around;
  const preview = previewSettings(trusted);
  const redact = createRedactor([around.apiKey, ...secretValues(preview)]);
  const path = transcriptPath(transcripts, { of, label });
  const recording = command.answers === 'replay' ? openRecording(path, redact) : null;
  const prepared = await prepareCase(of, { ...around, folder, temporaryFolder: temporary });
  const { models, judgeOf } = caseModels(recording, measuring);
  const transcript = join(temporary, 'transcript.jsonl');
  const written = command.answers === 'record' ? { 'transcript-file': transcript } : {};
  const layers = [{ where: 'record', trusted: true, values: written }, ...trusted];
  const apiKey = recording === null ? around.apiKey : 'none';
  const { parts, close } = await openLocal({
    environment,
    command: prepared,
    inputs: { apiKey, tokens: noTokens, layers, preview, notes: [], redact },
    output: { report: () => undefined, destinations: [], temporaryFolder: temporary },
    run: { clock: systemClock, startedAt: systemClock.now(), signal },
    models,
  });
  try {
    const subject = `${parts.pullRequest.mergeBase}..${parts.pullRequest.head.sha}`;
    if (recording !== null && recording.subject !== subject) {
      return notMeasured(of, 'The transcript does not fit: it was recorded from another change.');
    }
    const { review, deliveries } = await reviewPullRequest(parts);
    const { changed, unanswered } = recording?.misses() ?? { changed: 0, unanswered: 0 };
    const noAnswer = `The transcript does not fit: it has no answer to ${unanswered} of the requests.`;
    const problem = unanswered > 0 ? noAnswer : unmeasuredReason(review, of.goldens);
    if (problem !== null) return notMeasured(of, problem);
    const raised = countedFindings(review, parts.settings).map((finding) => {
      return { ...finding, title: redact(finding.title), review: redact(finding.review) };
    });
    const paired = matchByPlace(of.goldens, raised, command.tolerance);
    const { judge, lines } = recordJudge(judgeOf(), { clock: systemClock, redact });
    const { pairs, problem: unjudged } = await judgeRest({ goldens: of.goldens, raised, paired }, judge, signal);
    const notes = [
      ...(review.outcome === 'partial' ? [inEnglish.sentences(review.headline)] : []),
      ...(changed === 0 ? [] : [`${changed} of its prompts differ from the recorded ones: the next answers stand in.`]),
      ...(unjudged === null ? [] : [unjudged]),
      ...undeliveredFiles(deliveries),
    ];
    if (command.answers === 'record' && !signal.aborted) {
      const keep = async () => write(path, `${await readFile(transcript, 'utf8')}${lines()}`);
      await keep().catch((error: unknown) => notes.push(explain(error)));
    }
    const milliseconds = recording?.milliseconds ?? review.milliseconds;
    const model = parts.models.model === null ? null : (recording?.model ?? parts.settings.model);
    const counts = { metrics: review.metrics, milliseconds, findings: raised.length, matched: pairs.length };
    const isPartial = review.outcome === 'partial';
    return { of, model, raised, pairs, isPartial, later: [], notes, tally: tallyOf(of, counts) };
  } finally {
    await close();
  }
}

/** What answers the review of a case and its judge: the recording, or models whose calls the evaluation can still pay. */
function caseModels(recording: Recording | null, { command, budget, onRefused }: OneCase) {
  let judge: Model | null = null;
  const models: typeof modelsFor = async (settings, access) => {
    const live = await modelsFor(settings, access);
    if (recording !== null) {
      judge = command.judgeModel === '' ? null : recording.judge;
      return { ...live, ...recording.models };
    }
    const { pricing, model, verifyModel, embeddingsModel } = settings;
    const at = (price: Price | null) => ({ price, onRefused });
    judge = budget.meteredModel(await judgeFor(command, settings, access), at(priceOf(pricing, command.judgeModel)));
    return {
      ...live,
      model: budget.meteredModel(live.model, at(priceOf(pricing, model))),
      verifyModel: budget.meteredModel(live.verifyModel, at(priceOf(pricing, verifyModel))),
      embedder: budget.meteredEmbedder(live.embedder, at(ownPriceOf(pricing, embeddingsModel))),
    };
  };
  return { models, judgeOf: () => judge };
}

/** Behind the endpoint of the review; null where the place alone decides. */
async function judgeFor(
  { judgeModel }: EvalRequest,
  ...[settings, access]: Parameters<typeof modelsFor>
): Promise<Model | null> {
  if (judgeModel === '') return null;
  const alone = { ...settings, model: judgeModel, verify: false, embeddingsModel: '', vision: false };
  return (await modelsFor(alone, access)).model;
}
