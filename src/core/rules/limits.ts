/** How much of what a pull request can multiply the rules look at. Each that bites is reported in a sentence. */
export const limits = {
  /** Comments `postil-ignore` of a change that are read. Those beyond are not obeyed, so what they would hide is raised. */
  ignoreComments: 1_000,
  /** Characters of a rule and a reason in such a comment: a line may have megabytes, and names are compared. */
  ignoreCharacters: 1_000,
  /** Comments that are not obeyed and named one by one. */
  ignoreNotes: 20,
  /** Guidance files that are read: a repository may have one in each of its folders. */
  guidanceFiles: 100,
} as const;
