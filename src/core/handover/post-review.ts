import { groundSources } from '../findings/sources.ts';
import type { ReviewDraft, StoppedDraft } from '../review/draft.ts';
import { reasonToSkip } from '../review/headline.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { concludeReview, type ReviewParts, remember } from '../review-pull-request.ts';
import { hiddenInRepository } from '../reviewing/hide.ts';
import { loadRules } from '../rules/load-rules.ts';
import { hideInSource, secretsIn } from '../secrets/find.ts';
import { hideSecrets } from '../secrets/redact.ts';
import type { Settings } from '../settings/settings.ts';
import { checkReviewFile } from './check.ts';
import type { ReviewFile } from './review-file.ts';

/**
 * The recipe of the job that posts: what the other job wrote is held against the commits, compared with earlier runs, and delivered. No model
 * is asked, and what the file says decides nothing but words.
 *
 * @throws UserError when the file is of another pull request.
 */
export async function postReview(parts: ReviewParts, file: ReviewFile): Promise<ReviewRecord> {
  const { pullRequest, settings, repository } = parts;
  const { files, missing } = await parts.changes();
  // Nothing is read out to a model here: a denied file may be compared with what a rule found in it.
  const { rules } = await loadRules(repository);
  const hiding = { hide: hideSecrets(secretsIn(rules, files)), hideInSource: hideInSource(rules) };
  const sources = groundSources(hiddenInRepository(repository, hiding), { files, isDenied: () => null });
  const { draft } = await checkReviewFile(file, {
    repository: pullRequest.repository ?? '',
    number: pullRequest.number ?? 0,
    head: pullRequest.head.sha,
    mergeBase: pullRequest.mergeBase,
    sources,
  });
  const skip = reasonToSkip(pullRequest, settings);
  const { reviewEvent, note } = eventFor(parts);
  const notes = [...parts.notes, ...pullRequest.missing, ...missing, ...otherName(parts, file), ...note];
  const memory = await remember({ ...parts, settings: { ...settings, incremental: false } });
  return await concludeReview(
    { ...parts, settings: { ...settings, reviewEvent } },
    { draft: withNotes(skip === null ? draft : skipped(draft, skip), notes), memory, files },
  );
}

type Allowed = { readonly reviewEvent: Settings['reviewEvent']; readonly note: readonly string[] };

/** The file was written beside a stranger's code: for a fork it never approves. */
function eventFor({ settings: { reviewEvent }, pullRequest }: ReviewParts): Allowed {
  if (reviewEvent !== 'approve' || !pullRequest.fromFork) return { reviewEvent, note: [] };
  const note = 'A review that another job wrote never approves a pull request from a fork.';
  return { reviewEvent: 'request-changes', note: [note] };
}

/** By another name the reviewing job does not find what this one posts. */
function otherName({ identity }: ReviewParts, { identity: writer }: ReviewFile): readonly string[] {
  if (identity === null || identity.name === writer.name) return [];
  return [
    `The review was made as "${writer.name}" and is posted as "${identity.name}": set one \`name\` in both jobs.`,
  ];
}

function skipped({ milliseconds, limits, notes }: ReviewDraft, why: string): StoppedDraft {
  return { kind: 'stopped', stop: { reason: 'skipped', why }, skipped: [], milliseconds, limits, notes };
}

function withNotes(draft: ReviewDraft, notes: readonly string[]): ReviewDraft {
  return { ...draft, notes: [...new Set([...draft.notes, ...notes])] };
}
