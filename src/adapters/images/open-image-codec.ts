import type { Conversion, ImageCodec } from '../../core/images/image-codec.ts';
import { builtImageFiles, type ImageFiles } from './image-files.ts';
import { runImageThread } from './image-thread.ts';

/** So many images may break or hold up their thread before no more are tried: each may have cost all its time. */
const maxBreaks = 3;

/**
 * Converts images one after the other, each in a thread of its own: a hostile one costs its own result and nothing else, and memory
 * goes back when it is done. When the codecs cannot be loaded, or images break them again and again, that is reported once through
 * `onProblem` and nothing more is tried.
 */
export function openImageCodec(options: {
  readonly onProblem: (text: string) => void;
  readonly files?: ImageFiles;
}): ImageCodec {
  const files = options.files ?? builtImageFiles();
  let breaks = 0;
  let stopped = false;
  let last: Promise<unknown> = Promise.resolve();

  const stop = (text: string) => {
    stopped = true;
    options.onProblem(text);
  };
  const convert: ImageCodec['toJpeg'] = async (image, limits) => {
    if (stopped) return notTried;
    const answer = await runImageThread(files, { ...image, ...limits });
    if (answer.kind === 'converted') return answer;
    if (answer.kind === 'undecodable') return failed('is broken, or of a kind that cannot be decoded');
    if (answer.kind === 'unavailable') {
      stop(`Images cannot be converted, so none are shown. ${answer.reason}`);
      return notTried;
    }
    breaks += 1;
    if (breaks === maxBreaks) stop(`${maxBreaks} images broke their decoder, so no more are shown. ${answer.reason}`);
    return failed(`cannot be decoded: ${answer.reason}`);
  };
  return {
    toJpeg: (image, limits) => {
      const before = last;
      const converted = before.then(() => convert(image, limits));
      last = converted;
      return converted;
    },
  };
}

const limit = 'images cannot be converted in this run';
// It may be as good as any: it was not looked at.
const notTried: Conversion = { kind: 'failed', reason: `is not shown: ${limit}`, limit };

function failed(reason: string): Conversion {
  return { kind: 'failed', reason };
}
