import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkoutCommits } from '../../../src/adapters/git/checkout-commits.ts';
import { cloneRepository, createRepository } from '../../fakes/git-fixture.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';

describe('the commits that a workspace has checked out', () => {
  it('are those of the workspace and of the folders in it', async () => {
    const origin = createRepository();
    const first = origin.commit({ files: { a: '1\n' } });
    const second = origin.commit({ files: { a: '2\n' } });
    const workspace = cloneRepository(origin);
    mkdirSync(join(workspace.directory, 'deep', 'er'), { recursive: true });
    workspace.git('clone', '--quiet', origin.directory, 'deep/er/pull');
    workspace.git('-C', 'deep/er/pull', 'checkout', '--quiet', first);
    const found = await checkoutCommits({
      workspace: workspace.directory,
      commits: [first],
      environment: process.env,
      signal: new AbortController().signal,
    });
    expect(found).toEqual([
      { commits: [{ commit: second, parents: [first] }], holds: [first] },
      { commits: [{ commit: first, parents: [] }], holds: [first] },
    ]);
  });

  it('are none without a checkout', async () => {
    const signal = new AbortController().signal;
    expect(
      await checkoutCommits({ workspace: temporaryFolder(), commits: [], environment: process.env, signal }),
    ).toEqual([]);
  });
});
