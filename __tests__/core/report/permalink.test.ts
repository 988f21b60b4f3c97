import { describe, expect, it } from 'vitest';
import { permalink } from '../../../src/core/report/permalink.ts';
import { context, finding, pullRequest } from '../../fakes/review-record.ts';

const links = { context, pullRequest };
const head = 'a'.repeat(40);
const lines = { kind: 'lines', side: 'RIGHT', startLine: 3, endLine: 5, quote: 'a\nb\nc' } as const;

describe('the link to a finding', () => {
  it.each([
    ['lines at head', finding({ anchor: lines }), `https://github.com/acme/shop/blob/${head}/src/cart.ts#L3-L5`],
    ['one line', finding(), `https://github.com/acme/shop/blob/${head}/src/cart.ts#L12`],
    [
      'a file that GitHub renders',
      finding({ path: 'docs/a b(1).md', anchor: lines }),
      `https://github.com/acme/shop/blob/${head}/docs/a%20b%281%29.md?plain=1#L3-L5`,
    ],
    [
      'removed lines',
      finding({ anchor: { ...lines, side: 'LEFT' } }),
      'https://github.com/acme/shop/pull/7/files#diff-3e111233cdeb1e3f31646b9088b8e9f55eba99c0cf0a167026d8503c5408c24bL3-L5',
    ],
  ])('shows %s', (_name, one, url) => {
    expect(permalink(one, links)).toBe(url);
  });

  it('does not exist on a laptop', () => {
    expect(permalink(finding(), { context: { ...context, repository: null }, pullRequest })).toBeNull();
  });
});
