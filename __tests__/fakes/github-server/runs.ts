import type { Reply } from '../loopback.ts';
import { pageOf } from './render-rest.ts';
import { type Call, json, notFound, page, problem, type RestShape, type Route, route } from './route.ts';
import type { StoredPull } from './store.ts';
import { repositoryNames, type WorldCheck } from './world.ts';

export const runRoutes: readonly Route[] = [
  route('GET /actions/runs/:id', ['actions: read'], (call) => withRun(call, (run) => json(200, renderRun(call, run)))),
  route('POST /actions/runs/:id/rerun', ['actions: write'], (call) => withRun(call, (run) => rerun(call, run))),
  route('GET /actions/runs/:id/jobs', ['actions: read'], (call) => withRun(call, (run) => json(200, jobsOf(run)))),
  route('POST /actions/jobs/:id/rerun', ['actions: write'], rerunJob),
  route('GET /actions/artifacts', ['actions: read'], listArtifacts),
];

/** The newest first, from every run of the repository, those of forks too. */
function listArtifacts(call: Call): Reply {
  const { artifacts, world } = call.store;
  const name = call.query.get('name');
  const listed = artifacts.filter((one) => name === null || one.name === name).toReversed();
  const ids = repositoryNames(world);
  const reply = page(call, listed, (one): RestShape<'artifact'> => {
    const from = { repository_id: 0, head_repository_id: ids.indexOf(one.from) };
    return {
      id: one.id,
      name: one.name,
      expired: false,
      created_at: one.createdAt,
      workflow_run: { id: one.run, ...from },
    };
  });
  const body = { total_count: listed.length, artifacts: JSON.parse(String(reply.body)) };
  return { ...reply, body: JSON.stringify(body) };
}

/** Jobs of one workflow run: the checks of the world that name it. */
type Run = { readonly id: number; readonly pull: StoredPull; readonly jobs: readonly WorldCheck[] };

/** Null for a commit status, which belongs to no run. */
export function runOf({ workflow, run = 1 }: WorldCheck): number | null {
  return workflow === undefined ? null : run;
}

function withRun({ store, names }: Call, use: (run: Run) => Reply): Reply {
  const id = Number(names['id']);
  const runs = store.pulls.map((pull) => ({
    id,
    pull,
    jobs: (pull.given.checks ?? []).filter((job) => runOf(job) === id),
  }));
  const found = runs.find(({ jobs }) => jobs.length > 0);
  return found === undefined ? notFound() : use(found);
}

function rerun({ store }: Call, { id, pull, jobs }: Run): Reply {
  if (isRunning(jobs)) return problem(403, 'This workflow is already running');
  const checks = pull.given.checks?.map((job) => (jobs.includes(job) ? { ...job, conclusion: null } : job)) ?? [];
  pull.given = { ...pull.given, checks };
  store.reruns.push(id);
  return json(201, {});
}

/** A job is known by the number of its run and its place among the jobs. */
function jobsOf({ id, jobs }: Run): object {
  const listed = jobs.map(({ name, conclusion }, index) => {
    return { id: id * 100 + index, run_id: id, name, status: conclusion === null ? 'in_progress' : 'completed' };
  });
  return { total_count: listed.length, jobs: listed };
}

function rerunJob(call: Call): Reply {
  const job = Number(call.names['id']);
  const names = { ...call.names, id: String(Math.floor(job / 100)) };
  return withRun({ ...call, names }, (run) =>
    rerun(call, { ...run, jobs: run.jobs.slice(job % 100, (job % 100) + 1) }),
  );
}

function isRunning(jobs: readonly WorldCheck[]): boolean {
  return jobs.some(({ conclusion }) => conclusion === null);
}

function renderRun({ store }: Call, { id, pull, jobs }: Run): RestShape<'workflow-run'> {
  const bad = jobs.find(({ conclusion }) => conclusion === 'FAILURE' || conclusion === 'TIMED_OUT');
  const conclusion = (bad ?? jobs[0])?.conclusion?.toLowerCase() ?? null;
  return {
    id,
    name: jobs[0]?.workflow ?? null,
    event: 'pull_request',
    head_branch: pull.given.head.ref,
    head_sha: pull.headSha,
    run_attempt: 1 + store.reruns.filter((one) => one === id).length,
    status: isRunning(jobs) ? 'in_progress' : 'completed',
    conclusion: isRunning(jobs) ? null : conclusion,
    html_url: pageOf(store.world, `/actions/runs/${id}`),
  };
}
