/** Most severe first. */
export const severities = ['critical', 'warning', 'info', 'nitpick'] as const;
export type Severity = (typeof severities)[number];

/** True when `one` is as severe as `other`, or more. */
export function atLeast(one: Severity, other: Severity): boolean {
  return severities.indexOf(one) <= severities.indexOf(other);
}
