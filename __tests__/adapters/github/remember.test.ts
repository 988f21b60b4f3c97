import { expect, it } from 'vitest';
import { remember } from '../../../src/adapters/github/remember.ts';

it('asks once for each key, also when both ask at once', async () => {
  const asked: string[] = [];
  const length = remember(async (word: string) => {
    asked.push(word);
    return word.length;
  });
  const together = await Promise.all([length('one'), length('one'), length('three')]);
  expect([...together, await length('three'), asked]).toEqual([3, 3, 5, 5, ['one', 'three']]);
});

it('asks again after a failure', async () => {
  const answers = [Promise.reject(new Error('Try later')), Promise.resolve('there')];
  const ask = remember(() => answers.shift() ?? Promise.reject(new Error('Asked too often')));
  await expect(ask('key')).rejects.toThrow('Try later');
  expect([await ask('key'), await ask('key')]).toEqual(['there', 'there']);
});
