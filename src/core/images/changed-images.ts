import type { ImagePart } from '../agent/message.ts';
import { type Message, verbatim } from '../messages/message.ts';
import { type ChangedFile, isOpaque } from '../pull-request/changed-file.ts';
import type { Revision } from '../repository/repository.ts';
import { isImageName } from './header.ts';
import { type FoundImage, type Images, imageLimits } from './images.ts';
import { convertImage, type ImageParts } from './part.ts';

export type ChangedImages = {
  /** By the path of the changed file: before, then after, as far as there is one. In the order in which they were given a place. */
  readonly images: readonly { readonly path: string; readonly parts: readonly ImagePart[] }[];
  readonly skipped: readonly UnshownImage[];
};

/** An image that is not shown, or a state of one. */
type UnshownImage = {
  readonly path: string;
  /** The end of a sentence that begins with the path. */
  readonly reason: Message;
  /** The limit that kept it out, so that it was not reviewed; null when it is left out for what it is. */
  readonly limit: Message | null;
};

/**
 * The changed images of a pull request, before and after, as long as places, bytes and time last: files with the name of an image
 * come first, a file's two states go together or not at all. Images whose bytes did not change are left out, so is what is denied.
 */
export async function changedImages(
  parts: ImageParts,
  change: {
    /** Changed files: those of no kind of image are passed over. */
    files: readonly ChangedFile[];
    isDenied: (path: string) => string | null;
    /** Milliseconds of a clock that never goes back. */
    now: () => number;
    /** Time for all of them, where it is less than an image's limits give. */
    milliseconds?: number;
    signal: AbortSignal;
  },
): Promise<ChangedImages> {
  const images: { path: string; parts: readonly ImagePart[] }[] = [];
  const skipped: UnshownImage[] = [];
  const deadline = change.now() + Math.min(imageLimits.allMilliseconds, change.milliseconds ?? Infinity);
  for (const [index, file] of candidates(change.files, change.isDenied).entries()) {
    const { path } = file;
    const limit = limitReached({ index, late: change.now() >= deadline, signal: change.signal });
    if (limit !== null) {
      if (isImageName(path)) skipped.push({ path, ...missed(limit) });
      continue;
    }
    const states = await findStates(parts.images, file);
    const { shown, reasons } = await convertStates(parts, { file, states });
    if (shown.length > 0) images.push({ path, parts: shown });
    skipped.push(...reasons.map((reason) => ({ path, ...reason })));
  }
  return { images, skipped };
}

function candidates(files: readonly ChangedFile[], isDenied: (path: string) => string | null): readonly ChangedFile[] {
  const open = files.filter(
    (each) => isOpaque(each) && [each.path, each.oldPath].every((path) => isDenied(path) === null),
  );
  return [
    ...open.filter(({ path }) => isImageName(path)),
    // A name proves nothing, but what has none of an image rarely is one.
    ...open.filter(({ path }) => !isImageName(path)),
  ];
}

function limitReached(at: { index: number; late: boolean; signal: AbortSignal }): Message | null {
  if (at.signal.aborted) return { code: 'image.cancelled' };
  if (at.index >= imageLimits.openedFiles) return { code: 'image.most-files', max: imageLimits.openedFiles };
  return at.late ? { code: 'image.no-time' } : null;
}

type State = {
  readonly path: string;
  readonly at: Revision;
  readonly state: string;
  readonly found: FoundImage;
};

async function findStates(images: Images, file: ChangedFile): Promise<readonly State[]> {
  const { path, oldPath, status } = file;
  const stateAt = async (at: 'head' | 'merge-base', state: string): Promise<State> => {
    const named = at === 'head' ? path : oldPath;
    return { path: named, at, state, found: await images.find(named, at) };
  };
  if (status === 'added') return [await stateAt('head', 'added (head)')];
  if (status === 'deleted') return [await stateAt('merge-base', 'deleted (merge base)')];
  const states = [await stateAt('merge-base', 'before (merge base)'), await stateAt('head', 'after (head)')];
  return areEqual(states) ? [] : states;
}

function areEqual([one, other]: readonly State[]): boolean {
  if (one?.found.kind !== 'image' || other?.found.kind !== 'image') return false;
  return one.found.digest === other.found.digest;
}

type Reason = Omit<UnshownImage, 'path'>;

function missed(limit: Message): Reason {
  return { reason: { code: 'image.not-shown', why: limit }, limit };
}

function unfit(reason: Message): Reason {
  return { reason, limit: null };
}

type Outcome = { readonly shown: readonly ImagePart[]; readonly reasons: readonly Reason[] };

async function convertStates(
  parts: ImageParts,
  { file, states }: { file: ChangedFile; states: readonly State[] },
): Promise<Outcome> {
  const found = states.flatMap(({ found: each, ...named }) =>
    each.kind === 'image' ? [{ ...named, found: each }] : [],
  );
  const unseen = states.flatMap(({ state, found: each }) => {
    const told = each.kind === 'refused' || (each.kind === 'unread' && isImageName(file.path));
    return told ? [unfit({ code: 'image.in-state', state, why: verbatim(each.reason) })] : [];
  });
  if (!parts.quota.reserve(found.length)) {
    return { shown: [], reasons: [...unseen, ...(await reasonsWithoutPlace(parts, found))] };
  }
  const shown: ImagePart[] = [];
  const reasons = [...unseen];
  for (const each of found) {
    const converted = await convertImage(parts, each);
    if (converted.kind === 'image') shown.push(converted.image);
    else
      reasons.push({
        reason: { code: 'image.in-state', state: each.state, why: converted.reason },
        limit: converted.limit ?? null,
      });
  }
  return { shown, reasons };
}

/** What could not be shown anyhow says so: a place would not have helped. */
async function reasonsWithoutPlace(
  { images, quota }: ImageParts,
  found: readonly Omit<State, 'found'>[],
): Promise<readonly Reason[]> {
  const reasons: Reason[] = [];
  for (const { path, at, state } of found) {
    const ready = await images.convert(path, at);
    if (ready.kind === 'failed' && ready.limit === undefined)
      reasons.push(unfit({ code: 'image.in-state', state, why: ready.reason }));
  }
  return reasons.length === found.length ? reasons : [...reasons, missed(quota.exhausted)];
}
