import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Journal } from '../../src/adapters/files/journal.ts';
import { openSyntax } from '../../src/adapters/syntax/syntax.ts';
import type { Clock } from '../../src/core/agent/agent.ts';
import { type Model, noUsage } from '../../src/core/agent/model.ts';
import type { ReviewRecord } from '../../src/core/review/sink.ts';
import { reviewPullRequest } from '../../src/core/review-pull-request.ts';
import { createRedactor } from '../../src/core/secrets/redact.ts';
import { previewSettings } from '../../src/core/settings/parse-settings.ts';
import { openGitHubSession } from '../../src/run/github-session.ts';
import type { Job } from '../../src/run/job/context.ts';
import { gatherParts } from '../../src/run/job/review-target.ts';
import { readJobSettings } from '../../src/run/job/settings.ts';
import { systemClock } from '../../src/run/machine.ts';
import { openPullRequest } from '../../src/run/open-pull-request.ts';
import { type FakeGitHub, startGitHub } from '../fakes/github-server/start-github.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { changedParts } from '../fakes/rich-record.ts';
import { surfaces } from '../fakes/surfaces/surfaces.ts';
import { askedIn, defectFinding, defectFindingReworded, knownAs } from '../scenarios/review.ts';
import { faults, rights, type Scene, type Situation, sceneOf, situations } from './situations.ts';

type CellOptions = {
  readonly count: number;
  readonly situation: keyof typeof situations;
  readonly rights: keyof typeof rights;
  readonly fault: keyof typeof faults;
};

/** What can be said after a run, or two at once. Defects are in order, each as often as it is named. */
type Round = {
  /** The defects that should be reported. */
  readonly open: readonly number[];
  /** For each of the runs: what it accounts for, and its outcome. */
  readonly accounted: readonly (readonly number[])[];
  readonly outcomes: readonly string[];
  /** What the comments on the pull request tell. */
  readonly told: readonly number[];
  /** Comments whose lines, at the commit they were written on, do not hold what they are about. */
  readonly onWrongLines: readonly string[];
};

/** Plays one cell: the runs of its situation, with its rights and its fault, in a GitHub of its own. */
export async function playCell({ count, fault, ...options }: CellOptions): Promise<readonly Round[]> {
  const situation: Situation = situations[options.situation];
  const scene = sceneOf({ count, situation: options.situation });
  const permissions = rights[options.rights];
  const github = await startGitHub({ ...scene.world.github, permissions, faults: faults[fault] });
  onTestFinished(() => github.close());
  const run = (id: string, model: Model, more: Record<string, string> = {}) => {
    const inputs = { 'max-comments': '100', 'check-run': 'true', 'files-per-batch': '100', ...more };
    return runJob({ github, workspace: scene.workspace, model, inputs, run: id });
  };
  const all = defects(count);
  const roundOf = (records: readonly ReviewRecord[], open: readonly number[]): Round => ({
    open,
    accounted: records.map(accounted),
    outcomes: records.map(({ review }) => review.outcome),
    told: github
      .comments()
      .map(({ body }) => defectOf(body))
      .toSorted(byNumber),
    onWrongLines: wrongLines(github, scene),
  });
  const moving = fault === 'a head that moved' ? () => github.moveHead(scene.moved) : undefined;
  if (situation.runs === 'two at once') {
    const both = await Promise.all(['1', '2'].map((id) => run(id, shopReviewer({ ...situation, count }, moving))));
    return [roundOf(both, all)];
  }
  const isPartial = situation.runs === 'a partial one, then another';
  const first = shopReviewer({ ...situations['a run again'], count });
  const before = await run('1', first, isPartial ? { 'max-total-tokens': '1000' } : {});
  const rounds = isPartial ? [] : [roundOf([before], all)];
  if (situation.push !== null) await github.moveHead(scene.pushed);
  const after = await run('2', shopReviewer({ ...situation, count }, moving));
  return [...rounds, roundOf([after], all.filter(situation.left))];
}

function defects(count: number): readonly number[] {
  return Array.from({ length: count }, (_, defect) => defect);
}

function byNumber(one: number, other: number): number {
  return one - other;
}

/** The defect that a text is about. */
function defectOf(text: string): number {
  const [, plain, reworded = '-1'] = /price(\d+) reads|out of bounds \\?\((\d+)/.exec(text) ?? [];
  return Number(plain ?? reworded);
}

/** The defects that a run accounts for, each as often as it is listed, refused and suppressed ones apart. */
function accounted({ placed }: ReviewRecord): readonly number[] {
  const counted = placed.filter(({ place }) => place !== 'suppressed');
  return counted.map(({ title }) => defectOf(title)).toSorted(byNumber);
}

function wrongLines(github: FakeGitHub, { texts }: Scene): readonly string[] {
  return github.threads().flatMap(({ path, line, startLine, commit, comments }) => {
    const defect = defectOf(comments[0]?.body ?? '');
    if (line === null) return [];
    const lines = String(texts[commit]?.[path]).split('\n');
    const commented = lines.slice((startLine ?? line) - 1, line);
    return commented.some((text) => text.includes(`?? ${defect};`)) ? [] : [`${path}:${line} is not about ${defect}`];
  });
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
      const shown = defects(seen.count).filter((defect) => seen.left(defect) && prompt.includes(`?? ${defect};`));
      const findings = shown.map((defect) => ({
        ...findingOf(defect, seen),
        same_as: knownAs(defect, prompt),
      }));
      const named = findings.map(({ same_as }) => same_as);
      const gone = askedIn(prompt).filter((id) => !named.includes(id));
      const submission = {
        files_review: findings,
        earlier_findings: gone.map((id) => ({ id, path: null, quote: '  return 0; // mended', state: 'fixed' })),
        non_specific_review: null,
        approval: approvalOf(findings.length),
      };
      const toolCalls = [{ id: `call_${calls}`, name: 'submit_review', arguments: JSON.stringify(submission) }];
      return {
        message: { role: 'assistant', text: '', toolCalls, raw: null },
        end: 'tool-calls',
        usage: { ...noUsage, input: 100, output: 100 },
      };
    },
  };
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
export function runJob(job: JobRun): Promise<ReviewRecord> {
  const start = () => startJob(job);
  const shown = ({ review }: ReviewRecord) => ({ end: review.outcome, sections: { headline: review.headline } });
  return surfaces?.run(`job ${job.run}`, start, shown) ?? start();
}

async function startJob({ stateKey = 'a-key-of-the-tests-0123456789', ...job }: JobRun): Promise<ReviewRecord> {
  const { github, workspace, model, inputs, run, maxComments, clock = systemClock } = job;
  const { owner, repository, token } = github.world;
  const layers = [{ where: 'input', trusted: true, values: inputs }];
  const [redact, folder, startedAt] = [createRedactor([]), temporaryFolder(), clock.now()];
  const render = { serverUrl: github.serverUrl, repository: `${owner}/${repository}`, redact, name: 'Postil' };
  const path = join(folder, 'journal.json');
  const opened: Job = {
    run: { clock, startedAt, signal: new AbortController().signal },
    overrides: { pace: 'none' },
    environment: {
      PATH: process.env['PATH'],
      GITHUB_API_URL: github.apiUrl,
      GITHUB_GRAPHQL_URL: github.graphqlUrl,
      GITHUB_SERVER_URL: github.serverUrl,
      GITHUB_WORKSPACE: workspace,
      GITHUB_WORKFLOW: 'Review',
      GITHUB_RUN_ID: run,
    },
    inputs: {
      secrets: { githubToken: token, apiKey: '', stateKey },
      layers,
      preview: previewSettings(layers),
      notes: [],
      redact,
    },
    output: {
      report: () => undefined,
      render,
      configure: () => undefined,
      destinations: [],
      journal: new Journal({ context: render, path, token, startedAt, now: clock.now, destinations: [] }),
      temporaryFolder: folder,
      runUrl: null,
      close: async () => undefined,
    },
  };
  const event = { name: 'pull_request', repository: { owner, repository }, subject: { kind: 'other' } } as const;
  const search = await openGitHubSession(opened, event, { kind: 'number', number: 7 });
  if (search.kind === 'skip') throw new Error(`The job was skipped: ${search.why}`);
  const open = await openPullRequest(opened, event, search.session);
  try {
    const todo = await readJobSettings(opened, { event, asked: undefined, notes: [] }, open);
    const parser = openSyntax({ onProblem: () => undefined });
    const parts = await gatherParts(opened, open, { todo, event, parser });
    const settings = maxComments === undefined ? parts.settings : { ...parts.settings, maxComments };
    // What the model is told has no part in delivery, and a parser takes longer to start than all the rest.
    return await reviewPullRequest(changedParts(parts, { syntax: null, settings, model }));
  } finally {
    await open.code.close();
  }
}
