/** What a person asked of `postil learn`. */
export type LearnCommand = {
  readonly kind: 'learn';
  readonly directory: string;
  /** `owner/name`; null for that of the folder. */
  readonly repository: string | null;
  /** Login that Postil posts as. */
  readonly author: string;
  /** Null for the merged ones. */
  readonly pullRequest: number | null;
  /** Null for the `last` ones. */
  readonly sinceDays: number | null;
  readonly last: number;
};

export const learnFlags = ['directory', 'repository', 'author', 'pull-request', 'since', 'last'] as const;

type Flag = (typeof learnFlags)[number];
type Values = { readonly [flag in Flag]?: string };

const learnValues: Readonly<Record<Flag, { readonly needs: string; readonly allowed: RegExp }>> = {
  directory: { needs: 'a folder', allowed: /./ },
  repository: { needs: 'owner/name', allowed: /^[\w-]+\/[\w.-]+$/ },
  author: { needs: 'a login, such as github-actions[bot]', allowed: /^[\w-]+(?:\[bot\])?$/ },
  'pull-request': { needs: 'a number', allowed: /^[1-9]\d{0,8}$/ },
  since: { needs: 'a number of days, such as 30d', allowed: /^[1-9]\d{0,2}d$/ },
  last: { needs: 'a number from 1 to 100', allowed: /^(?:[1-9]\d?|100)$/ },
};

/** Each names the flag and what is allowed. */
export function learnProblems(values: Values): readonly string[] {
  const given = learnFlags.filter((flag) => values[flag] !== undefined);
  const choices = given.filter((flag) => flag === 'pull-request' || flag === 'since' || flag === 'last');
  return [
    ...given
      .filter((flag) => !learnValues[flag].allowed.test(values[flag] ?? ''))
      .map((flag) => `'--${flag}' needs ${learnValues[flag].needs}.`),
    ...(choices.length > 1 ? [`'--${choices.join("' and '--")}' contradict each other: give one of them.`] : []),
  ];
}

/** Of values without a problem. */
export function learnCommand(values: Values): LearnCommand {
  const number = (flag: Flag) => (values[flag] === undefined ? null : Number.parseInt(values[flag], 10));
  return {
    kind: 'learn',
    directory: values.directory ?? '.',
    repository: values.repository ?? null,
    author: values.author ?? 'github-actions[bot]',
    pullRequest: number('pull-request'),
    sinceDays: number('since'),
    last: number('last') ?? 20,
  };
}
