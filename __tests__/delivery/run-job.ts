import { systemClock } from '../../src/compose.ts';
import { openJob } from '../../src/compose-job.ts';
import type { Clock } from '../../src/core/agent/clock.ts';
import type { Model } from '../../src/core/agent/model.ts';
import { createRedactor } from '../../src/core/repository/redact.ts';
import type { ReviewRecord } from '../../src/core/review/sink.ts';
import { reviewPullRequest } from '../../src/core/review-pull-request.ts';
import { previewSettings } from '../../src/core/settings/parse-settings.ts';
import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';

export type JobRun = {
  readonly github: FakeGitHub;
  /** A repository that has the commits, as a checkout would. */
  readonly workspace: string;
  readonly model: Model;
  readonly inputs: Readonly<Record<string, string>>;
  /** GITHUB_RUN_ID. */
  readonly run: string;
  /** A job without one signs nothing. */
  readonly stateKey?: string;
  /** More than the input allows. */
  readonly maxComments?: number;
  /** This machine's when left out. */
  readonly clock?: Clock;
};

/** One whole run over HTTP and git, in this process and without GitHub's pace: what the bundle does, many times as fast. */
export async function runJob({ stateKey = 'a-key-of-the-tests-0123456789', ...job }: JobRun): Promise<ReviewRecord> {
  const { github, workspace, model, inputs, run, maxComments, clock = systemClock } = job;
  const { owner, repository, token } = github.world;
  const trusted = [{ where: 'input', trusted: true, values: inputs }];
  const opened = await openJob({
    secrets: { githubToken: token, apiKey: '', stateKey },
    event: { name: 'pull_request', repository: { owner, repository }, subject: { kind: 'other' } },
    target: { kind: 'number', number: 7 },
    trusted,
    preview: previewSettings(trusted),
    notes: [],
    environment: {
      PATH: process.env['PATH'],
      GITHUB_API_URL: github.apiUrl,
      GITHUB_GRAPHQL_URL: github.graphqlUrl,
      GITHUB_SERVER_URL: github.serverUrl,
      GITHUB_WORKSPACE: workspace,
      GITHUB_WORKFLOW: 'Review',
      GITHUB_RUN_ID: run,
    },
    report: () => undefined,
    render: {
      serverUrl: github.serverUrl,
      repository: `${owner}/${repository}`,
      redact: createRedactor([]),
      name: 'Postil',
    },
    recorders: [],
    temporaryFolder: temporaryFolder(),
    startedAt: clock.now(),
    clock,
    signal: new AbortController().signal,
    pace: 'none',
  });
  if (opened.kind === 'skip') throw new Error(`The job was skipped: ${opened.why}`);
  if (opened.kind === 'failed') throw opened.error;
  try {
    const settings = maxComments === undefined ? opened.parts.settings : { ...opened.parts.settings, maxComments };
    // What the model is told has no part in delivery, and a parser takes longer to start than all the rest.
    return await reviewPullRequest({ ...opened.parts, syntax: null, settings, model });
  } finally {
    await opened.close();
  }
}
