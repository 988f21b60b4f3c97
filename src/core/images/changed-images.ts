import type { ImagePart } from '../agent/image-part.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { Revision } from '../repository/repository.ts';
import { convertImage, type ImageParts } from './convert-image.ts';
import { imageLimits } from './image-limits.ts';
import { isImageName } from './image-name.ts';
import type { FoundImage, Images } from './images.ts';

export type ChangedImages = {
  /** By the path of the changed file: before, then after, as far as there is one. In the order in which they were given a place. */
  readonly images: readonly { readonly path: string; readonly parts: readonly ImagePart[] }[];
  /** Images that are not shown, each with the end of a sentence that begins with the path. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
};

/**
 * The changed images of a pull request, before and after, as long as places, bytes and time last: files with the name of an image
 * come first, a file's two states go together or not at all. Images whose bytes did not change are left out, so is what is denied.
 */
export async function changedImages(
  parts: ImageParts,
  change: {
    /** Changed files: those of no kind of image are passed over. */
    readonly files: readonly ChangedFile[];
    readonly isDenied: (path: string) => string | null;
    /** Milliseconds of a clock that never goes back. */
    readonly now: () => number;
    /** Time for all of them, where it is less than an image's limits give. */
    readonly milliseconds?: number;
    readonly signal: AbortSignal;
  },
): Promise<ChangedImages> {
  const images: { path: string; parts: readonly ImagePart[] }[] = [];
  const skipped: { path: string; reason: string }[] = [];
  const deadline = change.now() + Math.min(imageLimits.allMilliseconds, change.milliseconds ?? Infinity);
  for (const [index, file] of candidates(change).entries()) {
    const { path } = file;
    const reason = reasonToStop({ index, late: change.now() >= deadline, signal: change.signal });
    if (reason !== null) {
      if (isImageName(path)) skipped.push({ path, reason });
      continue;
    }
    const states = await findStates(parts.images, file);
    const { shown, reasons } = await convertStates(parts, { file, states });
    if (shown.length > 0) images.push({ path, parts: shown });
    skipped.push(...reasons.map((reason) => ({ path, reason })));
  }
  return { images, skipped };
}

function candidates(change: {
  readonly files: readonly ChangedFile[];
  readonly isDenied: (path: string) => string | null;
}): readonly ChangedFile[] {
  const { files, isDenied } = change;
  const open = files.filter(
    ({ kind, path, oldPath }) => kind === 'binary' && isDenied(path) === null && isDenied(oldPath) === null,
  );
  return [
    ...open.filter(({ path }) => isImageName(path)),
    // A name proves nothing, but what has none of an image rarely is one.
    ...open.filter(({ path }) => !isImageName(path)),
  ];
}

function reasonToStop(at: {
  readonly index: number;
  readonly late: boolean;
  readonly signal: AbortSignal;
}): string | null {
  if (at.signal.aborted) return 'is not shown: the run was cancelled';
  if (at.index >= imageLimits.openedFiles) return `is not shown: at most ${imageLimits.openedFiles} files are opened`;
  return at.late ? 'is not shown: the time for images is used up' : null;
}

type State = {
  readonly path: string;
  readonly at: Revision;
  readonly state: string;
  readonly found: FoundImage;
};

async function findStates(images: Images, file: ChangedFile): Promise<readonly State[]> {
  const { path, oldPath, status } = file;
  const before = async (state: string): Promise<State> => {
    return { path: oldPath, at: 'merge-base', state, found: await images.find(oldPath, 'merge-base') };
  };
  const after = async (state: string): Promise<State> => {
    return { path, at: 'head', state, found: await images.find(path, 'head') };
  };
  if (status === 'added') return [await after('added (head)')];
  if (status === 'deleted') return [await before('deleted (merge base)')];
  const states = [await before('before (merge base)'), await after('after (head)')];
  return areEqual(states) ? [] : states;
}

function areEqual([one, other]: readonly State[]): boolean {
  if (one?.found.kind !== 'image' || other?.found.kind !== 'image') return false;
  return one.found.digest === other.found.digest;
}

type Outcome = { readonly shown: readonly ImagePart[]; readonly reasons: readonly string[] };

async function convertStates(
  parts: ImageParts,
  { file, states }: { readonly file: ChangedFile; readonly states: readonly State[] },
): Promise<Outcome> {
  const found = states.flatMap(({ found: each, ...named }) =>
    each.kind === 'image' ? [{ ...named, found: each }] : [],
  );
  const unseen = states.flatMap(({ state, found: each }) => {
    const told = each.kind === 'refused' || (each.kind === 'unread' && isImageName(file.path));
    return told ? [`${state} ${each.reason}`] : [];
  });
  if (!parts.quota.reserve(found.length)) {
    return { shown: [], reasons: [...unseen, `is not shown: ${parts.quota.exhausted}`] };
  }
  const shown: ImagePart[] = [];
  const reasons = [...unseen];
  for (const each of found) {
    const converted = await convertImage(parts, each);
    if (converted.kind === 'image') shown.push(converted.image);
    else reasons.push(`${each.state} ${converted.reason}`);
  }
  return { shown, reasons };
}
