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

const values: Readonly<Record<Flag, { readonly needs: string; readonly allowed: RegExp }>> = {
  directory: { needs: 'a folder', allowed: /./ },
  repository: { needs: 'owner/name', allowed: /^[\w-]+\/[\w.-]+$/ },
  author: { needs: 'a login, such as github-actions[bot]', allowed: /^[\w-]+(?:\[bot\])?$/ },
  'pull-request': { needs: 'a number', allowed: /^[1-9]\d{0,8}$/ },
  since: { needs: 'a number of days, such as 30d', allowed: /^[1-9]\d{0,2}d$/ },
  last: { needs: 'a number from 1 to 100', allowed: /^(?:[1-9]\d?|100)$/ },
};

export type GivenLearn = {
  /** What stands behind the command. */
  readonly rest: readonly string[];
  /** Names of the flags that were given. */
  readonly flags: readonly string[];
  /** The value of a flag; '' when it has none. */
  readonly text: (name: string) => string;
};

/** Each problem names the argument and what is allowed. */
export function readLearn({
  rest,
  flags,
  text,
}: GivenLearn): LearnCommand | { kind: 'usage'; problems: readonly string[] } {
  const given = learnFlags.filter((name) => flags.includes(name));
  const choices = given.filter((name) => name === 'pull-request' || name === 'since' || name === 'last');
  const foreign = flags.filter((flag) => !learnFlags.some((name) => name === flag));
  const problems = [
    ...foreign.map((name) => `'--${name}' means nothing to learn, which takes --${learnFlags.join(', --')}.`),
    ...(rest.length > 0 ? [`'${rest.join(' ')}' is too much: values belong to flags, such as --pull-request 7.`] : []),
    ...given
      .filter((name) => !values[name].allowed.test(text(name)))
      .map((name) => `'--${name}' needs ${values[name].needs}.`),
    ...(choices.length > 1 ? [`'--${choices.join("' and '--")}' exclude each other.`] : []),
  ];
  if (problems.length > 0) return { kind: 'usage', problems };
  const number = (name: Flag) => (given.includes(name) ? Number.parseInt(text(name), 10) : null);
  return {
    kind: 'learn',
    directory: text('directory') || '.',
    repository: text('repository') || null,
    author: text('author') || 'github-actions[bot]',
    pullRequest: number('pull-request'),
    sinceDays: number('since'),
    last: number('last') ?? 20,
  };
}
