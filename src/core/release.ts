// @generated from `release` of package.json by scripts/references.ts: change that, and run `npm run docs`.

/** Where Postil is released. While it is not published, owner and ref are placeholders that nobody can register. */
export type Release = {
  readonly owner: string;
  readonly repository: string;
  /** A tag or a full commit hash. */
  readonly ref: string;
  readonly published: boolean;
};

export const ownRelease: Release = {
  owner: '<owner>',
  repository: 'postil',
  ref: '<commit>',
  published: false,
};
