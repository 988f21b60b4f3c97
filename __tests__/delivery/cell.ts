import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/agent/agent.ts';
import { type Model, type ModelRequest, noUsage } from '../../src/core/agent/model.ts';
import type { ReviewRecord } from '../../src/core/review/sink.ts';
import { reviewPullRequest } from '../../src/core/review-pull-request.ts';
import { createRedactor } from '../../src/core/secrets/redact.ts';
import { previewSettings } from '../../src/core/settings/parse-settings.ts';
import { openJob } from '../../src/job-parts.ts';
import { systemClock } from '../../src/surroundings.ts';
import { type FakeGitHub, startGitHub } from '../fakes/github-server/start-github.ts';
import { allPermissions, type Fault, readOnly } from '../fakes/github-server/store.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { createWorld, type World } from '../fakes/world/create-world.ts';
import { defectFinding, defectFindingReworded, earlierId, shopWorld } from '../scenarios/review.ts';
import { type Situation, situations } from './situations.ts';

export const rights = {
  'full rights': allPermissions,
  'a read-only token': readOnly,
  'no checks permission': { ...allPermissions, checks: 'read' },
} as const;

const reviews = { method: 'POST', path: /\/reviews$/ };

export const faults: Readonly<Record<string, readonly Fault[]>> = {
  'no fault': [],
  '422 on one anchor': [{ match: { ...reviews, body: /"line":\d+[^}]*price0 /s }, times: 99, before: 'status 422' }],
  'a secondary limit': [{ match: reviews, times: 1, before: 'secondary rate limit' }],
  '502 before the write': [{ match: reviews, times: 1, before: 'status 502' }],
  '502 after the write': [{ match: reviews, times: 1, after: 'status 502' }],
  'a reset in the middle': [{ match: reviews, times: 1, after: 'reset' }],
  'a head that moved': [],
};

export type CellOptions = {
  readonly count: number;
  readonly situation: keyof typeof situations;
  readonly rights: keyof typeof rights;
  readonly fault: string;
};

export type Cell = { readonly github: FakeGitHub; readonly world: World; readonly last: readonly ReviewRecord[] };

const worlds = new Map<string, { readonly world: World; readonly head: string; readonly moved: string }>();

/** Plays one cell: the runs of its situation, with its rights and its fault, in a GitHub of its own. */
export async function playCell(options: CellOptions): Promise<Cell> {
  const situation: Situation = situations[options.situation];
  const { world, head, moved } = worldOf(options);
  const github = await startGitHub({
    ...world.github,
    permissions: rights[options.rights],
    faults: faults[options.fault] ?? [],
  });
  onTestFinished(() => github.close());
  const run = (id: string, model: ReturnType<typeof shopReviewer>, more: Record<string, string> = {}) =>
    runJob({
      github,
      workspace: world.author.directory,
      model,
      inputs: { 'max-comments': '100', 'check-run': 'true', 'files-per-batch': '100', ...more },
      run: id,
    });
  const first = { ...situation, left: () => true, pathOf: situations['a first run'].pathOf, reworded: false };
  const moving = options.fault === 'a head that moved' ? () => github.moveHead(moved) : undefined;
  const reviewer = (seen: Situation) => shopReviewer({ ...seen, count: options.count }, moving);
  if (situation.runs === 'one') return { github, world, last: [await run('1', reviewer(first))] };
  if (situation.runs === 'two at once') {
    return { github, world, last: await Promise.all(['1', '2'].map((id) => run(id, reviewer(first)))) };
  }
  const partial = situation.runs === 'a partial one, then another' ? { 'max-total-tokens': '1000' } : {};
  await run('1', shopReviewer({ ...first, count: options.count }), partial);
  if (situation.push !== null) await github.moveHead(head);
  return { github, world, last: [await run('2', reviewer(situation))] };
}

/** Repositories are only read, so one serves all cells of its size and situation. */
function worldOf({ count, situation }: CellOptions) {
  const key = `${count} ${situation}`;
  const known = worlds.get(key);
  if (known !== undefined) return known;
  const world = createWorld(shopWorld(count));
  const { push }: Situation = situations[situation];
  const head = push === null ? world.commits.head : push(world, count);
  world.author.git('checkout', '--quiet', '--force', '--detach', head);
  const moved = world.author.commit({ files: { 'LATER.md': 'later\n' }, message: 'Later' });
  world.author.git('push', '--quiet', 'origin', `${head}:refs/heads/pushed`, `${moved}:refs/heads/moved`);
  const made = { world, head, moved };
  worlds.set(key, made);
  return made;
}

type Seen = Pick<Situation, 'left' | 'pathOf' | 'reworded'> & { readonly count: number };

/** A reviewer that finds every defect in what it is shown, and nothing else. `onAsk` runs before it answers. */
export function shopReviewer(seen: Seen, onAsk: () => Promise<void> = async () => undefined): Model {
  let calls = 0;
  return {
    answer: async (request) => {
      await onAsk();
      calls += 1;
      const prompt = JSON.stringify(request.messages);
      const findings = defectsIn(request, seen).map((defect) => ({
        ...findingOf(defect, seen),
        same_as: earlierId(defect, prompt),
      }));
      const submission = { files_review: findings, non_specific_review: null, approval: approvalOf(findings.length) };
      const toolCalls = [{ id: `call_${calls}`, name: 'submit_review', arguments: JSON.stringify(submission) }];
      return {
        message: { role: 'assistant', text: '', toolCalls, raw: null },
        end: 'tool-calls',
        usage: { ...noUsage, input: 100, output: 100 },
      };
    },
  };
}

function defectsIn({ messages }: ModelRequest, { count, left }: Seen): readonly number[] {
  const shown = JSON.stringify(messages);
  const defects = Array.from({ length: count }, (_, defect) => defect);
  return defects.filter((defect) => left(defect) && shown.includes(`?? ${defect};`));
}

function findingOf(defect: number, { pathOf, reworded }: Seen) {
  const words = reworded ? defectFindingReworded(defect) : defectFinding(defect);
  const plain = { lines: null, side: 'RIGHT', evidence: 'Read.', category: 'bug', suggestion: null, rule_id: null };
  return { ...plain, confidence: 0.9, ...words, path: pathOf(Math.floor(defect / 10)) };
}

function approvalOf(findings: number) {
  return findings === 0
    ? { approved: true, rationale: 'Nothing to mend.', action: 'APPROVE' }
    : { approved: false, rationale: 'Mend this.', action: 'REQUEST_CHANGES' };
}

type JobRun = {
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
