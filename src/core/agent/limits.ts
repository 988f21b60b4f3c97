/** How much of one answer of a model is taken in. */
export const limits = {
  /** Tool calls of one answer: as many as OpenAI's API lets a model make. The first are taken, and the model learns about the others. */
  callsOfAnswer: 128,
} as const;
