/** What stands in place of a secret that was found in the source. */
export const valueRedacted = '[redacted: secret]';

/** The text without these secret values, the longest first. */
export function withoutValues(text: string, values: readonly string[]): string {
  const longestFirst = values.toSorted((one, other) => other.length - one.length);
  return longestFirst.reduce(
    (result, value) => (value === '' ? result : result.replaceAll(value, valueRedacted)),
    text,
  );
}
