import { ToolError } from '../errors.ts';
import { convertImage, type ImageParts } from '../images/part.ts';
import { inEnglish } from '../messages/languages.ts';
import { exactly } from '../schema.ts';
import { defineTool, explainMissing, nameOf, pathOf, type Sources, type Tool } from './sources.ts';

/** Shows an image: the answer is text, the image itself follows behind all answers of the turn. */
export function viewImage(
  files: Pick<Sources, 'repository' | 'files' | 'isDenied' | 'onShown'>,
  parts: ImageParts,
): Tool {
  return defineTool({
    name: 'view_image',
    description: 'Look at a PNG, JPEG, WebP or GIF file (first frame). The image comes in the next message.',
    parameters: exactly({ path: { type: 'string' } }),
    path: 'path',
    run: async (call, signal) => {
      const path = pathOf(call.path);
      const name = nameOf(path);
      if (path === '') throw new ToolError('Name a file. list_files lists what there is.');
      const denial = files.isDenied(path);
      if (denial !== null) throw new ToolError(denial);
      const found = await parts.images.find(path, 'head');
      if (found.kind === 'missing') throw new ToolError(await explainMissing(files, path));
      if (found.kind !== 'image') throw new ToolError(`${name} ${found.reason}. It cannot be shown.`);
      // Nobody waits any more: it must not take a place of the run's.
      if (signal.aborted) throw new ToolError(`${name} is not shown: the time is used up.`);
      if (!parts.quota.reserve(1)) throw new ToolError(`${name} is not shown: ${inEnglish(parts.quota.exhausted)}.`);
      const converted = await convertImage(parts, { path, at: 'head', state: 'at head', found });
      if (converted.kind === 'failed') throw new ToolError(`${name} ${inEnglish(converted.reason)}.`);
      const { image } = converted;
      files.onShown?.(path);
      return { text: `${image.label}: the image is in the message after the answers of this turn.`, images: [image] };
    },
  });
}
