import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from './memory-repository.ts';
import { recordSurfaces } from './surfaces/record-surfaces.ts';
import { surfaces } from './surfaces/surfaces.ts';

/** A recorder whose test has a name that is set, and the files that it wrote. */
function recorder() {
  const folder = temporaryFolder();
  let test = { file: 'scenarios/some.test.ts', name: 'says "so"', id: '1' };
  return {
    record: recordSurfaces(folder, () => test),
    enter: (name: string, id: string) => {
      test = { ...test, name, id };
    },
    files: () => readdirSync(join(folder, 'scenarios/some')).toSorted(),
    read: (name: string) => readFileSync(join(folder, 'scenarios/some', name), 'utf8'),
  };
}

const ended = (stdout: string) => () => ({ end: 'exit 0', sections: { stdout } });
const reply = (body: string) => ({ method: 'POST', path: '/comments', body: { body }, status: 201 });
const reaction = { query: 'mutation React($comment: ID!) { a }', variables: { comment: 'IC_1' } };

it('what a run shows and writes to GitHub stands in a file of its test, in a fixed order', async () => {
  const { record, files, read } = recorder();
  const output = await record.run(
    'job',
    async () => {
      record.write(reply('One line.\nAnother.'));
      record.write({ method: 'POST', path: '/api/graphql', body: reaction, status: null });
      return {};
    },
    ended('Posted.'),
  );
  record.add(output, { outputs: { posted: '1' }, 'job summary': '' });
  record.show('MCP review', { text: 'Nothing.' });
  expect(files()).toEqual(['says-so.txt']);
  expect(read('says-so.txt')).toMatchInlineSnapshot(`
    "======== 1. job: exit 0
    -------- stdout
    Posted.
    -------- outputs
    posted: "1"

    ======== Written to GitHub
    -------- POST /comments → 201
    body: |-
      One line.
      Another.
    -------- mutation React → no answer
    comment: IC_1

    ======== 2. MCP review
    -------- shown
    text: Nothing.
    "
  `);
});

it('tests of one name have files of their own, and a long name is cut', () => {
  const { record, enter, files } = recorder();
  for (const [name, id] of [
    ['a > b', '1'],
    ['A: b', '2'],
    ['long '.repeat(50), '3'],
  ] as const) {
    enter(name, id);
    record.write(reply('Hello.'));
  }
  expect(files()).toEqual(['A-b-2.txt', 'a-b.txt', expect.stringMatching(/^long-(?:long-)+[0-9a-f]{8}\.txt$/)]);
});

it('runs at once show what depends on which is first, so their number stands there', async () => {
  const { record, read } = recorder();
  const run = (text: string) => record.run('job', async () => ({}), ended(text));
  await Promise.all([run('one'), run('other')]);
  expect(read('says-so.txt')).toContain('2 runs at once');
});

it.each([
  ['an address', 'http://127.0.0.1:40123/x', 'http://127.0.0.1:PORT/x'],
  ['a temporary path', `${join(tmpdir(), 'postil-test-x1/a')}.`, 'TEMPORARY'],
  ['a time', '2026-11-29 04:53 UTC and 2026-11-29T04:53:11.896Z', 'DATE and DATE'],
  ['how long it took', '3 ms, 1.5 s, 2 min 3 s', 'DURATION, DURATION, DURATION'],
  ['a stack', 'Error: no%0A    at a (b.ts:1:2)%0A    at c', 'Error: no STACK'],
  ['what ends in any order', '↳ b\n↳ a\nx\n↳ c', '↳ a\n↳ b\nx\n↳ c'],
  ['passes', '[pass 2] b\n[pass 1] z\n[pass 1] a', '[pass 1] z\n[pass 1] a\n[pass 2] b'],
])('%s is the same in every run', (_, text, same) => {
  const { record, read } = recorder();
  record.show('text', text);
  expect(read('says-so.txt').trimEnd().split('\n').slice(2).join('\n')).toBe(same);
});

it('nothing is recorded where no folder is named', () => {
  expect(surfaces === null).toBe((process.env['POSTIL_SURFACES'] ?? '') === '');
});
