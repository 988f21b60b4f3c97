import type { Model } from './model.ts';

export type FirstToken = {
  readonly model: Model;
  /** Resolves when the model began to answer, or did not: with the first token, an answer, an error, or `open`. */
  readonly first: Promise<void>;
  /** For a run that ends without a call. */
  readonly open: () => void;
};

/** Watches for the first token of a model's first call: from then on the server has its prompt in the cache (DESIGN section 7). */
export function firstToken(model: Model): FirstToken {
  let open = () => {};
  const first = new Promise<void>((resolve) => {
    open = resolve;
  });
  const watched: Model = {
    answer: async (request, signal) => {
      const onProgress = (characters: number) => {
        open();
        request.onProgress?.(characters);
      };
      try {
        return await model.answer({ ...request, onProgress }, signal);
      } finally {
        open();
      }
    },
  };
  return { model: watched, first, open: () => open() };
}
