import { expect, it } from 'vitest';
import { inItsTime } from './life.ts';
import { plainManner } from './reviewer.ts';
import { Scene } from './scene.ts';

/** What a life comes to. */
export type Row = {
  readonly life: string;
  readonly ends: (begin: (changes?: ConstructorParameters<typeof Scene>[0]) => Scene) => Promise<unknown>;
  readonly right: unknown;
};

const live = ({ ends }: Row) => inItsTime(() => ends((changes) => new Scene(changes)));

/** A test for each. */
export function tell(rows: readonly Row[]): void {
  it.each(rows)('$life', async (row) => {
    expect(await live(row)).toEqual(row.right);
  });
}

export const unguarded = (place: string, name = 'osprey') => `${place} ${name}() runs unguarded`;
export const obedient = { ...plainManner, obeys: true };
export const gathering = { ...plainManner, gathers: true };

/** A finding on `osprey` in `birch` of `src/a.ts`, reported. */
export async function reported(scene: Scene): Promise<Scene> {
  scene.add('src/a.ts birch', 'osprey');
  await scene.run();
  return scene;
}
