import { changeOf, type JobEvent, type Target } from '../adapters/actions/event.ts';
import type { CheckRunOptions } from '../adapters/github/check-run.ts';
import type { GitHub } from '../adapters/github/client.ts';
import { gitHubPast, gitHubPullRequestSource } from '../adapters/github/pull-request.ts';
import type { ImageFiles } from '../adapters/images/codec.ts';
import { type OpenSyntax, openSyntax } from '../adapters/syntax/syntax.ts';
import type { ReviewFile } from '../core/handover/review-file.ts';
import { type Asked, asksForReview } from '../core/memory/asked.ts';
import type { RunIdentity } from '../core/memory/memory.ts';
import { settingsDigest } from '../core/memory/scope.ts';
import { type MarkKeys, markKeys, noteWithoutKeys, signingKeys, withSignatures } from '../core/memory/signed-marks.ts';
import type { PullRequest, PullRequestSource } from '../core/pull-request/pull-request.ts';
import type { RenderContext } from '../core/report/wording.ts';
import { asideOf } from '../core/review/left-out.ts';
import type { Destination } from '../core/review/sink.ts';
import type { ReviewParts } from '../core/review-pull-request.ts';
import type { Redactor } from '../core/secrets/redact.ts';
import { namesConfig, readConfigFiles } from '../core/settings/config-file.ts';
import { type Layer, parseSettings, settingsFirst } from '../core/settings/parse-settings.ts';
import { deadlines, filesOf, handsOver, type Secrets, type Settings } from '../core/settings/settings.ts';
import { checkDenyPaths } from '../core/tools/deny-paths.ts';
import { answering, askedLayer, failedAnswer, hear, isHeard } from './job-asked.ts';
import { gitHubDestinations, keptSummary, ownApprovals } from './job-delivery.ts';
import {
  findReference,
  type GitHubContext,
  gitHubOf,
  lastWordsOf,
  limitsFor,
  type TargetSearch,
} from './job-github.ts';
import { type Handed, handingOver, openHanded, settingsOfShard } from './job-handover.ts';
import { readShared, type SharedSettings } from './job-shared.ts';
import { gitBesideReading, type JobSources, refuseForkCheckout } from './job-sources.ts';
import { requireWritable } from './output-files.ts';
import { announce, modelsFor, readChangesFor, recorded, startParser } from './parts.ts';

export type JobContext = GitHubContext & {
  readonly secrets: Secrets;
  readonly event: JobEvent;
  readonly target: Exclude<Target, { kind: 'skip' }>;
  /** Inputs and environment. */
  readonly trusted: readonly Layer[];
  readonly notes: readonly string[];
  readonly render: RenderContext & { readonly redact: Redactor };
  /** Lets all that is rendered from now on be in a language. */
  readonly speak: (language: string) => void;
  /** What tells of the run, beside GitHub. */
  readonly destinations: readonly Destination[];
  readonly onCheck?: CheckRunOptions['onCheck'];
  readonly temporaryFolder: string;
  /** Address of this run's page; null when it is not known. */
  readonly runUrl: string | null;
  /** A parser that outlives the run; one of the run's own when left out. */
  readonly syntax?: OpenSyntax;
  /** Where images are converted; what the build wrote when left out. */
  readonly imageFiles?: ImageFiles;
};

/** What a job is about: a pull request with everything its review needs, or nothing, with the reason. */
export type Job =
  | {
      readonly kind: 'review';
      readonly parts: ReviewParts;
      /** What another job wrote, to be posted; null when this one reviews. */
      readonly file: ReviewFile | null;
      readonly close: () => Promise<void>;
    }
  | { readonly kind: 'skip'; readonly why: string; readonly isEvent: boolean }
  /** The pull request is known and cannot be reviewed: the destinations tell, and take back what earlier runs approved. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly destinations: readonly Destination[] };

/** @throws UserError with what to change in the workflow, where no pull request is known. */
export async function openJob(context: JobContext): Promise<Job> {
  const begun = await settingsFirst(context.trusted, () => begin(context));
  if (begun.kind === 'skip') return begun;
  const { heard } = context.target.kind === 'number' ? context.target : {};
  const found = heard === undefined ? null : await hear(heard, { ...begun, settings: context.preview });
  if (found !== null && 'why' in found) return { kind: 'skip', why: found.why, isEvent: true };
  return await openAsked(context, found === null ? begun : { ...begun, ...found });
}

async function openAsked(context: JobContext, begun: KnownTarget): Promise<Job> {
  try {
    // What the pull request put there must not keep it from being reviewed.
    requireWritable(filesOf(context.preview), { onProblem: (text) => context.report({ type: 'warning', text }) });
    return await openFound(context, begun);
  } catch (error) {
    return { kind: 'failed', error, destinations: [...whenFailed(context, begun), ...context.destinations] };
  }
}

type KnownTarget = Extract<TargetSearch, { kind: 'found' }> & {
  readonly github: GitHub;
  /** What somebody asks in a comment; left out where a push started the run. */
  readonly asked?: Asked;
};

async function begin(context: JobContext): Promise<KnownTarget | Extract<Job, { kind: 'skip' }>> {
  const github = gitHubOf(context);
  const found = await findReference(github, context);
  return found.kind === 'skip' ? found : { ...found, github };
}

/** The config file may name this reviewer and was not read: only an input tells the name for sure. */
function whenFailed(context: JobContext, { github, reference, asked }: KnownTarget): readonly Destination[] {
  const { preview: settings, render } = context;
  if (asked !== undefined) return failedAnswer(asked, github, settings);
  if (settings.dryRun || handsOver(settings)) return [];
  const run = runOf(context);
  const by = { github, lastWords: lastWordsOf(context), reference };
  const approval = ownApprovals({
    ...by,
    render,
    settings,
    pullRequest: null,
    identity: { name: settings.name || null, run },
  });
  if (!settings.stickyComment) return [approval];
  const identity = { name: nameOf(context, settings), run };
  return [approval, keptSummary({ ...by, identity, render })];
}

async function openFound(context: JobContext, begun: KnownTarget): Promise<Job> {
  const syntax = context.syntax ?? openSyntax({ onProblem: (text) => context.report({ type: 'warning', text }) });
  startParser(syntax, { apiKey: context.secrets.apiKey, preview: context.preview });
  const opened = await settingsFirst(context.trusted, () => openPullRequest(context, begun)).catch(
    async (error: unknown) => {
      await syntax.close();
      throw error;
    },
  );
  const { sources } = opened;
  const close = async () => {
    await Promise.all([sources.close(), syntax.close()]);
  };
  try {
    const { config } = context.preview;
    const files = await settingsFirst(context.trusted, () =>
      readConfigFiles(sources.repository, config, namesConfig(context.trusted)),
    );
    const trusted = [...opened.shared.layers, ...context.trusted];
    const usual = parseSettings(trusted, files);
    const doubts = await checkDenyPaths(usual, sources);
    const { asked } = opened;
    const { settings, notes } =
      asked === undefined ? usual : parseSettings([askedLayer(asked, usual.settings), ...trusted], files);
    const unsigned = noteWithoutKeys(opened.keys, { ...settings, pullRequest: opened.pullRequest });
    const handed = await openHanded(settings, { ...opened, secrets: context.secrets });
    const identity = identityOf(context, { usual: usual.settings, handed });
    const { isAside, again } = asideOf(changeOf(context.event), { settings, identity, ...opened });
    const allNotes = [...context.notes, ...opened.notes, ...notes, ...doubts, ...sources.notes, ...unsigned, ...again];
    const own = settingsOfShard(again.length === 0 ? settings : { ...settings, incremental: true }, handed);
    const gathered = {
      opened,
      settings: own,
      identity,
      usual: usual.settings,
      notes: allNotes,
      handed,
      syntax,
      isAside,
    };
    const parts = recorded(await partsFor(context, gathered), context.render.redact);
    return { kind: 'review', close, parts, file: handed.file };
  } catch (error) {
    await close();
    throw error;
  }
}

type OpenedPullRequest = KnownTarget & {
  readonly source: PullRequestSource;
  /** With the signatures that hold: who reads it later needs no key. */
  readonly pullRequest: PullRequest;
  readonly keys: MarkKeys;
  readonly sources: JobSources;
  readonly shared: SharedSettings;
};

async function openPullRequest(context: JobContext, begun: KnownTarget): Promise<OpenedPullRequest> {
  const secrets = signingKeys(context.secrets);
  const { github, reference } = begun;
  const { owner, repository, number } = reference;
  const shared = await readShared(github, context.preview);
  const keys = markKeys(secrets, { repository: `${owner}/${repository}`, number });
  const token = context.secrets.githubToken;
  // The other half is for a review by what the API has.
  const fetchMilliseconds =
    (deadlines(context.startedAt, context.preview.timeoutMinutes).soft - context.clock.now()) / 2;
  const git = gitBesideReading({ ...context, reference, token, fetchMilliseconds });
  const source = gitHubPullRequestSource(github, reference, { ...context, onCommits: git.open });
  try {
    const pullRequest = withSignatures(await source.read(), keys);
    await refuseForkCheckout({ ...context, pullRequest });
    const sources = await git.sources({ ...context, github, reference, source, pullRequest });
    const notes = [...shared.notes, ...sources.notes];
    const seen = { ...sources, notes, repository: shared.seenIn(sources.repository) };
    return { ...begun, source, pullRequest, keys, sources: seen, shared };
  } catch (error) {
    await git.stop();
    throw error;
  }
}

type ReviewInputs = {
  readonly opened: OpenedPullRequest;
  readonly settings: Settings;
  readonly identity: RunIdentity;
  /** Without what a command changes of them: the next review of a push is compared with these. */
  readonly usual: Settings;
  readonly notes: readonly string[];
  readonly handed: Handed;
  readonly syntax: OpenSyntax;
  /** Something else than code has changed. */
  readonly isAside: boolean;
};

/** Named one by one: secrets and the environment end here. */
async function partsFor(context: JobContext, gathered: ReviewInputs): Promise<ReviewParts> {
  const { startedAt, signal, clock, secrets, render, imageFiles } = context;
  const { opened, settings, identity, notes, syntax, handed, isAside } = gathered;
  const { github, reference, source, pullRequest, keys, sources, asked } = opened;
  github.limitTo(limitsFor(context, settings.timeoutMinutes));
  const subject = `${pullRequest.repository}#${pullRequest.number}`;
  context.speak(settings.language);
  const hears = settings.commands !== 'off' && isHeard(context.trusted, pullRequest);
  const { onCheck, runUrl } = context;
  const told = { render: { ...render, hears }, report: context.report, onCheck, runUrl };
  const to = { ...told, settings, github, reference, source, pullRequest, identity, keys, isAside };
  const { report, destinations } = gitHubDestinations({ ...to, lastWords: lastWordsOf(context), asked });
  const models = await modelsFor(settings, {
    apiKey: secrets.apiKey,
    subject,
    images: sources.images,
    report,
    imageFiles,
  });
  const made = handed.file?.draft.limits ?? null;
  announce(report, {
    settings,
    model: models.model,
    notes,
    subject: `${subject} “${pullRequest.title}”`,
    made,
    answering: asked !== undefined && !asksForReview(asked),
  });
  const { repository, search, history, changesBetween } = sources;
  const changes = readChangesFor(models.model === null ? null : syntax, sources.changes);
  const past = gitHubPast(github, { reference, head: pullRequest.head.sha, diff: changesBetween });
  const handOver = handingOver(settings, { identity, context: render, keys, handed });
  const workflow = context.environment['GITHUB_WORKFLOW'] ?? null;
  const words = { ...to, lastWords: lastWordsOf(context), workflow, usual: gathered.usual };
  const answer = asked === undefined ? null : { asked, ...answering(asked, words) };
  const all = [...destinations, ...(answer?.destinations ?? []), ...context.destinations];
  const delivering = { report, destinations: all, notes, handOver };
  const clocks = { clock, random: Math.random, startedAt, signal };
  const read = { pullRequest, repository, search, history, changes, past, syntax };
  const shard = handed.shard === null ? {} : { shard: handed.shard };
  const asking = answer === null ? {} : { asked: answer.asked, onAccept: answer.onAccept };
  // The workflow alone says by which name a comment calls.
  const heard = { called: context.preview.name, isByHand: context.event.name === 'workflow_dispatch' };
  return {
    settings,
    identity,
    signs: keys.signs,
    ...read,
    ...models,
    ...delivering,
    ...clocks,
    ...asking,
    ...heard,
    ...shard,
  };
}

function runOf({ environment }: JobContext): string {
  return `${environment['GITHUB_RUN_ID'] ?? '0'}-${environment['GITHUB_RUN_ATTEMPT'] ?? '1'}`;
}

/** As far as it is known: the config file may name another, whose comments are then not found. */
function nameOf({ environment }: JobContext, settings: Settings): string {
  return settings.name || environment['GITHUB_WORKFLOW'] || 'Postil';
}

type Made = Pick<ReviewInputs, 'usual' | 'handed'>;

function identityOf(context: JobContext, { usual: settings, handed: { file } }: Made): RunIdentity {
  const { secrets } = context;
  // Who plans has no key, and plans for those who do.
  const hasKey = secrets.apiKey !== '' || settings.mode === 'plan';
  const withModel = hasKey && settings.profile !== 'offline';
  return {
    name: nameOf(context, settings),
    run: runOf(context),
    // The next review is compared with the one that was made, not with the job that posts it.
    settings: file?.identity.settings ?? settingsDigest(settings, { withModel }),
  };
}
