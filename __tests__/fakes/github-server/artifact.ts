/** What a workflow run uploaded. `from` is the repository that its commit is of. */
export type StoredArtifact = {
  readonly id: number;
  readonly name: string;
  readonly createdAt: string;
  readonly run: number;
  readonly from: string;
};
