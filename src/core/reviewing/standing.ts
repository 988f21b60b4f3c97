import { changedNames } from '../context/changed-names.ts';
import { digestOf } from '../history/mark.ts';
import type { Memory } from '../history/memory.ts';
import { heldReceipts } from '../history/receipts/held-receipts.ts';
import { nothingHolds, type Standing } from '../history/scope.ts';
import { reasonToRest } from '../review/left-out.ts';
import { guidancePaths, readTeamFile } from '../team/guidance.ts';
import { memoryFile } from '../team/learn.ts';
import { followUpOf, instructions } from './instructions.ts';
import type { ReviewingParts } from './parts.ts';
import type { PreparedChange } from './prepare-change.ts';
import { symbolsOf } from './review-with-model.ts';

/**
 * What a review rests on beside files: settings, the prompt's instructions, rules, and all guidance that there is, whatever changed. 16 hex digits; null
 * where nothing is remembered, and without git.
 */
export async function basisOf(
  { code: { repository }, settings, identity, past }: ReviewingParts,
  { rules, isDenied }: Pick<PreparedChange, 'rules' | 'isDenied'>,
): Promise<string | null> {
  if (identity === null || past === null) return null;
  const entries = await repository.listFiles('base');
  const names = new Set([...guidancePaths(entries, settings.guidance), ...(settings.memory ? [memoryFile] : [])]);
  const guidance = entries.filter(({ path }) => names.has(path));
  const paths = guidance.map(({ path }) => path);
  const blobs = await past.blobs(paths, 'base');
  if (blobs === null) return null;
  // What a link leads to may change, and the link does not.
  const links = guidance.filter(({ kind }) => kind === 'symlink');
  const linked = await Promise.all(links.map(({ path }) => readTeamFile(repository, { path, isDenied })));
  const prompt = instructions(settings.language, { followUp: followUpOf(settings) });
  return digestOf(JSON.stringify([identity.settings, prompt, rules, paths, blobs, linked]), 16);
}

/** What of the change was reviewed before, as a review on this basis would have it. */
export async function standingFor(
  parts: ReviewingParts,
  {
    change: { changes, isDenied },
    memory,
    basis,
  }: { change: Pick<PreparedChange, 'changes' | 'isDenied'>; memory: Memory; basis: string | null },
): Promise<Standing> {
  const { pullRequest, settings, past, models } = parts;
  const { state, isLost = false } = memory;
  if (past === null) return nothingHolds('first review');
  // The rules look at everything, every time.
  if (models.model === null && settings.mode !== 'post' && reasonToRest(memory) === null)
    return nothingHolds('no model');
  const symbols = symbolsOf(parts, { isDenied });
  const held = await heldReceipts(
    {
      ...{ incremental: true, state, isUnsigned: isLost, basis },
      ...{ head: pullRequest.head.sha, mergeBase: pullRequest.mergeBase, files: changes.files },
    },
    {
      seal: past.seal,
      changesBetween: past.changesBetween,
      readHead: (path) => parts.code.repository.readFile(path, 'head'),
      namesOf: (file) => changedNames(symbols, file),
    },
  );
  if (settings.incremental) return held;
  // Somebody who asks for a review wants one that begins anew; a workflow that always reviews everything has an end, too.
  const read = parts.trigger.asked === undefined ? { read: held.files } : {};
  return { ...nothingHolds('incremental is off', held.since), ...read };
}

const mostNamed = 10;

/** Files that are reviewed again because of what changed beneath them, one sentence each. */
export function readAgainNotes({ files }: Standing): readonly string[] {
  const sentences = [...files].flatMap(([path, one]) => {
    if (one.kind !== 'rests on') return [];
    const named = one.changed.slice(0, mostNamed).join(', ');
    return [`${path} is reviewed again, because what its review rested on changed${named === '' ? '' : `: ${named}`}.`];
  });
  const more = sentences.length - mostNamed;
  return [...sentences.slice(0, mostNamed), ...(more > 0 ? [`So are ${more} more files.`] : [])];
}
