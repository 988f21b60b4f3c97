import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import pLimit from 'p-limit';
import { requireOwnPath } from '../adapters/files/own-path.ts';
import type { Model } from '../core/agent/model.ts';
import { explain, UserError } from '../core/errors.ts';
import type { EvalCase } from '../core/eval/case.ts';
import { type Cassette, type EvalModels, parseCassette, playCassette, recordModels } from '../core/eval/cassette.ts';
import { judgeRest, matchByPlace, raisedBy, unusable } from '../core/eval/match.ts';
import {
  type Arm,
  type CaseResult,
  caseLine,
  type Evaluation,
  evalJson,
  evalPage,
  evalText,
} from '../core/eval/show.ts';
import { visibleLine } from '../core/report/text.ts';
import type { Review } from '../core/review/review.ts';
import { reviewPullRequest } from '../core/review-pull-request.ts';
import { createRedactor } from '../core/secrets/redact.ts';
import { configFaults, readYaml } from '../core/settings/config-file.ts';
import { secretValues } from '../core/settings/formats.ts';
import { type Layer, previewSettings } from '../core/settings/parse-settings.ts';
import { openLocal } from '../laptop.ts';
import { modelsFor, systemClock, temporaryFolder, version } from '../surroundings.ts';
import type { EvalRunCommand } from './eval-arguments.ts';
import { prepareCase, readCases, readTextFile } from './eval-cases.ts';
import { harmless, jsonText } from './report.ts';

/** What the process around it has. */
export type EvalSurroundings = {
  /** Empty where there is none. */
  readonly apiKey: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Settings of the environment. */
  readonly layer: Layer;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
  /** Progress, a line each. */
  readonly say: (text: string) => void;
};

/** `postil eval`: reviews every case and says how well that went. Gives the exit code: 1 when a case was not measured. @throws UserError */
export async function evaluate(command: EvalRunCommand, around: EvalSurroundings): Promise<number> {
  const { folder, cases } = await readCases(command.cases);
  const configs = [command.config, ...(command.against === null ? [] : [command.against])];
  const layers = await Promise.all(configs.map((path) => (path === null ? null : readConfig(path))));
  const labels = configs.map((path) => (path === null ? 'default' : basename(path).replace(/\.ya?ml$/, '')));
  if (labels[0] === labels[1]) {
    throw new UserError(`Both configurations are called ${labels[0]}.`, { hint: 'Rename one of the files.' });
  }
  const run = cases.filter(({ draft }) => !draft);
  if (run.length === 0) throw new UserError('No case can be run: all are drafts.', { hint: 'Complete one of them.' });
  if (around.apiKey === '' && command.answers !== 'replay') {
    around.say(
      'No API key: the pattern rules review alone. For a model set OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL.',
    );
  }
  const limit = pLimit(command.jobs);
  const arms = await Promise.all(
    labels.map(async (label, index): Promise<Arm> => {
      const trusted = trustedLayers(command, { config: layers[index] ?? null, around });
      const { profile } = previewSettings(trusted);
      const results = await limit.map(run, async (one) => {
        const result = await measureCase(one, { command, folder, label, trusted, around });
        around.say(`${configs.length > 1 ? `${label}: ` : ''}${caseLine(result)}`);
        return result;
      });
      const models = new Set(results.flatMap((result) => result.model ?? []));
      return { label, model: [...models].join(', ') || 'no model', profile, results };
    }),
  );
  const evaluation: Evaluation = {
    postil: version,
    arms,
    tolerance: command.tolerance,
    judge: command.judgeModel === '' ? null : command.judgeModel,
    replayed: command.answers === 'replay',
    drafts: cases.filter(({ draft }) => draft).map(({ name }) => name),
  };
  if (command.reportHtml !== '') await writeOwn(command.reportHtml, evalPage(evaluation));
  const plain = harmless((text) => text);
  around.print(command.format === 'json' ? jsonText(evalJson(evaluation)) : plain(evalText(evaluation)));
  return arms.some(({ results }) => results.some(({ tally }) => tally.unmeasured !== null)) ? 1 : 0;
}

/** A config file of the disk. It may say what one of a repository may say: no address, and no file. @throws UserError */
async function readConfig(path: string): Promise<Layer> {
  const text = await readTextFile(path, 200_000).catch((cause: unknown) => {
    throw new UserError(`The config file ${path} cannot be read. ${explain(cause)}`, {
      hint: 'Check the path.',
      cause,
    });
  });
  const faults = configFaults(text);
  if (faults.length > 0) {
    const problems = faults.map((fault) => `${path}:${fault.line}: ${fault.text}.`);
    throw new UserError(problems.join('\n'), {
      hint: 'The settings: https://github.com/postil/postil/blob/v0/docs/inputs.md',
    });
  }
  const { values } = readYaml(text);
  return { where: path, trusted: true, values: typeof values === 'object' && values !== null ? { ...values } : {} };
}

/** Files of one review: there are many here, and each would overwrite the one before. */
const filesOfOne = [
  'report-file',
  'report-html',
  'sarif-file',
  'progress-file',
  'transcript-file',
  'review-file',
  'config',
];

function trustedLayers(
  { flags, answers }: EvalRunCommand,
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
  readonly command: EvalRunCommand;
  readonly folder: string;
  /** Name of the configuration. */
  readonly label: string;
  readonly trusted: readonly Layer[];
  readonly around: EvalSurroundings;
};

/** Never throws: what keeps a case from being measured is its result. */
async function measureCase(of: EvalCase, measuring: Measuring): Promise<CaseResult> {
  if (measuring.around.signal.aborted) return notMeasured(of, 'The evaluation was stopped.');
  const folder = await temporaryFolder(undefined);
  try {
    return await reviewCase(of, { ...measuring, temporary: folder.path });
  } catch (error) {
    return notMeasured(of, explain(error));
  } finally {
    await folder.remove();
  }
}

function notMeasured(of: EvalCase, why: string): CaseResult {
  const counts = { goldens: of.goldens.length, findings: 0, matched: 0, tokens: 0, billed: 0, cost: null, seconds: 0 };
  return { of, tally: { name: of.name, unmeasured: why, ...counts }, model: null, raised: [], pairs: [], notes: [] };
}

async function reviewCase(of: EvalCase, measuring: Measuring & { readonly temporary: string }): Promise<CaseResult> {
  const { command, folder, label, trusted, around, temporary } = measuring;
  const path = cassettePath(of, measuring);
  const cassette = command.answers === 'replay' ? await readCassette(path) : null;
  if (typeof cassette === 'string') return notMeasured(of, cassette);
  const preview = previewSettings(trusted);
  const redact = createRedactor([around.apiKey, ...secretValues(preview)]);
  const prepared = await prepareCase(of, { ...around, folder, temporaryFolder: temporary });
  const player = cassette === null ? null : playCassette(cassette, redact);
  const tape: { models: EvalModels; recording: ReturnType<typeof recordModels> | null } = {
    models: none,
    recording: null,
  };
  const models: typeof modelsFor = async (settings, access) => {
    if (player !== null) {
      tape.models = player.models;
      return player.models;
    }
    const live = await modelsFor(settings, access);
    const judge = await judgeFor(command, { settings, access });
    tape.recording = recordModels({ ...live, judge }, { clock: systemClock, redact });
    tape.models = command.answers === 'record' ? tape.recording.models : { ...live, judge };
    return { ...live, ...tape.models };
  };
  const context = {
    apiKey: player === null ? around.apiKey : 'none',
    environment: around.environment,
    trusted,
    preview,
  };
  const { parts, close } = await openLocal({
    ...{ ...context, command: prepared, models, notes: [], report: () => undefined, redact, recorders: [] },
    ...{ temporaryFolder: temporary, startedAt: Date.now(), signal: around.signal },
  });
  try {
    const subject = `${parts.pullRequest.mergeBase}..${parts.pullRequest.head.sha}`;
    if (cassette !== null && cassette.head.subject !== subject) {
      return notMeasured(of, `The cassette does not fit: it was recorded from another change (${cassette.head.case}).`);
    }
    const { review } = await reviewPullRequest(parts);
    const problem = unanswered(player) ?? unusable(review, of.goldens);
    if (problem !== null) return notMeasured(of, problem);
    const raised = raisedBy(review, parts.settings).map((one) => ({
      ...one,
      title: redact(one.title),
      review: redact(one.review),
    }));
    const paired = matchByPlace(of.goldens, raised, command.tolerance);
    const { judge } = tape.models;
    const judged =
      judge === null
        ? { pairs: paired, problem: null }
        : await judgeRest({ goldens: of.goldens, raised, paired }, judge, around.signal);
    const milliseconds = cassette?.milliseconds ?? Math.round(review.milliseconds);
    if (command.answers === 'record' && tape.recording !== null) {
      const head = { postil: version, case: of.name, subject, config: label, model: parts.settings.model };
      await writeOwn(path, tape.recording.text({ ...head, judge: command.judgeModel || null }, milliseconds));
    }
    const notes = [...notesOf(review, player), ...(judged.problem === null ? [] : [judged.problem])];
    return {
      of,
      model: parts.model === null ? null : (cassette?.head.model ?? parts.settings.model),
      raised,
      pairs: judged.pairs,
      notes,
      tally: tallyOf(of, { review, milliseconds, findings: raised.length, matched: judged.pairs.length }),
    };
  } finally {
    await close();
  }
}

const none: EvalModels = { model: null, verifyModel: null, embedder: null, judge: null };

/** Behind the endpoint of the review; null where the place alone decides. */
async function judgeFor(
  { judgeModel }: EvalRunCommand,
  { settings, access }: { settings: Parameters<typeof modelsFor>[0]; access: Parameters<typeof modelsFor>[1] },
): Promise<Model | null> {
  if (judgeModel === '') return null;
  const alone = { ...settings, model: judgeModel, verify: false, embeddingsModel: '', vision: false };
  return (await modelsFor(alone, access)).model;
}

function tallyOf(
  of: EvalCase,
  { review, milliseconds, ...counts }: { review: Review; milliseconds: number; findings: number; matched: number },
): CaseResult['tally'] {
  const { usage, cost } = review.metrics;
  return {
    name: of.name,
    unmeasured: null,
    goldens: of.goldens.length,
    ...counts,
    tokens: usage.input + usage.output,
    billed: Math.max(0, usage.input - usage.cached) + usage.output,
    cost,
    seconds: milliseconds / 1_000,
  };
}

function unanswered(player: ReturnType<typeof playCassette> | null): string | null {
  const missing = player?.asked().unanswered ?? 0;
  return missing === 0 ? null : `The cassette does not fit: it has no answer to ${missing} of the questions.`;
}

function notesOf({ outcome, headline }: Review, player: ReturnType<typeof playCassette> | null): readonly string[] {
  const anew = player?.asked().anew ?? 0;
  return [
    ...(outcome === 'partial' ? [headline] : []),
    ...(anew === 0 ? [] : [`${anew} of its prompts differ from the recorded ones: the next answers stand in.`]),
  ];
}

/** `CASE.cassette.jsonl`, with the name of the configuration where there is one. */
function cassettePath(of: EvalCase, { command, folder, label }: Measuring): string {
  const config = label === 'default' ? '' : `.${label}`;
  return join(command.cassettes ?? folder, `${of.name}${config}.cassette.jsonl`);
}

/** A string says why there is none. */
async function readCassette(path: string): Promise<Cassette | string> {
  if (!existsSync(path)) return `There is no cassette ${path}.`;
  const text = await readTextFile(path, 200_000_000).catch((cause: unknown) => new Error(explain(cause)));
  if (typeof text !== 'string') return `The cassette ${path} cannot be read. ${text.message}`;
  const parsed = parseCassette(text);
  return parsed.ok ? parsed.value : `The cassette ${path} cannot be read: ${visibleLine(parsed.problems.join('; '))}.`;
}

/** @throws UserError */
async function writeOwn(path: string, text: string): Promise<void> {
  try {
    requireOwnPath(path, process.cwd());
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, 'utf8');
  } catch (cause) {
    throw new UserError(`${path} could not be written. ${explain(cause)}`, { hint: 'Name another file.', cause });
  }
}
