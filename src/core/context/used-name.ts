/** A name as a file uses it. */
export type UsedName = {
  readonly name: string;
  /** It stands behind a dot everywhere: many types may have such a member. */
  readonly member: boolean;
};
