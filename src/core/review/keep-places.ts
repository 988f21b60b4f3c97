import type { EarlierAnswer } from '../findings/earlier.ts';
import type { Finding } from '../findings/finding.ts';
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

/** The draft with what its places stand in, and what proves that earlier findings are fixed: by that the next round knows them again. */
export async function keepPlaces(draft: ReviewedDraft, sources: Sources): Promise<ReviewedDraft> {
  let left = most;
  const each = async (findings: readonly Finding[]): Promise<readonly Finding[]> => {
    const some = findings.slice(0, Math.max(0, left));
    left -= some.length;
    const known = await Promise.all(some.map((finding) => withSurroundings(finding, sources)));
    return [...known, ...findings.slice(some.length)];
  };
  const batches = [];
  for (const batch of draft.batches) batches.push({ ...batch, findings: await each(batch.findings) });
  const ruleFindings = await each(draft.ruleFindings);
  const earlier = await Promise.all(draft.earlier.map((answer) => withProof(answer, sources)));
  return { ...draft, batches, ruleFindings, earlier };
}

async function withSurroundings(finding: Finding, { surroundings, files }: Sources): Promise<Finding> {
  const { path, anchor, others = [] } = finding;
  const places = [{ path, anchor }, ...others];
  const around = await Promise.all(places.map((place) => surroundings.around(place.path, place.anchor)));
  const oldPath = files.find((file) => file.path === path)?.oldPath;
  return { ...finding, around, ...(oldPath === undefined || oldPath === path ? {} : { oldPath }) };
}

async function withProof(answer: EarlierAnswer, { surroundings }: Sources): Promise<EarlierAnswer> {
  if (answer.state !== 'fixed' || answer.proof === null) return answer;
  const { path, quote } = answer.proof;
  const digests = digestsOf(quote);
  const range = await surroundings.find(path, digests);
  // A proof that was found by its words alone, as where a line of it was cut, is not watched.
  if (range === null) return answer;
  const { start: startLine, end: endLine } = range;
  const around = await surroundings.around(path, { kind: 'lines', side: 'RIGHT', startLine, endLine, quote });
  return { ...answer, kept: { path, digests, around } };
}

/** Ids for findings that no round knew before: of this run alone, and the same however often it is asked for one. */
export function idsOfRun(identity: { readonly name: string; readonly run: string } | null, head: string) {
  return ({ id }: Finding): string => `p-${digestOf(JSON.stringify([identity?.name, identity?.run, head, id]), 8)}`;
}
