import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '');

/** What differs from run to run at one commit, and what stands in its place. */
const volatile: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`${quoted(tmpdir())}[\\w./-]*`, 'g'), 'TEMPORARY'],
  [new RegExp(quoted(root), 'g'), 'ROOT'],
  [/(mkdtemp '[^']*-)\w{6}/g, '$1XXXXXX'],
  // A header may hold an address: as much of another as begins like it is a secret.
  [/(?:127\.0\.0\.1:|\[redacted: secret\])\d{2,}/g, '127.0.0.1:PORT'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)/g, 'DATE'],
  [/\d+ min(?: \d+ s)?\b|\d+(?:[.,]\d+)? m?s\b/g, 'DURATION'],
  [/("(?:milliseconds|at)": ?)\d+/g, '$1DURATION'],
  // Stack traces, those of Node's own as well.
  [/(?:(?:\n|%0A) {4}at [^\n%]*)+/g, ' STACK'],
  [/(?:\n\[\d+:0x[0-9a-f]+\][^\n]*)+/g, '\nHEAP'],
  [/(?:\n *\d+: 0x[0-9a-f]+[^\n]*)+/g, '\nSTACK'],
  // They change with every setting, and with what is signed.
  [/"settings":"[0-9a-f]{16}"/g, '"settings":"SETTINGS"'],
  [/"signature":"[0-9a-f]{64}"/g, '"signature":"SIGNATURE"'],
  // The page draws when things happened.
  [/<svg (?:viewBox|class="axis").*?<\/svg>/g, 'DRAWING'],
  // A call that was in flight when the run was stopped is counted as far as it came.
  [/^about [\d,]+ tokens in/gm, 'about SOME tokens in'],
  // Of several conversations at once, the first has nothing in the cache.
  [/ \([\d,]+ cached\)/g, ''],
  [/(cached-tokens: "|"cached(?:_tokens)?": )\d+/g, '$1SOME'],
  [/^( *\|(?: [^|\n]+ \|){3}) [\d.,]+(?= \| [\d.,]+ \|$)/gm, '$1 SOME'],
  [/^((?:Billed tokens|Cost) per case).*/gm, '$1 SOME'],
];

/** Lines that come in the order in which things end: where they follow each other they are sorted by what stands in the parentheses. */
const unordered: readonly RegExp[] = [
  /^(?:\S\[\d+m)?(\[pass \d+\])/,
  /^(↳ .*)/,
  /^(Batch \d+ .*)/,
  /^([\w-]+: (?:\d+ of \d+ found|clean).*)/,
];

/** The same for what has several lines. */
const unorderedGroups = /(?:^::group::Batch .*\n(?:(?!::).*\n)*::endgroup::\n)+/gm;

export function normalise(text: string): string {
  const replaced = volatile.reduce((result, [pattern, word]) => result.replace(pattern, word), text);
  const grouped = replaced.replace(unorderedGroups, (groups) =>
    groups
      .split(/(?=^::group::)/m)
      .toSorted()
      .join(''),
  );
  return unordered.reduce(sortRuns, grouped.split('\n')).join('\n');
}

function sortRuns(lines: readonly string[], pattern: RegExp): readonly string[] {
  const keyed = lines.map((line) => ({ line, key: pattern.exec(line)?.[1] ?? null }));
  const runs: (typeof keyed)[] = [];
  for (const one of keyed) {
    const last = runs.at(-1);
    if (last?.[0]?.key != null && one.key !== null) last.push(one);
    else runs.push([one]);
  }
  return runs.flatMap((run) =>
    run.toSorted((a, b) => (a.key ?? '').localeCompare(b.key ?? '')).map(({ line }) => line),
  );
}

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
