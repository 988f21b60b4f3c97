import { folderRules } from '../adapters/files/folder.ts';
import { findWorkTree } from '../adapters/git/checkout.ts';
import { openLocalPullRequest } from '../adapters/git/local-pull-request.ts';
import { openSyntax } from '../adapters/syntax/syntax.ts';
import { answerRequest } from '../core/answer-request.ts';
import { UserError } from '../core/errors.ts';
import { type Asked, askedHere, settingsFor } from '../core/history/asked.ts';
import { verbatim } from '../core/messages/message.ts';
import type { Changes, PullRequest } from '../core/pull-request/pull-request.ts';
import type { History, ImageSource, Repository, TextSearch } from '../core/repository/repository.ts';
import type { Review } from '../core/review/review.ts';
import type { ReviewParts } from '../core/review-pull-request.ts';
import { namesConfig, readConfigFiles } from '../core/settings/config-file.ts';
import { type Layer, parseSettings } from '../core/settings/parse-settings.ts';
import type { Settings } from '../core/settings/settings.ts';
import { ownConfigOf } from '../core/settings/shared-config.ts';
import { checkDenyPaths } from '../core/tools/deny-paths.ts';
import type { LocalCommand, LocalRun } from './local-run.ts';
import { announce, laptopKeyNames, modelsFor, readChangesFor, recorded, startParser } from './parts.ts';
import { globsFor, trusting, whatDiffers, workTreeFiles } from './work-tree.ts';

export type OpenLocal = { readonly parts: ReviewParts; readonly close: () => Promise<void> };

/** Opens the change and gathers what its review needs. @throws UserError */
export async function openLocal(local: LocalRun): Promise<OpenLocal> {
  const { command, inputs, output, run } = local;
  const { report } = output;
  const syntax = openSyntax({ onProblem: (text) => report({ type: 'warning', text }) });
  const parser = startParser(syntax, inputs.apiKey, inputs.preview);
  const change = await openChange(local).catch(async (error: unknown) => {
    await syntax.close();
    throw error;
  });
  const close = async () => {
    await Promise.all([change.close(), syntax.close()]);
  };
  try {
    if (change.reviewing !== null) report({ type: 'note', text: change.reviewing });
    const { pullRequest } = change;
    // Git computes the diff while the configuration is read and the model's client loaded.
    const diff = readChangesFor(parser, change.changes)();
    diff.catch(() => undefined);
    const deciding = await decidingFiles(change.repository, local);
    const { settings, notes } = await readSettings(local, deciding.repository, diff);
    const allNotes = [...inputs.notes, ...(deciding.differs === null ? [] : [deciding.differs]), ...notes];
    const { images, ...models } = await (local.models ?? modelsFor)(settings, {
      apiKey: inputs.apiKey,
      keyName: laptopKeyNames,
      subject: pullRequest.base.sha,
      images: change.images,
      report,
    });
    announce(report, {
      settings,
      model: models.model,
      notes: allNotes,
      subject: change.reviewing === null ? null : pullRequest.title,
      made: null,
      answering: command.asked !== undefined,
    });
    const parts: ReviewParts = {
      // Nothing is posted here, so nothing is limited.
      settings: { ...settings, maxComments: Number.MAX_SAFE_INTEGER },
      identity: null,
      pullRequest,
      code: {
        repository: deciding.repository,
        search: change.search,
        history: change.history,
        changes: () => diff,
        syntax,
        images,
      },
      past: null,
      models,
      run: { clock: run.clock, random: Math.random, startedAt: run.startedAt, signal: run.signal },
      output: { report, destinations: output.destinations, signs: false, handOver: null },
      trigger: { notes: allNotes.map(verbatim), asked: command.asked, isByHand: true },
    };
    return { parts: recorded(parts, inputs.redact), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reads the config file. A path that a person names is a setting, and so is a question. */
async function readSettings({ command, inputs }: LocalRun, repository: Repository, diff: Promise<Changes>) {
  const { asked } = command;
  const layers = [...(await pathLayer(command, diff)), ...inputs.layers];
  const files = await readConfigFiles(repository, inputs.preview.config, namesConfig(layers));
  const usual = parseSettings(layers, files);
  // The folder may be a clone of another repository than the pull request of a number or address.
  const workTree = async () => (command.subject.kind === 'pull-request' ? [] : await workTreeFiles(command.directory));
  const doubts = await checkDenyPaths(usual, { repository, changes: () => diff, workTree });
  const parsed = asked === undefined ? usual : parseSettings([questionLayer(asked, usual.settings), ...layers], files);
  return { settings: parsed.settings, notes: [...parsed.notes, ...doubts] };
}

/** A change, and how its code is read. */
type OpenChange = {
  readonly pullRequest: PullRequest;
  readonly changes: () => Promise<Changes>;
  readonly repository: Repository;
  readonly images: ImageSource;
  readonly search: TextSearch | null;
  /** Null where nothing came before the change. */
  readonly history: History | null;
  /** What is reviewed, in a line; null where there is nothing. */
  readonly reviewing: string | null;
  readonly close: () => Promise<void>;
};

async function openChange(local: LocalRun): Promise<OpenChange> {
  const { command, environment, output, run } = local;
  const { directory, subject } = command;
  if (subject.kind === 'pull-request') {
    // Its own code is large, and few need it.
    const { openPullRequestHere } = await import(/* webpackMode: "eager" */ './pull-request-here.ts');
    const { pullRequest, code, reviewing } = await openPullRequestHere(local, subject.named);
    for (const text of code.notes) output.report({ type: 'note', text });
    const { changes, repository, images, search, history, close } = code;
    return { pullRequest, changes, repository, images, search, history, reviewing, close };
  }
  const { temporaryFolder } = output;
  const opened = await openLocalPullRequest({ directory, subject, temporaryFolder, environment, signal: run.signal });
  const { git, source, reviewing } = opened;
  const { repository, images, search, hasPast, close } = git;
  const pullRequest = await source.read();
  const changes = () => source.changes(pullRequest);
  return { pullRequest, changes, repository, images, search, history: hasPast ? git.history : null, reviewing, close };
}

/** The repository that a review is decided by, and what of the work tree differs from what was decided by, in a line. */
async function decidingFiles(
  repository: Repository,
  { command, inputs }: LocalRun,
): Promise<{ readonly repository: Repository; readonly differs: string | null }> {
  const { directory, subject, trustConfig = false } = command;
  // The work tree may be one of another repository.
  if (subject.kind === 'pull-request' && !trustConfig) return { repository, differs: null };
  const workTree = await findWorkTree(directory);
  if (workTree === null) {
    if (!trustConfig) return { repository, differs: null };
    const hint = 'Leave out --trust-config, or name a folder of a work tree with --directory.';
    throw new UserError(`There is no configuration to trust: ${directory} is in no work tree.`, { hint });
  }
  const deciding = { repository, own: folderRules(workTree), config: ownConfigOf(inputs.preview.config) };
  const differs = await whatDiffers(deciding, trustConfig);
  return { repository: trustConfig ? trusting(deciding) : repository, differs };
}

async function pathLayer(
  { directory, paths = [] }: LocalCommand,
  changes: Promise<Changes>,
): Promise<readonly Layer[]> {
  if (paths.length === 0) return [];
  const workTree = (await findWorkTree(directory)) ?? directory;
  const globs = await globsFor(paths, { directory, workTree, changed: async () => (await changes).files });
  return [{ where: 'path', trusted: true, values: { include: globs.join('\n') } }];
}

/** A question is shallow, whatever depth reviews have. */
function questionLayer(asked: Asked, usual: Settings): Layer {
  return { where: 'question', trusted: true, values: settingsFor(asked, usual) };
}

/**
 * A question about the change, answered by the same bounded agent as a comment: `answer` of the review holds it, and is missing where the run failed or
 * was cancelled.
 *
 * @throws UserError without a question, a model or a change
 */
export async function askAboutChange(local: LocalRun, question: string): Promise<Review> {
  const asked = askedHere(question.trim());
  if (question.trim() === '') throw new UserError('The question is missing.', { hint: 'Ask about the change.' });
  const { parts, close } = await openLocal({ ...local, command: { ...local.command, asked } });
  try {
    if (parts.models.model === null) throw nobodyAnswers(parts.settings);
    const { nothing } = await parts.code.changes();
    if (nothing !== undefined) {
      throw new UserError(`There is no change to ask about. ${nothing}`, {
        hint: 'Change something, or name commits.',
      });
    }
    return (await answerRequest(parts, asked)).review;
  } finally {
    await close();
  }
}

function nobodyAnswers({ profile }: Settings): UserError {
  const hint =
    profile === 'offline'
      ? 'Choose another `profile` than `offline`.'
      : 'Set OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL.';
  return new UserError('A question takes a model to answer it.', { hint });
}
