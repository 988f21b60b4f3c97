import type { ReviewRecord } from '../../src/core/review/sink.ts';
import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import type { World } from '../fakes/world/create-world.ts';
import type { Cell } from './cell.ts';

/** The defect that a text is about. */
function defectOf(text: string): number {
  return Number(
    /price(\d+) reads|out of bounds \\?\((\d+)/
      .exec(text)
      ?.slice(1)
      .find((digits) => digits !== undefined) ?? -1,
  );
}

/** The defects that a run accounts for, each as often as its ledger names it, refused and suppressed ones apart. */
export function accounted({ ledger }: ReviewRecord): readonly number[] {
  return ledger
    .filter(({ place }) => place !== 'suppressed')
    .map(({ finding }) => defectOf(finding.title))
    .toSorted((one, other) => one - other);
}

/** The defects that comments on the pull request tell, each as often as it is told. */
export function told(github: FakeGitHub): readonly number[] {
  return github
    .comments()
    .map(({ body }) => defectOf(body))
    .toSorted((one, other) => one - other);
}

/** Comments whose lines, at the commit they were written on, do not hold what they are about. */
export function onWrongLines({ github, world }: Cell): readonly string[] {
  return github.threads().flatMap(({ path, line, startLine, commit, comments }) => {
    const defect = defectOf(comments[0]?.body ?? '');
    if (line === null) return [];
    const lines = textAt(world, `${commit}:${path}`)
      .split('\n')
      .slice((startLine ?? line) - 1, line);
    return lines.some((text) => text.includes(`?? ${defect};`)) ? [] : [`${path}:${line} is not about ${defect}`];
  });
}

const texts = new Map<string, string>();

function textAt({ author }: World, object: string): string {
  const key = `${author.directory} ${object}`;
  const known = texts.get(key) ?? author.git('show', object);
  texts.set(key, known);
  return known;
}
