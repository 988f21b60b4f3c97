import type { JobEvent } from '../adapters/actions/event.ts';
import { openShared } from '../adapters/github/api-repository.ts';
import type { GitHub } from '../adapters/github/client.ts';
import { type Discussion, readDiscussion } from '../adapters/github/discussion.ts';
import type { GitHubSession } from '../adapters/github/pull.ts';
import { gitHubPullRequestSource } from '../adapters/github/pull-request.ts';
import { type MarkKeys, markKeys, signingKeys, withSignatures } from '../core/history/signed-marks.ts';
import type { PullRequest } from '../core/pull-request/pull-request.ts';
import type { Repository } from '../core/repository/repository.ts';
import type { Layer } from '../core/settings/parse-settings.ts';
import { deadlines } from '../core/settings/settings.ts';
import { sharedConfigIn, withShared } from '../core/settings/shared-config.ts';
import type { Job } from './job/context.ts';
import type { RunClock } from './machine.ts';
import { prefetchGit, refuseForkCheckout, type SourceReader } from './source-reader.ts';

/** A pull request that was read, and how its code is read. */
export type OpenPullRequest = {
  readonly session: GitHubSession;
  /** Its comments say which signatures of ours are valid. */
  readonly pullRequest: PullRequest;
  readonly keys: MarkKeys;
  /** Reads the discussion as it is now, and says which signatures of ours are valid. */
  readonly readDiscussion: () => Promise<Discussion>;
  /** Reads the hash of the head as it is now. */
  readonly currentHead: () => Promise<string | null>;
  /** Includes the files of a shared configuration. */
  readonly code: SourceReader;
  /** Settings that a shared configuration adds to the inputs. */
  readonly sharedLayers: readonly Layer[];
  readonly notes: readonly string[];
};

/** Reads the pull request while git fetches its commits. @throws UserError for a fork's code in the workspace, and when GitHub cannot be read */
export async function openPullRequest(job: Job, event: JobEvent, session: GitHubSession): Promise<OpenPullRequest> {
  const { environment, run, inputs, output } = job;
  const { github, reference } = session;
  const { owner, repository, number } = reference;
  // A key that could be guessed ends the run before anything is read.
  const secrets = signingKeys(inputs.secrets);
  const shared = await readSharedConfig(github, inputs.preview.config);
  const keys = markKeys(secrets, { repository: `${owner}/${repository}`, number });
  const git = prefetchGit({
    reference,
    token: inputs.secrets.githubToken,
    environment,
    temporaryFolder: output.temporaryFolder,
    signal: run.signal,
    fetchMilliseconds: fetchMillisecondsOf(run, inputs.preview.timeoutMinutes),
  });
  const source = gitHubPullRequestSource(github, reference, { report: output.report, onCommits: git.start });
  try {
    const pullRequest = withSignatures(await source.read(), keys);
    await refuseForkCheckout(pullRequest, event, { environment, signal: run.signal });
    const code = await git.openReader({ session, source, pullRequest, report: output.report, signal: run.signal });
    return {
      session,
      pullRequest,
      keys,
      readDiscussion: async () => withSignatures(await readDiscussion(github, reference), keys),
      currentHead: source.currentHead,
      code: { ...code, repository: shared.addTo(code.repository) },
      sharedLayers: shared.layers,
      notes: [...shared.notes, ...code.notes],
    };
  } catch (error) {
    await git.stop();
    throw error;
  }
}

/** Half of the time that is left: the other half is for a review by what the API has. */
export function fetchMillisecondsOf({ startedAt, clock }: RunClock, timeoutMinutes: number): number {
  return (deadlines(startedAt, timeoutMinutes).soft - clock.now()) / 2;
}

/** A config file of another repository, which `config` names. */
type SharedConfig = {
  readonly layers: readonly Layer[];
  readonly notes: readonly string[];
  readonly addTo: (repository: Repository) => Repository;
};

/** @throws UserError when the other repository cannot be read */
async function readSharedConfig(github: GitHub, config: string): Promise<SharedConfig> {
  const shared = sharedConfigIn(config);
  if (shared === null) return { layers: [], notes: [], addTo: (repository) => repository };
  const { owner, repository: name, ref, path } = shared;
  const { files, commit } = await openShared(github, shared);
  const pinned = ref === commit ? '' : ` (${commit.slice(0, 12)})`;
  return {
    // The commit stands in place of the tag: another commit is another review.
    layers: [{ where: 'input', trusted: true, values: { config: `${owner}/${name}@${commit}:${path}` } }],
    notes: [`Shared configuration: ${path} of ${owner}/${name} at ${ref}${pinned}.`],
    addTo: (repository) => withShared(repository, files, shared),
  };
}
