import type { NormalisedRequest } from '../__tests__/fakes/model-server/normalise.ts';
import { submit } from '../__tests__/fakes/model-server/script.ts';
import { changed, kept, type Planted, planted } from './planted.ts';
import type { Row } from './row.ts';
import { playReview } from './scripted-review.ts';

const files: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ ...kept, ...changed }).map(([path, text]) => [path, text.split('\n')]),
);

/** Thirty findings through a scripted reviewer: of the lines that their evidence cites, how many a verifier is not shown. */
export async function qualityPlanted(): Promise<readonly Row[]> {
  const cases = planted.map(citing);
  const { verifications } = await playReview({
    world: { base: { ...kept, ...blank }, head: changed },
    model: () => submit(cases.map(({ path, quote, title, evidence }) => ({ path, quote, title, evidence }))),
    outcome: 'findings',
  });
  const rows = cases.map(({ title, cited, refuted }, at) => {
    const prompt = verifications.map(promptOf).find((text) => text.includes(`: ${title}\n`)) ?? '';
    const isShown = (one: Cited) => sourceOf(prompt, one.path).includes(numbered(one));
    const missing = cited.filter((one) => !isShown(one)).length;
    // What refutes a wrong finding has to be there, too.
    const unproven = refuted !== undefined && !prompt.includes(refuted) ? 1 : 0;
    return {
      measure: `  ${refuted === undefined ? 'true ' : 'wrong'} ${at + 1}: ${cited.length} lines cited, ${cited.length - missing} shown; missing`,
      measured: missing + unproven,
      unit: 'lines',
      promised: null,
    } as const;
  });
  const missing = rows.reduce((sum, { measured }) => sum + measured, 0);
  return [
    {
      measure: `cited lines of ${rows.length} findings that a verifier is not shown`,
      measured: missing,
      unit: 'lines',
      promised: { atMost: 0 },
    },
    ...rows,
  ];
}

const blank = Object.fromEntries(Object.keys(changed).map((path) => [path, '\n']));

type Cited = { readonly path: string; readonly line: number; readonly text: string };

/** The finding with its evidence written as people write it, each in another way, and the lines that it then cites. */
function citing(one: Planted, at: number): Planted & { readonly cited: readonly Cited[] } {
  const cited: Cited[] = [];
  const evidence = one.evidence.replace(/\{([^|}]*)\|(.+?)\}/g, (_all, named: string, fragments: string) => {
    const path = named === '' ? one.path : named;
    const [first = '', last = first] = fragments.split('..');
    const start = lineOf(path, first);
    const end = lineOf(path, last, start);
    for (let line = start; line <= end; line += 1) {
      cited.push({ path, line, text: files.get(path)?.[line - 1] ?? '' });
    }
    return place({ path: named, start, end, at });
  });
  return { ...one, evidence: `${evidence}.`, cited };
}

function place({ path, start, end, at }: { path: string; start: number; end: number; at: number }): string {
  const range = start === end ? `${start}` : `${start}-${end}`;
  if (path === '') return start === end ? `line ${start}` : range;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ways = [
    `${path}:${range}`,
    `\`${path}\` lines ${range}`,
    `${name}:${range}`,
    `${name} (L${range})`,
    `${path}#L${range}`,
  ];
  return ways[at % ways.length] ?? '';
}

/** @throws Error when a case names what its file does not hold. */
function lineOf(path: string, fragment: string, from = 1): number {
  const at = files.get(path)?.findIndex((line, index) => index >= from - 1 && line.includes(fragment)) ?? -1;
  if (at === -1) throw new Error(`${path} holds no ${fragment}.`);
  return at + 1;
}

function numbered({ line, text }: Cited): string {
  return `${String(line).padStart(4)} | ${text}\n`;
}

function promptOf({ messages }: NormalisedRequest): string {
  return messages.map(({ text }) => text).join('\n');
}

/** The lines of a file in a prompt, under its path. */
function sourceOf(prompt: string, path: string): string {
  const [, ...rest] = prompt.split(`\n${path} (`);
  return `${rest.join('').split(/\n[\w./]+ (?:\(|before)/)[0] ?? ''}\n`;
}
