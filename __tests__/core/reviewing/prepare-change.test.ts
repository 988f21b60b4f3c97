import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import type { Stack } from '../../../src/core/pull-request/pull-request.ts';
import { prepareChange } from '../../../src/core/reviewing/prepare-change.ts';
import { addedFile, hunkOf, MemoryRepository } from '../../fakes/memory-repository.ts';
import { reviewParts } from '../../fakes/rich-record.ts';
import { changedFile } from '../findings/make.ts';

const secret = 'k3Jd8sLq0Zx7Vb2N';
const leaking = [`API_KEY=${secret}`];

/** A change of these files, prepared for a review of all of them. */
async function prepared(
  files: readonly ChangedFile[],
  texts: Readonly<Record<string, string>> = {},
  { base = texts, stack }: { readonly base?: typeof texts; readonly stack?: Stack } = {},
) {
  const repository = new MemoryRepository(texts, { base });
  const parts = reviewParts(
    { changes: async () => ({ files, missing: [] }), repository },
    { exclude: 'old/**', 'deny-paths': 'private/**' },
  );
  const pullRequest = { ...parts.pullRequest, ...(stack === undefined ? {} : { stack }) };
  return await prepareChange({ ...parts, pullRequest }, { globs: [], rulesOnly: false });
}

describe('a prepared change', () => {
  it.each([
    ['is reviewed', 'src/settings.env.ts'],
    ['is not reviewed', 'old/settings.env.ts'],
    ['the model may not read', 'private/settings.env.ts'],
  ])('hides a credential of a file that %s, wherever it stands', async (_, path) => {
    const { redaction } = await prepared([addedFile(path, leaking), addedFile('src/a.ts', ['one();'])]);
    expect(redaction.hide(`The log shows ${secret}.`)).not.toContain(secret);
  });

  it('believes of a file in a stack what its base says of it, and not what a layer below does', async () => {
    const files = ['a.pb.go', 'b.pb.go', 'c.go'].map((path) =>
      changedFile(path, { hunks: [hunkOf(['-old', '+new'])] }),
    );
    const stack = { base: { ref: 'main', sha: 'd'.repeat(40) }, below: [] };
    const base = { 'a.pb.go': 'package a' };
    const keptOf = async (more: { readonly stack?: Stack }) =>
      (await prepared(files, { ...base, 'b.pb.go': 'package b', 'c.go': '' }, { base, ...more })).selection.kept;
    const kept = [await keptOf({}), await keptOf({ stack })].map((all) => all.map(({ path }) => path));
    expect(kept).toEqual([['c.go'], ['b.pb.go', 'c.go']]);
  });

  it('hides a credential that a moved file holds, and none of its lines is in the diff', async () => {
    const moved = changedFile('.github/workflows/a.yml', { oldPath: 'examples/a.yml', status: 'renamed', hunks: [] });
    const { selection, redaction } = await prepared([moved], { '.github/workflows/a.yml': `${leaking[0]}\n` });
    expect([selection.kept.map(({ hunks }) => hunks.length), redaction.hide(secret).includes(secret)]).toEqual([
      [1],
      false,
    ]);
  });
});
