import type { NormalisedRequest } from '../__tests__/fakes/model-server/normalise.ts';
import { submit } from '../__tests__/fakes/model-server/script.ts';
import type { Citation } from '../src/core/findings/words.ts';
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

type CitingFinding = Omit<Planted, 'evidence'> & {
  readonly evidence: readonly Citation[];
  readonly cited: readonly Cited[];
};

/** The finding with its evidence as a reviewer gives it, and the lines that it then cites. */
function citing(one: Planted): CitingFinding {
  const places = [...one.evidence.matchAll(/\{([^|}]*)\|(.+?)\}/g)].map(([, named = '', fragments = '']) => {
    const path = named === '' ? one.path : named;
    const [first = '', last = first] = fragments.split('..');
    const start = lineOf(path, first);
    return { path, start, end: lineOf(path, last, start) };
  });
  const shows = one.evidence.replace(/\{.+?\}/g, 'this');
  const evidence = places.map(
    ({ path, start, end }) => ({ path, side: 'RIGHT', lines: `${start}-${end}`, shows }) as const,
  );
  const cited = places.flatMap(({ path, start, end }) =>
    Array.from({ length: end - start + 1 }, (_, index) => {
      const line = start + index;
      return { path, line, text: files.get(path)?.[line - 1] ?? '' };
    }),
  );
  return { ...one, evidence, cited };
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
