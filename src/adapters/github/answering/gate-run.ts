import type { RunIdentity } from '../../../core/history/memory.ts';
import { marksIn } from '../../../core/history/signed-marks.ts';
import type { PullRequest } from '../../../core/pull-request/pull-request.ts';
import type { GateWord } from '../../../core/report/answer.ts';
import { type GitHub, inRepository } from '../client.ts';
import type { PullRequestReference } from '../pull.ts';

type GateOptions = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  readonly pullRequest: PullRequest;
  readonly identity: Pick<RunIdentity, 'name' | 'run'>;
  /** The workflow of this run, whose checks change by an answer only where it is a gate; null when it is not known. */
  readonly own: { readonly workflow: string | null; readonly isGate: boolean };
};

/** The check that this reviewer's answers may change, and its job, run again where the token may (`actions: write`); null where the head has none. */
export async function runGateAgain({ github, reference, ...of }: GateOptions): Promise<GateWord | null> {
  const run = await newestOf(gateRunsOf(of), { github, reference });
  if (run === null) return null;
  const url = `${reference.serverUrl}/${reference.owner}/${reference.repository}/actions/runs/${run}`;
  const runsAgain = await runJobAgain(run, { github, reference, name: of.identity.name }).catch(() => false);
  return { url, runsAgain };
}

/** The job of our name, or the only one: the others of its workflow may deploy something. */
async function runJobAgain(
  run: string,
  { github, reference, name }: Pick<GateOptions, 'github' | 'reference'> & { readonly name: string },
): Promise<boolean> {
  const on = inRepository(reference);
  const { data } = await github.rest.actions.listJobsForWorkflowRun({ ...on, run_id: Number(run), per_page: 100 });
  const job = data.jobs.find((one) => one.name === name) ?? (data.jobs.length === 1 ? data.jobs[0] : undefined);
  if (job === undefined) return false;
  await github.rest.actions.reRunJobForWorkflowRun({ ...on, job_id: job.id });
  return true;
}

const lookedAt = 5;

/** The newest that a push started: those of comments on lines have checks of the pull request, too, and would answer again. Unknown ones count. */
async function newestOf(
  runs: readonly string[],
  { github, reference }: Pick<GateOptions, 'github' | 'reference'>,
): Promise<string | null> {
  for (const run of runs.slice(0, lookedAt)) {
    const asked = { ...inRepository(reference), run_id: Number(run) };
    const event = await github.rest.actions.getWorkflowRun(asked).then(
      ({ data }) => data.event,
      () => null,
    );
    if (event === null || !/comment|review|dispatch/.test(event)) return run;
  }
  return null;
}

/** The runs whose checks at the head are of this name, or that wrote one of its comments, the newest first. Those that answered a comment are none. */
function gateRunsOf({
  pullRequest,
  identity,
  own: { workflow: ownWorkflow, isGate },
}: Omit<GateOptions, 'github' | 'reference'>): readonly string[] {
  const { linked, conversation, reviews, threads } = pullRequest;
  const said = [...conversation, ...reviews, ...threads.flatMap(({ comments }) => comments)];
  const own = said.flatMap(marksIn).filter(({ mark }) => mark.name === identity.name);
  const numberOf = ({ run }: { readonly run: string }) => run.split('-')[0] ?? '';
  const answering = new Set(own.flatMap(({ mark }) => (mark.kind === 'answer' ? [numberOf(mark)] : [])));
  const runs = new Set(own.map(({ mark }) => numberOf(mark)));
  const current = numberOf(identity);
  const found = (linked.checks ?? []).flatMap(({ name, workflow, run }) => {
    const isOwn = name === identity.name || workflow === identity.name || (run !== null && runs.has(run));
    const isOther = run !== null && run !== current && !answering.has(run);
    const isNoGate = workflow !== null && workflow === ownWorkflow && !isGate;
    return isOwn && isOther && !isNoGate && /^\d{1,15}$/.test(run) ? [run] : [];
  });
  return [...new Set(found)].toSorted((one, other) => Number(other) - Number(one));
}
