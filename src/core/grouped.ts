/** `1234567` as `1,234,567`. Not by `toLocaleString`: loading its tables takes longer than the whole rest of a tool call. */
export function grouped(count: number): string {
  return String(Math.trunc(count)).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
