import { it } from 'vitest';
import { lifeOf, liveThrough, told } from './seeds.ts';

it('probes', async () => {
  const from = Number(process.env['FROM'] ?? 1),
    to = Number(process.env['TO'] ?? 10);
  const kinds = new Map<string, number[]>();
  const t = performance.now();
  let rounds = 0;
  for (let seed = from; seed <= to; seed++) {
    const life = lifeOf(seed, 8);
    const ended = await liveThrough(life);
    rounds += ended.story.filter((l) => l.startsWith('Round')).length;
    for (const why of ended.broken) {
      const k = why.slice(0, why.indexOf('. ') + 1);
      kinds.set(k, [...(kinds.get(k) ?? []), seed]);
    }
    if (process.env['TELL'] !== undefined) console.log(`seed ${seed}\n` + told(life, ended));
  }
  console.log('ms a round', (performance.now() - t) / rounds, rounds);
  for (const [k, v] of kinds) console.log(v.length, k, v.slice(0, 20).join(' '));
});
