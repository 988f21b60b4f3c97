import { describe, expect, it } from 'vitest';
import { readMarks } from '../../../src/core/memory/mark-text.ts';
import { renderReviewPost } from '../../../src/core/report/review-post.ts';
import { context, finding, review } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';

describe('the review that is posted', () => {
  it('is nothing for a clean run, whatever the model wrote beside it', () => {
    expect(renderReviewPost(review({ nonSpecific: ['Well done.'] }), context)).toBeNull();
  });

  it('is nothing when all findings are for the summary', () => {
    const placements = [{ finding: finding(), place: 'summary', reason: 'below min-severity' }] as const;
    expect(renderReviewPost(review({ outcome: 'findings', placements }), context)).toBeNull();
  });

  it('is nothing without a pull request', () => {
    expect(renderReviewPost({ ...richRecord().review, pullRequest: null }, context)).toBeNull();
  });

  it('tells what is outside the diff and what was not reviewed', () => {
    expect(renderReviewPost(richRecord().review, context)?.body).toMatchInlineSnapshot(`
      "**Partial review: 4 findings (1 critical, 2 warning, 1 nitpick). Token limit reached.**

      Checkout throws for every cart.

      **Not reviewed:** \`src/huge.ts\` (Token limit reached.)

      The two carts repeat each other: one of them could go.

      #### Outside the diff

      **Warning · documentation** The manual still says "first price" | see \`@ada\`, \`#12\`\\
      [\`docs/prices.md:3\`](https://github.com/acme/shop/blob/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/docs/prices.md?plain=1#L3)

      \`\`\`md
      The first price counts.
      \`\`\`

      For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      <details><summary>Evidence</summary>

      \`src/cart.ts:12\` indexes by \`length\`; \`checkout()\` in \`src/checkout.ts:40\` calls it for every order.

      </details>

      <sub>1 more finding of lesser weight: see the job summary.</sub>"
    `);
  });

  it('anchors its comments to the reviewed commit', () => {
    const post = renderReviewPost(richRecord().review, context);
    const anchors = post?.comments.map(({ findingIds, path, side, startLine, line }) => ({
      findingIds,
      path,
      side,
      startLine,
      line,
    }));
    expect({ commit: post?.commit, anchors }).toEqual({
      commit: 'a'.repeat(40),
      anchors: [
        { findingIds: ['f1'], path: 'src/cart.ts', side: 'RIGHT', startLine: null, line: 12 },
        { findingIds: ['f2'], path: 'src/old-checkout.ts', side: 'LEFT', startLine: 30, line: 32 },
      ],
    });
  });

  it('comments on the file where the finding is about the file', () => {
    const placements = [
      { finding: finding({ anchor: { kind: 'file' }, suggestion: null, evidence: '' }), place: 'file' },
    ] as const;
    expect(renderReviewPost(review({ outcome: 'findings', placements }), context)?.fileComments).toEqual([
      {
        findingIds: ['f1'],
        path: 'src/cart.ts',
        body: '**Critical · bug** The last price is read past the end\n\nFor any cart `items[items.length]` is undefined, so `.price` throws. Read the last index instead.',
      },
    ]);
  });

  it('names as many findings outside the diff as GitHub takes, and knows which', () => {
    const placements = Array.from({ length: 60 }, (_, index) => ({
      finding: finding({ id: `f${index}`, title: `Title ${index}.`, review: 'A sentence of the review. '.repeat(200) }),
      place: 'body' as const,
      reason: 'not in the diff',
    }));
    const identity = { name: 'Review', run: '1-1', settings: '0123456789abcdef' };
    const post = renderReviewPost(review({ outcome: 'findings', placements, identity }), context);
    const body = post?.body ?? '';
    const named = placements.filter(({ finding: { title } }) => body.includes(`${title}\\\n`));
    const marked = readMarks(body).filter(({ kind }) => kind === 'finding');
    expect(named.map(({ finding: { id } }) => id)).toEqual(post?.bodyFindings);
    expect([named.length > 40, marked.length === named.length, body.length < 65_536]).toEqual([true, true, true]);
  });

  it('holds no secret', () => {
    const text = 'The key hunter2hunter2 is in the code.';
    const leaky = finding({
      title: text,
      review: text,
      evidence: text,
      suggestion: text,
      ruleId: text,
      alsoAt: [text],
    });
    const placements = [
      { finding: leaky, place: 'inline' },
      { finding: leaky, place: 'body', reason: text },
    ] as const;
    const post = renderReviewPost(
      review({ outcome: 'findings', headline: text, nonSpecific: [text], placements }),
      context,
    );
    expect(JSON.stringify(post)).not.toContain('hunter2hunter2');
  });
});
