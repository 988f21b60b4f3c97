import type { EarlierAnswer } from '../findings/earlier.ts';
import type { Finding } from '../findings/finding.ts';
import { gatherCauses, mergeFindings } from '../findings/merge.ts';
import { rankFindings } from '../findings/place.ts';
import { isOne } from '../findings/similarity.ts';
import { digestOf } from '../history/mark.ts';
import { digestsOf } from '../history/memory.ts';
import type { Surroundings } from '../history/surroundings.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { ReviewedDraft } from './draft.ts';

type Sources = {
  readonly surroundings: Surroundings;
  /** Every file of the diff. */
  readonly files: readonly ChangedFile[];
};

/** Findings whose surroundings are looked at: more than a state keeps. */
const most = 300;

/** Findings with what their places stand in: a decline holds for as long as that is the same. */
export async function withSurroundings(
  findings: readonly Finding[],
  { surroundings, files }: Sources,
): Promise<readonly Finding[]> {
  const oldPaths = new Map(files.map(({ path, oldPath }) => [path, oldPath]));
  const looked = findings.slice(0, most).map(async (finding): Promise<Finding> => {
    const { path, anchor, others = [] } = finding;
    const places = [{ path, anchor }, ...others];
    const around = await Promise.all(places.map((place) => surroundings.around(place.path, place.anchor)));
    const oldPath = oldPaths.get(path);
    return { ...finding, around, ...(oldPath === undefined || oldPath === path ? {} : { oldPath }) };
  });
  return [...(await Promise.all(looked)), ...findings.slice(most)];
}

/** Answers with what proves that earlier findings are fixed: by that the next round knows the code again. */
export async function withProofs(
  answers: readonly EarlierAnswer[],
  surroundings: Surroundings,
): Promise<readonly EarlierAnswer[]> {
  return await Promise.all(answers.map((answer) => withProof(answer, surroundings)));
}

async function withProof(answer: EarlierAnswer, surroundings: Surroundings): Promise<EarlierAnswer> {
  if (answer.state !== 'fixed' || answer.proof === null || answer.at === undefined) return answer;
  const { quote } = answer.proof;
  const { path, startLine, endLine } = answer.at;
  const around = await surroundings.around(path, { kind: 'lines', side: 'RIGHT', startLine, endLine, quote });
  return { ...answer, kept: { path, digests: digestsOf(quote), around } };
}

/** Ids for findings that no round knew before: of this run alone, and the same however often it is asked for one. */
export function idsOfRun(identity: { readonly name: string; readonly run: string } | null, head: string) {
  return ({ id }: Finding): string => `p-${digestOf(JSON.stringify([identity?.name, identity?.run, head, id]), 8)}`;
}

/** All that rules and conversations found, each matter once, the most important first. */
export function foundIn(draft: ReviewedDraft): readonly Finding[] {
  const groups = [draft.ruleFindings, ...draft.batches.map(({ findings }) => findings)];
  return gatherCauses(rankFindings(mergeFindings(groups, isOneMatter(draft))));
}

/** What a conversation says of a file of another one is mostly what that one says itself, in its own words. */
function isOneMatter({ batches }: ReviewedDraft): (one: Finding, other: Finding) => boolean {
  const guests = new Set(
    batches.flatMap(({ report, findings }) =>
      findings.flatMap(({ id, path }) => (report.paths.includes(path) ? [] : [id])),
    ),
  );
  return (one, other) =>
    isOne.inReview(one, other) || ((guests.has(one.id) || guests.has(other.id)) && isOne.ofGuest(one, other));
}
