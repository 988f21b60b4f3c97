/** How much of what a model can multiply in its answers, or a pull request in its findings, is looked at. */
export const limits = {
  /** Findings about the same 32 lines, or about a file as a whole, that one more is compared with. Those beyond are taken for other matters. */
  samePlace: 100,
  /** Lines from its first on in which a finding can meet another. */
  placeLines: 16_384,
  /** Characters of a title that tell one matter from another. */
  titleCharacters: 1_000,
} as const;
