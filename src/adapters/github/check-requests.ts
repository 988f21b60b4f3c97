import type { CheckAnnotation } from '../../core/report/annotations.ts';
import type { ReviewRecord, Sink } from '../../core/review/sink.ts';
import { type GitHub, inRepository } from './client.ts';
import { writeOnce } from './posted.ts';
import type { PullRequestReference } from './pull.ts';

/** What the checks API takes, in characters. */
export const titleCharacters = 255;
export const summaryCharacters = 65_535;
/** What it takes in one request. */
export const annotationsARequest = 50;

export type CheckRequests = ReturnType<typeof checkRequests>;

/**
 * The requests that a check is made of. After a lost answer the check itself tells whether it has what was sent, and nothing is sent twice:
 * annotations would be appended again, and a second check would never be completed.
 */
export function checkRequests(options: CheckRunOptions) {
  const { github, now } = options;
  const repository = inRepository(options.reference);
  const update = async (id: number, change: Change) => {
    await github.rest.checks.update({ ...repository, check_run_id: id, ...change });
  };
  const updateOnce = async (
    id: number,
    { change, isThere }: { change: Change; isThere: (check: Check) => boolean },
  ) => {
    await writeOnce(github, {
      write: async () => {
        await update(id, change);
        return true;
      },
      look: async () => {
        const { data } = await github.rest.checks.get({ ...repository, check_run_id: id });
        return isThere(data) || null;
      },
    });
  };
  return {
    create: (output: CheckOutput) => createCheck(options, output),
    update,
    /** `before`: how many annotations the check has now. */
    annotate: async (
      id: number,
      { output, page, before }: { output: CheckOutput; page: readonly CheckAnnotation[]; before: number },
    ) => {
      const change = { output: { ...output, annotations: page.map(asParameters) } };
      await updateOnce(id, { change, isThere: (check) => check.output.annotations_count > before });
    },
    complete: async (id: number, { conclusion, title, summary }: CheckEnd) => {
      const completed_at = new Date(now()).toISOString();
      const change = { status: 'completed', conclusion, completed_at, output: { title, summary } } as const;
      await updateOnce(id, { change, isThere: (check) => check.status === 'completed' });
    },
  };
}

type Check = Awaited<ReturnType<GitHub['rest']['checks']['get']>>['data'];
type Change = {
  readonly status?: 'in_progress' | 'completed';
  readonly conclusion?: Conclusion;
  readonly completed_at?: string;
  readonly output: CheckOutput & { annotations?: ReturnType<typeof asParameters>[] };
};

async function createCheck(
  { github, reference, headSha, name, detailsUrl, now }: CheckRunOptions,
  output: CheckOutput,
): Promise<{ readonly id: number; readonly url: string | null }> {
  const repository = inRepository(reference);
  const startedAt = new Date(now()).toISOString();
  // Others may be called the same: a re-run, or a run at the same time.
  const externalId = `postil ${startedAt}`;
  return await writeOnce(github, {
    write: async () => {
      const { data } = await github.rest.checks.create({
        ...repository,
        name,
        head_sha: headSha,
        external_id: externalId,
        status: 'in_progress',
        started_at: startedAt,
        output,
        ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
      });
      return { id: data.id, url: data.html_url };
    },
    look: async () => {
      const query = { ...repository, ref: headSha, check_name: name, filter: 'all', per_page: 100 } as const;
      const checks = await github.paginate(github.rest.checks.listForRef, query);
      const found = checks.find(({ external_id }) => external_id === externalId);
      return found === undefined ? null : { id: found.id, url: found.html_url };
    },
  });
}

function asParameters({ path, startLine, endLine, level, title, message }: CheckAnnotation) {
  return { path, start_line: startLine, end_line: endLine, annotation_level: level, title, message };
}

export type CheckOutput = { readonly title: string; readonly summary: string };
type Conclusion = 'success' | 'neutral' | 'failure' | 'skipped';
export type CheckEnd = CheckOutput & { readonly conclusion: Conclusion };

/** What somebody else needs to conclude a check that this process could not. */
type OpenCheck = { readonly id: number; readonly end: CheckEnd | null };

export type CheckRunOptions = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  /** Full hash of the reviewed head: the check belongs to it. */
  readonly headSha: string;
  /** As it is shown on the pull request. */
  readonly name: string;
  /** Address behind "Details"; null when it is not known. */
  readonly detailsUrl: string | null;
  readonly now: () => number;
  /** Takes the annotations when the token may not write checks. */
  readonly fallback: Sink;
  readonly render: (record: ReviewRecord) => string;
  readonly redact: (text: string) => string;
  /** Called when the check is open, how it is to end before that is asked for, and null once it is concluded. */
  readonly onCheck?: ((check: OpenCheck | null) => void) | undefined;
};
