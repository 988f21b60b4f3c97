import type { ImagePart } from './image-part.ts';

/**
 * Images that tools looked up, on their way to the model. They go into one user message behind all answers of a turn, because tool
 * messages of Chat Completions carry text only. One queue a conversation.
 */
export type ImageQueue = {
  add(image: ImagePart): void;
  /** What was added since the last time, in order. */
  take(): readonly ImagePart[];
};

export function createImageQueue(): ImageQueue {
  const waiting: ImagePart[] = [];
  return {
    add: (image) => {
      waiting.push(image);
    },
    take: () => waiting.splice(0),
  };
}
