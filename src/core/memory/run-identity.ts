/** Who speaks in our comments: two reviewers of one pull request keep apart by `name`, two runs of one reviewer by `run`. */
export type RunIdentity = {
  /** The `name` input: by default the workflow's name. */
  readonly name: string;
  /** One attempt of one workflow run, such as `4711-1`. */
  readonly run: string;
  /** A digest of the settings that decide what is found: other settings ask for a full review. */
  readonly settings: string;
};
