import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lives, liveThrough, told } from './seeds.ts';

it('probe', { timeout: 900000 }, async () => {
  const seed = Number(process.env['SEED'] ?? 1);
  const prop = process.env['PROP'] ?? '';
  const { properties } = await import('./holds.ts');
  const meant: any = Object.keys(properties).filter((p) => p.includes(prop));
  const mood = process.env['MOOD'];
  const arb = lives(Number(process.env['ROUNDS'] ?? 8)).map((l) => (mood ? { ...l, mood: mood as any } : l));
  const result = await fc.check(
    fc.asyncProperty(arb, async (life) => (await liveThrough(life, meant)).broken.length === 0),
    { seed, numRuns: Number(process.env['RUNS'] ?? 200), endOnFailure: false },
  );
  console.log('runs', result.numRuns, 'shrinks', result.numShrinks, 'failed', result.failed);
  const [life] = result.counterexample ?? [];
  if (life) {
    const ended = await liveThrough(life, meant);
    console.log(told(life, ended));
    console.log(JSON.stringify(life.rounds));
  }
});
