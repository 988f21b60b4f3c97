import type { EndLine } from './transcript-line.ts';

/** How a replay's end differs from the recorded one, one sentence each; empty when they are the same. */
export function compareRuns(recorded: EndLine | null, replayed: EndLine): readonly string[] {
  if (recorded === null) return ['The recorded run did not come to its end.'];
  const differences: string[] = [];
  if (recorded.outcome !== replayed.outcome) {
    differences.push(`The outcome is ${replayed.outcome}; it was ${recorded.outcome}.`);
  }
  const keyOf = (finding: EndLine['findings'][number]) => JSON.stringify([finding.title, finding.where, finding.place]);
  const before = new Set(recorded.findings.map(keyOf));
  const after = new Set(replayed.findings.map(keyOf));
  for (const finding of recorded.findings) {
    if (!after.has(keyOf(finding))) differences.push(`No longer found: ${sentenceOf(finding)}.`);
  }
  for (const finding of replayed.findings) {
    if (!before.has(keyOf(finding))) differences.push(`Not found before: ${sentenceOf(finding)}.`);
  }
  return differences;
}

function sentenceOf({ title, where, place }: EndLine['findings'][number]): string {
  return `${title} (${where}, ${place})`;
}
