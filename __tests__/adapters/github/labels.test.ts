import { describe, expect, it } from 'vitest';
import { ownLabels } from '../../../src/adapters/github/labels.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { readLabelRules } from '../../../src/core/settings/label-rules.ts';
import { allPermissions, readOnly } from '../../fakes/github-server/world.ts';
import { printed } from '../../fakes/printed.ts';
import { allProven, pullRequest, recordOf } from '../../fakes/review-record.ts';
import { head, strictGitHub } from './scripted-github.ts';

const writesPulls = { ...allPermissions, issues: 'none' } as const;
const rows = ['size/XL: changed > 100', 'hot: findings > 0', 'small: changed < 10'];

type World = NonNullable<Parameters<typeof strictGitHub>[0]> & { readonly present?: readonly string[] };

/** A large change without findings, on a pull request with these labels, in a repository that knows all of ours. */
async function labelled({ present = [], ...world }: World, rules = rows, changes: Partial<Review> = {}) {
  const strict = await strictGitHub({ labels: ['Size/xl', 'hot', 'small'], ...world });
  strict.fake.people.change({ labels: present });
  const labels = ownLabels(strict, { rules: readLabelRules(rules), currentHead: async () => head });
  const review = { pullRequest: { ...pullRequest, head: { ...pullRequest.head, sha: head } }, ...changes };
  const { status, reason } = printed(await labels.deliver(recordOf({ size: { files: 3, changed: 120 }, ...review })));
  const writes = strict.fake.writes().map(({ method, path, body }) => {
    return `${method} ${path.replace(/.*\/labels/, '')} ${JSON.stringify(body)}`;
  });
  return { status, reason, writes, labels: strict.fake.pull().given.labels };
}

describe('the labels of a pull request', () => {
  it('are set in one request and removed one by one, whatever their letters, and others stay', async () => {
    expect(await labelled({ present: ['mine', 'HOT', 'small'], permissions: writesPulls })).toEqual({
      status: 'delivered',
      reason: 'Labels set: size/XL. Labels removed: HOT, small.',
      writes: ['DELETE /HOT null', 'DELETE /small null', 'POST  {"labels":["size/XL"]}'],
      labels: ['mine', 'Size/xl'],
    });
  });

  it.each([
    ['are what they should be', ['SIZE/XL', 'mine'], {}],
    ['were set by a run of an older head', [], { pullRequest }],
    ['are those of a run that reviewed nothing', [], { facts: { ...allProven, run: 'left' } }],
  ] as const)('stay, without a request, when they %s', async (_, present, changes) => {
    expect(await labelled({ present }, rows, changes)).toMatchObject({
      status: 'skipped',
      writes: [],
      labels: present,
    });
  });

  it('stay when the token may not write, and the reason says so', async () => {
    const made = await labelled({ present: ['hot'], permissions: readOnly });
    expect([made.status, made.labels]).toEqual(['refused', ['hot']]);
    expect(made.reason).toMatch(/^Not changed: hot, size\/XL \(Resource not accessible/);
  });

  it('are set one by one where one of them cannot be made, which is named', async () => {
    const made = await labelled({ permissions: writesPulls }, ['new: changed > 1', ...rows]);
    expect([made.status, made.labels]).toEqual(['refused', ['Size/xl']]);
    expect(made.reason).toMatch(/^Labels set: size\/XL\. Not changed: new \(Resource not accessible.*`issues: write`/);
    expect((await labelled({}, ['new: changed > 1'])).labels).toEqual(['new']);
  });

  it('that somebody else removed meanwhile are gone, and nothing is wrong', async () => {
    const gone = { match: { method: 'DELETE', path: /\/labels\/hot$/ }, times: 1, after: 'status 404' } as const;
    expect(await labelled({ present: ['hot'], faults: [gone] })).toMatchObject({ status: 'delivered' });
  });

  it('are no more than a hundred', async () => {
    const present = Array.from({ length: 100 }, (_, index) => `l${index}`);
    const made = await labelled({ present });
    expect([made.status, made.writes, made.labels.length]).toEqual(['refused', [], 100]);
    expect(made.reason).toContain('size/XL (more than 100 labels)');
    const room = await labelled({ present: [...present.slice(1), 'hot'] });
    expect([room.status, room.labels.length]).toEqual(['delivered', 100]);
  });

  it('survive an answer that is lost', async () => {
    const lost = { match: { method: 'POST', path: /\/labels$/ }, times: 1, after: 'status 502' } as const;
    expect(await labelled({ faults: [lost] })).toMatchObject({ status: 'delivered', labels: ['Size/xl'] });
  });
});
